// Options that name files, whatever the files are called.

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tools/commands.h"

namespace firth::tools {
namespace {

// As values of other options these two say that there is none.
TEST(FileOptionsTest, AFolderMayBeCalledZeroOrOff) {
  for (const std::string name : {"0", "off"}) {
    const auto found = FindCommand({"train"});
    ASSERT_TRUE(found.ok());
    OptionSet options = DeclareOptions(found->command.get());
    const std::vector<std::string> arguments = {
        "--checkpoint", name, "--checkpoint-every", "1m", "--output", name};
    ASSERT_EQ(options.Parse(arguments), absl::OkStatus());
    EXPECT_EQ(options.CheckNeeds(), absl::OkStatus()) << name;
    EXPECT_EQ(options.UsedValues()["checkpoint-every"], "1m");
    EXPECT_EQ(options.UsedValues()["output"], name);
  }
}

}  // namespace
}  // namespace firth::tools

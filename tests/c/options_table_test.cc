// The table of options in docs/reference/c.md has each call of the header that
// takes options, and the names that firth_describe_options() tells.

#include <cstdlib>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "c/c_test_support.h"
#include "firth/firth.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "support/temp_files.h"

namespace firth {
namespace {

// What stands in the first group of the pattern, wherever it is found.
std::vector<std::string> AllFound(const std::string& text,
                                  const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end;
       ++it) {
    found.push_back((*it)[1]);
  }
  return found;
}

std::vector<std::string> OptionsOf(const std::string& call) {
  FirthBuffer* json = nullptr;
  EXPECT_TRUE(Fine(firth_describe_options(call.data(), SizeOf(call), &json)));
  std::vector<std::string> names;
  for (const auto& option : nlohmann::json::parse(TextOf(json))) {
    names.push_back(option["name"]);
  }
  return names;
}

TEST(OptionsTableTest, HasAllCallsAndAllOptions) {
  const char* const source = std::getenv("FIRTH_SOURCE");
  if (source == nullptr) GTEST_SKIP() << "FIRTH_SOURCE is not set";
  const std::string folder = source;
  std::set<std::string> listed;
  const std::regex row("\\| (`firth_[^|]*) \\| `([a-z-]+)` \\| ([^|]*) \\|");
  const std::string page = ReadWholeFile(folder + "/docs/reference/c.md");
  for (std::sregex_iterator it(page.begin(), page.end(), row), end; it != end;
       ++it) {
    for (const std::string& call : AllFound((*it)[1], "`(firth_[a-z_]+)\\(")) {
      EXPECT_TRUE(listed.insert(call).second) << call;
    }
    const std::vector<std::string> names = AllFound((*it)[3], "`([a-z0-9-]+)`");
    EXPECT_THAT(names, testing::ElementsAreArray(OptionsOf((*it)[2])))
        << (*it)[1];
  }
  const std::vector<std::string> declared =
      AllFound(ReadWholeFile(folder + "/include/firth/firth.h"),
               "FIRTH_API[^;]*?\\b(firth_[a-z_]+)\\([^;]*?options_size[^;]*;");
  EXPECT_EQ(listed, std::set<std::string>(declared.begin(), declared.end()));
}

}  // namespace
}  // namespace firth

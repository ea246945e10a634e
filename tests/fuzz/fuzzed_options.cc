#include "fuzz/fuzzed_options.h"

#include <algorithm>
#include <iterator>

#include "absl/status/statusor.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "firth/status_macros.h"
#include "nlohmann/json.hpp"
#include "tools/commands.h"

namespace firth {

// An argument a line. What was given once is taken again from what is saved of
// it, with the same values.
absl::Status ReadCommandLine(absl::string_view bytes) {
  std::vector<std::string> words = absl::StrSplit(bytes, '\n');
  // The operating system ends an argument there.
  for (std::string& word : words)
    word.resize(std::min(word.find('\0'), word.size()));
  FIRTH_ASSIGN_OR_RETURN(tools::FoundCommand found, tools::FindCommand(words));
  words.erase(words.begin(),
              words.begin() + static_cast<ptrdiff_t>(found.words));
  tools::OptionSet options = tools::DeclareOptions(found.command.get());
  FIRTH_RETURN_IF_ERROR(options.Parse(words));
  const auto command = tools::FindCommand(
      {std::string(tools::NameWords(*found.command).first),
       std::string(tools::NameWords(*found.command).second)});
  FIRTH_CHECK(command.ok());
  tools::OptionSet again = tools::DeclareOptions(command->command.get());
  const auto none_may = [](const tools::Option&) { return false; };
  FIRTH_CHECK(again.TakeSaved(options.GivenValues(), none_may).ok());
  FIRTH_CHECK(again.GivenValues() == options.GivenValues());
  (void)found.command->Check(options);
  return absl::OkStatus();
}

std::vector<std::string> CommandLineSeeds() {
  const std::string train =
      "train\n-i\nx\n-o\ny\n--views\n3,12\n--sample\n1e-3\n--memory\n4G\n"
      "--checkpoint\nc\n--checkpoint-every\n5%";
  return {"train\n--input\na\nb\n--output=v.bin\n--dim\n50\n--loss\nnce\n-q",
          train, "lm\ntrain\n-i\nx\n--units\n8\n--output\nm.safetensors",
          "nn\nvectors.bin\nking\n--top=5\n--json",
          "align\na.bin\nb.bin\n--dictionary\nd.txt"};
}

}  // namespace firth

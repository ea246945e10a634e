// Checks that a command with --json prints exactly the bytes that AskJson()
// returns as the answer.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ask/opened_example.h"
#include "gtest/gtest.h"
#include "serve/served_example.h"
#include "support/run_program.h"

namespace firth {
namespace {

class AskSameBytesTest : public ProgramTest {};

struct Case {
  std::string question;
  std::vector<std::string> command;
  std::string input;
  std::string body;
};

TEST_F(AskSameBytesTest, OfCommandsAndOtherCallers) {
  const auto file = [](const char* name) { return ServedFolder().File(name); };
  for (const Case& c :
       {Case{"drift",
             {"drift", file("old.vec"), file("new.vec"), "king", "nobody"},
             "",
             R"({"old":"old","new":"new",)"
             R"("requests":[{"words":["king","nobody"]}]})"},
        Case{"bias",
             {"bias", file("old.vec"), "--x", "king", "--y", "queen", "--a",
              "man", "--b", "woman"},
             "",
             R"({"model":"old","requests":[{"x":["king"],"y":["queen"],)"
             R"("a":["man"],"b":["woman"]}]})"},
        Case{"text-similarity",
             {"text-similarity", file("old.vec")},
             "king\tqueen man\n",
             R"({"model":"old","requests":[{"a":"king","b":"queen man"}]})"},
        Case{"sentence-vectors",
             {"sentence-vectors", file("old.vec")},
             "king queen\n",
             R"({"model":"old","requests":[{"text":"king queen"}]})"},
        Case{"classify",
             {"classify", "predict", file("classifier.safetensors")},
             "the king spoke\n",
             R"({"requests":[{"text":"the king spoke"}]})"},
        Case{"tag",
             {"tag", "apply", file("tagger.safetensors")},
             "the king\n",
             R"({"requests":[{"text":"the king"}]})"},
        Case{"embed",
             {"embed", file("lm.safetensors")},
             "the king\n",
             R"({"requests":[{"text":"the king"}]})"},
        Case{"lm-score",
             {"lm", "score", file("lm.safetensors")},
             "the king\n",
             R"({"requests":[{"text":"the king"}]})"}}) {
    std::vector<std::string> command = c.command;
    command.emplace_back("--json");
    const Outcome outcome = RunFirth(command, {.input = c.input});
    const auto answers =
        AskJson(*FindQuestion(c.question), OpenedExample(), c.body, NoLimits());
    ASSERT_TRUE(answers.ok()) << answers.status();
    EXPECT_EQ(absl::StrCat("{\"answers\":[",
                           outcome.out.substr(0, outcome.out.size() - 1), "]}"),
              *answers)
        << outcome.err;
  }
}

}  // namespace
}  // namespace firth

// Commands that answer line by line go on after a line that is too long.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "end_to_end/contextual_program.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "support/run_program.h"

namespace firth {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr char kTooLong[] = "expected a line of at most 16777216 bytes";

class LongLinesTest : public ContextualProgramTest {
 protected:
  // Two lines with one of 60 MB between them.
  static std::string Around(const std::string& line) {
    return absl::StrCat(line, "\n", std::string(60'000'000, 'x'), "\n", line,
                        "\n");
  }

  // The lines of output for such an input; memory must not hold the long one.
  static std::vector<std::string> Answers(
      const std::vector<std::string>& arguments, const std::string& input,
      int code, const std::string& message) {
    const Outcome outcome = RunFirth(arguments, {.input = input});
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(message));
    return absl::StrSplit(absl::StripSuffix(outcome.out, "\n"), '\n');
  }
};

TEST_F(LongLinesTest, QueriesGoOn) {
  const std::string place = absl::StrCat("standard input:2: ", kTooLong);
  const auto found = Answers({"nn", Vectors(), "--json"}, Around("cat"), 1, "");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0], found[2]);
  EXPECT_EQ(json::parse(found[1]), json({{"error", kTooLong}}));
  Answers({"nn", Vectors()}, Around("cat"), 1, place);
}

TEST_F(LongLinesTest, TextsGoOn) {
  const std::string place = absl::StrCat("standard input:2: ", kTooLong);
  auto found =
      Answers({"text-similarity", Vectors()}, Around("cat\tdog"), 1, place);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[1], "-");
  EXPECT_EQ(found[0], found[2]);
  found = Answers({"text-similarity", Vectors(), "--json"}, Around("cat\tdog"),
                  1, "");
  EXPECT_EQ(json::parse(found[1])["error"], kTooLong);
  found = Answers({"sentence-vectors", Vectors()}, Around("cat"), 0, place);
  EXPECT_THAT(found, testing::ElementsAre("0 1 0", "0 0 0", "0 1 0"));
}

TEST_F(LongLinesTest, ClassifiersGoOn) {
  std::string texts;
  for (int i = 0; i < 30; ++i) {
    absl::StrAppend(&texts, "__label__a red cat\n__label__b green dog\n");
  }
  const std::string model = Path("c.safetensors");
  ASSERT_EQ(RunFirth({"classify", "train", "--input", File("texts", texts),
                      "--output", model, "--quiet"})
                .code,
            0);
  auto found = Answers({"classify", "predict", model}, Around("red cat"), 0,
                       absl::StrCat("warning: standard input:2: ", kTooLong));
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0], found[2]);
  EXPECT_EQ(found[1], "");
  found = Answers({"classify", "predict", model, "--json"}, Around("red cat"),
                  0, "");
  ASSERT_EQ(found.size(), 3u);
  const json answer = json::parse(found[1]);
  EXPECT_THAT(answer["error"].get<std::string>(), HasSubstr(kTooLong));
}

TEST_F(LongLinesTest, TaggersAndEmbeddersGoOn) {
  const std::string tagger = Path("t.safetensors");
  ASSERT_EQ(RunFirth(TrainArguments(tagger)).code, 0);
  std::string tokens;
  for (int i = 0; i < 65'537; ++i) tokens += "cat ";
  const std::string many = absl::StrCat("red cat\n", tokens, "\nred cat\n");
  const std::string too_many =
      "standard input:2: expected a sentence of at most 65536 tokens";
  const std::vector<std::string> apply = {"tag", "apply", tagger, "--vectors",
                                          Vectors()};
  for (const auto& [input, message] :
       {std::pair(Around("red cat"), std::string(kTooLong)),
        {many, too_many}}) {
    const auto found = Answers(apply, input, 0, message);
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0], found[2]);
    EXPECT_EQ(found[1], "");
    std::vector<std::string> as_json = apply;
    as_json.push_back("--json");
    const json answer = json::parse(Answers(as_json, input, 0, "")[1]);
    EXPECT_THAT(answer["error"].get<std::string>(), HasSubstr(message));
    // An empty line after each sentence, of which the second has no token.
    const auto vectors =
        Answers({"embed", TinyLm(), "--layers", "average"}, input, 0, message);
    ASSERT_EQ(vectors.size(), 7u);
    EXPECT_EQ(vectors[3], "");
    EXPECT_EQ(vectors[0], vectors[4]);
  }
}

}  // namespace
}  // namespace firth

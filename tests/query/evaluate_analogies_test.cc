#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/rng.h"
#include "firth/evaluate.h"
#include "firth/query.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "query/analogy_batch.h"
#include "support/threads.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::HasSubstr;

const EvaluateOptions kOptions;

WordVectors Royals() {
  return MakeVectors({{"man", {1, 0, 0, 0.1f}},
                      {"woman", {-1, 0, 0, 0.1f}},
                      {"king", {1, 1, 0, 0.1f}},
                      {"queen", {-1, 1, 0, 0.1f}},
                      {"boy", {1, 0, 1, 0.1f}},
                      {"girl", {-1, 0, 1, 0.1f}},
                      {"apple", {0, 0, 0, 1}},
                      {"Rome", {0, 0, -1, 0}}});
}

AnalogyResult Evaluate(absl::string_view questions,
                       const EvaluateOptions& options = {}) {
  const TestFile file(questions);
  auto result = EvaluateAnalogies(Royals(), file.path(), options);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *result : AnalogyResult();
}

TEST(EvaluateAnalogiesTest, CountsBySectionInTheOrderOfTheFile) {
  const AnalogyResult result = Evaluate(
      ": royals\n"
      "man king woman queen\n"
      "man king woman apple\n"
      "man king woman duchess\n"
      ": ages\n"
      "man boy woman girl\n"
      ": royals\n"
      "woman queen man king\n");
  ASSERT_EQ(result.sections.size(), 3u) << "same names are not merged";
  EXPECT_EQ(result.sections[0].name, "royals");
  EXPECT_EQ(result.sections[0].correct, 1u);
  EXPECT_EQ(result.sections[0].asked, 2u);
  EXPECT_EQ(result.sections[0].total, 3u);
  EXPECT_EQ(result.sections[1].name, "ages");
  EXPECT_EQ(result.sections[1].correct, 1u);
  EXPECT_EQ(result.sections[2].name, "royals");
  EXPECT_EQ(result.sections[2].total, 1u);
  EXPECT_EQ(result.correct, 3u);
  EXPECT_EQ(result.asked, 4u);
  EXPECT_EQ(result.total, 5u);
  EXPECT_THAT(result.file, HasSubstr("firth_test"));
}

TEST(EvaluateAnalogiesTest, SectionsAreOptional) {
  const AnalogyResult result = Evaluate("man king woman queen");
  ASSERT_EQ(result.sections.size(), 1u);
  EXPECT_EQ(result.sections[0].name, "");
  EXPECT_EQ(result.correct, 1u);
}

TEST(EvaluateAnalogiesTest, SkipsCommentsEmptyLinesAndOtherLineEnds) {
  const AnalogyResult result = Evaluate(
      "\xEF\xBB\xBF# a comment\r\n"
      "\r\n"
      ":two words \r\n"
      "  man\tking  woman queen \r\n"
      "#man king\n");
  ASSERT_EQ(result.sections.size(), 1u);
  EXPECT_EQ(result.sections[0].name, "two words");
  EXPECT_EQ(result.correct, 1u);
  EXPECT_EQ(result.total, 1u);
}

TEST(EvaluateAnalogiesTest, LowercaseFoldsTheWordsOfTheTestSet) {
  constexpr absl::string_view kQuestion = "Man KING Woman Queen\n";
  EXPECT_EQ(Evaluate(kQuestion).asked, 0u);
  EXPECT_EQ(Evaluate(kQuestion).total, 1u);
  EvaluateOptions options;
  options.lowercase = true;
  EXPECT_EQ(Evaluate(kQuestion, options).correct, 1u);
}

TEST(EvaluateAnalogiesTest, LowercaseFoldsBeyondAscii) {
  const WordVectors vectors = MakeVectors(
      {{"мост", {1, 0}}, {"вода", {0, 1}}, {"ель", {1, 1}}, {"юг", {2, 1}}});
  const TestFile file("МОСТ Вода Ель ЮГ\n");
  EvaluateOptions options;
  options.lowercase = true;
  const auto result = EvaluateAnalogies(vectors, file.path(), options);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->asked, 1u);
}

TEST(EvaluateAnalogiesTest, WithoutCapitalsInTheVocabularyQuestionsAreFolded) {
  const TestFile file("Мост Вода Ель ЮГ\n");
  const auto folded = [&](const char* last) {
    const WordVectors vectors = MakeVectors(
        {{"мост", {1, 0}}, {"вода", {0, 1}}, {"ель", {1, 1}}, {last, {2, 1}}});
    const auto result = EvaluateAnalogies(vectors, file.path(), kOptions);
    EXPECT_TRUE(result.ok());
    EXPECT_EQ(result->asked, result->folded ? 1u : 0u);
    return result->folded;
  };
  EXPECT_TRUE(folded("юг"));
  EXPECT_FALSE(folded("Юг"));
  const WordVectors vectors = MakeVectors(
      {{"a", {1, 0}}, {"b", {0, 1}}, {"c", {1, 1}}, {"<UNK>", {2, 1}}});
  EXPECT_TRUE(IsLowercase(vectors.vocabulary()));
  EXPECT_FALSE(IsLowercase(Vocabulary()));
  const TestFile lower("a b c a\n");
  EXPECT_FALSE(EvaluateAnalogies(vectors, lower.path(), kOptions)->folded);
}

TEST(EvaluateAnalogiesTest, RestrictLeavesOutQuestionsWithRarerWords) {
  constexpr absl::string_view kQuestions =
      "man king woman queen\n"
      "man boy woman girl\n";
  EvaluateOptions options;
  options.restrict = 5;
  EXPECT_EQ(Evaluate(kQuestions, options).asked, 1u);
  EXPECT_EQ(Evaluate(kQuestions, options).correct, 1u);
  EXPECT_EQ(Evaluate(kQuestions, options).total, 2u);
  options.restrict = 6;
  EXPECT_EQ(Evaluate(kQuestions, options).asked, 2u);
}

TEST(EvaluateAnalogiesTest, AnAnswerAmongTheQuestionIsAskedButNeverRight) {
  const AnalogyResult result = Evaluate("man man king king\n");
  EXPECT_EQ(result.asked, 1u);
  EXPECT_EQ(result.correct, 0u);
}

struct BadFile {
  const char* name;
  const char* text;
  const char* message;
};

class EvaluateAnalogiesErrorTest : public testing::TestWithParam<BadFile> {};

TEST_P(EvaluateAnalogiesErrorTest, NamesPlaceExpectedAndFound) {
  const TestFile file(GetParam().text);
  const auto result = EvaluateAnalogies(Royals(), file.path(), {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(result.status().message()),
            absl::StrCat(file.path(), GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, EvaluateAnalogiesErrorTest,
    testing::Values(
        BadFile{"ThreeWords", ": x\n\nman king woman\n",
                ":3: expected 4 words, found 3: \"man king woman\""},
        BadFile{"FiveWords", "man king woman queen apple",
                ":1: expected 4 words, found 5: \"man king woman queen "
                "apple\""},
        BadFile{"StrangeBytes", "\x01\xff",
                ":1: expected 4 words, found 1: \"\\x01\xEF\xBF\xBD\""},
        BadFile{"LongLine",
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                ":1: expected 4 words, found 1: "
                "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...\""},
        BadFile{"Empty", "", ": the file contains no lines of 4 words"},
        BadFile{"NoQuestions", ": a\n: b\n",
                ": the file contains no lines of 4 words"}),
    [](const auto& info) { return info.param.name; });

TEST(EvaluateAnalogiesTest, QuestionsInMemoryAreAnsweredAsThoseOfAFile) {
  const auto result =
      EvaluateAnalogyText(Royals(), ": royal\nman king woman queen\n", {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->sections[0].name, "royal");
  EXPECT_EQ(result->correct, 1u);
  const auto bad = EvaluateAnalogyText(Royals(), "man king\n", {});
  EXPECT_THAT(std::string(bad.status().message()),
              testing::StartsWith("questions:1: expected 4 words"));
}

TEST(EvaluateAnalogiesTest, MissingFileIsNotFound) {
  const auto result = EvaluateAnalogies(Royals(), "/nonexistent/q.txt", {});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(result.status().message()),
              HasSubstr("/nonexistent/q.txt"));
}

// Random questions, some with repeated words.
std::vector<Analogy> RandomAnalogies(size_t count, uint32_t num_words) {
  std::vector<Analogy> analogies;
  Rng rng(21);
  const auto draw = [&] { return ToWordId(rng.Below(num_words)); };
  while (analogies.size() < count) {
    analogies.push_back({draw(), draw(), draw()});
    if (analogies.size() % 10 == 0) analogies.back().c = analogies.back().a;
  }
  return analogies;
}

struct BatchCase {
  const char* name;
  size_t num_words;
  size_t num_questions;
  size_t dim;
  size_t restrict;
};

class SolveAnalogiesTest : public testing::TestWithParam<BatchCase> {};

TEST_P(SolveAnalogiesTest, EqualsOneByOneOnRandomVectors) {
  const BatchCase& p = GetParam();
  const WordVectors vectors = RandomVectors(p.num_words, p.dim, 31);
  const std::vector<Analogy> analogies =
      RandomAnalogies(p.num_questions, static_cast<uint32_t>(p.num_words));
  const NearestNeighbors neighbors(vectors, p.restrict);
  for (const auto method : {AnalogyMethod::kAdd, AnalogyMethod::kMul}) {
    const auto answers = SolveAnalogies(vectors, TestWords(vectors, kOptions),
                                        analogies, p.restrict, method);
    ASSERT_EQ(answers.size(), analogies.size());
    for (size_t i = 0; i < answers.size(); ++i) {
      const auto [a, b, c] = analogies[i];
      const auto expected = neighbors.SolveAnalogy(a, b, c, 1, method);
      ASSERT_EQ(answers[i].has_value(), !expected.empty()) << i;
      EXPECT_EQ(answers[i].value_or(WordId()),
                expected.empty() ? WordId() : expected[0].word)
          << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, SolveAnalogiesTest,
    testing::Values(BatchCase{"FewWords", 20, 200, 7, 0},
                    BatchCase{"MoreWordsThanAGroupHolds", 2'500, 2'000, 10, 0},
                    BatchCase{"PartOfATileRestricted", 1'000, 300, 33, 300},
                    BatchCase{"NoWordIsLeft", 3, 50, 4, 0}),
    [](const auto& info) { return info.param.name; });

TEST(SolveAnalogiesTest, AnswersDoNotDependOnTheNumberOfThreads) {
  // Every vector stands three times, in different tiles.
  const size_t dim = 12, different = 400;
  std::vector<std::string> words;
  std::vector<float> rows;
  for (size_t copy = 0; copy < 3; ++copy) {
    const std::vector<float> same = RandomFloats(different * dim, 1);
    rows.insert(rows.end(), same.begin(), same.end());
    for (size_t i = 0; i < different; ++i) {
      words.push_back(absl::StrCat(copy, "-", i));
    }
  }
  const WordVectors vectors = MakeVectors(words, rows, dim, dim);
  const std::vector<Analogy> analogies = RandomAnalogies(500, 3 * different);
  for (const auto method : {AnalogyMethod::kAdd, AnalogyMethod::kMul}) {
    std::vector<std::vector<std::optional<WordId>>> answers;
    for (const int threads : {1, 2, 5}) {
      const ScopedThreads scoped(threads);
      answers.push_back(SolveAnalogies(vectors, TestWords(vectors, kOptions),
                                       analogies, 0, method));
    }
    EXPECT_EQ(answers[1], answers[0]);
    EXPECT_EQ(answers[2], answers[0]);
  }
}

TEST(EvaluateAnalogiesTest, ReadsTheFieldsTestSets) {
  const char* data = std::getenv("FIRTH_DATA");
  if (data == nullptr) GTEST_SKIP() << "FIRTH_DATA is not set";
  const auto words = EvaluateAnalogies(
      Royals(), absl::StrCat(data, "/analogy/questions-words.txt"), {});
  ASSERT_TRUE(words.ok()) << words.status();
  EXPECT_EQ(words->total, 19'544u);
  EXPECT_EQ(words->sections.size(), 14u);
  EXPECT_EQ(words->sections[0].name, "capital-common-countries");
  const auto phrases = EvaluateAnalogies(
      Royals(), absl::StrCat(data, "/analogy/questions-phrases.txt"), {});
  ASSERT_TRUE(phrases.ok()) << phrases.status();
  EXPECT_EQ(phrases->total, 3'218u);
}

}  // namespace
}  // namespace firth

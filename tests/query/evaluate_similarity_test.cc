#include <cmath>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "firth/evaluate.h"
#include "firth/query.h"
#include "gtest/gtest.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

// Cosines with "sun": 1 > star > moon > cloud > night.
WordVectors Sky() {
  return MakeVectors({{"sun", {1, 0}},
                      {"star", {3, 1}},
                      {"moon", {1, 1}},
                      {"cloud", {0, 2}},
                      {"night", {-1, 1}},
                      {"a,b", {1, 2}},
                      {"ночь", {-2, 1}},
                      {"Sonne", {4, 1}}});
}

SimilarityResult Evaluate(absl::string_view text,
                          const EvaluateOptions& options = {}) {
  const TestFile file(text);
  auto result = EvaluateSimilarity(Sky(), file.path(), options);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *result : SimilarityResult();
}

struct FormatCase {
  const char* name;
  const char* text;  // 4 pairs, of which 3 known, in the order of the cosines
};

class EvaluateSimilarityFormatTest : public testing::TestWithParam<FormatCase> {
};

TEST_P(EvaluateSimilarityFormatTest, IsRead) {
  const SimilarityResult result = Evaluate(GetParam().text);
  EXPECT_EQ(result.total, 4u);
  EXPECT_EQ(result.asked, 3u);
  EXPECT_DOUBLE_EQ(result.spearman, 1);
}

INSTANTIATE_TEST_SUITE_P(
    All, EvaluateSimilarityFormatTest,
    testing::Values(
        FormatCase{"Tabs",
                   "sun\tstar\t9.5\nsun\tmoon\t5\nsun\tmars\t2\nsun\tnight\t1"},
        FormatCase{"TabsWithWindowsLineEnds",
                   "sun\tstar\t9\r\nsun\tmoon\t5\r\nsun\tmars\t2\r\n"
                   "sun\tnight\t1\r\n"},
        FormatCase{"Spaces",
                   "sun star 9\nsun  moon 5\nsun mars 2\nsun night 1e-3\n"},
        FormatCase{"Commas",
                   "sun,star,9\nsun, moon, 5\nsun,mars,2\nsun,night,1\n"},
        FormatCase{"Semicolons",
                   "sun;star;9\nsun;moon;5\nsun;mars;2\nsun;night;1\n"},
        FormatCase{"MoreColumns",
                   "sun\tstar\t9\tA\t1\nsun\tmoon\t5\tN\nsun\tmars\t2\n"
                   "sun\tnight\t1\tV\n"},
        FormatCase{"Header",
                   "Word 1,Word 2,Human (mean)\nsun,star,9\nsun,moon,5\n"
                   "sun,mars,2\nsun,night,1\n"},
        FormatCase{"CommentsBeforeAHeader",
                   "# a set\n\n#x\nword1\tword2\tPOS\tscore\nsun\tstar\t9\n"
                   "#sun\tsun\t0\nsun\tmoon\t5\nsun\tmars\t2\nsun\tnight\t1\n"},
        FormatCase{"RowNumbersUnderAnEmptyHeading",
                   ",word1,word2,sim\n0,sun,star,9\n1,sun,moon,5\n"
                   "2,sun,mars,2\n3,sun,night,1\n"},
        FormatCase{"ByteOrderMark",
                   "\xEF\xBB\xBFsun star 9\nsun moon 5\nsun mars 2\n"
                   "sun night 1\n"},
        FormatCase{"WordsWithACommaBetweenTabs",
                   "a,b\tcloud\t9\na,b\tmoon\t9.5\na,b\tmars\t2\n"
                   "a,b\tsun\t1\n"},
        FormatCase{"WordsWithACommaBetweenSpaces",
                   "a,b cloud 9\na,b moon 9.5\na,b mars 2\na,b sun 1\n"}),
    [](const auto& info) { return info.param.name; });

struct BadFile {
  const char* name;
  const char* text;
  const char* message;
};

class EvaluateSimilarityErrorTest : public testing::TestWithParam<BadFile> {};

TEST_P(EvaluateSimilarityErrorTest, NamesPlaceExpectedAndFound) {
  const TestFile file(GetParam().text);
  const auto result = EvaluateSimilarity(Sky(), file.path(), {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(result.status().message()),
            absl::StrCat(file.path(), GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, EvaluateSimilarityErrorTest,
    testing::Values(
        BadFile{"TwoColumnsAtFirst", "sun moon\n",
                ":1: expected 3 columns (word, word, score), found 2: \"sun "
                "moon\""},
        BadFile{"TwoColumnsLater", "sun\tmoon\t3\n#\nsun\tstar\n",
                ":3: expected 3 columns (word, word, score), found 2: "
                "\"sun\\tstar\""},
        BadFile{"ThreeColumnsUnderRowNumbers", ",a,b,c\n0,sun,moon\n",
                ":2: expected 3 columns (word, word, score), found 2: "
                "\"0,sun,moon\""},
        BadFile{"OtherSeparatorUnderRowNumbers", ",a,b,c\nsun moon 3\n",
                ":2: expected 3 columns (word, word, score), found 1: \"sun "
                "moon 3\""},
        BadFile{"NoNumber", "sun,moon,3\nsun,star,high\n",
                ":2: expected a number in column 3, found \"high\": "
                "\"sun,star,high\""},
        BadFile{"NotANumber", "sun,moon,3\nsun,star,nan\n",
                ":2: expected a number in column 3, found \"nan\": "
                "\"sun,star,nan\""},
        BadFile{"WrongNumberInTheFirstLine", "sun\tmoon\t7,5\nsun\tstar\t3\n",
                ":1: expected a number in column 3, found \"7,5\": "
                "\"sun\\tmoon\\t7,5\""},
        BadFile{"NotANumberInTheFirstLine", "sun,moon,nan\nsun,star,3\n",
                ":1: expected a number in column 3, found \"nan\": "
                "\"sun,moon,nan\""},
        BadFile{"NothingInTheFirstLine", "sun,moon,\nsun,star,3\n",
                ":1: expected a number in column 3, found \"\": "
                "\"sun,moon,\""},
        BadFile{"Empty", "",
                ": the file contains no lines of word, word, score"},
        BadFile{"HeaderOnly", "a b c\n",
                ": the file contains no lines of word, word, score"}),
    [](const auto& info) { return info.param.name; });

TEST(EvaluateSimilarityTest, MissingFileIsNotFound) {
  EXPECT_EQ(EvaluateSimilarity(Sky(), "/nonexistent/s.txt", {}).status().code(),
            absl::StatusCode::kNotFound);
}

TEST(EvaluateSimilarityTest, GivesSpearmanWithTiesAndItsInterval) {
  // Ranks of people: 4 2.5 2.5 1; of cosines: 4 3 2 1.
  const SimilarityResult result =
      Evaluate("sun star 9\nsun moon 5\nsun cloud 5\nsun night 1\n");
  EXPECT_NEAR(result.spearman, 0.9486832980505138, 1e-12);
  EXPECT_LT(result.interval[0], result.spearman);
  EXPECT_GT(result.interval[1], result.spearman);
  EXPECT_GE(result.interval[0], -1);
  EXPECT_LE(result.interval[1], 1);
}

TEST(EvaluateSimilarityTest, IsNanWithoutTwoKnownPairs) {
  const SimilarityResult result = Evaluate("sun moon 1\nsun mars 2\n");
  EXPECT_TRUE(std::isnan(result.spearman));
  EXPECT_EQ(result.asked, 1u);
  EXPECT_EQ(result.interval[0], -1);
  EXPECT_EQ(result.interval[1], 1);
}

TEST(EvaluateSimilarityTest, LowercaseFoldsByUnicode) {
  constexpr absl::string_view kPairs = "Sun НОЧЬ 1\nSUN Moon 2\n";
  EXPECT_EQ(Evaluate(kPairs).asked, 0u);
  EvaluateOptions options;
  options.lowercase = true;
  EXPECT_EQ(Evaluate(kPairs, options).asked, 2u);
  EXPECT_DOUBLE_EQ(Evaluate(kPairs, options).spearman, 1);
}

TEST(EvaluateSimilarityTest, WithoutCapitalsInTheVocabularyPairsAreFolded) {
  const TestFile file("Sun Moon 2\n");
  const auto result = EvaluateSimilarity(
      MakeVectors({{"sun", {1, 0}}, {"moon", {1, 1}}}), file.path(), {});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->asked, 1u);
  EXPECT_TRUE(result->folded);
}

TEST(EvaluateSimilarityTest, RestrictIsOfNoConcern) {
  EvaluateOptions options;
  options.restrict = 1;
  EXPECT_EQ(Evaluate("sun moon 1\nsun night 2\n", options).asked, 2u);
}

TEST(EvaluateSimilarityTest, ReadsTheFieldsTestSets) {
  const char* data = std::getenv("FIRTH_DATA");
  if (data == nullptr) GTEST_SKIP() << "FIRTH_DATA is not set";
  const struct {
    const char* file;
    uint64_t total;
  } kSets[] = {{"EN-MEN-TR-3k.txt", 3000},   {"EN-RG-65.txt", 65},
               {"EN-RW-STANFORD.txt", 2034}, {"EN-SIMLEX-999.txt", 999},
               {"EN-WS-353-ALL.txt", 353},   {"EN-WS-353-REL.txt", 252},
               {"EN-WS-353-SIM.txt", 203},   {"RU-hj.csv", 398}};
  for (const auto& [file, total] : kSets) {
    const auto result =
        EvaluateSimilarity(Sky(), absl::StrCat(data, "/similarity/", file), {});
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->total, total) << file;
  }
}

}  // namespace
}  // namespace firth

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "firth/subwords.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "vocab/character_ngrams.h"
#include "vocab/composition.h"

namespace firth {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> NGramsOf(absl::string_view word, int min_n,
                                  int max_n) {
  std::vector<std::string> n_grams;
  ForEachNGram(word, min_n, max_n,
               [&](absl::string_view n_gram) { n_grams.emplace_back(n_gram); });
  return n_grams;
}

Vocabulary Words(const std::vector<absl::string_view>& words,
                 std::vector<uint64_t> counts) {
  return Vocabulary::Create(words, std::move(counts)).value();
}

TEST(CharacterNGramsTest, AreOfCodePointsWithTheMarksOfTheWord) {
  EXPECT_THAT(NGramsOf("where", 3, 3),
              ElementsAre("<wh", "whe", "her", "ere", "re>"));
  EXPECT_THAT(NGramsOf("ab", 3, 6), ElementsAre("<ab", "<ab>", "ab>"));
  EXPECT_THAT(NGramsOf("né", 2, 3),
              ElementsAre("<n", "<né", "né", "né>", "é>"));
  EXPECT_THAT(NGramsOf("日本", 2, 2), ElementsAre("<日", "日本", "本>"));
}

TEST(CharacterNGramsTest, MarksAloneAreNone) {
  EXPECT_THAT(NGramsOf("ab", 1, 1), ElementsAre("a", "b"));
  EXPECT_THAT(NGramsOf("", 1, 2), ElementsAre("<>"));
  EXPECT_THAT(NGramsOf("a", 4, 9), IsEmpty());
}

TEST(CharacterNGramsTest, TheEndOfASentenceHasNone) {
  EXPECT_THAT(NGramsOf("</s>", 1, 6), IsEmpty());
}

// What is no UTF-8 falls into pieces before every byte that is not 10xxxxxx.
TEST(CharacterNGramsTest, InvalidBytesAreTakenAsFasttextTakesThem) {
  EXPECT_THAT(NGramsOf("\xff\xfe", 1, 1), ElementsAre("\xff", "\xfe"));
  EXPECT_THAT(NGramsOf("a\x80\x80"
                       "b",
                       1, 1),
              ElementsAre("a\x80\x80", "b"));
}

// By a program of its own: FNV-1a over bytes widened as signed ones.
TEST(NGramHashTest, IsThatOfFasttext) {
  EXPECT_EQ(NGramHash("<th"), 1619151151u);
  EXPECT_EQ(NGramHash("a"), 3826002220u);
  EXPECT_EQ(NGramHash("é"), 1023043777u);
  EXPECT_EQ(NGramHash("привет"), 4033455999u);
  EXPECT_EQ(NGramHash("\xff"), 4193493326u);
}

TEST(SubwordIndexTest, NoSubwordsHaveNoRows) {
  const SubwordIndex index;
  std::vector<uint32_t> rows;
  EXPECT_EQ(index.AppendRows("word", &rows), 0u);
  EXPECT_THAT(rows, IsEmpty());
  EXPECT_TRUE(index.empty());
}

TEST(SubwordIndexTest, OnlyBucketsOfTheVocabularyHaveRows) {
  const BucketSubwords options{.min_n = 3, .max_n = 3, .buckets = 1'000'000};
  const SubwordIndex index =
      SubwordIndex::Create(options, Words({"abc", "abd"}, {2, 1})).value();
  // <ab abc bc> abd bd>
  EXPECT_EQ(index.rows(), 5u);
  std::vector<uint32_t> rows;
  EXPECT_EQ(index.AppendRows("abc", &rows), 3u);
  EXPECT_EQ(rows.size(), 3u);
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(index.Buckets()[rows[i]],
              NGramHash(NGramsOf("abc", 3, 3)[i]) % 1'000'000);
  }
  // "<ab" has a row, "abx" and "bx>" count as zeros.
  rows.clear();
  EXPECT_EQ(index.AppendRows("abx", &rows), 3u);
  EXPECT_EQ(rows.size(), 1u);
  const auto n_grams = index.NGrams("abx");
  ASSERT_EQ(n_grams.size(), 3u);
  EXPECT_EQ(n_grams[0].text, "<ab");
  EXPECT_EQ(n_grams[0].rows, rows);
  EXPECT_THAT(n_grams[1].rows, IsEmpty());
}

TEST(SubwordIndexTest, BucketsAreFoundAgainWhereverTheyLie) {
  for (const uint32_t buckets : {1u, 2u, 7u, 1000u, 4'000'000'000u}) {
    const BucketSubwords options{.min_n = 1, .max_n = 6, .buckets = buckets};
    const Vocabulary words = Words({"alpha", "beta", "gamma"}, {});
    const SubwordIndex made = SubwordIndex::Create(options, words).value();
    const auto stored = made.Buckets();
    const SubwordIndex read =
        SubwordIndex::OfBuckets(options, {stored.begin(), stored.end()})
            .value();
    for (const char* word : {"alpha", "beta", "gamma"}) {
      std::vector<uint32_t> expected;
      std::vector<uint32_t> found;
      const size_t count = made.AppendRows(word, &expected);
      EXPECT_EQ(expected.size(), count);
      EXPECT_EQ(read.AppendRows(word, &found), count);
      EXPECT_EQ(found, expected);
    }
  }
}

TEST(SubwordIndexTest, PrunedBucketsDoNotCount) {
  BucketSubwords options{.min_n = 3, .max_n = 3, .buckets = 100};
  options.missing_count = false;
  const uint32_t kept = NGramHash("abc") % 100;
  const SubwordIndex index = SubwordIndex::OfBuckets(options, {kept}).value();
  std::vector<uint32_t> rows;
  const size_t count = index.AppendRows("abc", &rows);
  EXPECT_GE(count, 1u);
  EXPECT_EQ(count, rows.size());
}

TEST(SubwordIndexTest, ExplicitNGramsHaveRowsOfTheirOwnIfFrequent) {
  const ExplicitSubwords options{.min_n = 3, .max_n = 3, .min_count = 3};
  const SubwordIndex index =
      SubwordIndex::Create(options, Words({"abc", "abd", "xyz"}, {2, 1, 9}))
          .value();
  EXPECT_THAT(index.RowNGrams(), ElementsAre("<ab", "<xy", "xyz", "yz>"));
  std::vector<uint32_t> rows;
  EXPECT_EQ(index.AppendRows("abz", &rows), 1u);
  EXPECT_THAT(rows, ElementsAre(0));
}

// The rows that spaCy's own test expects of "der".
TEST(SubwordIndexTest, FloretHasTheRowsOfSpacy) {
  FloretSubwords options{.min_n = 2, .max_n = 3, .buckets = 10, .hashes = 2};
  const SubwordIndex index =
      SubwordIndex::Create(options, Words({"x"}, {1})).value();
  EXPECT_EQ(index.rows(), 10u);
  std::vector<uint32_t> rows;
  EXPECT_EQ(index.AppendRows("der", &rows), 16u);
  EXPECT_THAT(rows, testing::UnorderedElementsAre(5, 6, 7, 5, 8, 2, 8, 9, 3, 3,
                                                  4, 6, 7, 3, 0, 2));
  const auto n_grams = index.NGrams("der");
  EXPECT_EQ(n_grams[0].text, "<der>");
  EXPECT_THAT(n_grams[0].rows, ElementsAre(5, 6));
  options.hashes = 5;
  EXPECT_FALSE(SubwordIndex::OfFloret(options).ok());
}

TEST(SubwordIndexTest, NGramsMayShareRows) {
  const auto index = SubwordIndex::OfNGrams({.min_n = 2, .max_n = 2},
                                            {"<a", "ab", "b>"}, {1, 0, 1});
  ASSERT_TRUE(index.ok()) << index.status();
  EXPECT_EQ(index->rows(), 2u);
  std::vector<uint32_t> rows;
  EXPECT_EQ(index->AppendRows("ab", &rows), 3u);
  EXPECT_THAT(rows, ElementsAre(1, 0, 1));
  EXPECT_THAT(index->NGramRows(), ElementsAre(1, 0, 1));
  // Where each has its own, nothing needs to be told.
  EXPECT_THAT(SubwordIndex::OfNGrams({}, {"abc", "abd"}, {0, 1})->NGramRows(),
              IsEmpty());
}

TEST(SubwordIndexTest, MarksAloneCountWhereAListHasThem) {
  const ExplicitSubwords options{.min_n = 1, .max_n = 1};
  std::vector<uint32_t> rows;
  SubwordIndex::OfNGrams(options, {"a", "<"})->AppendRows("a", &rows);
  EXPECT_THAT(rows, ElementsAre(1, 0));
  EXPECT_EQ(SubwordIndex::OfNGrams(options, {"a"})->NGrams("a").size(), 1u);
}

TEST(SubwordIndexTest, FinalfusionsHashTakesMarksAndTheEndOfASentence) {
  BucketSubwords options{.min_n = 1, .max_n = 1, .buckets = 8};
  options.hash = BucketHash::kFinalfusion;
  const SubwordIndex index =
      SubwordIndex::Create(options, Words({"ab"}, {1})).value();
  const auto n_grams = index.NGrams("ab");
  ASSERT_EQ(n_grams.size(), 4u);  // < a b >
  EXPECT_EQ(index.Buckets()[n_grams[1].rows.at(0)], FinalfusionHash("a") % 8);
  EXPECT_EQ(index.NGrams("</s>").size(), 6u);
}

TEST(SubwordIndexTest, GrownIndexesKeepTheRowsOfTheirNGrams) {
  const Vocabulary old_words = Words({"where", "here"}, {4, 3});
  const Vocabulary new_words = Words({"here", "there", "hers"}, {9, 5, 5});
  for (const SubwordOptions& options :
       {SubwordOptions(BucketSubwords{.buckets = 1000}),
        SubwordOptions(ExplicitSubwords{}), SubwordOptions(FloretSubwords{}),
        SubwordOptions(NoSubwords{})}) {
    const SubwordIndex old = SubwordIndex::Create(options, old_words).value();
    const SubwordIndex grown = old.Grown(new_words).value();
    EXPECT_EQ(grown.options().index(), options.index());
    for (const uint32_t bucket : old.Buckets()) {
      EXPECT_THAT(grown.Buckets(), Contains(bucket));
    }
    const auto before = old.NGrams("where");
    const auto now = grown.NGrams("where");
    ASSERT_EQ(before.size(), now.size());
    for (size_t i = 0; i < before.size(); ++i) {
      EXPECT_EQ(before[i].text, now[i].text);
      EXPECT_EQ(before[i].rows.size(), now[i].rows.size());
      if (!old.Buckets().empty()) continue;
      EXPECT_EQ(before[i].rows, now[i].rows);
    }
    // What Create() would have given the new words, they have.
    std::vector<uint32_t> alone;
    std::vector<uint32_t> together;
    SubwordIndex::Create(options, new_words)->AppendRows("there", &alone);
    grown.AppendRows("there", &together);
    EXPECT_EQ(alone.size(), together.size());
    EXPECT_EQ(grown.Grown(old_words)->rows(), grown.rows());
  }
}

TEST(SubwordIndexTest, RowsThatNGramsShareStayShared) {
  const absl::string_view n_grams[] = {"ab", "bc", "cd"};
  const SubwordIndex old =
      SubwordIndex::OfNGrams({2, 2, 1}, n_grams, {1, 0, 1}).value();
  const SubwordIndex grown = old.Grown(Words({"abd"}, {1})).value();
  EXPECT_THAT(grown.RowNGrams(),
              ElementsAre("ab", "bc", "cd", "<a", "bd", "d>"));
  EXPECT_THAT(grown.NGramRows(), ElementsAre(1, 0, 1, 2, 3, 4));
}

TEST(SubwordIndexTest, NonsenseIsRefused) {
  const Vocabulary words = Words({"a"}, {1});
  const auto message = [&](const SubwordOptions& options) {
    return std::string(SubwordIndex::Create(options, words).status().message());
  };
  EXPECT_EQ(message(BucketSubwords{.min_n = 0}),
            "min-n: expected 1 to 100, found 0");
  EXPECT_EQ(message(BucketSubwords{.min_n = 7}),
            "min-n: must be 1 to max-n (6), found 7");
  EXPECT_EQ(message(ExplicitSubwords{.max_n = 101}),
            "max-n: expected 1 to 100, found 101");
  EXPECT_THAT(message(BucketSubwords{.buckets = 0}), HasSubstr("found 0"));
  EXPECT_THAT(message(ExplicitSubwords{.min_count = 0}), HasSubstr("found 0"));
  EXPECT_EQ(SubwordIndex::OfBuckets({.buckets = 5}, {1, 5}).status().message(),
            "row 1: expected a bucket below 5 and above 1, found 5");
  EXPECT_EQ(SubwordIndex::OfBuckets({.buckets = 5}, {3, 3}).status().message(),
            "row 1: expected a bucket below 5 and above 3, found 3");
  EXPECT_FALSE(SubwordIndex::OfNGrams({}, {"a", "a"}).ok());
  const auto rows_message = [](std::vector<uint32_t> rows) {
    return std::string(
        SubwordIndex::OfNGrams({}, {"a", "b", "c"}, std::move(rows))
            .status()
            .message());
  };
  EXPECT_EQ(rows_message({0, 0}),
            "expected a row for each of 3 n-grams, found "
            "2");
  EXPECT_EQ(rows_message({0, 3, 1}),
            "n-gram 1: expected a row below 3, the number of n-grams, found 3");
  EXPECT_EQ(rows_message({0, 2, 2}),
            "every row needs an n-gram, but none has row 1");
  BucketSubwords finalfusion{.buckets = 12};
  finalfusion.hash = BucketHash::kFinalfusion;
  EXPECT_THAT(message(finalfusion), HasSubstr("requires a power of 2"));
}

TEST(CompositionTest, FloretsWordsHaveNoRowOfTheirOwn) {
  const Vocabulary words = Words({"ab", "x"}, {2, 1});
  const SubwordIndex index =
      SubwordIndex::Create(FloretSubwords{.buckets = 20}, words).value();
  const Composition composition(words, index);
  std::vector<uint32_t> rows;
  index.AppendRows("x", &rows);
  EXPECT_THAT(composition.RowsOf(WordId{1}), testing::ElementsAreArray(rows));
}

TEST(CompositionTest, AWordsRowsAreItsOwnAndThoseOfItsNGrams) {
  const Vocabulary words = Words({"abc", "x"}, {2, 1});
  const SubwordIndex index =
      SubwordIndex::Create(ExplicitSubwords{3, 3, 1}, words).value();
  const Composition composition(words, index);
  EXPECT_THAT(composition.RowsOf(WordId{0}), ElementsAre(0, 2, 3, 4));
  EXPECT_THAT(composition.RowsOf(WordId{1}), ElementsAre(1, 5));
  EXPECT_EQ(composition.most_rows(), 4u);
}

}  // namespace
}  // namespace firth

#include "firth/align.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/reference.h"
#include "support/rotations.h"
#include "support/threads.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

absl::Span<const float> RotationOf(const AlignedVectors& aligned) {
  const FloatTable& table = aligned.rotation;
  return {table.data(), table.rows() * table.cols()};
}

// Random source vectors of different lengths, and the same turned, shifted and
// blurred: word i of one means word i of the other.
struct TwoLanguages {
  std::vector<float> rotation;
  WordVectors source, target;

  TwoLanguages(size_t words, size_t dim, float noise, float shift = 0)
      : rotation(RandomRotation(dim, 1)), source(RandomVectors(words, dim, 2)) {
    const std::vector<float> errors = RandomFloats(words * dim, 3);
    std::vector<std::string> names;
    std::vector<float> rows;
    for (size_t i = 0; i < words; ++i) {
      names.push_back(absl::StrCat("t", i));
      for (const float value : Rotate(rotation, source.Vector(ToWordId(i)))) {
        rows.push_back(value + noise * errors[rows.size()] + shift);
      }
    }
    target = MakeVectors(names, std::move(rows), dim, dim);
  }

  std::vector<WordPair> Pairs(size_t begin, size_t end) const {
    std::vector<WordPair> pairs;
    for (size_t i = begin; i < end; ++i) {
      pairs.push_back({ToWordId(i), ToWordId(i)});
    }
    return pairs;
  }

  // The share of the pairs whose translation comes first.
  double Precision(const WordVectors& mapped, const std::vector<WordPair>& test,
                   Retrieval retrieval) const {
    const auto translator = Translator::Create(mapped, target, {retrieval});
    EXPECT_TRUE(translator.ok()) << translator.status();
    const auto result =
        EvaluateTranslations(*translator, {"", test, test.size(), test.size()});
    EXPECT_EQ(result.asked, test.size());
    return static_cast<double>(result.correct[0]) /
           static_cast<double>(result.asked);
  }
};

WordVectors Named(const std::vector<std::string>& words) {
  return MakeVectors(words, std::vector<float>(words.size(), 1), 1, 1);
}

TEST(AlignVectorsTest, ARotationUnderNoiseIsRecovered) {
  const TwoLanguages languages(600, 24, 0.1f);
  const auto aligned = AlignVectors(languages.source, languages.target,
                                    languages.Pairs(0, 200), {});
  ASSERT_TRUE(aligned.ok()) << aligned.status();
  EXPECT_LT(FarFromOrthogonal(RotationOf(*aligned), 24), 1e-5);
  EXPECT_LT(FarApart(RotationOf(*aligned), languages.rotation), 0.05);
  EXPECT_THAT(aligned->pairs, ElementsAre(200));
  for (const Retrieval retrieval : {Retrieval::kCosine, Retrieval::kCsls}) {
    EXPECT_GT(languages.Precision(aligned->vectors, languages.Pairs(200, 600),
                                  retrieval),
              0.99);
    EXPECT_LT(languages.Precision(languages.source, languages.Pairs(200, 600),
                                  retrieval),
              0.1);
  }
}

TEST(AlignVectorsTest, VectorsTurnAndKeepTheirLengths) {
  const TwoLanguages languages(100, 8, 0.1f);
  const auto aligned = AlignVectors(languages.source, languages.target,
                                    languages.Pairs(0, 100), {});
  ASSERT_TRUE(aligned.ok()) << aligned.status();
  for (const WordPair& pair : languages.Pairs(0, 100)) {
    EXPECT_LT(FarApart(aligned->vectors.Vector(pair.source),
                       Rotate(RotationOf(*aligned),
                              languages.source.Vector(pair.source))),
              1e-5);
  }
}

// One long pair says other than three short ones.
TEST(AlignVectorsTest, LengthsWeighOnlyIfTheyShould) {
  const std::vector<std::string> words = {"a", "b", "c", "d"};
  const WordVectors source =
      MakeVectors(words, {100, 0, 0, 1, 0, 1, 0, 1}, 2, 2);
  const WordVectors target =
      MakeVectors(words, {0, 100, 0, 1, 0, 1, 0, 1}, 2, 2);
  const std::vector<WordPair> pairs =
      IdenticalWords(source.vocabulary(), target.vocabulary()).pairs;
  const auto even = AlignVectors(source, target, pairs, {});
  ASSERT_TRUE(even.ok());
  EXPECT_GT(even->vectors.Vector(ToWordId(1))[1], 0.9f);
  const auto uneven =
      AlignVectors(source, target, pairs, {.unit_length = false});
  ASSERT_TRUE(uneven.ok());
  EXPECT_GT(uneven->vectors.Vector(ToWordId(0))[1], 99.0f);
}

TEST(AlignVectorsTest, CenteringMovesTheMeanOntoThatOfTheTarget) {
  const TwoLanguages languages(400, 12, 0.05f, 2.0f);
  for (const bool unit_length : {true, false}) {
    const auto aligned = AlignVectors(
        languages.source, languages.target, languages.Pairs(0, 100),
        {.unit_length = unit_length, .center = true});
    ASSERT_TRUE(aligned.ok()) << aligned.status();
    EXPECT_LT(FarFromOrthogonal(RotationOf(*aligned), 12), 1e-5);
    std::vector<double> moved(12), target(12);
    for (const WordPair& pair : languages.Pairs(0, 400)) {
      const auto to = languages.target.Vector(pair.target);
      const double norm = unit_length ? std::sqrt(reference::Dot(to, to)) : 1;
      for (size_t i = 0; i < 12; ++i) {
        moved[i] += aligned->vectors.Vector(pair.source)[i];
        target[i] += to[i] / norm;
      }
    }
    for (size_t i = 0; i < 12; ++i) {
      EXPECT_NEAR(moved[i] / 400, target[i] / 400, 1e-4);
    }
  }
  // What is shifted is found again only by that.
  const auto test = languages.Pairs(100, 400);
  const auto shifted =
      AlignVectors(languages.source, languages.target, languages.Pairs(0, 100),
                   {.unit_length = false, .center = true});
  EXPECT_LT(FarApart(RotationOf(*shifted), languages.rotation), 0.05);
  EXPECT_GT(languages.Precision(shifted->vectors, test, Retrieval::kCosine),
            0.99);
}

TEST(AlignVectorsTest, RefinementMakesMuchOfFewPairs) {
  const TwoLanguages languages(500, 10, 0.3f);
  const auto few = languages.Pairs(0, 12);
  const auto learned =
      AlignVectors(languages.source, languages.target, few, {});
  const auto refined = AlignVectors(languages.source, languages.target, few,
                                    {.refine = 4, .neighbors = 5});
  ASSERT_TRUE(learned.ok() && refined.ok());
  ASSERT_EQ(refined->pairs.size(), 5u);
  EXPECT_EQ(refined->pairs[0], 12u);
  EXPECT_GT(refined->pairs[4], 300u);
  EXPECT_LT(FarApart(RotationOf(*refined), languages.rotation), 0.05);
  EXPECT_GT(FarApart(RotationOf(*learned), languages.rotation), 0.1);
}

TEST(AlignVectorsTest, RefinementLooksAtTheFrequentWordsOnly) {
  const TwoLanguages languages(300, 10, 0.1f);
  const auto refined =
      AlignVectors(languages.source, languages.target, languages.Pairs(0, 30),
                   {.refine = 1, .refine_words = 40});
  ASSERT_TRUE(refined.ok()) << refined.status();
  EXPECT_LE(refined->pairs[1], 40u);
  EXPECT_GT(refined->pairs[1], 30u);
  EXPECT_EQ(refined->vectors.size(), 300u);
}

// The vector of an unknown word turns as those of known words do.
TEST(AlignVectorsTest, NGramsComeAlongUnlessLengthsChange) {
  const std::vector<absl::string_view> words = {"ab", "ac"};
  SubwordTables subwords;
  subwords.index =
      SubwordIndex::OfNGrams({3, 3, 1}, {"<ab", "ab>", "<ac", "ac>"}).value();
  const WordVectors rows = RandomVectors(6, 3, 4);
  subwords.n_grams = rows.table().Rows(0, 4);
  subwords.words = rows.table().Rows(4, 2);
  const WordVectors source =
      WordVectors::Create(Vocabulary::Create(words, {2, 1}).value(),
                          RandomVectors(2, 3, 5).table(), subwords)
          .value();
  const WordVectors target = RandomVectors(2, 3, 6);
  const std::vector<WordPair> pairs = {{WordId{0}, WordId{1}},
                                       {WordId{1}, WordId{0}}};
  const auto aligned = AlignVectors(source, target, pairs, {});
  ASSERT_TRUE(aligned.ok()) << aligned.status();
  EXPECT_LT(FarApart(*aligned->vectors.FromNGrams("abx"),
                     Rotate(RotationOf(*aligned), *source.FromNGrams("abx"))),
            1e-5);
  const auto centered = AlignVectors(source, target, pairs, {.center = true});
  ASSERT_TRUE(centered.ok()) << centered.status();
  EXPECT_EQ(centered->vectors.subwords(), nullptr);
}

TEST(AlignVectorsTest, WrongInputsAreRefused) {
  const TwoLanguages languages(20, 4, 0);
  const WordVectors other_dim = RandomVectors(20, 5, 1);
  const WordVectors zeros = MakeVectors({{"z", {0, 0, 0, 0}}});
  const auto pairs = languages.Pairs(0, 1);
  const std::pair<absl::Status, const char*> kCases[] = {
      {AlignVectors(languages.source, other_dim, pairs, {}).status(),
       "the target must have 4 dimensions, as the source has, found 5"},
      {AlignVectors(languages.source, languages.target, {}, {}).status(),
       "no pair of words has nonzero vectors in both models"},
      {AlignVectors(languages.source, zeros, pairs, {}).status(),
       "no pair of words has nonzero vectors in both models"},
      {AlignVectors(languages.source, languages.target, pairs, {.refine = -1})
           .status(),
       "refine: expected 0 to 1000, found -1"},
      {AlignVectors(languages.source, languages.target, pairs, {.neighbors = 0})
           .status(),
       "neighbors: expected 1 to 1000, found 0"},
      {Translator::Create(languages.source, other_dim, {}).status(),
       "the target must have 4 dimensions"},
      {Translator::Create(languages.source, languages.target,
                          {.neighbors = 1001})
           .status(),
       "neighbors: expected 1 to 1000, found 1001"},
  };
  for (const auto& [status, message] : kCases) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << message;
    EXPECT_THAT(std::string(status.message()), HasSubstr(message));
  }
}

// r(v): the mean cosine with the k nearest rows, by sorting all of them.
double MeanOfNearest(absl::Span<const float> v, const WordVectors& rows,
                     size_t count, size_t k) {
  std::vector<double> cosines;
  for (size_t i = 0; i < count; ++i) {
    cosines.push_back(reference::Cosine(v, rows.Vector(ToWordId(i))));
  }
  std::sort(cosines.rbegin(), cosines.rend());
  cosines.resize(std::min(k, cosines.size()));
  double sum = 0;
  for (const double cosine : cosines) sum += cosine;
  return sum / static_cast<double>(cosines.size());
}

struct CslsCase {
  const char* name;
  size_t source, target;
  int neighbors;
  uint64_t restrict;
};

TEST(TranslatorTest, CslsEqualsItsFormulaByAPlainLoop) {
  constexpr CslsCase kCases[] = {
      {"more rows than blocks", 301, 517, 10, 0},
      {"fewer rows than neighbours", 7, 5, 10, 0},
      {"one neighbour", 40, 50, 1, 0},
      {"the frequent words only", 300, 200, 4, 100},
  };
  for (const CslsCase& c : kCases) {
    SCOPED_TRACE(c.name);
    const WordVectors source = RandomVectors(c.source, 9, 1);
    const WordVectors target = RandomVectors(c.target, 9, 2);
    const auto translator = Translator::Create(
        source, target, {Retrieval::kCsls, c.neighbors, c.restrict});
    ASSERT_TRUE(translator.ok()) << translator.status();
    const auto k = static_cast<size_t>(c.neighbors);
    const size_t limit = c.restrict == 0 ? 1000 : c.restrict;
    const size_t num_source = std::min(limit, c.source);
    const size_t num_target = std::min(limit, c.target);
    const std::vector<WordId> words = {WordId{0}, WordId{3}, WordId{6}};
    const auto answers = translator->Translate(words, num_target);
    for (size_t i = 0; i < words.size(); ++i) {
      const auto x = source.Vector(words[i]);
      const double r_t = MeanOfNearest(x, target, num_target, k);
      ASSERT_EQ(answers[i].size(), num_target);
      for (size_t rank = 0; rank < num_target; ++rank) {
        const auto y = target.Vector(answers[i][rank].word);
        const double expected = 2 * reference::Cosine(x, y) - r_t -
                                MeanOfNearest(y, source, num_source, k);
        EXPECT_NEAR(answers[i][rank].score, expected, 1e-5);
        if (rank > 0) {
          EXPECT_LE(answers[i][rank].score, answers[i][rank - 1].score);
        }
      }
    }
  }
}

// Every source word is nearer to the hub than to its translation, but so are
// all the others: CSLS sees that.
TEST(TranslatorTest, CslsDoesNotFallForAHub) {
  constexpr size_t kWords = 9;
  std::vector<WordAndVector> source, target;
  target.push_back({"hub", std::vector<float>(2 * kWords)});
  for (size_t i = 0; i < kWords; ++i) {
    WordAndVector word = {absl::StrCat("s", i), std::vector<float>(2 * kWords)};
    word.vector[i] = 1;
    WordAndVector translation = {absl::StrCat("t", i),
                                 std::vector<float>(2 * kWords)};
    translation.vector[i] = 0.3f;
    translation.vector[kWords + i] = std::sqrt(1 - 0.09f);
    source.push_back(word);
    target.push_back(translation);
    target[0].vector[i] = 1;  // its cosine with each source word: 1/3
  }
  BilingualDictionary dictionary = {"", {}, kWords, kWords};
  for (size_t i = 0; i < kWords; ++i) {
    dictionary.pairs.push_back({ToWordId(i), ToWordId(i + 1)});
  }
  const auto correct = [&](Retrieval retrieval) {
    const auto translator = Translator::Create(
        MakeVectors(source), MakeVectors(target), {retrieval, 3});
    return EvaluateTranslations(*translator, dictionary).correct[0];
  };
  EXPECT_EQ(correct(Retrieval::kCosine), 0u);
  EXPECT_EQ(correct(Retrieval::kCsls), kWords);
}

TEST(TranslatorTest, AnswersDoNotDependOnTheNumberOfThreads) {
  const WordVectors source = RandomVectors(500, 12, 1);
  const WordVectors target = RandomVectors(700, 12, 2);
  std::vector<WordId> words;
  for (size_t i = 0; i < 500; ++i) words.push_back(ToWordId(i));
  const auto ask = [&] {
    std::vector<std::pair<WordId, float>> flat;
    for (const auto& answer :
         Translator::Create(source, target, {})->Translate(words, 5)) {
      for (const Neighbor& neighbor : answer) {
        flat.emplace_back(neighbor.word, neighbor.score);
      }
    }
    return flat;
  };
  const ScopedThreads one(1);
  const auto expected = ask();
  const ScopedThreads three(3);
  EXPECT_EQ(ask(), expected);
}

TEST(TranslatorTest, NothingAskedIsNothingFound) {
  const WordVectors vectors = RandomVectors(5, 3, 1);
  const auto translator = Translator::Create(vectors, vectors, {});
  EXPECT_THAT(translator->Translate({}, 5), IsEmpty());
  EXPECT_THAT(translator->Translate({WordId{2}}, 0)[0], IsEmpty());
  EXPECT_EQ(translator->Translate({WordId{2}}, 99)[0].size(), 5u);
}

TEST(EvaluateTranslationsTest, AnyTranslationCountsAndTheUncoveredAreCounted) {
  // Word i is nearest to i, then to i + 1, ...
  const WordVectors vectors = MakeVectors(
      {{"a", {1, 0}}, {"b", {1, 0.1f}}, {"c", {1, 0.3f}}, {"d", {1, 0.9f}}});
  const TestFile file(
      "a d\n"
      "a a\n"        // any of them
      "b c\n"        // c is the second or third nearest
      "d unknown\n"  // not covered
      "unknown a\n"  // not covered
      "a a\n");      // again
  const auto dictionary =
      LoadDictionary(file.path(), vectors.vocabulary(), vectors.vocabulary());
  ASSERT_TRUE(dictionary.ok()) << dictionary.status();
  const auto translator =
      Translator::Create(vectors, vectors, {Retrieval::kCosine});
  const TranslationResult result =
      EvaluateTranslations(*translator, *dictionary);
  EXPECT_EQ(result.file, file.path());
  EXPECT_THAT(result.correct, ElementsAre(1, 2, 2));
  EXPECT_EQ(result.asked, 2u);
  EXPECT_EQ(result.total, 4u);
  EXPECT_EQ(result.pairs, 3u);
  EXPECT_EQ(result.total_pairs, 5u);
  // Of three words, "a d" is not covered.
  const auto restricted =
      Translator::Create(vectors, vectors, {Retrieval::kCosine, 10, 3});
  EXPECT_EQ(EvaluateTranslations(*restricted, *dictionary).pairs, 2u);
}

TEST(LoadDictionaryTest, PairsAreSeparatedByATabOrByWhiteSpace) {
  const WordVectors source = Named({"cat", "new york", "Öl"});
  const WordVectors target = Named({"Katze", "Nuova York", "oil", "Kater"});
  const TestFile file(
      "\xEF\xBB\xBF# animals\r\n"
      "cat Katze\r\n"
      "\n"
      "  cat \t Kater \n"
      "new york\tNuova York\n"
      "Öl   oil\n"
      "cat Katze\n"
      "dog Hund");
  const auto dictionary =
      LoadDictionary(file.path(), source.vocabulary(), target.vocabulary());
  ASSERT_TRUE(dictionary.ok()) << dictionary.status();
  std::vector<std::pair<size_t, size_t>> found;
  for (const WordPair& pair : dictionary->pairs) {
    found.emplace_back(Index(pair.source), Index(pair.target));
  }
  EXPECT_THAT(found, ElementsAre(std::pair(0, 0), std::pair(0, 3),
                                 std::pair(1, 1), std::pair(2, 2)));
  EXPECT_EQ(dictionary->total_pairs, 5u);
  EXPECT_EQ(dictionary->total_words, 4u);
}

TEST(LoadDictionaryTest, TheSideWithoutCapitalsIsFolded) {
  const WordVectors source = Named({"cat", "dog"});
  const WordVectors target = Named({"Katze", "hund"});
  const TestFile file("Cat Katze\ncat Katze\nDOG Hund\n");
  const auto dictionary =
      LoadDictionary(file.path(), source.vocabulary(), target.vocabulary());
  ASSERT_TRUE(dictionary.ok()) << dictionary.status();
  EXPECT_EQ(dictionary->pairs.size(), 1u);
  EXPECT_EQ(dictionary->total_pairs, 2u) << "one of them stands there twice";
  EXPECT_TRUE(dictionary->folded);
  const auto back = LoadDictionary(TestFile("Katze CAT\n").path(),
                                   target.vocabulary(), source.vocabulary());
  EXPECT_EQ(back->pairs.size(), 1u);
}

struct BadDictionary {
  const char* name;
  std::string bytes;
  const char* message;
};

TEST(LoadDictionaryTest, LinesThatMakeNoSenseAreNamed) {
  const BadDictionary kCases[] = {
      {"empty", "",
       "the file contains no lines with a word and its translation"},
      {"comments only", "# a b\n\n", "contains no lines"},
      {"one word", "a b\nc\n",
       ":2: expected a word and its translation, found 1 columns: \"c\""},
      {"three words", "a b c\n",
       ":1: expected a word and its translation, "
       "found 3 columns: \"a b c\""},
      {"two tabs", "\n# x\na\tb\tc\n", ":3: expected a word and"},
      {"nothing before the tab", "\tb\n", "found an empty column"},
      {"spaces before the tab", "  \tb\n", "found an empty column"},
      {"a vector file", "2 3\na 1 2 3\n", ":2: expected a word and"},
      {"not text", std::string("\0\xff\x01", 3),
       ":1: expected a word and its translation, found 1 columns: \"\\x00"},
  };
  const WordVectors words = Named({"a", "b"});
  for (const BadDictionary& bad : kCases) {
    SCOPED_TRACE(bad.name);
    const TestFile file(bad.bytes);
    const absl::Status status =
        LoadDictionary(file.path(), words.vocabulary(), words.vocabulary())
            .status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr(bad.message));
    EXPECT_THAT(std::string(status.message()), HasSubstr(file.path()));
  }
  EXPECT_EQ(
      LoadDictionary("/no/such/file", words.vocabulary(), words.vocabulary())
          .status()
          .code(),
      absl::StatusCode::kNotFound);
}

TEST(IdenticalWordsTest, AreThoseThatBothHave) {
  const BilingualDictionary found =
      IdenticalWords(Named({"x", "1914", "berlin"}).vocabulary(),
                     Named({"berlin", "y", "1914"}).vocabulary());
  ASSERT_EQ(found.pairs.size(), 2u);
  EXPECT_EQ(found.pairs[0].source, WordId{1});
  EXPECT_EQ(found.pairs[0].target, WordId{2});
  EXPECT_EQ(found.pairs[1].target, WordId{0});
}

}  // namespace
}  // namespace firth

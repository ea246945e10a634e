#include "firth/postprocess.h"

#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include "base/matrix.h"
#include "base/rng.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/tiny_vectors.h"
#include "vectors/principal_components.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;

// Words of dim 4 that differ most along (1, 1, 0, 0), then along (0, 0, 1, 0),
// around a mean of about (5, 0, 0, 0).
WordVectors Skewed(size_t words) {
  Rng rng(3);
  std::vector<WordAndVector> entries;
  for (size_t i = 0; i < words; ++i) {
    const float large = 20 * rng.NextFloat() - 10;
    const float small = 4 * rng.NextFloat() - 2;
    entries.push_back({absl::StrCat("w", i),
                       {5 + large, large, small, 0.1f * rng.NextFloat()}});
  }
  return MakeVectors(entries);
}

double Dot(absl::Span<const float> a, absl::Span<const float> b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * b[i];
  return sum;
}

TEST(PrincipalComponentsTest, AreTheDirectionsOfGreatestSpread) {
  const WordVectors vectors = Skewed(3000);
  const std::vector<float> mean = MeanRow(vectors.table());
  EXPECT_NEAR(mean[0], 5, 0.5);
  const Components components =
      PrincipalComponents(vectors.table(), mean, 2).value();
  const std::vector<float>& found = components.vectors;
  const auto first = absl::MakeConstSpan(found).first(4);
  const auto second = absl::MakeConstSpan(found).subspan(4);
  EXPECT_NEAR(std::abs(Dot(first, {0.7071f, 0.7071f, 0, 0})), 1, 1e-3);
  EXPECT_NEAR(std::abs(Dot(second, {0, 0, 1, 0})), 1, 1e-2);
  EXPECT_NEAR(Dot(first, second), 0, 1e-6);
  double sum = 0;  // of the squares of the projections on the first
  for (size_t i = 0; i < vectors.size(); ++i) {
    const double projection =
        Dot(vectors.Vector(ToWordId(i)), first) - Dot(mean, first);
    sum += projection * projection;
  }
  EXPECT_NEAR(components.sums[0] / sum, 1, 1e-4);
  EXPECT_GT(components.sums[0], components.sums[1]);
}

// The components of fewer rows than columns are those of the rows among zeros,
// of which there are enough that columns are the fewer.
TEST(PrincipalComponentsTest, OfFewRowsAreThoseOfAllColumns) {
  constexpr size_t kRows = 7, kCols = 20;
  const FloatTable few = FloatTable(RandomFloats(kRows * kCols, 3), kCols);
  const std::vector<float> center(kCols);
  std::vector<float> values = RandomFloats(kRows * kCols, 3);
  values.resize(kCols * kCols);
  const FloatTable padded = FloatTable(std::move(values), kCols);
  const Components found = PrincipalComponents(few, center, 12).value();
  const Components expected = PrincipalComponents(padded, center, 12).value();
  ASSERT_EQ(found.vectors.size(), 12 * kCols);
  for (size_t k = 0; k < 12; ++k) {
    EXPECT_NEAR(found.sums[k], expected.sums[k], 1e-4);
    for (size_t i = 0; i < kCols; ++i) {
      EXPECT_NEAR(found.vectors[k * kCols + i],
                  k < kRows ? expected.vectors[k * kCols + i] : 0, 1e-4)
          << k << ' ' << i;
    }
  }
}

TEST(PrincipalComponentsTest, DirectionsInWhichFewRowsDoNotDifferAreZeros) {
  const FloatTable rows =
      FloatTable({1, 2, 3, 4, 3, 2, 3, 4, 1, 2, 3, 4}, 4);  // one direction
  const Components found = PrincipalComponents(rows, MeanRow(rows), 4).value();
  EXPECT_NEAR(found.vectors[0], 1, 1e-6);
  for (size_t i = 1; i < 16; ++i) EXPECT_NEAR(found.vectors[i], 0, 1e-6);
  EXPECT_NEAR(found.sums[0], 8.0 / 3, 1e-6);
  const FloatTable none = Matrix<float>(0, 4);
  EXPECT_EQ(PrincipalComponents(none, std::vector<float>(4), 2)->vectors,
            std::vector<float>(8));
}

// With the cube of the columns this would take hours.
TEST(PrincipalComponentsTest, OfFewRowsTakeAnyNumberOfColumns) {
  constexpr size_t kRows = 23, kCols = 65536;
  const FloatTable rows = FloatTable(RandomFloats(kRows * kCols, 4), kCols);
  const Components found = PrincipalComponents(rows, MeanRow(rows), 2).value();
  const auto vectors = absl::MakeConstSpan(found.vectors);
  EXPECT_NEAR(Dot(vectors.first(kCols), vectors.first(kCols)), 1, 1e-4);
  EXPECT_NEAR(Dot(vectors.first(kCols), vectors.last(kCols)), 0, 1e-4);
}

TEST(PrincipalComponentsTest, ChecksMemoryAndStopsBeforeTheWork) {
  const FloatTable rows = FloatTable(RandomFloats(30 * 20, 5), 20);
  const std::atomic<bool> stop = true;
  EXPECT_EQ(PrincipalComponents(rows, MeanRow(rows), 2, &stop).status().code(),
            absl::StatusCode::kCancelled);
  // Of which no value is read.
  const float value = 0;
  const auto message = [&](size_t num_rows, size_t cols) {
    const FloatTable table(ConstView<float>(&value, num_rows, cols));
    const absl::Status status = PrincipalComponents(table, {}, 2).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
    return std::string(status.message());
  };
  EXPECT_THAT(message(3, size_t{1} << 45),
              HasSubstr("computing the principal components of 3 vectors of "
                        "35184372088832 dimensions needs "));
  EXPECT_THAT(message(100'000, 65'536),
              HasSubstr("65536 dimensions; the maximum is 32000"));
}

TEST(PostprocessTest, CenteredVectorsHaveNoMean) {
  PostprocessOptions options;
  options.center = true;
  const auto changed = Postprocess(Skewed(100), options);
  ASSERT_TRUE(changed.ok()) << changed.status();
  for (const float value : MeanRow(changed->table())) {
    EXPECT_NEAR(value, 0, 1e-5);
  }
}

TEST(PostprocessTest, RemovedComponentsAreGone) {
  const WordVectors vectors = Skewed(500);
  PostprocessOptions options;
  options.center = true;
  options.remove_components = 2;
  const auto changed = Postprocess(vectors, options);
  ASSERT_TRUE(changed.ok()) << changed.status();
  const std::vector<float> removed =
      PrincipalComponents(vectors.table(), MeanRow(vectors.table()), 2)
          ->vectors;
  for (size_t i = 0; i < changed->size(); ++i) {
    const auto row = changed->Vector(ToWordId(i));
    EXPECT_NEAR(Dot(row, absl::MakeConstSpan(removed).first(4)), 0, 1e-4);
    EXPECT_NEAR(Dot(row, absl::MakeConstSpan(removed).subspan(4)), 0, 1e-4);
  }
}

// Dimensions are those of greatest spread behind the ones that are removed.
TEST(PostprocessTest, KeptComponentsAreTheNextOnes) {
  const WordVectors vectors = Skewed(3000);
  PostprocessOptions options;
  options.center = true;
  options.keep_components = 2;
  const auto two = Postprocess(vectors, options);
  ASSERT_TRUE(two.ok()) << two.status();
  EXPECT_EQ(two->dim(), 2u);
  options.remove_components = 1;
  options.keep_components = 1;
  const auto second = Postprocess(vectors, options);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(second->dim(), 1u);
  const std::vector<float> mean = MeanRow(vectors.table());
  const auto components =
      PrincipalComponents(vectors.table(), mean, 2)->vectors;
  for (size_t i = 0; i < vectors.size(); i += 100) {
    std::vector<float> row = vectors.CopyVector(ToWordId(i));
    for (size_t d = 0; d < 4; ++d) row[d] -= mean[d];
    const auto found = two->Vector(ToWordId(i));
    for (size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(found[k],
                  Dot(row, absl::MakeConstSpan(components).subspan(4 * k, 4)),
                  1e-4);
    }
    EXPECT_NEAR(second->Vector(ToWordId(i))[0], found[1], 1e-4);
  }
  options.keep_components = 4;
  EXPECT_THAT(std::string(Postprocess(vectors, options).status().message()),
              HasSubstr("keep-components: must be at most the 3 dimensions"));
}

TEST(PostprocessTest, FrequentWordsBecomeShort) {
  const std::vector<absl::string_view> words = {"the", "of", "rare"};
  const WordVectors rows =
      MakeVectors({{"the", {2, 0}}, {"of", {0, 2}}, {"rare", {2, 2}}});
  const auto counted = WordVectors::Create(
      *Vocabulary::Create(words, {60, 30, 10}), rows.table());
  PostprocessOptions options;
  options.sif = 0.1;
  const auto weighted = Postprocess(*counted, options);
  ASSERT_TRUE(weighted.ok()) << weighted.status();
  EXPECT_THAT(weighted->Vector(WordId{0}),
              ElementsAre(FloatNear(2 * 0.1f / 0.7f, 1e-6f), 0));
  EXPECT_THAT(weighted->Vector(WordId{2}),
              ElementsAre(FloatNear(1, 1e-6f), FloatNear(1, 1e-6f)));
  // Without counts, or where all are the same, by Zipf's law, whose first rank
  // is 2: shares of 6/13, 4/13, 3/13.
  const auto alike =
      WordVectors::Create(*Vocabulary::Create(words, {1, 1, 1}), rows.table());
  for (const WordVectors* const vectors : {&rows, &*alike}) {
    const auto ranked = Postprocess(*vectors, options);
    ASSERT_TRUE(ranked.ok());
    EXPECT_NEAR(ranked->Vector(WordId{1})[1], 2 * 0.1 / (0.1 + 4.0 / 13), 1e-6);
    EXPECT_NEAR(ranked->Vector(WordId{2})[0], 2 * 0.1 / (0.1 + 3.0 / 13), 1e-6);
  }
}

TEST(PostprocessTest, NormalizedVectorsAreUnitOrZero) {
  PostprocessOptions options;
  options.normalize = true;
  const auto changed =
      Postprocess(MakeVectors({{"a", {3, 4}}, {"zero", {0, 0}}}), options);
  ASSERT_TRUE(changed.ok());
  EXPECT_THAT(changed->Vector(WordId{0}),
              ElementsAre(FloatNear(0.6f, 1e-6f), FloatNear(0.8f, 1e-6f)));
  EXPECT_THAT(changed->Vector(WordId{1}), ElementsAre(0, 0));
}

TEST(PostprocessTest, TheFirstWordsStay) {
  PostprocessOptions options;
  options.max_vocab = 2;
  const auto changed = Postprocess(Skewed(5), options);
  ASSERT_TRUE(changed.ok());
  EXPECT_EQ(changed->size(), 2u);
  EXPECT_EQ(changed->vocabulary().Word(WordId{1}), "w1");
}

// The vector of an unknown word changes as if it were known.
TEST(PostprocessTest, NGramsChangeWithTheWords) {
  const std::vector<absl::string_view> words = {"ab", "ac"};
  const Vocabulary vocabulary = Vocabulary::Create(words, {2, 1}).value();
  const WordVectors rows = MakeVectors({{"<ab", {1, 2, 3}},
                                        {"ab>", {2, 1, 0}},
                                        {"<ac", {0, 1, 5}},
                                        {"ac>", {1, 1, 1}}});
  SubwordTables subwords;
  subwords.index =
      SubwordIndex::OfNGrams({3, 3, 1}, {"<ab", "ab>", "<ac", "ac>"}).value();
  subwords.n_grams = rows.table();
  const WordVectors vectors =
      WordVectors::Create(
          vocabulary, MakeVectors({{"a", {5, 1, 0}}, {"b", {1, 1, 2}}}).table(),
          subwords)
          .value();
  PostprocessOptions options;
  options.center = true;
  options.remove_components = 1;
  const auto changed = Postprocess(vectors, options);
  ASSERT_TRUE(changed.ok()) << changed.status();
  std::vector<float> expected = *vectors.FromNGrams("abx");
  RemoveComponents(
      MeanRow(vectors.table()),
      PrincipalComponents(vectors.table(), MeanRow(vectors.table()), 1)
          ->vectors,
      absl::MakeSpan(expected));
  const std::vector<float> found = *changed->FromNGrams("abx");
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(found[i], expected[i], 1e-5);
  options.normalize = true;
  EXPECT_EQ(Postprocess(vectors, options)->subwords(), nullptr);
  options = PostprocessOptions();
  options.drop_subwords = true;
  EXPECT_EQ(Postprocess(vectors, options)->subwords(), nullptr);
  EXPECT_EQ(Postprocess(vectors, options)->Vector(WordId{1}),
            vectors.Vector(WordId{1}));
}

TEST(PostprocessTest, AllDimensionsCannotBeRemoved) {
  PostprocessOptions options;
  options.remove_components = 4;
  EXPECT_THAT(std::string(Postprocess(Skewed(9), options).status().message()),
              HasSubstr("must be below 4, the number of dimensions, found 4"));
}

TEST(SelectWordsTest, KeepsTheirOrder) {
  const std::vector<absl::string_view> kept = {"w4", "absent", "w1"};
  const WordVectors vectors = Skewed(6);
  const auto selected =
      SelectWords(vectors, Vocabulary::Create(kept, {}).value());
  ASSERT_TRUE(selected.ok()) << selected.status();
  ASSERT_EQ(selected->size(), 2u);
  EXPECT_EQ(selected->vocabulary().Word(WordId{0}), "w1");
  EXPECT_EQ(selected->Vector(WordId{1}), vectors.Vector(WordId{4}));
  const std::vector<absl::string_view> none = {"absent"};
  EXPECT_FALSE(SelectWords(vectors, Vocabulary::Create(none, {}).value()).ok());
}

}  // namespace
}  // namespace firth

// The ways to look for neighbours against one another: batches and bytes give
// the exact answers to the same bits, the graph nearly all of them.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "firth/quantize.h"
#include "firth/query.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "query/quantized_rows.h"
#include "query/unit_rows.h"
#include "support/clustered_vectors.h"
#include "support/reference.h"
#include "support/targets.h"
#include "support/temp_files.h"
#include "support/threads.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::HasSubstr;

std::vector<WordId> AllWords(const WordVectors& vectors) {
  std::vector<WordId> words;
  for (size_t i = 0; i < vectors.size(); ++i) words.push_back(ToWordId(i));
  return words;
}

void ExpectSame(const std::vector<Neighbor>& found,
                const std::vector<Neighbor>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].word, expected[i].word) << "place " << i;
    EXPECT_EQ(found[i].score, expected[i].score) << "place " << i;
  }
}

NearestNeighbors Open(const WordVectors& vectors, const SearchOptions& search,
                      size_t restrict = 0) {
  auto neighbors = NearestNeighbors::Create(vectors, search, restrict);
  EXPECT_TRUE(neighbors.ok()) << neighbors.status();
  return *std::move(neighbors);
}

// Zero vectors, equal vectors, vectors of great and small length, and such as
// have no norm.
WordVectors Awkward() {
  std::vector<WordAndVector> entries;
  for (int i = 0; i < 40; ++i) {
    entries.push_back({absl::StrCat("zero", i), {0, 0, 0}});
    entries.push_back({absl::StrCat("same", i), {1, 2, 3}});
    entries.push_back({absl::StrCat("huge", i), {3e38f, -3e38f, 1e38f}});
    entries.push_back({absl::StrCat("tiny", i), {1e-30f, 2e-30f, 3e-30f}});
    entries.push_back({absl::StrCat("axis", i), {0, 0, 1.0f + i}});
  }
  const float infinity = std::numeric_limits<float>::infinity();
  const float largest = std::numeric_limits<float>::max();
  entries.push_back({"nan", {std::nanf(""), 1, 1}});
  entries.push_back({"infinite", {infinity, 1, -infinity}});
  entries.push_back({"overflow", {largest, largest, largest}});
  return MakeVectors(entries);
}

struct VectorsCase {
  const char* name;
  WordVectors vectors;
};

WordVectors Quantized(const WordVectors& vectors,
                      const QuantizeOptions& options) {
  auto quantized = Quantize(vectors, options);
  EXPECT_TRUE(quantized.ok()) << quantized.status();
  return *std::move(quantized);
}

std::vector<VectorsCase> QuantizedCases() {
  const WordVectors vectors = Clustered(700, 30, 10);
  return {
      {"float16", Quantized(vectors, ToFloat16())},
      {"int8", Quantized(vectors, ToInt8())},
      {"pq", Quantized(vectors, ToPq{.parts = 15})},
      {"pq, rotated, norms",
       Quantized(vectors, ToPq{.parts = 10, .rotation = true, .norms = true})},
      {"pq, as many parts as dimensions",
       Quantized(vectors, ToPq{.parts = 30})},
      {"float16, five dimensions",
       Quantized(RandomVectors(200, 5, 11), ToFloat16())},
      {"int8, one word", Quantized(RandomVectors(1, 3, 12), ToInt8())},
      {"pq, few words",
       Quantized(RandomVectors(5, 4, 13), ToPq{.rotation = true})}};
}

std::vector<VectorsCase> VectorsCases() {
  std::vector<VectorsCase> cases = QuantizedCases();
  const std::vector<VectorsCase> floats = {
      {"random, unaligned", RandomVectors(700, 33, 5)},
      {"clustered", Clustered(1000, 50, 6)},
      {"awkward", Awkward()},
      {"one dimension", RandomVectors(60, 1, 7)},
      {"few words", RandomVectors(5, 20, 8)},
      {"one word", RandomVectors(1, 3, 9)}};
  cases.insert(cases.end(), floats.begin(), floats.end());
  return cases;
}

TEST(SearchTest, BatchesGiveTheAnswersOfSingleQuestions) {
  for (const VectorsCase& test : VectorsCases()) {
    SCOPED_TRACE(test.name);
    const NearestNeighbors neighbors(test.vectors);
    const std::vector<WordId> words = AllWords(test.vectors);
    ForEachTarget([&] {
      for (const size_t top : {0, 1, 10, 2000}) {
        const size_t count = std::min<size_t>(words.size(), 300);
        const auto all = neighbors.FindWords(
            absl::MakeConstSpan(words).subspan(0, count), top);
        ASSERT_EQ(all.size(), count);
        for (size_t i = 0; i < count; i += 17) {
          ExpectSame(all[i], neighbors.FindWord(words[i], top));
        }
      }
    });
  }
}

TEST(SearchTest, Int8GivesTheExactAnswers) {
  for (const VectorsCase& test : VectorsCases()) {
    SCOPED_TRACE(test.name);
    const NearestNeighbors exact(test.vectors);
    const NearestNeighbors int8 = Open(test.vectors, Int8Search());
    ForEachTarget([&] {
      for (const size_t top : {0, 1, 10, 2000}) {
        for (size_t word = 0; word < test.vectors.size(); word += 13) {
          ExpectSame(int8.FindWord(ToWordId(word), top),
                     exact.FindWord(ToWordId(word), top));
        }
      }
    });
  }
}

// What is asked of a quantized model is what its rows as floats answer.
TEST(SearchTest, QuantizedRowsAnswerAsTheyDoAsFloats) {
  for (const VectorsCase& test : QuantizedCases()) {
    SCOPED_TRACE(test.name);
    const WordVectors floats = Dequantize(test.vectors).value();
    const NearestNeighbors exact(floats);
    const NearestNeighbors quantized(test.vectors);
    ForEachTarget([&] {
      for (size_t word = 0; word < floats.size(); word += 13) {
        const std::vector<float> query = floats.CopyVector(ToWordId(word));
        const auto expected = exact.Find(query, floats.size());
        const auto found = quantized.Find(query, floats.size());
        std::vector<float> cosines(floats.size());
        for (const Neighbor& neighbor : expected) {
          cosines[Index(neighbor.word)] = neighbor.score;
        }
        for (const Neighbor& neighbor : found) {
          EXPECT_NEAR(neighbor.score, cosines[Index(neighbor.word)], 2e-6);
        }
        for (size_t i = 0; i < found.size(); ++i) {
          EXPECT_NEAR(found[i].score, expected[i].score, 2e-6) << i;
        }
      }
    });
  }
}

TEST(SearchTest, QuantizedRowsSolveAnalogiesAsTheyDoAsFloats) {
  size_t cases = 0;
  for (const VectorsCase& test : QuantizedCases()) {
    if (test.vectors.size() < 4) continue;
    ++cases;
    SCOPED_TRACE(test.name);
    const WordVectors floats = Dequantize(test.vectors).value();
    const NearestNeighbors exact(floats);
    const NearestNeighbors quantized(test.vectors);
    for (const AnalogyMethod method :
         {AnalogyMethod::kAdd, AnalogyMethod::kMul}) {
      const auto expected =
          exact.SolveAnalogy(WordId{0}, WordId{1}, WordId{2}, 1, method);
      const auto found =
          quantized.SolveAnalogy(WordId{0}, WordId{1}, WordId{2}, 1, method);
      ASSERT_EQ(found.size(), 1u);
      EXPECT_NEAR(found[0].score, expected[0].score, 1e-5);
    }
    EXPECT_NEAR(Similarity(test.vectors, WordId{0}, WordId{3}),
                Similarity(floats, WordId{0}, WordId{3}), 1e-5);
    const std::vector<WordId> words = {WordId{0}, WordId{1}, WordId{3}};
    EXPECT_EQ(OddOneOut(test.vectors, words), OddOneOut(floats, words));
  }
  EXPECT_GT(cases, 0u);
}

struct RecallCase {
  const char* name;
  QuantizeOptions options;
  double least;
};

// Of the nine others of a word's cluster, and one more.
TEST(SearchTest, QuantizedRowsFindMostOfTheNeighbours) {
  const WordVectors vectors = Clustered(4000, 32, 14);
  const NearestNeighbors exact(vectors);
  const RecallCase kCases[] = {
      {"float16", ToFloat16(), 0.99},
      {"int8", ToInt8(), 0.97},
      {"pq of 32", ToPq{.parts = 32}, 0.9},
      {"pq of 16", ToPq{.parts = 16}, 0.7},
      {"pq of 16, separate norms", ToPq{.parts = 16, .norms = true}, 0.8},
      {"pq of 8, separate norms", ToPq{.parts = 8, .norms = true}, 0.6},
  };
  for (const RecallCase& test : kCases) {
    SCOPED_TRACE(test.name);
    const NearestNeighbors quantized(Quantized(vectors, test.options));
    double recall = 0;
    for (size_t word = 0; word < 4000; word += 40) {
      recall += Recall(exact.FindWord(ToWordId(word), 9),
                       quantized.FindWord(ToWordId(word), 9));
    }
    EXPECT_GT(recall / 100, test.least);
  }
}

TEST(SearchTest, RestrictionHoldsForEveryExactWay) {
  const WordVectors vectors = Clustered(500, 20, 1);
  const std::vector<WordId> words = AllWords(vectors);
  for (const SearchOptions& search :
       {SearchOptions(ExactSearch()), SearchOptions(Int8Search())}) {
    const NearestNeighbors neighbors = Open(vectors, search, 100);
    for (const auto& found : neighbors.FindWords(words, 5)) {
      for (const Neighbor& neighbor : found) {
        EXPECT_LT(Index(neighbor.word), 100u);
      }
    }
    ExpectSame(neighbors.FindWord(words[200], 5),
               NearestNeighbors(vectors, 100).FindWord(words[200], 5));
  }
}

TEST(SearchTest, ExcludedWordsAreNoAnswersInABatch) {
  const WordVectors vectors = Clustered(200, 10, 2);
  const NearestNeighbors neighbors(vectors);
  std::vector<NeighborQuery> queries;
  for (size_t i = 0; i < 20; ++i) {
    queries.push_back({vectors.Vector(ToWordId(i)),
                       {ToWordId(i + 1), ToWordId(i), ToWordId(i + 2)}});
  }
  const auto found = neighbors.FindAll(queries, 4);
  for (size_t i = 0; i < queries.size(); ++i) {
    ExpectSame(found[i],
               neighbors.Find(queries[i].vector, 4, queries[i].exclude));
  }
}

TEST(SearchTest, ThreadsDoNotChangeAnswers) {
  const WordVectors vectors = Clustered(3000, 40, 3);
  const std::vector<WordId> words = AllWords(vectors);
  const auto some = absl::MakeConstSpan(words).subspan(0, 50);
  for (const SearchOptions& search :
       {SearchOptions(ExactSearch()), SearchOptions(Int8Search())}) {
    std::vector<std::vector<Neighbor>> batch, single;
    {
      const ScopedThreads one(1);
      batch = Open(vectors, search).FindWords(some, 7);
      single.push_back(Open(vectors, search).FindWord(words[5], 7));
    }
    const ScopedThreads three(3);
    const NearestNeighbors neighbors = Open(vectors, search);
    ExpectSame(neighbors.FindWord(words[5], 7), single[0]);
    const auto found = neighbors.FindWords(some, 7);
    for (size_t i = 0; i < found.size(); ++i) ExpectSame(found[i], batch[i]);
  }
}

// The bounds that make the int8 scan exact.
TEST(QuantizedRowsTest, CosinesAreWithinTheirErrors) {
  for (size_t dim = 1; dim <= 67; dim += 3) {
    const WordVectors vectors = RandomVectors(50, dim, dim);
    const QuantizedRows rows(vectors, vectors.size());
    for (size_t word = 0; word < 5; ++word) {
      const absl::Span<const float> query = vectors.Vector(ToWordId(word));
      std::vector<float> cosines(rows.size()), errors(rows.size());
      rows.Cosines(QuantizeQuery(UnitVector(query)), 0, rows.size(),
                   cosines.data(), errors.data());
      for (size_t row = 0; row < rows.size(); ++row) {
        EXPECT_NEAR(cosines[row],
                    reference::Cosine(query, vectors.Vector(ToWordId(row))),
                    errors[row])
            << "dim " << dim;
        EXPECT_LT(errors[row], 0.01 * std::sqrt(static_cast<double>(dim)));
      }
    }
  }
}

class HnswTest : public testing::Test {
 protected:
  std::string IndexOf(const WordVectors& vectors) const {
    std::string path = folder_.File("vectors.hnsw");
    const ScopedThreads one(1);  // the same graph every time
    const absl::Status status = BuildHnswIndex(vectors, {}, path);
    EXPECT_TRUE(status.ok()) << status;
    return path;
  }
  absl::Status OpenStatus(const WordVectors& vectors,
                          const std::string& path) const {
    return NearestNeighbors::Create(vectors, HnswSearch{path}).status();
  }

  TempFolder folder_;
};

TEST_F(HnswTest, FindsNearlyAllNeighborsWithTheirExactCosines) {
  const WordVectors vectors = Clustered(2000, 50, 4);
  const NearestNeighbors exact(vectors);
  const NearestNeighbors hnsw =
      Open(vectors, HnswSearch{IndexOf(vectors), 100});
  const std::vector<WordId> words = AllWords(vectors);
  const auto expected = exact.FindWords(words, 10);
  const auto batch = hnsw.FindWords(words, 10);
  double recall = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    recall += Recall(expected[i], batch[i]) / static_cast<double>(words.size());
    ExpectSame(batch[i], hnsw.FindWord(words[i], 10));
    EXPECT_EQ(batch[i].size(), 10u);
    if (batch[i][0].word == expected[i][0].word) {
      EXPECT_EQ(batch[i][0].score, expected[i][0].score);
    }
  }
  EXPECT_GT(recall, 0.98);
}

TEST_F(HnswTest, OneThreadAndOneSeedGiveTheSameFile) {
  const WordVectors vectors = Clustered(300, 10, 4);
  const std::string first = ReadWholeFile(IndexOf(vectors));
  EXPECT_EQ(ReadWholeFile(IndexOf(vectors)), first);
}

TEST_F(HnswTest, WorksForFewAndForEqualWords) {
  for (const WordVectors& vectors :
       {RandomVectors(1, 3, 1), RandomVectors(2, 300, 2), Awkward()}) {
    const NearestNeighbors hnsw = Open(vectors, HnswSearch{IndexOf(vectors)});
    // The first awkward word is zeros.
    const size_t word = std::min<size_t>(vectors.size() - 1, 1);
    EXPECT_EQ(hnsw.FindWord(ToWordId(word), 10).size(),
              std::min<size_t>(vectors.size() - 1, 10));
  }
}

// Vectors about one direction, or about one of several.
WordVectors NearlyParallel(size_t count, size_t dim, size_t directions,
                           float spread) {
  const std::vector<float> centers = RandomFloats(directions * dim, 1);
  const std::vector<float> noise = RandomFloats(count * dim, 2);
  std::vector<WordAndVector> entries;
  for (size_t i = 0; i < count; ++i) {
    std::vector<float> row(dim);
    for (size_t d = 0; d < dim; ++d) {
      row[d] = centers[i % directions * dim + d] + spread * noise[i * dim + d];
    }
    entries.push_back({absl::StrCat("w", i), row});
  }
  return MakeVectors(entries);
}

TEST_F(HnswTest, FindsTheNeighborsOfNearlyParallelVectors) {
  // Cosines of 0.99 and above, of 0.9999 and of 0.999999.
  for (const float spread : {0.1f, 0.01f, 0.001f}) {
    SCOPED_TRACE(spread);
    const WordVectors vectors = NearlyParallel(2000, 20, 1, spread);
    const NearestNeighbors exact(vectors);
    const NearestNeighbors hnsw = Open(vectors, HnswSearch{IndexOf(vectors)});
    double recall = 0;
    for (size_t word = 0; word < 2000; word += 20) {
      recall += Recall(exact.FindWord(ToWordId(word), 10),
                       hnsw.FindWord(ToWordId(word), 10));
    }
    EXPECT_GT(recall / 100, 0.9);
  }
}

TEST_F(HnswTest, AGraphThatFindsTooLittleIsNotWritten) {
  // Groups that are far apart and within which rounding leaves no difference.
  const WordVectors vectors = NearlyParallel(2000, 20, 2, 1e-3f);
  const std::string path = folder_.File("tight.hnsw");
  const absl::Status status = BuildHnswIndex(vectors, {}, path);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("tight.hnsw: the graph would find fewer than 50% of "
                        "the ten nearest neighbors (it finds "));
  EXPECT_FALSE(IsHnswIndex(path));
  // Those of one group are as near as all others of it where they are equal.
  EXPECT_EQ(BuildHnswIndex(NearlyParallel(2000, 20, 2, 0), {}, path),
            absl::OkStatus());
}

TEST_F(HnswTest, AnIndexOfTheFirstVersionIsRefused) {
  const WordVectors vectors = Clustered(100, 10, 4);
  std::string bytes = ReadWholeFile(IndexOf(vectors));
  bytes[8] = 1;
  const absl::Status status =
      OpenStatus(vectors, folder_.Write("old.hnsw", bytes));
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("old.hnsw: expected an index of version 2, found one "
                        "of version 1; build it again"));
}

TEST_F(HnswTest, AnIndexOfOtherVectorsIsRefused) {
  const WordVectors vectors = Clustered(100, 10, 4);
  const std::string path = IndexOf(vectors);
  EXPECT_THAT(OpenStatus(Clustered(100, 11, 4), path).message(),
              HasSubstr("vectors.hnsw: expected an index of 100 words of 11 "
                        "dimensions, found one of 100 words of 10"));
  const absl::Status stale = OpenStatus(Clustered(100, 10, 5), path);
  EXPECT_EQ(stale.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(stale.message(), HasSubstr("build it again"));
  EXPECT_TRUE(OpenStatus(vectors, path).ok());
}

TEST_F(HnswTest, ADamagedFileIsRefused) {
  const WordVectors vectors = Clustered(100, 10, 4);
  const std::string good = ReadWholeFile(IndexOf(vectors));
  struct Damage {
    const char* name;
    std::string bytes;
    const char* message;
  };
  std::string flipped = good;
  flipped[good.size() / 2] ^= 4;
  std::string version = good;
  version[8] = 0;
  std::vector<Damage> damages = {
      {"empty", "", "expected an HNSW index, which starts with \"FIRTHNSW\""},
      {"other", "2 3\na 1 2 3\n", "expected an HNSW index"},
      {"header", good.substr(0, 50), "expected a header of 80 bytes, found a"},
      {"cut", good.substr(0, good.size() - 1), "bytes after the header, found"},
      {"longer", good + "x", "bytes after the header, found"},
      {"version", version, "expected an index of version 2, found version 0"},
      {"flipped", flipped, "the file is corrupt"}};
  for (const Damage& damage : damages) {
    const std::string path = folder_.Write("bad.hnsw", damage.bytes);
    const absl::Status status = OpenStatus(vectors, path);
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << damage.name;
    EXPECT_THAT(status.message(), HasSubstr("bad.hnsw: ")) << damage.name;
    EXPECT_THAT(status.message(), HasSubstr(damage.message)) << damage.name;
  }
  EXPECT_EQ(OpenStatus(vectors, folder_.File("none.hnsw")).code(),
            absl::StatusCode::kNotFound);
}

TEST_F(HnswTest, ANewerIndexIsRefused) {
  const WordVectors vectors = Clustered(100, 10, 4);
  std::string bytes = ReadWholeFile(IndexOf(vectors));
  bytes[8] = 3;
  const absl::Status status =
      OpenStatus(vectors, folder_.Write("new.hnsw", bytes));
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(
      status.message(),
      HasSubstr("new.hnsw: expected an HNSW index of at most version 2, "
                "found version 3, written by a newer version of Firth; "
                "upgrade Firth to read it"));
}

TEST_F(HnswTest, OptionsAreChecked) {
  const WordVectors vectors = Clustered(20, 4, 1);
  const std::string path = IndexOf(vectors);
  EXPECT_THAT(
      NearestNeighbors::Create(vectors, HnswSearch{path, 0}).status().message(),
      HasSubstr("breadth: expected 1 to 1000000, found 0"));
  EXPECT_THAT(
      NearestNeighbors::Create(vectors, HnswSearch{path}, 5).status().message(),
      HasSubstr("so its answers cannot be restricted"));
  HnswOptions options;
  options.links = 1;
  EXPECT_THAT(BuildHnswIndex(vectors, options, path).message(),
              HasSubstr("links: expected 2 to 128, found 1"));
}

TEST(RecallTest, IsTheShareOfTheExactAnswersFound) {
  const std::vector<Neighbor> exact = {{ToWordId(1), 1}, {ToWordId(2), 0}};
  EXPECT_EQ(Recall(exact, {{ToWordId(2), 0}, {ToWordId(7), 0}}), 0.5);
  EXPECT_EQ(Recall(exact, exact), 1);
  EXPECT_EQ(Recall({}, exact), 1);
}

}  // namespace
}  // namespace firth

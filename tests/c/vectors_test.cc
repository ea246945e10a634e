// Word vectors and neighbours of the C interface, against the C++ one.

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_replace.h"
#include "base/json.h"
#include "c/c_test_support.h"
#include "firth/firth.h"
#include "firth/query.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "support/temp_files.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsNan;
using testing::StartsWith;

// A file of 40 words w0, w1, ... of 6 dimensions, opened.
class CVectorsTest : public testing::Test {
 protected:
  CVectorsTest() {
    VectorFile file;
    file.vectors = expected;
    file.metadata = {{"window", "5"}};
    EXPECT_EQ(SaveVectorFile(file, path, "safetensors"), absl::OkStatus());
    EXPECT_TRUE(Fine(firth_vectors_load(path.data(), SizeOf(path), nullptr, 0,
                                        nullptr, nullptr, &vectors)));
  }
  ~CVectorsTest() override { firth_vectors_free(vectors); }

  FirthSearch* Search(const std::string& options) {
    FirthSearch* search = nullptr;
    EXPECT_TRUE(Fine(firth_search_create(
        vectors, options.data(), SizeOf(options), nullptr, nullptr, &search)));
    return search;
  }

  TempFolder folder;
  std::string path = folder.File("v.safetensors");
  WordVectors expected = RandomVectors(40, 6, 5);
  FirthVectors* vectors = nullptr;
};

TEST_F(CVectorsTest, ShapeAndDescription) {
  int64_t count = 0, dim = 0;
  ASSERT_TRUE(Fine(firth_vectors_shape(vectors, &count, &dim)));
  EXPECT_EQ(count, 40);
  EXPECT_EQ(dim, 6);
  FirthBuffer* json = nullptr;
  ASSERT_TRUE(Fine(firth_vectors_describe(vectors, &json)));
  OrderedJson told = OrderedJson::parse(TextOf(json));
  EXPECT_EQ(told["metadata"]["window"], "5");
  told.erase("metadata");
  EXPECT_EQ(told.dump(),
            R"({"words":40,"dim":6,"form":"float32","subwords":false,)"
            R"("output":false,"counts":false})");
}

TEST_F(CVectorsTest, RowsAndWordsAreLent) {
  const float* rows = nullptr;
  int64_t stride = 0;
  ASSERT_TRUE(Fine(firth_vectors_rows(vectors, &rows, &stride)));
  const char* bytes = nullptr;
  const int64_t *offsets = nullptr, *counts = nullptr;
  ASSERT_TRUE(Fine(firth_vectors_words(vectors, &bytes, &offsets)));
  ASSERT_TRUE(Fine(firth_vectors_counts(vectors, &counts)));
  for (int64_t id = 0; id < 40; ++id) {
    const WordId word = ToWordId(static_cast<size_t>(id));
    EXPECT_EQ(absl::MakeConstSpan(rows + id * stride, 6),
              expected.Vector(word));
    EXPECT_EQ(
        absl::string_view(bytes + offsets[id],
                          static_cast<size_t>(offsets[id + 1] - offsets[id])),
        expected.vocabulary().Word(word));
    EXPECT_EQ(counts[id], 0);
  }
}

TEST_F(CVectorsTest, WordsAreFound) {
  const CTexts texts(std::vector<std::string>{"w7", "none", "", "w39"});
  int64_t ids[4];
  ASSERT_TRUE(Fine(firth_vectors_find_all(vectors, texts.bytes.data(),
                                          texts.offsets.data(), 4, ids)));
  EXPECT_THAT(ids, ElementsAre(7, -1, -1, 39));
  int64_t id = 0;
  ASSERT_TRUE(Fine(firth_vectors_find(vectors, "w12", 3, &id)));
  EXPECT_EQ(id, 12);
}

TEST_F(CVectorsTest, RowsAreCopiedById) {
  const int64_t ids[] = {3, 3, 0};
  std::vector<float> rows(18);
  ASSERT_TRUE(Fine(firth_vectors_copy(vectors, ids, 3, rows.data())));
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(absl::MakeConstSpan(rows).subspan(6 * i, 6),
              expected.Vector(ToWordId(static_cast<size_t>(ids[i]))));
  }
}

TEST_F(CVectorsTest, EverySearchFindsTheNeighboursOfTheLibrary) {
  const std::string index = folder.File("v.hnsw");
  ASSERT_TRUE(Fine(firth_index_build(vectors, index.data(), SizeOf(index),
                                     nullptr, 0, nullptr, nullptr)));
  const NearestNeighbors neighbors(expected);
  for (const std::string& options :
       {std::string(R"({"search": "exact"})"),
        std::string(R"({"search": "int8"})"),
        R"({"search": "hnsw", "breadth": 40, "index": ")" + index + "\"}"}) {
    FirthSearch* const search = Search(options);
    const int64_t words[] = {0, 5, 9, 11, 39};
    int64_t ids[5][3];
    float scores[5][3];
    ASSERT_TRUE(Fine(firth_search_words(search, words, 5, 3, nullptr, nullptr,
                                        ids[0], scores[0])));
    for (size_t i = 0; i < 5; ++i) {
      const auto found =
          neighbors.FindWord(ToWordId(static_cast<size_t>(words[i])), 3);
      for (size_t rank = 0; rank < 3; ++rank) {
        EXPECT_EQ(ids[i][rank], static_cast<int64_t>(Index(found[rank].word)));
        EXPECT_EQ(scores[i][rank], found[rank].score);
      }
    }
    firth_search_free(search);
  }
}

// Cosines with (1, 0): 1, 0.8, 0, -1.
class CSearchTest : public testing::Test {
 protected:
  CSearchTest() {
    EXPECT_TRUE(Fine(
        firth_search_create(vectors, nullptr, 0, nullptr, nullptr, &search)));
  }
  ~CSearchTest() override {
    firth_search_free(search);
    firth_vectors_free(vectors);
  }

  FirthVectors* vectors =
      VectorsOf({"east", "near", "north", "west"}, {1, 0, 4, 3, 0, 2, -1, 0});
  FirthSearch* search = nullptr;
};

TEST_F(CSearchTest, WhatIsMissingIsMinusOneAndNan) {
  const int64_t words[] = {0};
  int64_t ids[5];
  float scores[5];
  ASSERT_TRUE(Fine(
      firth_search_words(search, words, 1, 5, nullptr, nullptr, ids, scores)));
  EXPECT_THAT(ids, ElementsAre(1, 2, 3, -1, -1));
  EXPECT_THAT(scores, ElementsAre(testing::FloatNear(0.8f, 1e-6f), 0, -1,
                                  IsNan(), IsNan()));
}

TEST_F(CSearchTest, NoQuestionsAndNoAnswersAreFine) {
  int64_t id = 7;
  EXPECT_TRUE(Fine(firth_search_words(search, nullptr, 0, 5, nullptr, nullptr,
                                      nullptr, nullptr)));
  const int64_t words[] = {0};
  float score = 7;
  EXPECT_TRUE(Fine(
      firth_search_words(search, words, 1, 0, nullptr, nullptr, &id, &score)));
  EXPECT_EQ(id, 7);
  EXPECT_EQ(score, 7);
}

TEST_F(CSearchTest, VectorsAreAskedWithoutTheirExcludedWords) {
  const float asked[] = {1, 0, 0, -1, 0, 1, 2, 2, 0, 0};
  const int64_t exclude[] = {0, 1, 2};
  const int64_t offsets[] = {0, 2, 2, 3, 3, 3};
  int64_t ids[5];
  float scores[5];
  ASSERT_TRUE(Fine(firth_search_vectors(search, asked, 5, exclude, offsets, 1,
                                        nullptr, nullptr, ids, scores)));
  EXPECT_THAT(ids, ElementsAre(2, 0, 1, 1, -1));  // zeros have no neighbors
  EXPECT_NEAR(scores[3], 7 / std::sqrt(50.0f), 1e-6);
  EXPECT_TRUE(std::isnan(scores[4]));
}

TEST_F(CSearchTest, SumsAreSolvedByBothMethods) {
  // East and north, without west: near is at (0.8, 0.6).
  const float terms[] = {1, 0, 0, 1, -1, 0};
  const float weights[] = {1, 1, -1};
  const int64_t offsets[] = {0, 3};
  int64_t ids[2];
  float scores[2];
  ASSERT_TRUE(Fine(firth_search_sums(search, terms, weights, offsets, 1,
                                     nullptr, nullptr, nullptr, 0, 2, nullptr,
                                     nullptr, ids, scores)));
  EXPECT_THAT(ids, ElementsAre(1, 0));  // the sum is (2, 1)
  EXPECT_NEAR(scores[0], 2.2 / std::sqrt(5.0), 1e-6);
  ASSERT_TRUE(Fine(firth_search_sums(search, terms, weights, offsets, 1,
                                     nullptr, nullptr, R"({"method": "mul"})",
                                     17, 2, nullptr, nullptr, ids, scores)));
  EXPECT_THAT(ids, ElementsAre(0, 1));
  EXPECT_NEAR(scores[0], 1 * 0.5 / 0.001, 0.01);  // east: cosines 1, 0, -1
}

TEST_F(CSearchTest, CosinesAreThoseOfAllWords) {
  const float vector[] = {2, 0};
  float scores[4];
  int64_t n = 0;
  ASSERT_TRUE(Fine(firth_search_cosines(search, vector, scores, &n)));
  EXPECT_EQ(n, 4);
  EXPECT_THAT(scores, ElementsAre(1, testing::FloatNear(0.8f, 1e-6f), 0, -1));
}

TEST_F(CSearchTest, QuestionsAreFiniteAndNoMoreThanMemoryHolds) {
  const int64_t word[] = {0};
  int64_t id = 7;
  float score = 7;
  for (const int64_t k : {int64_t{1} << 61, INT64_MAX}) {
    EXPECT_THAT(FailureOf(firth_search_words(search, word, 1, k, nullptr,
                                             nullptr, &id, &score))
                    .message,
                testing::HasSubstr("are too many; at most"));
  }
  const int64_t offsets[] = {0, 1};
  const float one[] = {1};
  for (const float number : {NAN, INFINITY}) {
    const float asked[] = {number, 1};
    EXPECT_THAT(
        FailureOf(firth_search_vectors(search, asked, 1, nullptr, nullptr, 1,
                                       nullptr, nullptr, &id, &score))
            .message,
        testing::HasSubstr("vectors: expected finite"));
    EXPECT_THAT(FailureOf(firth_search_sums(search, asked, one, offsets, 1,
                                            nullptr, nullptr, nullptr, 0, 1,
                                            nullptr, nullptr, &id, &score))
                    .message,
                testing::HasSubstr("terms: expected finite"));
    EXPECT_THAT(
        FailureOf(firth_search_cosines(search, asked, &score, &id)).message,
        testing::HasSubstr("vector: expected finite"));
  }
  EXPECT_EQ(id, 7);
  EXPECT_EQ(score, 7);
}

TEST_F(CSearchTest, OutlivesItsVectors) {
  firth_vectors_free(vectors);
  const int64_t words[] = {0};
  int64_t id;
  float score;
  ASSERT_TRUE(Fine(
      firth_search_words(search, words, 1, 1, nullptr, nullptr, &id, &score)));
  EXPECT_EQ(id, 1);
}

TEST_F(CSearchTest, RestrictLeavesOnlyFrequentWords) {
  FirthSearch* few = nullptr;
  const std::string options = R"({"restrict": 2})";
  ASSERT_TRUE(Fine(firth_search_create(vectors, options.data(), SizeOf(options),
                                       nullptr, nullptr, &few)));
  const int64_t words[] = {3};
  int64_t ids[3];
  float scores[3];
  ASSERT_TRUE(Fine(
      firth_search_words(few, words, 1, 3, nullptr, nullptr, ids, scores)));
  EXPECT_THAT(ids, ElementsAre(1, 0, -1));
  firth_search_free(few);
}

TEST(CVectorsFileTest, WordsWithNGramsMakeVectorsOfOthers) {
  const TempFolder folder;
  const std::string path = folder.File("v.safetensors");
  const std::vector<std::string> words = {"abc", "abd"};
  const WordVectors plain = MakeVectors(words, {1, 2, 3, 4}, 2, 2);
  BucketSubwords buckets;
  buckets.min_n = buckets.max_n = 3;
  buckets.buckets = 7;
  const auto index = SubwordIndex::Create(buckets, plain.vocabulary());
  ASSERT_TRUE(index.ok());
  SubwordTables tables{
      *index, plain.table(),
      FloatTable(std::vector<float>(2 * index->rows(), 0.5f), 2)};
  VectorFile file;
  file.vectors = *WordVectors::Create(plain.vocabulary(), plain.rows(), tables);
  ASSERT_EQ(SaveVectorFile(file, path, "safetensors"), absl::OkStatus());
  FirthVectors* vectors = nullptr;
  ASSERT_TRUE(Fine(firth_vectors_load(path.data(), SizeOf(path), nullptr, 0,
                                      nullptr, nullptr, &vectors)));
  const CTexts asked(std::vector<std::string>{"abd", "abcd", ""});
  float rows[6];
  int8_t from[3];
  ASSERT_TRUE(Fine(firth_vectors_lookup(vectors, asked.bytes.data(),
                                        asked.offsets.data(), 3, rows, from)));
  firth_vectors_free(vectors);
  EXPECT_THAT(from, ElementsAre(1, 2, 0));
  EXPECT_EQ(rows[0], 3);
  EXPECT_EQ(rows[1], 4);
  const auto made = file.vectors.FromNGrams("abcd");
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(absl::MakeConstSpan(rows + 2, 2), absl::MakeConstSpan(*made));
  EXPECT_EQ(rows[4], 0);
}

// A FirthProgress that keeps events in a vector of strings.
int32_t KeepEvent(void* context, const char* event, int64_t size) {
  if (event == nullptr) return 0;
  static_cast<std::vector<std::string>*>(context)->emplace_back(
      event, static_cast<size_t>(size));
  return 0;
}

std::string Described(const FirthVectors* vectors) {
  FirthBuffer* json = nullptr;
  EXPECT_TRUE(Fine(firth_vectors_describe(vectors, &json)));
  return TextOf(json);
}

TEST(CVectorsFileTest, MetadataIsAddedAndSaved) {
  const TempFolder folder;
  const std::string path = folder.File("v.safetensors");
  FirthVectors* const plain = VectorsOf({"a", "b"}, {1, 2});
  const auto annotate = [](const FirthVectors* vectors,
                           const std::string& metadata) {
    FirthVectors* annotated = nullptr;
    EXPECT_TRUE(Fine(firth_vectors_annotate(vectors, metadata.data(),
                                            SizeOf(metadata), &annotated)));
    return annotated;
  };
  FirthVectors* const first = annotate(plain, R"({"x": "1", "y": "2"})");
  FirthVectors* const second = annotate(first, R"({"y": "3"})");
  EXPECT_THAT(Described(plain), HasSubstr(R"("metadata":{})"));
  EXPECT_THAT(Described(first), HasSubstr(R"("metadata":{"x":"1","y":"2"})"));
  ASSERT_TRUE(Fine(firth_vectors_save(second, path.data(), SizeOf(path),
                                      nullptr, 0, nullptr, nullptr)));
  FirthVectors* again = nullptr;
  ASSERT_TRUE(Fine(firth_vectors_load(path.data(), SizeOf(path), nullptr, 0,
                                      nullptr, nullptr, &again)));
  EXPECT_THAT(Described(again), HasSubstr(R"("x":"1","y":"3"})"));
  const float* rows[2];
  int64_t stride = 0;
  ASSERT_TRUE(Fine(firth_vectors_rows(plain, &rows[0], &stride)));
  ASSERT_TRUE(Fine(firth_vectors_rows(second, &rows[1], &stride)));
  EXPECT_EQ(rows[0], rows[1]);
  for (FirthVectors* const vectors : {plain, first, second, again}) {
    firth_vectors_free(vectors);
  }
}

TEST(CVectorsFileTest, CountsThatAFormatHasNoPlaceForAreLeftOutWithANote) {
  const TempFolder folder;
  const std::string path = folder.File("v.bin");
  const CTexts words(std::vector<std::string>{"a", "b"});
  const float rows[] = {1, 2};
  const int64_t counts[] = {5, 3};
  FirthVectors* vectors = nullptr;
  ASSERT_TRUE(Fine(firth_vectors_create(
      words.bytes.data(), words.offsets.data(), 2, rows, 1, counts, &vectors)));
  std::vector<std::string> events;
  ASSERT_TRUE(Fine(firth_vectors_save(vectors, path.data(), SizeOf(path),
                                      nullptr, 0, KeepEvent, &events)));
  EXPECT_THAT(events, ElementsAre(testing::AllOf(
                          HasSubstr(R"("event":"milestone")"),
                          HasSubstr("bin cannot hold counts of the vectors"))));
  EXPECT_TRUE(std::filesystem::exists(path));
  firth_vectors_free(vectors);
}

TEST(CVectorsFileTest, WhatAFormatCannotHoldIsSaidOrLeftOut) {
  const TempFolder folder;
  const std::string path = folder.File("v.txt");
  FirthVectors* const vectors = VectorsOf({"a\nb", "c"}, {1, 2});
  const CFailure failure = FailureOf(firth_vectors_save(
      vectors, path.data(), SizeOf(path), nullptr, 0, nullptr, nullptr));
  EXPECT_EQ(failure.code, FIRTH_UNIMPLEMENTED);
  EXPECT_THAT(failure.message, HasSubstr("\"a\\nb\""));
  EXPECT_THAT(
      failure.message,
      testing::EndsWith("\"lossy\": true saves the vectors without them"));
  EXPECT_FALSE(std::filesystem::exists(path));
  const std::string lossy = R"({"lossy": true, "format": "text"})";
  std::vector<std::string> events;
  ASSERT_TRUE(
      Fine(firth_vectors_save(vectors, path.data(), SizeOf(path), lossy.data(),
                              SizeOf(lossy), KeepEvent, &events)));
  EXPECT_THAT(events,
              ElementsAre(testing::AllOf(
                  HasSubstr(R"("event":"warning")"),
                  HasSubstr("text cannot hold 1 word of the vectors"))));
  EXPECT_EQ(ReadWholeFile(path), "1 1\nc 2\n");
  firth_vectors_free(vectors);
}

TEST(CVectorsFileTest, MakingVectorsChecksThem) {
  const CTexts twice(std::vector<std::string>{"a", "a"});
  const float rows[] = {1, NAN};
  FirthVectors* vectors = nullptr;
  const auto make = [&](int64_t count, int64_t dim, const int64_t* counts) {
    return FailureOf(firth_vectors_create(twice.bytes.data(),
                                          twice.offsets.data(), count, rows,
                                          dim, counts, &vectors))
        .message;
  };
  const int64_t counts[] = {1, -1};
  EXPECT_EQ(make(2, 1, nullptr), "rows: row 1 contains NaN or infinity");
  EXPECT_EQ(make(2, 1, counts),
            "counts: the count at position 1 must be 0 or more, found -1");
  EXPECT_EQ(make(1, 0, nullptr), "dim: must be 1 to 65536, found 0");
  EXPECT_EQ(vectors, nullptr);
  const float finite[] = {1, 2};
  EXPECT_THAT(
      FailureOf(firth_vectors_create(twice.bytes.data(), twice.offsets.data(),
                                     2, finite, 1, nullptr, &vectors))
          .message,
      HasSubstr("duplicate word \"a\""));
}

// The text with one float's bytes replaced by those of another.
std::string WithFloat(std::string text, float before, float after) {
  const std::string bytes(reinterpret_cast<const char*>(&before), 4);
  const size_t place = text.find(bytes);
  EXPECT_NE(place, text.npos);
  return text.replace(place, 4, reinterpret_cast<const char*>(&after), 4);
}

TEST(CVectorsFileTest, ValuesAreCheckedWhereThatIsAskedFor) {
  const TempFolder folder;
  const std::string path = folder.File("v.safetensors");
  FirthVectors* vectors = VectorsOf({"a", "b"}, {1, 2, 123.25f, 4});
  ASSERT_TRUE(Fine(firth_vectors_save(vectors, path.data(), SizeOf(path),
                                      nullptr, 0, nullptr, nullptr)));
  firth_vectors_free(vectors);
  folder.Write("v.safetensors", WithFloat(ReadWholeFile(path), 123.25f, NAN));
  for (const std::string options :
       {R"({"checked": true})", R"({"training": true})",
        R"({"duplicates": "first"})"}) {
    EXPECT_EQ(FailureOf(firth_vectors_load(path.data(), SizeOf(path),
                                           options.data(), SizeOf(options),
                                           nullptr, nullptr, &vectors))
                  .code,
              FIRTH_INVALID_ARGUMENT);
  }
  ASSERT_TRUE(Fine(firth_vectors_load(path.data(), SizeOf(path), nullptr, 0,
                                      nullptr, nullptr, &vectors)));
  FirthSearch* search = nullptr;
  ASSERT_TRUE(Fine(
      firth_search_create(vectors, nullptr, 0, nullptr, nullptr, &search)));
  const float asked[] = {1, 1};
  float cosines[2];
  int64_t n = 0;
  EXPECT_TRUE(Fine(firth_search_cosines(search, asked, cosines, &n)));
  EXPECT_EQ(cosines[1], 0);
  firth_search_free(search);
  FirthSentenceEncoder* encoder = nullptr;
  ASSERT_TRUE(
      Fine(firth_sentence_encoder_create(vectors, nullptr, 0, &encoder)));
  const CTexts texts(std::vector<std::string>{"a", "a b"});
  float sentences[] = {7, 7, 7, 7};
  EXPECT_EQ(FailureOf(firth_sentence_encoder_encode(
                          encoder, texts.bytes.data(), texts.offsets.data(), 2,
                          nullptr, nullptr, sentences, nullptr))
                .message,
            "texts: a word in text 1 has a vector that is not finite; load the "
            "vectors with \"checked\": true to find it");
  EXPECT_THAT(sentences, testing::Each(7));
  firth_sentence_encoder_free(encoder);
  firth_vectors_free(vectors);
}

TEST(CVectorsFileTest, LengthsMakeNoDifferenceToCosines) {
  // Of 3 and 4, 4 and 3, and 3 and -4, at other scales.
  FirthVectors* const vectors = VectorsOf(
      {"a", "b", "c"}, {3e-30f, 4e-30f, 4e30f, 3e30f, 3e-38f, -4e-38f});
  const int64_t first[] = {0};
  float scores[2];
  FirthSearch* search = nullptr;
  ASSERT_TRUE(Fine(
      firth_search_create(vectors, nullptr, 0, nullptr, nullptr, &search)));
  int64_t ids[2];
  ASSERT_TRUE(Fine(
      firth_search_words(search, first, 1, 2, nullptr, nullptr, ids, scores)));
  EXPECT_THAT(ids, ElementsAre(1, 2));
  EXPECT_NEAR(scores[0], 0.96, 1e-6);
  EXPECT_NEAR(scores[1], -0.28, 1e-6);
  const float tiny[] = {4e-38f, 3e-38f};
  ASSERT_TRUE(Fine(firth_search_vectors(search, tiny, 1, nullptr, nullptr, 1,
                                        nullptr, nullptr, ids, scores)));
  EXPECT_EQ(ids[0], 1);
  EXPECT_NEAR(scores[0], 1, 1e-6);
  firth_search_free(search);
  firth_vectors_free(vectors);
}

TEST(CVectorsFileTest, WordsAreNotEmpty) {
  const CTexts words(std::vector<std::string>{"a", "", "b"});
  const float rows[] = {1, 2, 3};
  FirthVectors* vectors = nullptr;
  EXPECT_EQ(
      FailureOf(firth_vectors_create(words.bytes.data(), words.offsets.data(),
                                     3, rows, 1, nullptr, &vectors))
          .message,
      "words: word 1 is empty");
  EXPECT_EQ(vectors, nullptr);
}

// Of vectors with an output table.
std::string WriteModel(const TempFolder& folder) {
  const std::string path = folder.File("model.safetensors");
  VectorFile file;
  file.vectors = RandomVectors(3, 2, 7);
  file.output = FloatTable(std::vector<float>{1, 2, 3, 4, 5, 123.25f}, 2);
  EXPECT_EQ(SaveVectorFile(file, path, ""), absl::OkStatus());
  return path;
}

TEST(CVectorsFileTest, SavingWhatWasLoadedKeepsTheOutputTable) {
  const TempFolder folder;
  const std::string path = WriteModel(folder);
  const std::string copy = folder.File("copy.safetensors");
  FirthVectors* vectors = nullptr;
  ASSERT_TRUE(Fine(firth_vectors_load(path.data(), SizeOf(path), nullptr, 0,
                                      nullptr, nullptr, &vectors)));
  const float* rows = nullptr;
  int64_t count = 0, stride = 0;
  ASSERT_TRUE(Fine(firth_vectors_output_rows(vectors, &rows, &count, &stride)));
  EXPECT_EQ(count, 3);
  EXPECT_EQ(rows[2 * stride + 1], 123.25f);
  ASSERT_TRUE(Fine(firth_vectors_save(vectors, copy.data(), SizeOf(copy),
                                      nullptr, 0, nullptr, nullptr)));
  firth_vectors_free(vectors);
  EXPECT_EQ(ReadWholeFile(copy), ReadWholeFile(path));
}

TEST(CVectorsFileTest, AnErrorThatIsAskedForIsGiven) {
  const TempFolder folder;
  const std::string path = folder.File("v.safetensors");
  FirthVectors* vectors = VectorsOf({"abc", "abd"}, {1, 2});
  ASSERT_TRUE(Fine(firth_vectors_save(vectors, path.data(), SizeOf(path),
                                      nullptr, 0, nullptr, nullptr)));
  firth_vectors_free(vectors);
  folder.Write("v.safetensors",
               absl::StrReplaceAll(ReadWholeFile(path), {{"abd", "abc"}}));
  vectors = nullptr;
  const std::string error = R"({"duplicates": "error"})";
  EXPECT_THAT(
      FailureOf(firth_vectors_load(path.data(), SizeOf(path), error.data(),
                                   SizeOf(error), nullptr, nullptr, &vectors))
          .message,
      HasSubstr("duplicate word \"abc\""));
  EXPECT_EQ(vectors, nullptr);
  EXPECT_TRUE(Fine(firth_vectors_load(path.data(), SizeOf(path), nullptr, 0,
                                      nullptr, nullptr, &vectors)));
  firth_vectors_free(vectors);
}

TEST(CVectorsFileTest, TextIsCheckedAsItIsRead) {
  const TempFolder folder;
  FirthVectors* vectors = nullptr;
  for (const char* text : {"2 1\na 1\na 2\n", "1 1\na nan\n"}) {
    const std::string path = folder.Write("v.txt", text);
    EXPECT_EQ(FailureOf(firth_vectors_load(path.data(), SizeOf(path), nullptr,
                                           0, nullptr, nullptr, &vectors))
                  .code,
              FIRTH_INVALID_ARGUMENT)
        << text;
  }
  EXPECT_EQ(vectors, nullptr);
}

TEST(CVectorsFileTest, AMissingFileIsNotFound) {
  FirthVectors* vectors = nullptr;
  const CFailure failure = FailureOf(firth_vectors_load(
      "/no/such", 8, nullptr, 0, nullptr, nullptr, &vectors));
  EXPECT_EQ(failure.code, FIRTH_NOT_FOUND);
  EXPECT_THAT(failure.message, StartsWith("/no/such: "));
}

}  // namespace
}  // namespace firth

// The vector of a text in a supervised model of fastText is the mean of the
// rows of all that the model reads, as one written here, number for number,
// shows.

#include "io/formats/fasttext_text.h"

#include <cstdint>
#include <string>
#include <vector>

#include "base/output_file.h"
#include "firth/sentence_vectors.h"
#include "firth/vector_io.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "io/formats/fasttext_parts.h"
#include "io/io_test_support.h"
#include "vocab/character_ngrams.h"

namespace firth {
namespace {

using testing::Each;
using testing::FloatNear;
using testing_io::TestFolder;

constexpr int kBuckets = 7;

// The words "</s>" and "ab", the labels "__label__x" and "cat=y", and
// kBuckets buckets; row r has the value r * r.
absl::StatusOr<WordVectors> Model(int word_n_grams, int max_n) {
  FasttextHeader header;
  header.dim = 1;
  header.word_n_grams = word_n_grams;
  header.max_n = max_n;
  header.min_n = max_n > 0 ? 2 : 0;
  header.architecture = kFasttextSupervised;
  header.loss = kFasttextSoftmax;
  header.buckets = kBuckets;
  header.words = {"</s>", "ab"};
  header.counts = {5, 7};
  header.labels = {"__label__x", "cat=y"};
  header.label_counts = {3, 2};
  header.tokens = 12;
  const std::string path = TestFolder() + "/m.bin";
  auto out = *OutputFile::Create(path);
  EXPECT_EQ(WriteFasttextHeader(header, out), absl::OkStatus());
  EXPECT_EQ(out.WriteNumbers(uint8_t{0}, int64_t{2 + kBuckets}, int64_t{1}),
            absl::OkStatus());
  for (int row = 0; row < 2 + kBuckets; ++row) {
    EXPECT_EQ(out.WriteNumbers(static_cast<float>(row * row)),
              absl::OkStatus());
  }
  EXPECT_EQ(out.WriteNumbers(uint8_t{0}, int64_t{2}, int64_t{1}, 0.0f, 0.0f),
            absl::OkStatus());
  EXPECT_EQ(out.Commit(), absl::OkStatus());
  auto file = LoadVectorFile(path);
  if (!file.ok()) return file.status();
  return file->vectors;
}

// Of a text: with every option that must not change it.
float VectorOfText(const WordVectors& vectors, const std::string& text,
                   size_t* words = nullptr) {
  std::vector<float> found;
  for (const bool unit_words : {false, true}) {
    const auto encoder =
        SentenceEncoder::Create(vectors, {.unit_words = unit_words});
    float value = -1;
    const size_t count = *encoder->Encode(text, absl::MakeSpan(&value, 1));
    if (words != nullptr) *words = count;
    found.push_back(value);
  }
  EXPECT_THAT(found, Each(found[0]));
  return found[0];
}

float Bucket(uint64_t hash) {
  const auto row = static_cast<float>(2 + hash % kBuckets);
  return row * row;
}

uint64_t WordHash(absl::string_view word) {
  return static_cast<uint64_t>(int64_t{static_cast<int32_t>(NGramHash(word))});
}

float Pair(absl::string_view a, absl::string_view b) {
  return Bucket(WordHash(a) * 116049371 + WordHash(b));
}

TEST(FasttextTextTest, WordsAndTheEndAreRead) {
  const auto vectors = Model(1, 0);
  ASSERT_EQ(vectors.status(), absl::OkStatus());
  size_t words = 9;
  EXPECT_EQ(VectorOfText(*vectors, " ab\tab unknown ab", &words), 3 / 4.0f);
  EXPECT_EQ(words, 3u);
  // Labels are not read, known or not; what follows the end is not, either.
  EXPECT_EQ(VectorOfText(*vectors, "__label__x ab cat=y __label__new </s> ab"),
            1 / 2.0f);
  EXPECT_EQ(VectorOfText(*vectors, "", &words), 0);  // the row of </s>
  EXPECT_EQ(words, 0u);
}

TEST(FasttextTextTest, NGramsOfWordsAreReadByTheirHashes) {
  const auto vectors = Model(2, 0);
  ASSERT_EQ(vectors.status(), absl::OkStatus());
  EXPECT_FLOAT_EQ(
      VectorOfText(*vectors, "ab q __label__x ab"),
      (1 + 1 + 0 + Pair("ab", "q") + Pair("q", "ab") + Pair("ab", "</s>")) / 6);
  const auto longer = Model(3, 0);
  const float triple =
      Bucket((WordHash("ab") * 116049371 + WordHash("\xc3\xa9")) * 116049371 +
             WordHash("</s>"));
  EXPECT_FLOAT_EQ(
      VectorOfText(*longer, "ab \xc3\xa9"),
      (1 + 0 + Pair("ab", "\xc3\xa9") + triple + Pair("\xc3\xa9", "</s>")) / 5);
}

TEST(FasttextTextTest, NGramsOfCharactersAreRead) {
  const auto vectors = Model(1, 2);
  ASSERT_EQ(vectors.status(), absl::OkStatus());
  const auto n_gram = [](absl::string_view text) {
    return Bucket(NGramHash(text));
  };
  EXPECT_FLOAT_EQ(VectorOfText(*vectors, "ab"),
                  (1 + n_gram("<a") + n_gram("ab") + n_gram("b>") + 0) / 5);
  size_t words = 9;
  EXPECT_FLOAT_EQ(VectorOfText(*vectors, "cd", &words),
                  (n_gram("<c") + n_gram("cd") + n_gram("d>") + 0) / 4);
  EXPECT_EQ(words, 1u);
}

TEST(FasttextTextTest, WeightsAndWholeWordsReadWordsAlone) {
  const auto vectors = Model(1, 0);
  ASSERT_EQ(vectors.status(), absl::OkStatus());
  for (const SentenceOptions& options :
       {SentenceOptions{.sif = 1e9}, SentenceOptions{.subwords = false}}) {
    float value = -1;
    EXPECT_TRUE(SentenceEncoder::Create(*vectors, options)
                    ->Encode("ab", absl::MakeSpan(&value, 1))
                    .ok());
    EXPECT_THAT(value, FloatNear(1, 1e-6f));
  }
  float value = -1;
  EXPECT_TRUE(SentenceEncoder::Create(*vectors, {.lowercase = true})
                  ->Encode("AB", absl::MakeSpan(&value, 1))
                  .ok());
  EXPECT_EQ(value, 1 / 2.0f);
}

}  // namespace
}  // namespace firth

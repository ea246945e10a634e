#include "vectors/word_bag_encoder.h"

#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "firth/quantize.h"
#include "firth/sentence_vectors.h"
#include "gtest/gtest.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

constexpr size_t kWords = 200;
constexpr size_t kDim = 19;

WordVectors RandomVectors() {
  std::vector<std::string> words;
  for (size_t i = 0; i < kWords; ++i) words.push_back(absl::StrCat("w", i));
  // Rows with a stride of their own.
  return MakeVectors(words, RandomFloats(kWords * 24, 1), kDim, 24);
}

// Expects the mean of the words 0, step, 2 * step... with unknown words between
// them.
void ExpectMean(const WordVectors& vectors, size_t step, bool unit_words) {
  const WordVectors bags = WithWordBags(vectors, {.lowercase = true});
  const auto encoder =
      SentenceEncoder::Create(bags, {.unit_words = unit_words});
  ASSERT_TRUE(encoder.ok()) << encoder.status();
  std::string text;
  std::vector<double> mean(kDim);
  const size_t count = (kWords + step - 1) / step;
  for (size_t i = 0; i < kWords; i += step) {
    absl::StrAppend(&text, " unknown W", i);
    const std::vector<float> row = vectors.CopyVector(ToWordId(i));
    double square = 0;
    for (const float value : row) square += double{value} * value;
    for (size_t d = 0; d < kDim; ++d) {
      mean[d] += row[d] / (unit_words ? std::sqrt(square) : 1) /
                 static_cast<double>(count);
    }
  }
  std::vector<float> vector(kDim, -7);
  EXPECT_EQ(encoder->Encode(text, absl::MakeSpan(vector)).value(), count);
  for (size_t d = 0; d < kDim; ++d) EXPECT_NEAR(vector[d], mean[d], 1e-6);
}

TEST(WordBagEncoderTest, VectorsAreMeansOfTheRowsOfWords) {
  const WordVectors floats = RandomVectors();
  const WordVectors halves = Quantize(floats, ToFloat16()).value();
  for (const WordVectors& vectors : {floats, halves}) {
    for (const bool unit_words : {false, true}) {
      // 1, 2, 10 and 200 words.
      for (const size_t step : {200, 100, 20, 1}) {
        ExpectMean(vectors, step, unit_words);
      }
    }
  }
}

TEST(WordBagEncoderTest, ATextWithoutKnownWordsHasZeros) {
  const WordVectors bags = WithWordBags(RandomVectors(), {});
  std::vector<float> vector(kDim, -7);
  for (const char* text : {"", " ", "unknown W1"}) {
    EXPECT_EQ(
        bags.text_encoder()->Encode(text, true, absl::MakeSpan(vector)).value(),
        0u);
    EXPECT_EQ(vector, std::vector<float>(kDim)) << text;
  }
}

}  // namespace
}  // namespace firth

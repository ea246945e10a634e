#include "firth/sentence_vectors.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;

// Counts 90 and 10.
WordVectors TwoWords() {
  const std::vector<absl::string_view> words = {"the", "cat"};
  return WordVectors::Create(
             Vocabulary::Create(words, {90, 10}).value(),
             MakeVectors({{"a", {3, 4}}, {"b", {0, 2}}}).table())
      .value();
}

std::vector<float> Encode(const SentenceOptions& options,
                          absl::string_view sentence, size_t* words = nullptr) {
  const auto encoder = SentenceEncoder::Create(TwoWords(), options);
  EXPECT_TRUE(encoder.ok()) << encoder.status();
  std::vector<float> vector(2, -1.0f);
  const size_t count = *encoder->Encode(sentence, absl::MakeSpan(vector));
  if (words != nullptr) *words = count;
  return vector;
}

TEST(SentenceVectorsTest, AreMeansOfKnownWords) {
  size_t words;
  EXPECT_THAT(Encode({}, " the\tcat unknown the", &words),
              ElementsAre(2, FloatNear(10.0f / 3, 1e-6f)));
  EXPECT_EQ(words, 3u);
  EXPECT_THAT(Encode({}, "", &words), ElementsAre(0, 0));
  EXPECT_EQ(words, 0u);
}

TEST(SentenceVectorsTest, SifWeighsFrequentWordsLess) {
  SentenceOptions options;
  options.sif = 0.1;
  // (0.1 / (0.1 + 0.9) * (3, 4) + 0.1 / (0.1 + 0.1) * (0, 2)) / 2
  EXPECT_THAT(Encode(options, "the cat"),
              ElementsAre(FloatNear(0.15f, 1e-6f), FloatNear(0.7f, 1e-6f)));
}

TEST(SentenceVectorsTest, WordsMayBeMadeUnitAndFolded) {
  SentenceOptions options;
  options.unit_words = true;
  options.lowercase = true;
  EXPECT_THAT(Encode(options, "The CAT"),
              ElementsAre(FloatNear(0.3f, 1e-6f), FloatNear(0.9f, 1e-6f)));
}

TEST(SentenceVectorsTest, WhatAllSentencesShareIsRemoved) {
  // Along (1, 0), with a little of (0, 1).
  std::vector<float> rows = {5, 0.1f, 4, -0.1f, 6, 0, -5, 0.05f};
  ASSERT_TRUE(RemoveCommonComponents(2, 1, absl::MakeSpan(rows)).ok());
  for (size_t i = 0; i < rows.size(); i += 2) EXPECT_NEAR(rows[i], 0, 0.01);
  EXPECT_NEAR(rows[1], 0.1, 0.02);
}

TEST(SentenceVectorsTest, SifNeedsCounts) {
  SentenceOptions options;
  options.sif = 0.001;
  EXPECT_THAT(
      std::string(SentenceEncoder::Create(MakeVectors({{"a", {1}}}), options)
                      .status()
                      .message()),
      HasSubstr("the vectors have no word counts"));
  options.sif = -1;
  EXPECT_FALSE(SentenceEncoder::Create(TwoWords(), options).ok());
}

}  // namespace
}  // namespace firth

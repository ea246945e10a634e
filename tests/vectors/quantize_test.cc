#include "firth/quantize.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/matrix.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/clustered_vectors.h"
#include "support/reference.h"
#include "support/threads.h"
#include "support/tiny_vectors.h"
#include "vectors/product_quantizer.h"
#include "vectors/row_block.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::HasSubstr;

struct FormCase {
  const char* name;
  QuantizeOptions options;
  double error;  // of clustered vectors, at most: all |x - x'|^2 / all |x|^2
};

std::vector<FormCase> FormCases() {
  return {{"float16", ToFloat16(), 1e-6},
          {"int8", ToInt8(), 1e-4},
          {"pq", ToPq{.parts = 10}, 0.05},
          {"pq, rotated", ToPq{.parts = 10, .rotation = true}, 0.05},
          {"pq, norms", ToPq{.parts = 10, .norms = true}, 0.05},
          {"pq, both", ToPq{.parts = 5, .rotation = true, .norms = true}, 0.3}};
}

WordVectors Quantized(const WordVectors& vectors,
                      const QuantizeOptions& options) {
  auto quantized = Quantize(vectors, options);
  EXPECT_TRUE(quantized.ok()) << quantized.status();
  return *std::move(quantized);
}

TEST(QuantizeTest, RowsStayNearWhatTheyWere) {
  const WordVectors vectors = Clustered(600, 20, 1);
  for (const FormCase& test : FormCases()) {
    SCOPED_TRACE(test.name);
    const WordVectors quantized = Quantized(vectors, test.options);
    EXPECT_FALSE(quantized.is_float());
    ASSERT_EQ(quantized.size(), vectors.size());
    double wrong = 0;
    double all = 0;
    for (size_t i = 0; i < vectors.size(); ++i) {
      const std::vector<float> exact = vectors.CopyVector(ToWordId(i));
      std::vector<float> rest = quantized.CopyVector(ToWordId(i));
      EXPECT_NEAR(quantized.inverse_norms()[i],
                  1 / std::sqrt(reference::Dot(rest, rest)),
                  1e-5 * quantized.inverse_norms()[i]);
      for (size_t k = 0; k < rest.size(); ++k) rest[k] -= exact[k];
      wrong += reference::Dot(rest, rest);
      all += reference::Dot(exact, exact);
    }
    EXPECT_LT(wrong, test.error * all);
  }
}

// Word by word, all at once, or in blocks.
TEST(QuantizeTest, AllWaysOfReadingRowsAgree) {
  const WordVectors vectors = Clustered(300, 20, 2);
  for (const FormCase& test : FormCases()) {
    SCOPED_TRACE(test.name);
    const WordVectors quantized = Quantized(vectors, test.options);
    const auto floats = Dequantize(quantized);
    ASSERT_TRUE(floats.ok()) << floats.status();
    RowBlock block(quantized.rows(), 7);
    for (size_t begin = 0; begin + 7 <= 300; begin += 7) {
      const float* const rows = block.Read(begin, 7);
      for (size_t i = 0; i < 7; ++i) {
        const auto table_row = floats->Vector(ToWordId(begin + i));
        const auto copied = quantized.CopyVector(ToWordId(begin + i));
        const std::vector<float> rotated =
            RotateFor(quantized.rows(), table_row);
        for (size_t k = 0; k < copied.size(); ++k) {
          EXPECT_NEAR(copied[k], table_row[k], 1e-5);
          EXPECT_NEAR(rows[i * block.stride() + k], rotated[k], 1e-5);
        }
      }
    }
  }
}

TEST(QuantizeTest, ValuesOfSmallForms) {
  const WordVectors vectors =
      MakeVectors({{"a", {1, -0.6f, 0.1f}}, {"zero", {0, 0, 0}}});
  const WordVectors half = Quantized(vectors, ToFloat16());
  EXPECT_THAT(half.CopyVector(WordId{0}),
              ElementsAre(1, -0.60009765625f, 0.0999755859375f));
  const WordVectors bytes = Quantized(vectors, ToInt8());
  EXPECT_THAT(
      bytes.CopyVector(WordId{0}),
      ElementsAre(FloatEq(1), FloatEq(-76 / 127.0f), FloatEq(13 / 127.0f)));
  EXPECT_THAT(bytes.CopyVector(WordId{1}), ElementsAre(0, 0, 0));
  EXPECT_EQ(bytes.inverse_norms()[1], 0);
}

TEST(QuantizeTest, NormsApartAreExact) {
  const WordVectors vectors = Clustered(400, 12, 3);
  const WordVectors quantized =
      Quantized(vectors, ToPq{.parts = 6, .norms = true});
  const auto& rows = std::get<PqRows>(quantized.rows());
  for (size_t i = 0; i < vectors.size(); ++i) {
    EXPECT_FLOAT_EQ(rows.norms.data()[i], 1 / vectors.inverse_norms()[i]);
  }
}

TEST(QuantizeTest, OneWordAndNoWordAreEnough) {
  for (const FormCase& test : FormCases()) {
    SCOPED_TRACE(test.name);
    const WordVectors one = Quantized(Clustered(1, 20, 4), test.options);
    EXPECT_EQ(one.size(), 1u);
    EXPECT_NEAR(Dequantize(one)->inverse_norms()[0], one.inverse_norms()[0],
                1e-4);
    const WordVectors none = Quantized(
        WordVectors::Create(Vocabulary(), Matrix<float>(0, 20)).value(),
        test.options);
    EXPECT_EQ(none.size(), 0u);
    EXPECT_EQ(none.dim(), 20u);
    EXPECT_EQ(Dequantize(none)->dim(), 20u);
  }
}

TEST(QuantizeTest, QuantizedVectorsCanBeQuantizedAgain) {
  const WordVectors vectors = Clustered(100, 20, 5);
  const WordVectors twice =
      Quantized(Quantized(vectors, ToFloat16()), ToInt8());
  EXPECT_TRUE(std::holds_alternative<Int8Rows>(twice.rows()));
}

TEST(QuantizeTest, ThreadsDoNotChangeTheResult) {
  const WordVectors vectors = Clustered(3000, 20, 6);
  for (const FormCase& test : FormCases()) {
    SCOPED_TRACE(test.name);
    std::vector<std::vector<float>> found;
    for (const int threads : {1, 3}) {
      const ScopedThreads scoped(threads);
      const WordVectors quantized = Quantized(vectors, test.options);
      found.emplace_back();
      for (size_t i = 0; i < vectors.size(); i += 10) {
        const std::vector<float> row = quantized.CopyVector(ToWordId(i));
        found.back().insert(found.back().end(), row.begin(), row.end());
      }
    }
    EXPECT_EQ(found[0], found[1]);
  }
}

TEST(QuantizeTest, PartsAreChosenWhereNoneAreGiven) {
  const std::pair<size_t, size_t> kCases[] = {
      {300, 75}, {100, 25}, {7, 7}, {10, 5}, {1, 1}};
  for (const auto& [dim, parts] : kCases) {
    const WordVectors quantized = Quantized(Clustered(5, dim, 7), ToPq());
    EXPECT_EQ(std::get<PqRows>(quantized.rows()).quantizer->parts(), parts);
  }
}

TEST(QuantizeTest, NGramsAndCountsAreKept) {
  const std::vector<absl::string_view> words = {"ab"};
  SubwordTables subwords;
  subwords.index = SubwordIndex::OfNGrams({3, 3, 1}, {"<ab", "ab>"}).value();
  const WordVectors n_grams = MakeVectors({{"<ab", {1, 2}}, {"ab>", {2, 1}}});
  subwords.n_grams = n_grams.table();
  const WordVectors vectors =
      WordVectors::Create(Vocabulary::Create(words, {7}).value(),
                          MakeVectors({{"ab", {5, 1}}}).table(), subwords)
          .value();
  for (const QuantizeOptions& options :
       {QuantizeOptions(ToInt8()), QuantizeOptions(ToPq{.parts = 2})}) {
    const WordVectors quantized = Quantized(vectors, options);
    EXPECT_EQ(quantized.vocabulary().Count(WordId{0}), 7u);
    EXPECT_EQ(quantized.FromNGrams("xab"), vectors.FromNGrams("xab"));
  }
}

TEST(QuantizeTest, WhatCannotBeStoredIsRefused) {
  const WordVectors large = MakeVectors({{"a", {1, 2}}, {"b", {1, -7e4f}}});
  EXPECT_THAT(std::string(Quantize(large, ToFloat16()).status().message()),
              HasSubstr("row 1: the value"));
  EXPECT_TRUE(Quantize(large, ToInt8()).ok());
  const WordVectors nan =
      MakeVectors({{"a", {1, std::numeric_limits<float>::quiet_NaN()}}});
  for (const FormCase& test : FormCases()) {
    EXPECT_THAT(std::string(Quantize(nan, test.options).status().message()),
                HasSubstr("row 0: expected finite numbers, found nan"));
  }
  EXPECT_THAT(std::string(Quantize(large, ToPq{.parts = 3}).status().message()),
              HasSubstr("must divide the 2 dimensions"));
}

}  // namespace
}  // namespace firth

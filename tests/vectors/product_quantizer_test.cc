#include "vectors/product_quantizer.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/matrix.h"
#include "base/rng.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/reference.h"
#include "support/threads.h"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Rows whose spread is in few directions, across the parts: coordinate i of a
// row is one of a few numbers, mixed.
FloatTable Slanted(size_t rows, size_t dim, uint64_t seed) {
  const std::vector<float> mix = RandomFloats(dim * dim, 99);
  Rng rng(seed);
  std::vector<float> values;
  for (size_t row = 0; row < rows; ++row) {
    std::vector<float> source(dim);
    for (size_t i = 0; i < dim; ++i) {
      source[i] = (2 * rng.NextFloat() - 1) / static_cast<float>(1 + i * i);
    }
    for (size_t i = 0; i < dim; ++i) {
      values.push_back(static_cast<float>(reference::Dot(
          absl::MakeConstSpan(mix).subspan(i * dim, dim), source)));
    }
  }
  return FloatTable(std::move(values), dim);
}

ProductQuantizer Trained(const FloatTable& rows, size_t parts, bool rotation) {
  auto quantizer =
      ProductQuantizer::Train(rows, {.parts = parts, .rotation = rotation});
  EXPECT_TRUE(quantizer.ok()) << quantizer.status();
  return *std::move(quantizer);
}

// The mean of |x - decoded x|^2 / |x|^2.
double Distortion(const ProductQuantizer& quantizer, const FloatTable& rows) {
  std::vector<uint8_t> codes(rows.rows() * quantizer.parts());
  quantizer.Encode(rows, codes.data());
  double wrong = 0, all = 0;
  std::vector<float> decoded(rows.cols());
  for (size_t row = 0; row < rows.rows(); ++row) {
    quantizer.Decode(codes.data() + row * quantizer.parts(),
                     absl::MakeSpan(decoded));
    for (size_t i = 0; i < decoded.size(); ++i) {
      wrong += std::pow(double{decoded[i]} - rows.Row(row)[i], 2);
      all += std::pow(rows.Row(row)[i], 2);
    }
  }
  return wrong / all;
}

TEST(ProductQuantizerTest, DecodesCentroidsAndTurnsThemBack) {
  const FloatTable codebooks = FloatTable({1, 2, 3, 4, 5, 6, 7, 8}, 2);
  const uint8_t codes[] = {1, 0};
  std::vector<float> vector(4);
  const auto plain = ProductQuantizer::Create(codebooks, 2, FloatTable());
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_EQ(plain->dim(), 4u);
  EXPECT_EQ(plain->centroids(), 2u);
  plain->Decode(codes, absl::MakeSpan(vector));
  EXPECT_THAT(vector, ElementsAre(3, 4, 5, 6));
  // y[0] = x[1], y[1] = -x[0], and so on.
  const auto turned = ProductQuantizer::Create(
      codebooks, 2,
      FloatTable({0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0}, 4));
  ASSERT_TRUE(turned.ok()) << turned.status();
  turned->Decode(codes, absl::MakeSpan(vector));
  EXPECT_THAT(vector, ElementsAre(-4, 3, -6, 5));
  EXPECT_THAT(turned->Rotate(vector), ElementsAre(3, 4, 5, 6));
  EXPECT_THAT(turned->RotateBack({3, 4, 5, 6}), ElementsAre(-4, 3, -6, 5));
  uint8_t again[2] = {};
  turned->Encode(FloatTable(vector, 4), again);
  EXPECT_THAT(again, ElementsAre(1, 0));
}

TEST(ProductQuantizerTest, MorePartsAndARotationAreNearer) {
  const FloatTable rows = Slanted(3000, 16, 1);
  const double coarse = Distortion(Trained(rows, 2, false), rows);
  const double fine = Distortion(Trained(rows, 8, false), rows);
  const double turned = Distortion(Trained(rows, 2, true), rows);
  EXPECT_LT(fine, coarse / 2);
  EXPECT_LT(turned, coarse * 0.8);
  EXPECT_LT(coarse, 0.3);
}

FloatTable Scaled(const FloatTable& rows, float factor) {
  std::vector<float> values;
  for (size_t row = 0; row < rows.rows(); ++row) {
    for (const float x : rows.Row(row)) values.push_back(factor * x);
  }
  return FloatTable(std::move(values), rows.cols());
}

// The parts get directions of equal weight whatever the unit of length.
TEST(ProductQuantizerTest, TheRotationOfSmallNumbersIsAsGood) {
  const FloatTable rows = Slanted(3000, 16, 1);
  const FloatTable small = Scaled(rows, 1e-3f);
  const double turned = Distortion(Trained(rows, 8, true), rows);
  EXPECT_LT(turned, Distortion(Trained(rows, 8, false), rows));
  EXPECT_NEAR(Distortion(Trained(small, 8, true), small), turned, turned / 4);
}

// As many centroids as rows: nothing gets lost.
TEST(ProductQuantizerTest, FewRowsAreKept) {
  for (const size_t count : {1, 2, 5}) {
    const FloatTable rows = FloatTable(RandomFloats(count * 6, count), 6);
    for (const bool rotation : {false, true}) {
      const ProductQuantizer quantizer = Trained(rows, 3, rotation);
      EXPECT_EQ(quantizer.centroids(), count);
      EXPECT_LT(Distortion(quantizer, rows), 0.05) << count;
    }
  }
}

// With the cube of the dimensions this would take hours.
TEST(ProductQuantizerTest, FewerRowsThanDimensionsAreNotRotated) {
  constexpr size_t kDim = 16384;
  const FloatTable rows = FloatTable(RandomFloats(23 * kDim, 1), kDim);
  const ProductQuantizer quantizer = Trained(rows, kDim / 4, true);
  EXPECT_TRUE(quantizer.rotation().empty());
  EXPECT_LT(Distortion(quantizer, rows), 1e-3);
}

TEST(ProductQuantizerTest, NoRowsGiveAQuantizerToo) {
  const FloatTable none = Matrix<float>(0, 6);
  for (const bool rotation : {false, true}) {
    const ProductQuantizer quantizer = Trained(none, 2, rotation);
    EXPECT_EQ(quantizer.dim(), 6u);
    quantizer.Encode(none, nullptr);
  }
}

TEST(ProductQuantizerTest, ThreadsDoNotChangeTheResult) {
  const FloatTable rows = Slanted(3000, 12, 2);
  for (const bool rotation : {false, true}) {
    std::vector<std::vector<float>> found;
    for (const int threads : {1, 3}) {
      const ScopedThreads scoped(threads);
      const ProductQuantizer quantizer = Trained(rows, 4, rotation);
      const FloatTable& books = quantizer.codebooks();
      found.emplace_back(books.data(),
                         books.data() + books.rows() * books.cols());
    }
    EXPECT_EQ(found[0], found[1]);
  }
}

struct PartsCase {
  size_t parts;
  size_t dim;
  const char* message;  // null: right
};

TEST(ProductQuantizerTest, PartsDivideTheDimension) {
  constexpr PartsCase kCases[] = {
      {1, 7, nullptr},
      {300, 300, nullptr},
      {75, 300, nullptr},
      {7, 300, "divide the 300 dimensions, such as 6 or 10; found 7"},
      {0, 300, "such as 1; found 0"},
      {301, 300, "such as 300; found 301"},
  };
  for (const PartsCase& test : kCases) {
    const absl::Status status = CheckParts(test.parts, test.dim);
    if (test.message == nullptr) {
      EXPECT_TRUE(status.ok()) << status;
    } else {
      EXPECT_THAT(std::string(status.message()), HasSubstr(test.message));
    }
  }
  EXPECT_FALSE(ProductQuantizer::Train(Slanted(10, 6, 1), {.parts = 4}).ok());
}

struct StoredCase {
  const char* name;
  FloatTable codebooks;
  size_t parts;
  FloatTable rotation;
  const char* message;
};

TEST(ProductQuantizerTest, StoredNonsenseIsRefused) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const FloatTable books = FloatTable({1, 2, 3, 4}, 1);
  const StoredCase kCases[] = {
      {"no parts", books, 0, {}, "found a table of [4, 1]"},
      {"no codebooks", {}, 2, {}, "found a table of [0, 0]"},
      {"odd number", books, 3, {}, "for each of 3 parts"},
      {"too many",
       FloatTable(RandomFloats(257, 1), 1),
       1,
       {},
       "1 to 256 centroids"},
      {"NaN", FloatTable({1, nan}, 1), 1, {}, "row 1: expected finite numbers"},
      {"rotation of another shape", books, 2, FloatTable({1}, 1),
       "expected a rotation of [2, 2], found [1, 1]"},
      {"rotation with NaN", books, 2, FloatTable({1, 0, 0, nan}, 2),
       "rotation, row 1: expected finite"},
      {"no rotation", books, 2, FloatTable({1, 0, 0, 1.1f}, 2),
       "does not preserve lengths"},
      {"sheared", books, 2, FloatTable({1, 0.5f, 0, 1}, 2),
       "does not preserve lengths"},
  };
  for (const StoredCase& test : kCases) {
    SCOPED_TRACE(test.name);
    EXPECT_THAT(std::string(ProductQuantizer::Create(test.codebooks, test.parts,
                                                     test.rotation)
                                .status()
                                .message()),
                HasSubstr(test.message));
  }
}

}  // namespace
}  // namespace firth

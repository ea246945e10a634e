// Arrays that other programs computed, under $FIRTH_DATA/golden.

#ifndef FIRTH_TESTS_SUPPORT_GOLDEN_DATA_H_
#define FIRTH_TESTS_SUPPORT_GOLDEN_DATA_H_

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "io/tensors/safetensors_header.h"
#include "nn/matrix.h"

namespace firth::nn {

class GoldenFile {
 public:
  // name: without folder and extension.
  explicit GoldenFile(const std::string& name) {
    const char* const data = std::getenv("FIRTH_DATA");
    if (data == nullptr) return;
    const auto file =
        MappedFile::Open(absl::StrCat(data, "/golden/", name, ".safetensors"));
    EXPECT_EQ(file.status(), absl::OkStatus());
    if (!file.ok()) return;
    file_ = *file;
    const auto header = ReadSafetensorsHeader(*file_);
    EXPECT_EQ(header.status(), absl::OkStatus());
    if (header.ok()) header_ = *header;
  }

  bool here() const { return file_ != nullptr; }
  bool Has(const std::string& name) const {
    return header_.Find(name) != nullptr;
  }

  // All but the last dimension are rows.
  template <class T>
  Matrix<T> Read(const std::string& name) const {
    const TensorEntry* const entry = header_.Find(name);
    EXPECT_NE(entry, nullptr) << name;
    if (entry == nullptr) return {};
    const size_t cols = entry->shape.back();
    size_t rows = 1;
    for (size_t d = 0; d + 1 < entry->shape.size(); ++d) {
      rows *= entry->shape[d];
    }
    return entry->dtype == "F64"   ? Convert<T, double>(*entry, rows, cols)
           : entry->dtype == "I32" ? Convert<T, int32_t>(*entry, rows, cols)
                                   : Convert<T, float>(*entry, rows, cols);
  }

  std::vector<size_t> ReadSizes(const std::string& name) const {
    const Matrix<double> values = Read<double>(name);
    return {values.data(), values.data() + values.size()};
  }

  // Of [batch, steps, dim], time-major, as layers read it.
  template <class T>
  Matrix<T> ReadTimeMajor(const std::string& name, size_t batch) const {
    const Matrix<T> rows = Read<T>(name);
    const size_t steps = rows.rows() / batch;
    Matrix<T> turned(rows.rows(), rows.cols());
    for (size_t r = 0; r < rows.rows(); ++r) {
      std::copy_n(rows.Row(r), rows.cols(),
                  turned.Row(r % steps * batch + r / steps));
    }
    return turned;
  }

  // Of [cols, rows], as weights of y = x W^T are.
  template <class T>
  Matrix<T> ReadTransposed(const std::string& name) const {
    const Matrix<T> rows = Read<T>(name);
    Matrix<T> turned(rows.cols(), rows.rows());
    for (size_t r = 0; r < rows.rows(); ++r) {
      for (size_t c = 0; c < rows.cols(); ++c) {
        turned.Row(c)[r] = rows.Row(r)[c];
      }
    }
    return turned;
  }

 private:
  template <class T, class Stored>
  Matrix<T> Convert(const TensorEntry& entry, size_t rows, size_t cols) const {
    const auto values = CopyValues<Stored>(*file_, entry);
    Matrix<T> matrix(rows, cols);
    EXPECT_EQ(values.size(), matrix.size());
    for (size_t i = 0; i < values.size(); ++i) {
      matrix.data()[i] = static_cast<T>(values[i]);
    }
    return matrix;
  }

  MappedFilePtr file_;
  SafetensorsHeader header_;
};

template <class T>
void ExpectClose(ConstView<T> found, ConstView<T> expected, double tolerance,
                 const std::string& what) {
  ASSERT_EQ(found.rows(), expected.rows()) << what;
  ASSERT_EQ(found.cols(), expected.cols()) << what;
  double greatest = 0;
  for (size_t r = 0; r < found.rows(); ++r) {
    for (size_t c = 0; c < found.cols(); ++c) {
      greatest = std::max(
          greatest, std::abs(double{found.Row(r)[c]} - expected.Row(r)[c]));
    }
  }
  EXPECT_LE(greatest, tolerance) << what;
}

// |found - expected| <= tolerance |expected|, over all values.
template <class T>
void ExpectRelativelyClose(ConstView<T> found, ConstView<T> expected,
                           double tolerance, const std::string& what) {
  ASSERT_EQ(found.rows(), expected.rows()) << what;
  ASSERT_EQ(found.cols(), expected.cols()) << what;
  double difference = 0, norm = 0;
  for (size_t r = 0; r < found.rows(); ++r) {
    for (size_t c = 0; c < found.cols(); ++c) {
      difference += std::pow(double{found.Row(r)[c]} - expected.Row(r)[c], 2);
      norm += std::pow(double{expected.Row(r)[c]}, 2);
    }
  }
  EXPECT_LE(std::sqrt(difference), tolerance * std::sqrt(norm)) << what;
}

}  // namespace firth::nn

#endif  // FIRTH_TESTS_SUPPORT_GOLDEN_DATA_H_

// Small vector files, and files of any bytes, for the tests of src/io.

#ifndef FIRTH_TESTS_IO_IO_TEST_SUPPORT_H_
#define FIRTH_TESTS_IO_IO_TEST_SUPPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "firth/vector_io.h"

namespace firth::testing_io {

// A folder of its own for the running test, empty.
std::string TestFolder();

// The names of the files in a folder and those below it, sorted.
std::vector<std::string> NamesIn(const std::string& folder);

std::string ReadBytes(const std::string& path);
void WriteBytes(const std::string& path, absl::string_view bytes);

// `value` as it lies in a file.
template <class T>
std::string Raw(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
}

// [rows, cols] with cols != stride; between the rows lie NaNs, which nobody
// may read. values: [rows * cols].
FloatTable PaddedTable(size_t rows, size_t cols,
                       const std::vector<float>& values);

// Vectors of `dim` values, each another one.
VectorFile MakeVectors(const std::vector<std::string>& words, size_t dim);

// The status that loading gives, and its message.
absl::Status LoadStatus(const std::string& path);
std::string LoadMessage(const std::string& path);

// The words in the order of their ids.
std::vector<std::string> WordsOf(const VectorFile& file);

// Equal in words and, bit by bit, in values.
void ExpectSameVectors(const WordVectors& expected, const WordVectors& found);

// Equal in words, and in values to some 1e-6 of a vector's length.
void ExpectNearVectors(const WordVectors& expected, const WordVectors& found);

// A file without the words that the format cannot hold.
VectorFile Holdable(const VectorFile& file, absl::string_view format);

// The vector of a word, known or not; zeros where there is none.
std::vector<float> VectorOf(const WordVectors& vectors, absl::string_view word);

}  // namespace firth::testing_io

#endif  // FIRTH_TESTS_IO_IO_TEST_SUPPORT_H_

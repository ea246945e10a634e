// Small word vectors and files for tests.

#ifndef FIRTH_TESTS_SUPPORT_TINY_VECTORS_H_
#define FIRTH_TESTS_SUPPORT_TINY_VECTORS_H_

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/rng.h"
#include "firth/word_vectors.h"
#include "gtest/gtest.h"

namespace firth {

inline std::vector<float> RandomFloats(size_t count, uint64_t seed) {
  std::vector<float> floats(count);
  Rng rng(seed);
  for (float& value : floats) value = 2 * rng.NextFloat() - 1;
  return floats;
}

// `stride` floats a row, of which the first `dim` count; words.size() rows.
inline WordVectors MakeVectors(const std::vector<std::string>& words,
                               std::vector<float> rows, size_t dim,
                               size_t stride,
                               std::vector<uint64_t> counts = {}) {
  const std::vector<absl::string_view> views(words.begin(), words.end());
  auto vocabulary = Vocabulary::Create(views, std::move(counts));
  const auto body = std::make_shared<std::vector<float>>(std::move(rows));
  auto vectors = WordVectors::Create(
      *std::move(vocabulary),
      FloatTable({body->data(), words.size(), dim, stride}, body));
  return *std::move(vectors);
}

struct WordAndVector {
  std::string word;
  std::vector<float> vector;
};

inline WordVectors MakeVectors(const std::vector<WordAndVector>& entries,
                               std::vector<uint64_t> counts = {}) {
  std::vector<std::string> words;
  std::vector<float> rows;
  for (const WordAndVector& entry : entries) {
    words.push_back(entry.word);
    rows.insert(rows.end(), entry.vector.begin(), entry.vector.end());
  }
  const size_t dim = entries.front().vector.size();
  return MakeVectors(words, std::move(rows), dim, dim, std::move(counts));
}

// Words w0, w1, ... of random vectors with a gap of 3 floats between rows, so
// that rows are unaligned.
inline WordVectors RandomVectors(size_t num_words, size_t dim, uint64_t seed) {
  std::vector<std::string> words;
  for (size_t i = 0; i < num_words; ++i) words.push_back(absl::StrCat("w", i));
  return MakeVectors(words, RandomFloats(num_words * (dim + 3), seed), dim,
                     dim + 3);
}

// A file with these bytes, as long as the object lives.
class TestFile {
 public:
  explicit TestFile(absl::string_view bytes)
      : path_(absl::StrCat(testing::TempDir(), "firth_test_", getpid())) {
    std::ofstream(path_, std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  ~TestFile() { std::remove(path_.c_str()); }
  TestFile(const TestFile&) = delete;
  TestFile& operator=(const TestFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace firth

#endif  // FIRTH_TESTS_SUPPORT_TINY_VECTORS_H_

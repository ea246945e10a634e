// Vectors with clear neighbours.

#ifndef FIRTH_TESTS_SUPPORT_CLUSTERED_VECTORS_H_
#define FIRTH_TESTS_SUPPORT_CLUSTERED_VECTORS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/rng.h"
#include "support/tiny_vectors.h"

namespace firth {

// Words in clusters of ten, so that neighbours stand out as real ones do.
inline WordVectors Clustered(size_t num_words, size_t dim, uint64_t seed) {
  std::vector<std::string> words;
  std::vector<float> rows;
  Rng rng(seed);
  std::vector<float> center(dim);
  for (size_t word = 0; word < num_words; ++word) {
    words.push_back(absl::StrCat("w", word));
    const float length = 0.1f + 5 * rng.NextFloat();
    for (float& value : center) {
      if (word % 10 == 0) value = rng.NextFloat() - 0.5f;
      rows.push_back(length * (value + 0.7f * (rng.NextFloat() - 0.5f)));
    }
  }
  return MakeVectors(words, std::move(rows), dim, dim);
}

}  // namespace firth

#endif  // FIRTH_TESTS_SUPPORT_CLUSTERED_VECTORS_H_

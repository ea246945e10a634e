// The first half of a row stands in the upper halves of its floats, the second
// half in the lower ones, so that both are whole vectors to a compiler.

#include "train/replicas/narrow_rows.h"

namespace firth {

void NarrowRows(absl::Span<const float> rows, size_t cols,
                std::vector<float>* to) {
  const size_t half = NarrowCols(cols);
  const size_t count = rows.size() / cols;
  to->resize(count * half);
  for (size_t row = 0; row < count; ++row) {
    const float* const from = rows.data() + row * cols;
    float* const narrow = to->data() + row * half;
    for (size_t i = 0; i < half; ++i) narrow[i] = from[i];
    for (size_t i = half; i < cols; ++i) {
      const auto lower = std::bit_cast<uint32_t>(from[i]) >> 16;
      float& both = narrow[i - half];
      both = std::bit_cast<float>(std::bit_cast<uint32_t>(both) | lower);
    }
  }
}

void WidenRows(absl::Span<const float> narrow, size_t cols,
               std::vector<float>* to) {
  const size_t half = NarrowCols(cols);
  const size_t count = narrow.size() / half;
  to->resize(count * cols);
  for (size_t row = 0; row < count; ++row) {
    const float* const from = narrow.data() + row * half;
    float* const wide = to->data() + row * cols;
    for (size_t i = 0; i < half; ++i) {
      const auto bits = std::bit_cast<uint32_t>(from[i]);
      wide[i] = std::bit_cast<float>(bits & 0xffff0000);
    }
    for (size_t i = half; i < cols; ++i) {
      const auto bits = std::bit_cast<uint32_t>(from[i - half]);
      wide[i] = std::bit_cast<float>(bits << 16);
    }
  }
}

}  // namespace firth

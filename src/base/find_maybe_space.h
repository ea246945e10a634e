// Finding white space eight bytes at a time.

#ifndef FIRTH_BASE_FIND_MAYBE_SPACE_H_
#define FIRTH_BASE_FIND_MAYBE_SPACE_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/strings/string_view.h"

namespace firth {

// The first byte from `from` on that is no ASCII character above the space, or
// text.size(): whatever is white space, it starts with such a byte.
inline size_t FindMaybeSpace(absl::string_view text, size_t from) {
  static_assert(std::endian::native == std::endian::little);
  constexpr uint64_t kOnes = 0x0101010101010101u;
  constexpr uint64_t kHigh = kOnes * 0x80;
  for (; from + sizeof(uint64_t) <= text.size(); from += sizeof(uint64_t)) {
    uint64_t bytes;
    std::memcpy(&bytes, text.data() + from, sizeof(bytes));
    // The highest bit is set where the seven others are above the space.
    const uint64_t above = (bytes & ~kHigh) + kOnes * (0x80 - 0x21);
    const uint64_t marks = ~(above & ~bytes) & kHigh;
    if (marks != 0) {
      return from + static_cast<size_t>(std::countr_zero(marks)) / 8;
    }
  }
  for (; from < text.size(); ++from) {
    const auto byte = static_cast<unsigned char>(text[from]);
    if (byte <= ' ' || byte >= 0x80) break;
  }
  return from;
}

}  // namespace firth

#endif  // FIRTH_BASE_FIND_MAYBE_SPACE_H_

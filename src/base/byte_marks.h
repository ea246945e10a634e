// Marks the bytes of a text that satisfy a test, 64 bytes at a time.

#ifndef FIRTH_BASE_BYTE_MARKS_H_
#define FIRTH_BASE_BYTE_MARKS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "hwy/highway.h"

namespace firth {

constexpr size_t kMarkedBytes = 64;

// Uses only vectors that every supported processor has: 64 bytes are too little
// work for a call that would select larger ones.
using ByteTag = hwy::HWY_NAMESPACE::Full128<uint8_t>;
using ByteVec = hwy::HWY_NAMESPACE::VFromD<ByteTag>;
using ByteMask = decltype(std::declval<ByteVec>() == std::declval<ByteVec>());

inline ByteMask AreEqual(ByteVec bytes, uint8_t value) {
  namespace hn = hwy::HWY_NAMESPACE;
  return hn::Eq(bytes, hn::Set(ByteTag(), value));
}

inline ByteMask AreAtMost(ByteVec bytes, uint8_t value) {
  namespace hn = hwy::HWY_NAMESPACE;
  return hn::Eq(bytes, hn::Min(bytes, hn::Set(ByteTag(), value)));
}

// Tests kMarkedBytes bytes from `text` on. test(ByteVec) returns a ByteMask.
// Bit i of the result is set if the test holds for byte i.
template <class Test>
uint64_t MarkBytes(const char* text, const Test& test) {
  namespace hn = hwy::HWY_NAMESPACE;
  const ByteTag d;
  constexpr size_t kBytes = hn::MaxLanes(ByteTag());
  uint64_t marks = 0;
  for (size_t i = 0; i < kMarkedBytes; i += kBytes) {
    const ByteMask mask =
        test(hn::LoadU(d, reinterpret_cast<const uint8_t*>(text + i)));
    uint8_t stored[8];  // StoreMaskBits() may write this many bytes.
    hn::StoreMaskBits(d, mask, stored);
    uint16_t bits;
    static_assert(8 * sizeof(bits) == kBytes);
    std::memcpy(&bits, stored, sizeof(bits));
    marks |= uint64_t{bits} << i;
  }
  return marks;
}

}  // namespace firth

#endif  // FIRTH_BASE_BYTE_MARKS_H_

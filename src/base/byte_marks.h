// Marks the bytes of a text that satisfy a test, 64 bytes at a time, and finds
// white space.

#ifndef FIRTH_BASE_BYTE_MARKS_H_
#define FIRTH_BASE_BYTE_MARKS_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/strings/string_view.h"
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

inline bool IsMaybeSpace(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= ' ' || byte >= 0x80;
}

// Sets the highest bit of each of 8 bytes that may be white space.
inline uint64_t MaybeSpaceMarks(const char* text) {
  static_assert(std::endian::native == std::endian::little);
  constexpr uint64_t kOnes = 0x0101010101010101u;
  constexpr uint64_t kHigh = kOnes * 0x80;
  uint64_t bytes;
  std::memcpy(&bytes, text, sizeof(bytes));
  // The highest bit is set if the other seven are above the space.
  const uint64_t above = (bytes & ~kHigh) + kOnes * (0x80 - 0x21);
  return ~(above & ~bytes) & kHigh;
}

// Returns the position of the first byte from `from` on that is not an ASCII
// character above the space, or text.size(). All white space starts with such a
// byte.
inline size_t FindMaybeSpace(absl::string_view text, size_t from) {
  for (; from + sizeof(uint64_t) <= text.size(); from += sizeof(uint64_t)) {
    const uint64_t marks = MaybeSpaceMarks(text.data() + from);
    if (marks != 0) {
      return from + static_cast<size_t>(std::countr_zero(marks)) / 8;
    }
  }
  for (; from < text.size() && !IsMaybeSpace(text[from]); ++from) {
  }
  return from;
}

// FindMaybeSpace() for a scan of a whole text. It examines 64 bytes at a time
// and keeps the result for the following calls.
class MaybeSpaces {
 public:
  explicit MaybeSpaces(absl::string_view text) : text_(text) {}

  // `from` must not be less than in the previous call.
  size_t Find(size_t from) {
    while (from < text_.size()) {
      if (from >= end_) SetMarks(from);
      const uint64_t marks = marks_ >> (from - begin_);
      if (marks != 0) {
        return from + static_cast<size_t>(std::countr_zero(marks));
      }
      from = end_;
    }
    return text_.size();
  }

 private:
  void SetMarks(size_t from) {
    begin_ = from;
    if (from + kMarkedBytes <= text_.size()) {
      end_ = from + kMarkedBytes;
      marks_ = MarkBytes(text_.data() + from, [](ByteVec bytes) {
        return hwy::HWY_NAMESPACE::Or(
            AreAtMost(bytes, ' '),
            hwy::HWY_NAMESPACE::Not(AreAtMost(bytes, 0x7F)));
      });
      return;
    }
    end_ = text_.size();
    marks_ = 0;
    for (size_t i = from; i < end_; ++i) {
      marks_ |= uint64_t{IsMaybeSpace(text_[i])} << (i - from);
    }
  }

  const absl::string_view text_;
  size_t begin_ = 0;  // Start of the bytes examined.
  size_t end_ = 0;
  uint64_t marks_ = 0;  // Bit i is for byte begin_ + i.
};

}  // namespace firth

#endif  // FIRTH_BASE_BYTE_MARKS_H_

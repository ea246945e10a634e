// A checksum of bytes, to recognize files that are damaged or have been
// exchanged. It is not cryptographic and gives no protection against deliberate
// changes.

#ifndef FIRTH_BASE_CHECKSUM_H_
#define FIRTH_BASE_CHECKSUM_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace firth {

// Returns a checksum that depends on every byte, on their order and number, and
// on `seed`. It is the same on all (little-endian) machines, since files store
// it. It is about as fast as reading memory.
uint64_t Checksum(absl::string_view bytes, uint64_t seed);
// Returns the checksum of the bytes of these values.
template <class Value>
uint64_t Checksum(absl::Span<const Value> values, uint64_t seed) {
  return Checksum({reinterpret_cast<const char*>(values.data()),
                   values.size() * sizeof(Value)},
                  seed);
}

// Returns a checksum as text: 16 hexadecimal digits.
std::string HexChecksum(uint64_t checksum);

}  // namespace firth

#endif  // FIRTH_BASE_CHECKSUM_H_

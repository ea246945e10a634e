// A checksum of bytes: tells files that were damaged or are other files. Not
// cryptographic: it does not withstand somebody who wants to deceive.

#ifndef FIRTH_BASE_CHECKSUM_H_
#define FIRTH_BASE_CHECKSUM_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace firth {

// Depends on every byte, their order and number, and on `seed`; the same on all
// (little-endian) machines, since files hold it. About as fast as memory.
uint64_t Checksum(absl::string_view bytes, uint64_t seed);
// The same for the bytes that hold these values.
template <class Value>
uint64_t Checksum(absl::Span<const Value> values, uint64_t seed) {
  return Checksum({reinterpret_cast<const char*>(values.data()),
                   values.size() * sizeof(Value)},
                  seed);
}

// As texts have one: 16 hexadecimal digits.
std::string HexChecksum(uint64_t checksum);

}  // namespace firth

#endif  // FIRTH_BASE_CHECKSUM_H_

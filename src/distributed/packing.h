// Encodes numbers and texts as bytes, between ranks that run the same program
// on machines of the same kind.

#ifndef FIRTH_DISTRIBUTED_PACKING_H_
#define FIRTH_DISTRIBUTED_PACKING_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "absl/strings/string_view.h"
#include "base/check.h"

namespace firth {

template <class Value>
void Pack(const Value& value, std::string* out) {
  static_assert(std::is_trivially_copyable_v<Value>);
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}
inline void PackText(absl::string_view text, std::string* out) {
  Pack(uint64_t{text.size()}, out);
  out->append(text.data(), text.size());
}

// Removes a packed value from the front of *in and returns it.
template <class Value>
Value Unpack(absl::string_view* in) {
  FIRTH_CHECK(in->size() >= sizeof(Value));
  Value value;
  std::memcpy(&value, in->data(), sizeof(value));
  in->remove_prefix(sizeof(value));
  return value;
}
inline absl::string_view UnpackText(absl::string_view* in) {
  const auto size = Unpack<uint64_t>(in);
  FIRTH_CHECK(in->size() >= size);
  const absl::string_view text = in->substr(0, size);
  in->remove_prefix(size);
  return text;
}

}  // namespace firth

#endif  // FIRTH_DISTRIBUTED_PACKING_H_

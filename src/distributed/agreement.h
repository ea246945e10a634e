// Agreement between ranks. Each rank sends its state to the others, so that all
// of them fail, stop or continue together.

#ifndef FIRTH_DISTRIBUTED_AGREEMENT_H_
#define FIRTH_DISTRIBUTED_AGREEMENT_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "firth/ranks.h"

namespace firth {

// Returns the texts of all ranks, in the order of the ranks.
absl::StatusOr<std::vector<std::string>> GatherTexts(Ranks& ranks,
                                                     const std::string& own);

// Returns whether `own` is true on any rank, or the ranks have given up. If
// `ranks` is null, this process is alone.
bool AnyRank(Ranks* ranks, bool own);

// Replaces the text on all ranks by that of rank 0, if it has one. `own` states
// whether rank 0 could create it. Errors, the same on all ranks: those of
// AgreeWithFirst().
absl::Status TakeFromFirst(Ranks& ranks, const absl::Status& own,
                           std::string* text);

// Returns the number that `compute` returns on rank 0; the other ranks do not
// call it. Errors, the same on all: those of `compute` and of the ranks.
absl::StatusOr<double> NumberOfFirst(
    Ranks& ranks, absl::FunctionRef<absl::StatusOr<double>()> compute);

// Encodes numbers and texts as bytes, between ranks that run the same program
// on machines of the same kind.
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

#endif  // FIRTH_DISTRIBUTED_AGREEMENT_H_

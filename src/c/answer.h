// What the calls of the C interface answer with: a status, and bytes.

#ifndef FIRTH_C_ANSWER_H_
#define FIRTH_C_ANSWER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/json.h"
#include "firth/firth.h"

struct FirthStatus {
  static constexpr absl::string_view kName = "FirthStatus";
  int32_t code = FIRTH_OK;
  std::string message;
};

struct FirthBuffer {
  static constexpr absl::string_view kName = "FirthBuffer";
  explicit FirthBuffer(size_t bytes);

  struct Free {
    void operator()(std::byte* bytes) const;
  };
  std::unique_ptr<std::byte, Free> data;  // on a border of 64 bytes
  size_t size;
};

namespace firth::c {

// What the work returns; what it throws as a status: ResourceExhausted for want
// of memory, else Internal.
absl::Status WithoutExceptions(absl::FunctionRef<absl::Status()> work) noexcept;

// Works on all cores for each number below n, and returns one of the errors.
absl::Status InParallel(size_t n,
                        absl::FunctionRef<absl::Status(size_t)> work) noexcept;

// The body of every call that can fail: null if the work went well.
FirthStatus* Answer(absl::FunctionRef<absl::Status()> work) noexcept;

// A new buffer, with room for `bytes`, with a text, or with JSON as one line.
std::shared_ptr<FirthBuffer> MakeBuffer(size_t bytes);
std::shared_ptr<FirthBuffer> MakeBuffer(const std::string& text);
std::shared_ptr<FirthBuffer> MakeBuffer(const OrderedJson& json);

}  // namespace firth::c

#endif  // FIRTH_C_ANSWER_H_

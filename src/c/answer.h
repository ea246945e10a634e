// The calls of the C interface answer with statuses and with buffers of bytes,
// which are made here.

#ifndef FIRTH_C_ANSWER_H_
#define FIRTH_C_ANSWER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/json.h"
#include "c/handles.h"
#include "firth/firth.h"
#include "firth/progress.h"

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

// Works on all cores for each number below n, and returns the error of the
// least that failed, or Cancelled.
absl::Status InParallel(size_t n, const Hooks& hooks,
                        absl::FunctionRef<absl::Status(size_t)> work) noexcept;

// The body of every call that can fail: null if the work went well. OpenMP's
// threads do not survive a fork, and the thread that had them would wait for
// them for ever: in a forked child the work has a thread of its own, for which
// OpenMP starts new ones.
FirthStatus* Answer(absl::FunctionRef<absl::Status()> work) noexcept;

// The same of a call that uses the caller's functions, which stays on its
// thread; only what LongCall runs may use OpenMP.
FirthStatus* AnswerHere(absl::FunctionRef<absl::Status()> work) noexcept;

// A new buffer, with room for `bytes`, with a text, or with JSON as one line.
std::shared_ptr<FirthBuffer> MakeBuffer(size_t bytes);
std::shared_ptr<FirthBuffer> MakeBuffer(const std::string& text);
std::shared_ptr<FirthBuffer> MakeBuffer(const OrderedJson& json);

// Handles for both results of a call, the second of which may have no place:
// both are set, or neither.
template <class Object>
absl::Status SetBoth(std::shared_ptr<Object> object, Object** place,
                     const std::shared_ptr<FirthBuffer>& report,
                     FirthBuffer** report_place) {
  FirthBuffer* const report_handle =
      report_place == nullptr ? nullptr : MakeHandle(report);
  try {
    *place = MakeHandle(std::move(object));
  } catch (...) {
    FreeHandle(report_handle);
    throw;
  }
  if (report_place != nullptr) *report_place = report_handle;
  return absl::OkStatus();
}

}  // namespace firth::c

#endif  // FIRTH_C_ANSWER_H_

// The common parts of all calls of the C interface: checks of the arguments,
// and results as a status and buffers of bytes.

#ifndef FIRTH_C_CALL_H_
#define FIRTH_C_CALL_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/json.h"
#include "c/handles.h"
#include "firth/fields.h"
#include "firth/firth.h"
#include "firth/progress.h"
#include "firth/status_macros.h"
#include "firth/word_id.h"

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

// The functions that check arguments: every error is InvalidArgument and begins
// with the name of the argument.

// A result has a place.
absl::Status CheckPlace(absl::string_view argument, const void* place);

// A number of things is 0 or more.
absl::Status CheckCount(absl::string_view argument, int64_t count);

// There are `count` things, which is 0 or more.
absl::Status CheckArray(absl::string_view argument, const void* array,
                        int64_t count);

// The numbers at a position of an array are finite.
absl::Status CheckFinite(absl::string_view argument,
                         absl::Span<const float> numbers, int64_t position);

// The bytes of a text; null where it has none is fine.
absl::StatusOr<absl::string_view> TextOf(absl::string_view argument,
                                         const char* text, int64_t size);

// The path of a file, which is not empty and has no NUL in it.
absl::StatusOr<std::string> PathOf(const char* path, int64_t size);

// Offsets [n + 1] do not fall, and start at 0 or more. n was checked.
absl::Status CheckOffsets(absl::string_view argument, const int64_t* offsets,
                          int64_t n);

// A list of n texts, as firth/firth.h describes it.
absl::StatusOr<std::vector<absl::string_view>> TextsOf(
    absl::string_view argument, const char* bytes, const int64_t* offsets,
    int64_t n);

// A list of n sentences, as firth/firth.h describes it.
absl::StatusOr<std::vector<std::vector<absl::string_view>>> SentencesOf(
    const char* words, const int64_t* offsets, const int64_t* sentences,
    int64_t n, absl::string_view words_name = "words",
    absl::string_view sentences_name = "sentences");

// The texts of a JSON object, by name.
absl::StatusOr<std::map<std::string, std::string>> TextsByName(
    absl::string_view argument, absl::string_view json);

// Ids of the first vocab_size words.
absl::StatusOr<std::vector<WordId>> IdsOf(absl::string_view argument,
                                          const int64_t* ids, int64_t n,
                                          size_t vocab_size);

// The struct that the JSON text of a call sets. Where `argument` is another one
// than "options", errors begin with its name.
template <class Options>
absl::StatusOr<Options> OptionsOf(const char* options, int64_t options_size,
                                  absl::string_view argument = "options") {
  FIRTH_ASSIGN_OR_RETURN(const absl::string_view json,
                         TextOf(argument, options, options_size));
  absl::StatusOr<Options> read =
      ReadFieldsJson<Options>(json.empty() ? "{}" : json);
  return argument == "options" ? read : At(argument, read);
}

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

#endif  // FIRTH_C_CALL_H_

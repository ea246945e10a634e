// Every call runs its body through Answer(), the one place where statuses are
// made of errors and where exceptions end. A status is a handle, too; where
// memory does not even suffice for that, it is a fixed address that every call
// knows. A forked child has lost the threads of OpenMP's teams, which wait for
// ever then: there the body runs on a thread of its own, which gets new ones.

#include "c/call.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/shared_library.h"
#include "base/unicode.h"
#include "nlohmann/json.hpp"

namespace firth::c {
namespace {

constexpr std::align_val_t kAlignment{64};

// A status for which there is no memory is this address, and no handle.
constexpr char kNoMemory[] = "out of memory";
FirthStatus* NoMemory() {
  return reinterpret_cast<FirthStatus*>(const_cast<char*>(kNoMemory));
}

// Codes of absl that callers see; they have the same numbers in the interface.
constexpr int32_t kCodes[] = {
    FIRTH_CANCELLED,          FIRTH_INVALID_ARGUMENT,
    FIRTH_NOT_FOUND,          FIRTH_PERMISSION_DENIED,
    FIRTH_RESOURCE_EXHAUSTED, FIRTH_FAILED_PRECONDITION,
    FIRTH_OUT_OF_RANGE,       FIRTH_UNIMPLEMENTED,
    FIRTH_DATA_LOSS};

int32_t CodeOf(absl::StatusCode code) {
  const auto number = static_cast<int32_t>(code);
  return absl::c_linear_search(kCodes, number) ? number : FIRTH_INTERNAL;
}

// Words and paths in messages may hold any bytes, NUL too.
std::string MessageOf(const absl::Status& status) {
  std::string message;
  AppendReplacingInvalid(status.message(), &message);
  std::replace(message.begin(), message.end(), '\0', ' ');
  return message;
}

}  // namespace

absl::Status CheckPlace(absl::string_view argument, const void* place) {
  if (place != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(argument, ": the pointer for the result must not be null"));
}

absl::Status CheckCount(absl::string_view argument, int64_t count) {
  if (count >= 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(argument, ": must be 0 or more, found ", count));
}

absl::Status CheckArray(absl::string_view argument, const void* array,
                        int64_t count) {
  if (count >= 0 && (array != nullptr || count == 0)) return absl::OkStatus();
  if (count < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(argument, ": the size must be 0 or more, found ", count));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      argument, ": a null pointer requires size 0, found size ", count));
}

absl::Status CheckFinite(absl::string_view argument,
                         absl::Span<const float> numbers, int64_t position) {
  for (const float number : numbers) {
    if (std::isfinite(number)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(argument, ": expected finite numbers, found ", number,
                     " at position ", position));
  }
  return absl::OkStatus();
}

absl::StatusOr<absl::string_view> TextOf(absl::string_view argument,
                                         const char* text, int64_t size) {
  FIRTH_RETURN_IF_ERROR(CheckArray(argument, text, size));
  return absl::string_view(text, static_cast<size_t>(size));
}

absl::StatusOr<std::string> PathOf(const char* path, int64_t size) {
  FIRTH_ASSIGN_OR_RETURN(const absl::string_view text,
                         TextOf("path", path, size));
  if (!text.empty() && text.find('\0') == text.npos) return std::string(text);
  return absl::InvalidArgumentError(
      absl::StrCat("path: a file name must not ",
                   text.empty() ? "be empty" : "contain a NUL byte"));
}

absl::Status CheckOffsets(absl::string_view argument, const int64_t* offsets,
                          int64_t n) {
  if (offsets == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(argument, ": the pointer must not be null, since ",
                     static_cast<uint64_t>(n) + 1, " values are required"));
  }
  int64_t last = 0;
  for (int64_t i = 0; i <= n; ++i) {
    if (offsets[i] < last) {
      return absl::InvalidArgumentError(
          absl::StrCat(argument, ": expected ", last, " or more at position ",
                       i, ", found ", offsets[i]));
    }
    last = offsets[i];
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<absl::string_view>> TextsOf(
    absl::string_view argument, const char* bytes, const int64_t* offsets,
    int64_t n) {
  FIRTH_RETURN_IF_ERROR(CheckCount("n", n));
  if (n == 0) return std::vector<absl::string_view>();
  FIRTH_RETURN_IF_ERROR(CheckOffsets("offsets", offsets, n));
  FIRTH_RETURN_IF_ERROR(CheckArray(argument, bytes, offsets[n] - offsets[0]));
  std::vector<absl::string_view> texts;
  texts.reserve(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    const auto size = static_cast<size_t>(offsets[i + 1] - offsets[i]);
    texts.push_back(size == 0 ? absl::string_view()
                              : absl::string_view(bytes + offsets[i], size));
  }
  return texts;
}

absl::StatusOr<std::vector<std::vector<absl::string_view>>> SentencesOf(
    const char* words, const int64_t* offsets, const int64_t* sentences,
    int64_t n, absl::string_view words_name, absl::string_view sentences_name) {
  FIRTH_RETURN_IF_ERROR(CheckCount("n", n));
  std::vector<std::vector<absl::string_view>> lists;
  if (n == 0) return lists;
  FIRTH_RETURN_IF_ERROR(CheckOffsets(sentences_name, sentences, n));
  const int64_t first = sentences[0];
  if (offsets != nullptr) offsets += first;
  FIRTH_ASSIGN_OR_RETURN(
      const std::vector<absl::string_view> all,
      TextsOf(words_name, words, offsets, sentences[n] - first));
  lists.reserve(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    lists.emplace_back(all.begin() + (sentences[i] - first),
                       all.begin() + (sentences[i + 1] - first));
  }
  return lists;
}

absl::StatusOr<std::map<std::string, std::string>> TextsByName(
    absl::string_view argument, absl::string_view json) {
  const Json object = ParseJson(json);
  if (!object.is_object() || !absl::c_all_of(object, [](const auto& one) {
        return one.is_string();
      })) {
    return absl::InvalidArgumentError(absl::StrCat(
        argument, ": must be a JSON object whose values are texts"));
  }
  return object.get<std::map<std::string, std::string>>();
}

absl::StatusOr<std::vector<WordId>> IdsOf(absl::string_view argument,
                                          const int64_t* ids, int64_t n,
                                          size_t vocab_size) {
  FIRTH_RETURN_IF_ERROR(CheckArray(argument, ids, n));
  std::vector<WordId> words;
  words.reserve(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    if (ids[i] < 0 || static_cast<uint64_t>(ids[i]) >= vocab_size) {
      return absl::InvalidArgumentError(
          absl::StrCat(argument, ": expected an id below ", vocab_size,
                       " at position ", i, ", found ", ids[i]));
    }
    words.push_back(ToWordId(static_cast<size_t>(ids[i])));
  }
  return words;
}

absl::Status WithoutExceptions(
    absl::FunctionRef<absl::Status()> work) noexcept {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError(kNoMemory);
  } catch (const std::length_error&) {
    return absl::ResourceExhaustedError(kNoMemory);
  } catch (const MissingLibraryError& error) {
    return absl::FailedPreconditionError(error.what());
  } catch (const std::exception& error) {
    return absl::InternalError(absl::StrCat("unexpected: ", error.what()));
  } catch (...) {
    return absl::InternalError(
        "an unexpected exception of unknown type occurred");
  }
}

absl::Status InParallel(size_t n, const Hooks& hooks,
                        absl::FunctionRef<absl::Status(size_t)> work) noexcept {
  absl::Status error;
  std::atomic<size_t> done = 0, failed = n;  // the least that failed
#pragma omp parallel for schedule(dynamic, 16)
  for (size_t i = 0; i < n; ++i) {
    if (i > failed || hooks.StopRequested()) continue;
    absl::Status status = WithoutExceptions([&] {
      if (omp_get_thread_num() == 0) hooks.ReportWork(done, n);
      ++done;
      return work(i);
    });
    if (status.ok()) continue;
#pragma omp critical(firth_c_in_parallel)
    if (i < failed) {
      failed = i;
      error = std::move(status);
    }
  }
  if (hooks.StopRequested()) error.Update(absl::CancelledError("interrupted"));
  return error;
}

FirthStatus* Answer(absl::FunctionRef<absl::Status()> work) noexcept {
  return AnswerHere([&]() -> absl::Status {
    if (!IsForkedChild()) return work();
    absl::Status status;
    std::thread([&] { status = WithoutExceptions(work); }).join();
    return status;
  });
}

FirthStatus* AnswerHere(absl::FunctionRef<absl::Status()> work) noexcept {
  const absl::Status status = WithoutExceptions(work);
  if (status.ok()) return nullptr;
  try {
    return MakeHandle(std::make_shared<FirthStatus>(
        FirthStatus{CodeOf(status.code()), MessageOf(status)}));
  } catch (...) {
    return NoMemory();
  }
}

std::shared_ptr<FirthBuffer> MakeBuffer(size_t bytes) {
  return std::make_shared<FirthBuffer>(bytes);
}

std::shared_ptr<FirthBuffer> MakeBuffer(const std::string& text) {
  std::shared_ptr<FirthBuffer> buffer = MakeBuffer(text.size());
  std::memcpy(buffer->data.get(), text.data(), text.size());
  return buffer;
}

std::shared_ptr<FirthBuffer> MakeBuffer(const OrderedJson& json) {
  return MakeBuffer(DumpJson(json));
}

extern "C" {

const char* firth_version(void) { return FIRTH_VERSION; }

int32_t firth_status_code(const FirthStatus* status) {
  if (status == nullptr) return FIRTH_OK;
  if (status == NoMemory()) return FIRTH_RESOURCE_EXHAUSTED;
  const auto known = FindObject(status);
  return known == nullptr ? FIRTH_INVALID_ARGUMENT : known->code;
}

const char* firth_status_message(const FirthStatus* status) {
  if (status == nullptr) return "";
  if (status == NoMemory()) return kNoMemory;
  const auto known = FindObject(status);
  return known == nullptr ? "status: not a value of FirthStatus"
                          : known->message.c_str();
}

void firth_status_free(FirthStatus* status) { FreeHandle(status); }

const void* firth_buffer_data(const FirthBuffer* buffer) {
  const auto known = FindObject(buffer);
  return known == nullptr ? nullptr : known->data.get();
}

int64_t firth_buffer_size(const FirthBuffer* buffer) {
  const auto known = FindObject(buffer);
  return known == nullptr ? 0 : static_cast<int64_t>(known->size);
}

void firth_buffer_free(FirthBuffer* buffer) { FreeHandle(buffer); }

}  // extern "C"

}  // namespace firth::c

FirthBuffer::FirthBuffer(size_t bytes)
    : data(
          static_cast<std::byte*>(::operator new(bytes, firth::c::kAlignment))),
      size(bytes) {}

void FirthBuffer::Free::operator()(std::byte* bytes) const {
  ::operator delete(bytes, firth::c::kAlignment);
}

// Every call runs its body through Answer(), the one place where statuses are
// made of errors and where exceptions end. A status is a handle, too; where
// memory does not even suffice for that, it is a fixed address that every call
// knows. A forked child has lost the threads of OpenMP's teams, which wait for
// ever then: there the body runs on a thread of its own, which gets new ones.

#include "c/answer.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/unicode.h"
#include "c/handles.h"
#include "nlohmann/json.hpp"

namespace firth::c {
namespace {

constexpr std::align_val_t kAlignment{64};

// A status for which there is no memory is this address, and no handle.
constexpr char kNoMemory[] = "out of memory";
FirthStatus* NoMemory() {
  return reinterpret_cast<FirthStatus*>(const_cast<char*>(kNoMemory));
}

int32_t CodeOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kCancelled:
      return FIRTH_CANCELLED;
    case absl::StatusCode::kInvalidArgument:
      return FIRTH_INVALID_ARGUMENT;
    case absl::StatusCode::kNotFound:
      return FIRTH_NOT_FOUND;
    case absl::StatusCode::kPermissionDenied:
      return FIRTH_PERMISSION_DENIED;
    case absl::StatusCode::kResourceExhausted:
      return FIRTH_RESOURCE_EXHAUSTED;
    case absl::StatusCode::kFailedPrecondition:
      return FIRTH_FAILED_PRECONDITION;
    case absl::StatusCode::kOutOfRange:
      return FIRTH_OUT_OF_RANGE;
    case absl::StatusCode::kUnimplemented:
      return FIRTH_UNIMPLEMENTED;
    case absl::StatusCode::kDataLoss:
      return FIRTH_DATA_LOSS;
    default:
      return FIRTH_INTERNAL;
  }
}

// Words and paths in messages may hold any bytes, NUL too.
std::string MessageOf(const absl::Status& status) {
  std::string message;
  AppendReplacingInvalid(status.message(), &message);
  std::replace(message.begin(), message.end(), '\0', ' ');
  return message;
}

}  // namespace

absl::Status WithoutExceptions(
    absl::FunctionRef<absl::Status()> work) noexcept {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError(kNoMemory);
  } catch (const std::length_error&) {
    return absl::ResourceExhaustedError(kNoMemory);
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

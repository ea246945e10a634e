// A thread that multiplies has a seat for as long as it lives. Before its first
// product, while no other thread multiplies, we ensure that OpenBLAS has a
// buffer for this thread, and that there is room for it.

#include "simd/blas.h"

#include <dlfcn.h>
#include <sched.h>
#include <sys/mman.h>

#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/cleanup/cleanup.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "base/matrix.h"
#include "base/shared_library.h"

namespace firth {
namespace {

constexpr char kCarried[] = "libopenblas-firth.so";
constexpr char kInstalled[] = "libopenblas.so.0";
constexpr char kPackage[] = "libopenblas0-pthread";
constexpr char kThreads[] = "OPENBLAS_NUM_THREADS";
// OpenBLAS retries forever if it cannot map a buffer. So we first check that
// there is room for the addresses of a buffer, and for some more, because other
// threads may take addresses between our check and its call. Loading the
// library also takes the addresses of its code and libraries and, since 0.3.29,
// of its first buffer.
constexpr size_t kBytesOfBuffer = size_t{160} << 20;
constexpr size_t kBytesToLoad = kBytesOfBuffer + (size_t{96} << 20);

void CheckRoom(size_t bytes) {
  void* const room = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) ThrowNoMemory();
  munmap(room, bytes);
}

// The environment variable sets the number of threads that OpenBLAS starts. Its
// old value is restored afterwards.
absl::StatusOr<void*> LoadWithoutThreads() {
  const char* const value = std::getenv(kThreads);
  const std::optional<std::string> before =
      value == nullptr ? std::nullopt : std::optional<std::string>(value);
  setenv(kThreads, "1", /*overwrite=*/1);
  absl::StatusOr<void*> library =
      LoadSharedLibrary(kCarried, kInstalled, kPackage);
  if (before.has_value()) {
    setenv(kThreads, before->c_str(), 1);
  } else {
    unsetenv(kThreads);
  }
  return library;
}

// Returns whether a message of the loader is about memory: "out of memory",
// "cannot allocate dependency list", "cannot create shared object descriptor"
// or "failed to map segment from shared object".
bool LacksMemory(absl::string_view message) {
  return absl::StrContains(message, "memory") ||
         absl::StrContains(message, "cannot allocate") ||
         absl::StrContains(message, "cannot create") ||
         absl::StrContains(message, "map segment");
}

// The state of a thread that multiplies, read by other threads.
struct Seat {
  std::atomic<bool> is_in_call = false;
};

class LoadedBlas {
 public:
  LoadedBlas() {
    CheckRoom(kBytesToLoad);
    const absl::StatusOr<void*> library = LoadWithoutThreads();
    if (!library.ok()) {
      const absl::string_view message = library.status().message();
      if (LacksMemory(message)) ThrowNoMemory();
      throw MissingLibraryError(std::string(message));
    }
    library_ = *library;
    Find("cblas_sgemm", &blas_.sgemm);
    Find("cblas_dgemm", &blas_.dgemm);
    Find("dgesdd_", &blas_.dgesdd);
    Find("dsyevd_", &blas_.dsyevd);
    Find("blas_memory_alloc", &take_buffer_);
    Find("blas_memory_free", &give_buffer_back_);
    void (*set_threads)(int) = nullptr;
    Find("openblas_set_num_threads", &set_threads);
    set_threads(1);  // In case somebody else loaded it before us, with threads.
  }

  const Blas& blas() const { return blas_; }

  // Ensures that there is a buffer for one more thread. No other thread
  // multiplies meanwhile: if it found its buffer taken by this function,
  // OpenBLAS would allocate another one, for which nobody has checked the room.
  void Add(const Seat* seat) {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_adding_.store(true);
    const absl::Cleanup let_in = [&] { is_adding_.store(false); };
    for (const Seat* other : seats_) {
      while (other->is_in_call.load()) sched_yield();
    }
    seats_.reserve(seats_.size() + 1);
    // Takes free buffers until as many are known as there are threads, because
    // OpenBLAS creates a new one only if none is free.
    std::vector<void*> taken;
    taken.reserve(seats_.size() + 1);
    const absl::Cleanup give_back = [&] {
      for (void* buffer : taken) give_buffer_back_(buffer);
    };
    while (known_.size() <= seats_.size()) {
      CheckRoom(kBytesOfBuffer);
      taken.push_back(take_buffer_(0));
      if (!absl::c_linear_search(known_, taken.back())) {
        known_.push_back(taken.back());
      }
    }
    seats_.push_back(seat);
  }

  void Remove(const Seat* seat) {
    const std::lock_guard<std::mutex> lock(mutex_);
    seats_.erase(absl::c_find(seats_, seat));
  }

  // Each side first stores and then loads, so at least one sees the other.
  void BeginCall(Seat* seat) {
    seat->is_in_call.store(true);
    while (is_adding_.load()) {
      seat->is_in_call.store(false);
      { const std::lock_guard<std::mutex> until_added(mutex_); }
      seat->is_in_call.store(true);
    }
  }

 private:
  template <class Function>
  void Find(const char* name, Function* function) const {
    *function = reinterpret_cast<Function>(dlsym(library_, name));
    FIRTH_CHECK(*function != nullptr);
  }

  void* library_;
  Blas blas_;
  // Returns a free buffer, or a new one if all are in use. OpenBLAS uses them
  // for its own products, and ignores the argument.
  void* (*take_buffer_)(int);
  void (*give_buffer_back_)(void*);
  std::mutex mutex_;  // Held while a thread is added or removed.
  std::atomic<bool> is_adding_ = false;
  std::vector<const Seat*> seats_;  // Seats of the living threads.
  std::vector<void*> known_;        // Buffers that OpenBLAS has.
};

// Never destroyed, because threads may end after main().
LoadedBlas& Loaded() {
  static LoadedBlas* const loaded = new LoadedBlas;
  return *loaded;
}

// Returns this thread's seat, which it gets at its first product and keeps
// until it ends.
Seat& SeatOfThisThread() {
  struct Taken {
    Taken() { Loaded().Add(&seat); }
    ~Taken() { Loaded().Remove(&seat); }
    Seat seat;
  };
  thread_local Taken taken;
  return taken.seat;
}

}  // namespace

BlasCall::BlasCall() : is_running_(SeatOfThisThread().is_in_call) {
  Loaded().BeginCall(&SeatOfThisThread());
}

BlasCall::~BlasCall() { is_running_.store(false, std::memory_order_release); }

const Blas* BlasCall::operator->() const { return &Loaded().blas(); }

}  // namespace firth

#include "simd/blas_buffers.h"

#include <sys/mman.h>

#include <cstddef>
#include <mutex>
#include <new>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/cleanup/cleanup.h"

// OpenBLAS exports these, but no header of it declares them: a free buffer, or
// a new one where all are in use; the argument is not looked at.
extern "C" void* blas_memory_alloc(int);
extern "C" void blas_memory_free(void*);

namespace firth {
namespace {

// A buffer, and what others may take between the look and the taking.
constexpr size_t kBytesWanted = size_t{160} << 20;

void CheckRoom() {
  void* const room = mmap(nullptr, kBytesWanted, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) throw std::bad_alloc();
  munmap(room, kBytesWanted);
}

// The buffers that OpenBLAS is known to have, and who may be using them.
class BlasBuffers {
 public:
  void AddThread() {
    const std::lock_guard<std::mutex> lock(mutex_);
    // Those that are free are taken as long as it needs to see that there are
    // enough: only then does OpenBLAS make more.
    std::vector<void*> taken;
    const absl::Cleanup give_back = [&taken] {
      for (void* buffer : taken) blas_memory_free(buffer);
    };
    taken.reserve(threads_ + 1);
    while (known_.size() <= threads_) {
      CheckRoom();
      taken.push_back(blas_memory_alloc(0));
      if (!absl::c_linear_search(known_, taken.back())) {
        known_.push_back(taken.back());
      }
    }
    ++threads_;
  }

  void RemoveThread() {
    const std::lock_guard<std::mutex> lock(mutex_);
    --threads_;
  }

 private:
  std::mutex mutex_;
  size_t threads_ = 0;
  std::vector<void*> known_;
};

// Never destroyed: threads may end after main().
BlasBuffers& Buffers() {
  static BlasBuffers* const buffers = new BlasBuffers;
  return *buffers;
}

struct Seat {
  Seat() { Buffers().AddThread(); }
  ~Seat() { Buffers().RemoveThread(); }
};

}  // namespace

void EnsureBlasBuffer() { thread_local const Seat seat; }

}  // namespace firth

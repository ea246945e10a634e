// One table holds all objects by their numbers, behind one lock. Each thread
// finds an object there once and keeps a share of it on a shelf, where it meets
// no other thread; freeing an object clears all shelves. A fork takes all locks
// first, so that the child gets them free.

#include "c/handles.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <new>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

namespace firth::c {
namespace {

struct Held {
  const void* kind = nullptr;
  std::shared_ptr<void> object;
};

// Objects by handle. On cache lines of its own, and of their neighbours, which
// processors fetch in pairs.
struct alignas(128) Shelf {
  std::mutex mutex;
  absl::flat_hash_map<uintptr_t, Held> held;
};

constexpr size_t kShelves = 16;

struct Table {
  Shelf all;  // locked before a shelf of threads where both are needed
  uintptr_t last = 0;
  std::array<Shelf, kShelves> of_threads;
};

Table& TheTable();
std::atomic<bool> is_forked_child = false;

// A child has one thread, which nobody frees from a lock that another thread
// held: at the fork, the thread that forks holds them all.
void LockAll() {
  TheTable().all.mutex.lock();
  for (Shelf& shelf : TheTable().of_threads) shelf.mutex.lock();
}
void UnlockAll() {
  for (Shelf& shelf : TheTable().of_threads) shelf.mutex.unlock();
  TheTable().all.mutex.unlock();
}
void UnlockAllInChild() {
  UnlockAll();
  is_forked_child = true;
}

// Never destroyed: other threads may ask while the process ends.
Table& TheTable() {
  static Table& table = *new Table;
  static const int registered =
      pthread_atfork(LockAll, UnlockAll, UnlockAllInChild);
  (void)registered;  // for want of memory, forks are as they would be without
  return table;
}

Shelf& OwnShelf() {
  static std::atomic<size_t> threads = 0;
  thread_local const size_t own = threads.fetch_add(1);
  return TheTable().of_threads[own % kShelves];
}

// A share that is counted by itself, on a cache line of its own.
std::shared_ptr<void> OwnShare(const std::shared_ptr<void>& object) {
  struct alignas(128) Share {
    std::shared_ptr<void> object;
  };
  const auto share = std::make_shared<Share>(Share{object});
  return {share, object.get()};
}

// Fetches a share of the object to the shelf.
std::shared_ptr<void> Fetch(const void* kind, uintptr_t handle, Shelf& shelf) {
  Table& table = TheTable();
  const std::lock_guard lock_table(table.all.mutex);
  const auto found = table.all.held.find(handle);
  if (found == table.all.held.end() || found->second.kind != kind) {
    return nullptr;
  }
  try {
    const std::shared_ptr<void> share = OwnShare(found->second.object);
    const std::lock_guard lock_shelf(shelf.mutex);
    // Another thread of this shelf may have been faster.
    return shelf.held.try_emplace(handle, Held{kind, share})
        .first->second.object;
  } catch (const std::bad_alloc&) {
    return found->second.object;
  }
}

// Takes the share that the shelf has, if it has one.
std::shared_ptr<void> Clear(uintptr_t handle, Shelf& shelf) {
  const std::lock_guard lock(shelf.mutex);
  const auto found = shelf.held.find(handle);
  if (found == shelf.held.end()) return nullptr;
  std::shared_ptr<void> object = std::move(found->second.object);
  shelf.held.erase(found);
  return object;
}

}  // namespace

uintptr_t AddHandle(const void* kind, std::shared_ptr<void> object) {
  Table& table = TheTable();
  const std::lock_guard lock(table.all.mutex);
  table.all.held.emplace(++table.last, Held{kind, std::move(object)});
  return table.last;
}

std::shared_ptr<void> FindHandle(const void* kind, uintptr_t handle) noexcept {
  Shelf& shelf = OwnShelf();
  {
    const std::lock_guard lock(shelf.mutex);
    const auto found = shelf.held.find(handle);
    if (found != shelf.held.end()) {
      return found->second.kind == kind ? found->second.object : nullptr;
    }
  }
  return Fetch(kind, handle, shelf);
}

std::shared_ptr<void> RemoveHandle(const void* kind,
                                   uintptr_t handle) noexcept {
  Table& table = TheTable();
  // These go after the locks are given back: an object may take long to go.
  std::shared_ptr<void> object;
  std::array<std::shared_ptr<void>, kShelves> shares;
  const std::lock_guard lock(table.all.mutex);
  const auto found = table.all.held.find(handle);
  if (found == table.all.held.end() || found->second.kind != kind) return {};
  object = std::move(found->second.object);
  table.all.held.erase(found);
  for (size_t i = 0; i < kShelves; ++i) {
    shares[i] = Clear(handle, table.of_threads[i]);
  }
  return object;
}

bool IsForkedChild() {
  TheTable();  // from the first question on, forks are noticed
  return is_forked_child;
}

size_t NumHandles() {
  Table& table = TheTable();
  const std::lock_guard lock(table.all.mutex);
  return table.all.held.size();
}

absl::Status WrongHandle(absl::string_view argument, absl::string_view kind,
                         bool is_null) {
  return absl::InvalidArgumentError(
      absl::StrCat(argument, ": expected a ", kind, ", found ",
                   is_null ? "null" : "a freed handle or another pointer"));
}

}  // namespace firth::c

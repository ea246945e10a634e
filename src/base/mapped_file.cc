// Mappings are shared with the file. The system reads pages on demand, and all
// processes share them. If a file is truncated while it is mapped, reading the
// missing bytes raises a signal. A list of all mappings, which a signal handler
// may read, identifies the file.

#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/errno_status.h"
#include "firth/mapped_files.h"

#if defined(__SANITIZE_ADDRESS__)
#define FIRTH_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FIRTH_ADDRESS_SANITIZER 1
#endif
#endif
#ifdef FIRTH_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace firth {
namespace {

// The last page of a mapping extends beyond the file. In builds with
// AddressSanitizer, reading these bytes is reported.
#ifdef FIRTH_ADDRESS_SANITIZER
size_t BytesOfPages(size_t size) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (size + page - 1) / page * page;
}
void GuardEnd(const char* data, size_t size) {
  ASAN_POISON_MEMORY_REGION(data + size, BytesOfPages(size) - size);
}
void UnguardEnd(const char* data, size_t size) {
  ASAN_UNPOISON_MEMORY_REGION(data, BytesOfPages(size));
}
#else
void GuardEnd(const char*, size_t) {}
void UnguardEnd(const char*, size_t) {}
#endif

// A list that a signal handler may read at any moment. It only grows; entries
// of mappings that have ended are reused.
struct Entry {
  std::atomic<const char*> begin = nullptr;  // Null if the entry is free.
  std::atomic<size_t> size = 0;
  std::atomic<const char*> path = nullptr;
  Entry* next = nullptr;
};
std::atomic<Entry*> first_entry = nullptr;
static_assert(std::atomic<Entry*>::is_always_lock_free &&
              std::atomic<size_t>::is_always_lock_free);

std::mutex& EntriesMutex() {
  static std::mutex* const mutex = new std::mutex;  // Outlives static mappings.
  return *mutex;
}

Entry* FindEntry(const char* begin) {
  Entry* entry = first_entry;
  while (entry != nullptr && entry->begin != begin) entry = entry->next;
  return entry;
}

void Enter(const char* begin, size_t size, const char* path) {
  const std::lock_guard<std::mutex> lock(EntriesMutex());
  Entry* entry = FindEntry(nullptr);
  if (entry == nullptr) {
    entry = new Entry;
    entry->next = first_entry;
    first_entry = entry;
  }
  entry->size = size;
  entry->path = path;
  entry->begin = begin;  // Set last, because it marks the entry as used.
}

void Leave(const char* begin) {
  const std::lock_guard<std::mutex> lock(EntriesMutex());
  FindEntry(begin)->begin = nullptr;
}

}  // namespace

const char* MappedFileAt(const void* address) {
  const auto* const byte = static_cast<const char*>(address);
  for (const Entry* entry = first_entry; entry != nullptr;
       entry = entry->next) {
    const char* const begin = entry->begin;
    if (begin != nullptr && byte >= begin && byte < begin + entry->size) {
      return entry->path;
    }
  }
  return nullptr;
}

absl::StatusOr<std::shared_ptr<const MappedFile>> MappedFile::Open(
    const std::string& path) {
  // With O_NONBLOCK, a pipe without a writer is rejected below. Without it,
  // open() would wait for a writer.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return ErrnoStatus(errno, path, "cannot open");
  return OfDescriptor(fd, path);
}

absl::StatusOr<std::shared_ptr<const MappedFile>> MappedFile::OfDescriptor(
    int fd, const std::string& path) {
  // The mapping does not need the descriptor.
  absl::Cleanup close_fd = [fd] { close(fd); };
  struct stat info;
  if (fstat(fd, &info) != 0) return ErrnoStatus(errno, path, "cannot stat");
  if (!S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": not a regular file but ",
        S_ISDIR(info.st_mode) ? "a folder" : "a pipe or a device"));
  }
  const size_t size = static_cast<size_t>(info.st_size);
  void* data = nullptr;
  if (size > 0) {  // mmap rejects length 0.
    data = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
    if (data == MAP_FAILED) return ErrnoStatus(errno, path, "cannot map");
    GuardEnd(static_cast<const char*>(data), size);
  }
  return std::shared_ptr<const MappedFile>(
      new MappedFile(path, static_cast<const char*>(data), size, nullptr));
}

std::shared_ptr<const MappedFile> MappedFile::PartOf(
    std::shared_ptr<const MappedFile> whole, size_t begin, size_t size,
    const std::string& path) {
  FIRTH_CHECK(begin <= whole->size() && size <= whole->size() - begin);
  const char* const data = whole->data() + begin;
  return std::shared_ptr<const MappedFile>(
      new MappedFile(path, data, size, std::move(whole)));
}

MappedFile::MappedFile(std::string path, const char* data, size_t size,
                       std::shared_ptr<const MappedFile> whole)
    : path_(std::move(path)),
      data_(data),
      size_(size),
      whole_(std::move(whole)) {
  if (size_ > 0 && whole_ == nullptr) Enter(data_, size_, path_.c_str());
}

MappedFile::~MappedFile() {
  if (size_ == 0 || whole_ != nullptr) return;
  Leave(data_);
  UnguardEnd(data_, size_);
  munmap(const_cast<char*>(data_), size_);
}

}  // namespace firth

#include "corpus/token_stream.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/check.h"
#include "base/errno_status.h"
#include "base/temporary_files.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

constexpr uint64_t kFirstBytes = uint64_t{1} << 20;

// The memory of a TokenStream.
class Mapping {
 public:
  Mapping(void* data, uint64_t bytes) : data_(data), bytes_(bytes) {}
  ~Mapping() {
    if (bytes_ > 0) munmap(data_, bytes_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

 private:
  void* data_;
  uint64_t bytes_;
};

}  // namespace

TokenSpool::TokenSpool(uint64_t memory_bytes, std::string temp_dir)
    : memory_bytes_(memory_bytes),
      temp_dir_(TemporaryFolder(std::move(temp_dir))) {}

TokenSpool::~TokenSpool() {
  if (mapped_bytes_ > 0) munmap(data_, mapped_bytes_);
  if (in_file()) close(fd_);
}

uint64_t TokenSpool::file_bytes() const {
  return in_file() ? size_ * sizeof(uint32_t) : 0;
}

absl::Status TokenSpool::GrowMemory(uint64_t bytes) {
  const uint64_t wanted =
      std::min(std::max({bytes, 2 * mapped_bytes_, kFirstBytes}),
               std::max(memory_bytes_, bytes));
  void* memory = mapped_bytes_ == 0
                     ? mmap(nullptr, wanted, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                     : mremap(data_, mapped_bytes_, wanted, MREMAP_MAYMOVE);
  if (memory == MAP_FAILED) {
    return ErrnoStatus(errno, "ids in memory", "cannot take more");
  }
  data_ = static_cast<uint32_t*>(memory);
  mapped_bytes_ = wanted;
  madvise(data_, mapped_bytes_, MADV_HUGEPAGE);  // Causes fewer page faults.
  return absl::OkStatus();
}

absl::Status TokenSpool::WriteIds(absl::Span<const uint32_t> ids) {
  return WriteUnnamed(fd_,
                      {reinterpret_cast<const char*>(ids.data()),
                       ids.size() * sizeof(uint32_t)},
                      temp_dir_);
}

absl::Status TokenSpool::MoveToFile() {
  FIRTH_ASSIGN_OR_RETURN(fd_, OpenUnnamed(temp_dir_));
  FIRTH_RETURN_IF_ERROR(WriteIds({data_, size_}));
  if (mapped_bytes_ > 0) munmap(data_, std::exchange(mapped_bytes_, 0));
  data_ = nullptr;
  return absl::OkStatus();
}

absl::Status TokenSpool::Append(absl::Span<const uint32_t> ids) {
  if (ids.empty()) return absl::OkStatus();
  const uint64_t bytes = (size_ + ids.size()) * sizeof(uint32_t);
  if (!in_file() && bytes > mapped_bytes_ &&
      (bytes > memory_bytes_ || !GrowMemory(bytes).ok())) {
    FIRTH_RETURN_IF_ERROR(MoveToFile());
  }
  if (in_file()) {
    FIRTH_RETURN_IF_ERROR(WriteIds(ids));
  } else {
    std::memcpy(data_ + size_, ids.data(), ids.size() * sizeof(uint32_t));
  }
  size_ += ids.size();
  return absl::OkStatus();
}

absl::StatusOr<absl::Span<uint32_t>> TokenSpool::Map() {
  if (in_file() && size_ > 0) {
    void* memory =
        mmap(nullptr, file_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
    if (memory == MAP_FAILED) {
      return ErrnoStatus(errno, temp_dir_, "cannot map the temporary file");
    }
    data_ = static_cast<uint32_t*>(memory);
    mapped_bytes_ = file_bytes();
  }
  return absl::MakeSpan(data_, size_);
}

absl::StatusOr<std::shared_ptr<const TokenStream>> TokenSpool::TakeStream(
    uint64_t size, uint64_t num_words, const StreamPlace& place) {
  FIRTH_CHECK(size <= size_);
  if (size == 0) {
    return std::make_shared<const TokenStream>(absl::Span<const uint32_t>(), 0,
                                               nullptr, place);
  }
  FIRTH_CHECK(data_ != nullptr);
  const uint64_t bytes = size * sizeof(uint32_t);
  void* memory = mremap(data_, mapped_bytes_, bytes, 0);  // Shrinks in place.
  if (memory == MAP_FAILED) {
    return ErrnoStatus(errno, "ids", "cannot shrink the mapping");
  }
  auto owner = std::make_shared<const Mapping>(memory, bytes);
  mapped_bytes_ = 0;
  data_ = nullptr;
  if (in_file() && ftruncate(fd_, static_cast<off_t>(bytes)) != 0) {
    return ErrnoStatus(errno, temp_dir_, "cannot shorten the temporary file");
  }
  mprotect(memory, bytes, PROT_READ);
  return std::make_shared<const TokenStream>(
      absl::MakeSpan(static_cast<const uint32_t*>(memory), size), num_words,
      std::move(owner), place);
}

}  // namespace firth

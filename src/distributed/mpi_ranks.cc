// Ranks over MPI, using the module that `make MPI=1` builds. The module is in
// the folder of the program, or is installed in that of the library.

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "distributed/mpi_module.h"
#include "firth/ranks.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

namespace fs = std::filesystem;

constexpr char kModuleFile[] = "firth_mpi.so";
// Bytes that one round of an exchange sends at most to each rank, since MPI
// counts the bytes of a whole round with int.
constexpr size_t kRoundBytes = size_t{1} << 24;
// Maximum number of values in all parts, for the same reason.
constexpr size_t kMostPartValues = size_t{1} << 27;
// Maximum number of bytes of a gather.
constexpr size_t kMostGathered = size_t{1} << 30;

// Returns the files to try, in this order: next to the program, then where
// `make install` puts the module.
std::vector<std::string> ModulePlaces() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return {kModuleFile};
  const fs::path folder = program.parent_path();
  return {(folder / kModuleFile).string(),
          (folder.parent_path() / "lib" / "firth" / kModuleFile).string()};
}

absl::StatusOr<const FirthMpiModule*> LoadModule() {
  std::string reason;
  for (const std::string& place : ModulePlaces()) {
    // MPI loads components of its own, which look for its symbols globally.
    void* const library = dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
      absl::StrAppend(&reason, reason.empty() ? "" : "; ", dlerror());
      continue;
    }
    auto* const entry =
        reinterpret_cast<FirthMpiEntry*>(dlsym(library, kFirthMpiSymbol));
    const FirthMpiModule* const module = entry != nullptr ? entry() : nullptr;
    if (module != nullptr && module->version == kFirthMpiVersion) return module;
    return absl::FailedPreconditionError(
        absl::StrCat(place,
                     ": this MPI module belongs to another version of Firth; "
                     "build it again with \"make MPI=1\""));
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "cannot load the MPI module, which is not part of a release; "
      "\"make deps-mpi\" and \"make MPI=1\" build it from source: ",
      reason));
}

class MpiRanks final : public Ranks {
 public:
  MpiRanks(const FirthMpiModule& module, void* channel)
      : module_(module),
        channel_(channel),
        rank_(module.rank(channel)),
        size_(module.size(channel)) {}
  ~MpiRanks() override { module_.leave(channel_); }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string Machine() const override {
    char name[256] = "";
    gethostname(name, sizeof(name) - 1);
    return name;
  }
  void Abort() override { module_.abort(1); }

  absl::Status Sum(absl::Span<float> values) override {
    return SumOf(values.data(), values.size(), kFirthMpiFloat);
  }
  absl::Status Sum(absl::Span<double> values) override {
    return SumOf(values.data(), values.size(), kFirthMpiDouble);
  }
  absl::Status Sum(absl::Span<uint64_t> values) override {
    return SumOf(values.data(), values.size(), kFirthMpiU64);
  }

  absl::StatusOr<std::vector<std::string>> Exchange(
      const std::vector<std::string>& to) override {
    const auto ranks = static_cast<size_t>(size_);
    const std::vector<uint64_t> sizes = ExchangeSizes(to);
    uint64_t most = *std::max_element(sizes.begin(), sizes.end());
    std::vector<uint64_t> largest(ranks);
    largest[static_cast<size_t>(rank_)] = most;
    module_.sum(channel_, largest.data(), ranks, kFirthMpiU64);
    most = *std::max_element(largest.begin(), largest.end());
    std::vector<std::string> from(ranks);
    for (uint64_t at = 0; at < most; at += kRoundBytes) {
      ExchangeRound(to, at, sizes, &from);
    }
    return from;
  }

  absl::Status SendParts(absl::Span<const size_t> counts,
                         absl::Span<const float> values,
                         std::vector<float>* own) override {
    const std::vector<int> out_counts = BytesOf(counts, values);
    const std::vector<int> in_counts(counts.size(),
                                     out_counts[static_cast<size_t>(rank_)]);
    own->resize(counts.size() * counts[static_cast<size_t>(rank_)]);
    module_.exchange(channel_, reinterpret_cast<const char*>(values.data()),
                     out_counts.data(), reinterpret_cast<char*>(own->data()),
                     in_counts.data());
    return absl::OkStatus();
  }
  absl::Status GatherParts(absl::Span<const size_t> counts,
                           absl::Span<float> values) override {
    module_.gather(channel_, reinterpret_cast<char*>(values.data()),
                   BytesOf(counts, values).data());
    return absl::OkStatus();
  }
  absl::Status BeginGather(absl::Span<const char> own, char* all) override {
    FIRTH_CHECK(own.size() <= kMostGathered / static_cast<size_t>(size_));
    pending_.push_back(module_.begin_gather(channel_, own.data(),
                                            static_cast<int>(own.size()), all));
    return absl::OkStatus();
  }
  absl::Status AwaitGather() override {
    FIRTH_CHECK(!pending_.empty());
    module_.await(pending_.front());
    pending_.pop_front();
    return absl::OkStatus();
  }
  absl::StatusOr<std::unique_ptr<Ranks>> Another() override {
    return std::make_unique<MpiRanks>(module_, module_.another(channel_));
  }

 private:
  // Returns the bytes of each part.
  static std::vector<int> BytesOf(absl::Span<const size_t> counts,
                                  absl::Span<const float> values) {
    FIRTH_CHECK(values.size() <= kMostPartValues);
    std::vector<int> bytes;
    for (const size_t count : counts) {
      bytes.push_back(static_cast<int>(count * sizeof(float)));
    }
    return bytes;
  }

  absl::Status SumOf(void* values, size_t count, FirthMpiType type) {
    module_.sum(channel_, values, count, type);
    return absl::OkStatus();
  }

  // Returns the bytes that will come from each rank.
  std::vector<uint64_t> ExchangeSizes(const std::vector<std::string>& to) {
    std::vector<uint64_t> out;
    out.reserve(to.size());
    for (const std::string& bytes : to) out.push_back(bytes.size());
    std::vector<uint64_t> in(out.size());
    const std::vector<int> counts(out.size(), sizeof(uint64_t));
    module_.exchange(channel_, reinterpret_cast<const char*>(out.data()),
                     counts.data(), reinterpret_cast<char*>(in.data()),
                     counts.data());
    return in;
  }

  // Sends and receives the next kRoundBytes, from byte `at` on, of the data
  // between each pair of ranks.
  void ExchangeRound(const std::vector<std::string>& to, uint64_t at,
                     const std::vector<uint64_t>& sizes,
                     std::vector<std::string>* from) {
    const auto part = [at](uint64_t size) {
      return static_cast<int>(
          std::min<uint64_t>(size - std::min(at, size), kRoundBytes));
    };
    std::string out;
    std::vector<int> out_counts;
    std::vector<int> in_counts;
    size_t in_bytes = 0;
    for (size_t r = 0; r < to.size(); ++r) {
      out_counts.push_back(part(to[r].size()));
      if (out_counts.back() > 0) {
        out.append(to[r], at, static_cast<size_t>(out_counts.back()));
      }
      in_counts.push_back(part(sizes[r]));
      in_bytes += static_cast<size_t>(in_counts.back());
    }
    std::string in(in_bytes, '\0');
    module_.exchange(channel_, out.data(), out_counts.data(), in.data(),
                     in_counts.data());
    size_t offset = 0;
    for (size_t r = 0; r < to.size(); ++r) {
      const auto count = static_cast<size_t>(in_counts[r]);
      (*from)[r].append(in, offset, count);
      offset += count;
    }
  }

  const FirthMpiModule& module_;
  void* const channel_;
  const int rank_;
  const int size_;
  // Gathers in the order in which they were started.
  std::deque<void*> pending_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Ranks>> JoinRanks() {
  FIRTH_ASSIGN_OR_RETURN(const FirthMpiModule* module, LoadModule());
  char error[256] = "";
  void* const channel = module->join(error, sizeof(error));
  if (channel == nullptr) return absl::FailedPreconditionError(error);
  return std::make_unique<MpiRanks>(*module, channel);
}

int RanksStarted() {
  // OpenMPI's and MPICH's mpirun set these. Under "srun --mpi=pmix" the number
  // is SLURM's; tasks of SLURM without PMIX_RANK are not ranks of MPI.
  std::vector<const char*> names = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
  if (std::getenv("PMIX_RANK") != nullptr) {
    names.push_back("SLURM_STEP_NUM_TASKS");
  }
  for (const char* const name : names) {
    const char* const value = std::getenv(name);
    int ranks = 0;
    if (value != nullptr && absl::SimpleAtoi(value, &ranks) && ranks > 0) {
      return ranks;
    }
  }
  return 1;
}

}  // namespace firth

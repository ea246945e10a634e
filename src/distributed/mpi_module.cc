// The MPI module: a separate shared object (`make MPI=1`), which the program
// loads on demand. This is the only file that includes mpi.h.

#include "distributed/mpi_module.h"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

// MPI counts with int.
constexpr size_t kMostValues = size_t{1} << 28;
// MPI's own waits keep a core busy. A thread that communicates while other
// threads work checks at this interval whether it is done, and leaves the core
// to them in between.
constexpr std::chrono::microseconds kNap(200);

struct Channel {
  MPI_Comm comm = MPI_COMM_WORLD;
  bool sleeps = false;
};

Channel& Of(void* channel) { return *static_cast<Channel*>(channel); }
MPI_Comm Comm(void* channel) { return Of(channel).comm; }

void Await(void* channel, MPI_Request request) {
  if (!Of(channel).sleeps) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return;
  }
  int done = 0;
  for (;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    std::this_thread::sleep_for(kNap);
  }
}

void* Join(char* error, size_t error_size) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) {
    std::snprintf(error, error_size,
                  "MPI must support MPI_THREAD_MULTIPLE (%d), but its thread "
                  "support is %d",
                  MPI_THREAD_MULTIPLE, provided);
    MPI_Finalize();
    return nullptr;
  }
  return new Channel;
}

void* Another(void* channel) {
  auto* const other = new Channel{.sleeps = true};
  MPI_Comm_dup(Comm(channel), &other->comm);
  return other;
}

void Leave(void* channel) {
  const bool is_world = Comm(channel) == MPI_COMM_WORLD;
  if (is_world) {
    MPI_Finalize();
  } else {
    MPI_Comm_free(&Of(channel).comm);
  }
  delete &Of(channel);
}

int Rank(void* channel) {
  int rank = 0;
  MPI_Comm_rank(Comm(channel), &rank);
  return rank;
}

int Size(void* channel) {
  int size = 1;
  MPI_Comm_size(Comm(channel), &size);
  return size;
}

// Training divided by columns sums after each batch, and the blocking call is
// faster.
void SumSome(void* channel, void* values, int count, MPI_Datatype type) {
  if (!Of(channel).sleeps) {
    MPI_Allreduce(MPI_IN_PLACE, values, count, type, MPI_SUM, Comm(channel));
    return;
  }
  MPI_Request request;
  MPI_Iallreduce(MPI_IN_PLACE, values, count, type, MPI_SUM, Comm(channel),
                 &request);
  Await(channel, request);
}

void Sum(void* channel, void* values, size_t count, FirthMpiType type) {
  const MPI_Datatype types[] = {MPI_FLOAT, MPI_DOUBLE, MPI_UINT64_T};
  const size_t sizes[] = {sizeof(float), sizeof(double), 8};
  auto* at = static_cast<char*>(values);
  while (count > 0) {
    const size_t now = std::min(count, kMostValues);
    SumSome(channel, at, static_cast<int>(now), types[type]);
    at += now * sizes[type];
    count -= now;
  }
}

std::vector<int> OffsetsOf(const int* counts, int size) {
  std::vector<int> offsets(static_cast<size_t>(size));
  for (size_t i = 1; i < offsets.size(); ++i) {
    offsets[i] = offsets[i - 1] + counts[i - 1];
  }
  return offsets;
}

void Exchange(void* channel, const char* out, const int* out_counts, char* in,
              const int* in_counts) {
  const int size = Size(channel);
  const std::vector<int> out_offsets = OffsetsOf(out_counts, size);
  const std::vector<int> in_offsets = OffsetsOf(in_counts, size);
  MPI_Request request;
  MPI_Ialltoallv(out, out_counts, out_offsets.data(), MPI_CHAR, in, in_counts,
                 in_offsets.data(), MPI_CHAR, Comm(channel), &request);
  Await(channel, request);
}

void Gather(void* channel, char* bytes, const int* counts) {
  const std::vector<int> offsets = OffsetsOf(counts, Size(channel));
  MPI_Request request;
  MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, bytes, counts,
                  offsets.data(), MPI_CHAR, Comm(channel), &request);
  Await(channel, request);
}

struct Gathering {
  std::vector<MPI_Request> requests;
  bool sleeps = false;
};

// Short plain messages are sent immediately. MPI_Iallgather costs tens of
// microseconds more.
void* BeginGather(void* channel, const char* own, int bytes, char* all) {
  constexpr int kTag = 1;
  const int size = Size(channel);
  const int rank = Rank(channel);
  auto* const gathering = new Gathering{{}, Of(channel).sleeps};
  std::vector<MPI_Request>& requests = gathering->requests;
  for (int other = 0; other < size; ++other) {
    char* const place = all + static_cast<size_t>(other) * bytes;
    if (other == rank) {
      std::copy_n(own, bytes, place);
      continue;
    }
    MPI_Irecv(place, bytes, MPI_CHAR, other, kTag, Comm(channel),
              &requests.emplace_back());
  }
  for (int i = 1; i < size; ++i) {
    MPI_Isend(own, bytes, MPI_CHAR, (rank + i) % size, kTag, Comm(channel),
              &requests.emplace_back());
  }
  return gathering;
}

void AwaitPending(void* pending) {
  auto* const gathering = static_cast<Gathering*>(pending);
  const auto size = static_cast<int>(gathering->requests.size());
  MPI_Request* const requests = gathering->requests.data();
  int done = 0;
  while (gathering->sleeps && done == 0) {
    MPI_Testall(size, requests, &done, MPI_STATUSES_IGNORE);
    if (done == 0) std::this_thread::sleep_for(kNap);
  }
  if (done == 0) MPI_Waitall(size, requests, MPI_STATUSES_IGNORE);
  delete gathering;
}

void Abort(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

constexpr FirthMpiModule kModule = {
    kFirthMpiVersion, Join,   Another,     Leave,        Rank, Size, Sum,
    Exchange,         Gather, BeginGather, AwaitPending, Abort};

}  // namespace

extern "C" const FirthMpiModule* firth_mpi_module() { return &kModule; }

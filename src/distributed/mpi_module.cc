// The MPI module: a shared object of its own (`make MPI=1`), which the program
// loads when it is asked for. The one file that includes mpi.h.

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
// MPI's own waits keep a core busy. A rank that waits for slower ones leaves it
// to its other threads.
constexpr std::chrono::microseconds kNap(200);

MPI_Comm& Comm(void* channel) { return *static_cast<MPI_Comm*>(channel); }

void* Join(char* error, size_t error_size) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) {
    std::snprintf(error, error_size,
                  "expected an MPI with MPI_THREAD_MULTIPLE (%d), found one "
                  "with thread support %d",
                  MPI_THREAD_MULTIPLE, provided);
    MPI_Finalize();
    return nullptr;
  }
  return new MPI_Comm(MPI_COMM_WORLD);
}

void* Another(void* channel) {
  auto* const comm = new MPI_Comm;
  MPI_Comm_dup(Comm(channel), comm);
  return comm;
}

void Leave(void* channel) {
  const bool is_world = Comm(channel) == MPI_COMM_WORLD;
  if (is_world) {
    MPI_Finalize();
  } else {
    MPI_Comm_free(&Comm(channel));
  }
  delete static_cast<MPI_Comm*>(channel);
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

void Sum(void* channel, void* values, size_t count, FirthMpiType type) {
  const MPI_Datatype types[] = {MPI_FLOAT, MPI_DOUBLE, MPI_UINT64_T};
  const size_t sizes[] = {sizeof(float), sizeof(double), 8};
  auto* at = static_cast<char*>(values);
  while (count > 0) {
    const size_t now = std::min(count, kMostValues);
    MPI_Allreduce(MPI_IN_PLACE, at, static_cast<int>(now), types[type], MPI_SUM,
                  Comm(channel));
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
  MPI_Alltoallv(out, out_counts, OffsetsOf(out_counts, size).data(), MPI_CHAR,
                in, in_counts, OffsetsOf(in_counts, size).data(), MPI_CHAR,
                Comm(channel));
}

void Await(void* channel) {
  MPI_Request request;
  MPI_Ibarrier(Comm(channel), &request);
  int done = 0;
  for (;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    std::this_thread::sleep_for(kNap);
  }
}

void Abort(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

constexpr FirthMpiModule kModule = {
    kFirthMpiVersion, Join,  Another, Leave, Rank, Size, Sum,
    Exchange,         Await, Abort};

}  // namespace

extern "C" const FirthMpiModule* firth_mpi_module() { return &kModule; }

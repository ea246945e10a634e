// What the program and its MPI module have between them: plain functions, so
// that the module needs MPI and nothing of the program, and the program nothing
// of MPI.

#ifndef FIRTH_DISTRIBUTED_MPI_MODULE_H_
#define FIRTH_DISTRIBUTED_MPI_MODULE_H_

#include <cstddef>

extern "C" {

// The type of values to add up.
enum FirthMpiType { kFirthMpiFloat, kFirthMpiDouble, kFirthMpiU64 };

// A channel is a communicator and a way to wait. What fails in MPI ends all
// ranks, with MPI's own message: that is its default, and no version that
// Debian has can go on.
struct FirthMpiModule {
  int version;  // kFirthMpiVersion
  // Starts MPI. Null, and a text that says why, where it lacks threads.
  void* (*join)(char* error, size_t error_size);
  // The waits of this one are asleep.
  void* (*another)(void* channel);
  // Gives a channel back; that of join() ends MPI.
  void (*leave)(void* channel);
  int (*rank)(void* channel);
  int (*size)(void* channel);
  void (*sum)(void* channel, void* values, size_t count, FirthMpiType type);
  // Each rank's `counts` bytes, of the first rank first, as in MPI_Alltoallv.
  void (*exchange)(void* channel, const char* out, const int* out_counts,
                   char* in, const int* in_counts);
  // In place: counts[r] bytes from rank r, of the first rank first.
  void (*gather)(void* channel, char* bytes, const int* counts);
  // Begins to gather `bytes` of each rank, of the first rank first, and returns
  // what to await. Its messages are on their way then, whether or not MPI is
  // called in between.
  void* (*begin_gather)(void* channel, const char* own, int bytes, char* all);
  void (*await)(void* pending);
  void (*abort)(int code);
};

constexpr int kFirthMpiVersion = 3;
constexpr char kFirthMpiSymbol[] = "firth_mpi_module";
using FirthMpiEntry = const FirthMpiModule*();

}  // extern "C"

#endif  // FIRTH_DISTRIBUTED_MPI_MODULE_H_

// The interface between the program and its MPI module. It consists of plain
// functions, so that the module needs only MPI and nothing from the program,
// and the program needs nothing from MPI.

#ifndef FIRTH_DISTRIBUTED_MPI_MODULE_H_
#define FIRTH_DISTRIBUTED_MPI_MODULE_H_

#include <cstddef>

extern "C" {

// The type of values to sum.
enum FirthMpiType { kFirthMpiFloat, kFirthMpiDouble, kFirthMpiU64 };

// A channel is a communicator and a way to wait. A failure in MPI ends all
// ranks with MPI's own message. This is MPI's default, and no version that
// Debian has can continue after one.
struct FirthMpiModule {
  int version;  // kFirthMpiVersion
  // Starts MPI. Returns null, with the reason in `error`, if MPI lacks thread
  // support.
  void* (*join)(char* error, size_t error_size);
  // Returns a channel that sleeps while it waits.
  void* (*another)(void* channel);
  // Releases a channel. Releasing that of join() ends MPI.
  void (*leave)(void* channel);
  int (*rank)(void* channel);
  int (*size)(void* channel);
  void (*sum)(void* channel, void* values, size_t count, FirthMpiType type);
  // Exchanges bytes, `counts` for each rank in rank order, as MPI_Alltoallv
  // does.
  void (*exchange)(void* channel, const char* out, const int* out_counts,
                   char* in, const int* in_counts);
  // Gathers in place: counts[r] bytes from rank r, in rank order.
  void (*gather)(void* channel, char* bytes, const int* counts);
  // Starts to gather `bytes` of each rank, in rank order, and returns a handle
  // for await(). Its messages are then sent whether or not MPI is called in
  // between.
  void* (*begin_gather)(void* channel, const char* own, int bytes, char* all);
  void (*await)(void* pending);
  void (*abort)(int code);
};

constexpr int kFirthMpiVersion = 3;
constexpr char kFirthMpiSymbol[] = "firth_mpi_module";
using FirthMpiEntry = const FirthMpiModule*();

}  // extern "C"

#endif  // FIRTH_DISTRIBUTED_MPI_MODULE_H_

// The share of a text that one of several readers reads.
//
// The files stand one behind another, and each reader has as many of their
// bytes as the others. Shares are cut after a line end, so that no sentence is
// in two of them; where a file has none for a long way, after white space.
// Compressed files are not cut: each belongs to the reader in whose share its
// first byte is. Shares are in the order of the text and cover it once.

#ifndef FIRTH_CORPUS_TEXT_SHARES_H_
#define FIRTH_CORPUS_TEXT_SHARES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace firth {

// Bytes [begin, end) of a file, as it is on the disk.
struct FileShare {
  std::string path;
  uint64_t begin = 0;
  uint64_t end = UINT64_MAX;  // UINT64_MAX: to the end of the file
  bool begins_inside_line = false;
  bool ends_inside_line = false;
};

struct FileSize {
  std::string path;
  uint64_t bytes = 0;
};

// The sizes of files to be shared. Errors: InvalidArgument for standard input
// and what else is no regular file, which only one reader could read.
absl::StatusOr<std::vector<FileSize>> SizesOf(
    const std::vector<std::string>& paths);

// Returns a checksum of samples that are evenly spaced over a file. Two texts
// of the same size that differ widely have different sums, and the files need
// not be read whole. Errors: NotFound and others of the system.
absl::StatusOr<uint64_t> SampleSum(const FileSize& file);

// What reader `reader` of `readers` reads; may be nothing. look_ahead: bytes in
// which a line end is looked for; tests take few. Errors: those of reading.
absl::StatusOr<std::vector<FileShare>> ShareOf(
    const std::vector<FileSize>& files, size_t reader, size_t readers,
    size_t look_ahead = size_t{1} << 20);

}  // namespace firth

#endif  // FIRTH_CORPUS_TEXT_SHARES_H_

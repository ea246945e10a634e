// Expands a list of inputs to files, and divides a text among several readers.
//
// The files are concatenated, and each reader has the same number of bytes.
// Shares end after a line end, so that no sentence is in two of them; if a file
// has no line end for a long distance, they end after white space. Compressed
// files are not divided: each belongs to the reader whose share contains its
// first byte. Shares are in the order of the text and cover it once.

#ifndef FIRTH_CORPUS_INPUT_FILES_H_
#define FIRTH_CORPUS_INPUT_FILES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace firth {

// Number of entries in a folder that are not read.
struct LeftOutFiles {
  size_t hidden = 0;   // Files, and folders with everything below them.
  size_t special = 0;  // Links to folders, dangling links, pipes, devices.
};

// Replaces every folder by the regular files below it, sorted by path. Files
// and folders whose name starts with a dot are left out, and symbolic links to
// folders are not followed. Files (also pipes and devices) and "-" are kept.
// Errors: NotFound for a missing path and for a folder without files,
// PermissionDenied for what cannot be read, so that these are found before
// hours of reading. Adds the number of entries left out to *left_out, if it is
// not null.
absl::StatusOr<std::vector<std::string>> ExpandInputs(
    const std::vector<std::string>& inputs, LeftOutFiles* left_out = nullptr);

// The bytes [begin, end) of a file as it is on the disk.
struct FileShare {
  std::string path;
  uint64_t begin = 0;
  uint64_t end = UINT64_MAX;  // UINT64_MAX means the end of the file.
  bool begins_inside_line = false;
  bool ends_inside_line = false;
};

struct FileSize {
  std::string path;
  uint64_t bytes = 0;
};

// Returns the sizes of the files. Errors: InvalidArgument for standard input
// and everything else that is not a regular file, which only one reader could
// read.
absl::StatusOr<std::vector<FileSize>> SizesOf(
    const std::vector<std::string>& paths);

// Returns a checksum of samples that are evenly spaced over a file. Two texts
// of the same size that differ widely have different sums, and the files need
// not be read whole. Errors: NotFound and others of the system.
absl::StatusOr<uint64_t> SampleSum(const FileSize& file);

// Returns the share of reader `reader` of `readers`, which may be empty.
// `look_ahead` is the number of bytes in which a line end is searched for;
// tests use few. Errors: those of reading.
absl::StatusOr<std::vector<FileShare>> ShareOf(
    const std::vector<FileSize>& files, size_t reader, size_t readers,
    size_t look_ahead = size_t{1} << 20);

}  // namespace firth

#endif  // FIRTH_CORPUS_INPUT_FILES_H_

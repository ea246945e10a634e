// Tells what a file is, by its content, for every kind that Firth writes.

#ifndef FIRTH_FILE_INFO_H_
#define FIRTH_FILE_INFO_H_

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"

namespace firth {

struct FileFact {
  std::string name;  // as "words" or "has_counts"
  std::variant<bool, uint64_t, double, std::string> value;
};

struct FileInfo {
  std::string kind;  // "vectors", "language model", ...
  std::string path;  // of the file; of a folder of checkpoints, the newest one
  uint64_t bytes = 0;
  std::vector<FileFact> facts;  // what there is to say of this kind
  std::string options;  // it was made with, a JSON object; empty: not known
  std::map<std::string, std::string> metadata;  // other strings in the file
  // Faults that did not prevent reading, each with its place in the file.
  std::vector<std::string> warnings;
};

// Describes a file, or the newest whole checkpoint of a folder. No file that it
// names is opened; beside an array x.npy lie x.vocab or x.offsets.npy. Errors:
// NotFound; DataLoss and InvalidArgument, with the place, where it is damaged;
// InvalidArgument, with the list of kinds, where it is none of them.
absl::StatusOr<FileInfo> DescribeFile(const std::string& path);

// The files that are read together with the one at `path`, by its content, and
// are there: of an array x.npy x.vocab and x.offsets.npy, of vectors that are a
// folder its other files, of a text x.data.xml its keys x.gold.key.txt.
std::vector<std::string> FilesReadWith(const std::string& path);

}  // namespace firth

#endif  // FIRTH_FILE_INFO_H_

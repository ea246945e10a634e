// Detects the kind of a file from its content, for every kind that Firth
// writes.

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
  std::string name;  // Name such as "words" or "has_counts".
  std::variant<bool, uint64_t, double, std::string> value;
};

struct FileInfo {
  std::string kind;  // Kind such as "vectors" or "language model".
  // Path of the file; for a folder of checkpoints, the newest one.
  std::string path;
  uint64_t bytes = 0;
  std::vector<FileFact> facts;  // Facts that describe a file of this kind.
  // Options with which it was made, a JSON object; empty if unknown.
  std::string options;
  // Other strings stored in the file.
  std::map<std::string, std::string> metadata;
  // Faults that did not prevent reading, each with its position in the file.
  std::vector<std::string> warnings;
};

// Describes a file, or the newest intact checkpoint of a folder. Files to which
// it refers are not opened, except the companions of an array x.npy, x.vocab or
// x.offsets.npy. Errors: NotFound; DataLoss and InvalidArgument, with the
// position, if the file is damaged; InvalidArgument, with the list of kinds, if
// it is none of them.
absl::StatusOr<FileInfo> DescribeFile(const std::string& path);

// Returns the existing files that are read together with the file at `path`,
// according to its content: x.vocab and x.offsets.npy for an array x.npy, the
// other files of a vector folder, the keys x.gold.key.txt for a text
// x.data.xml.
std::vector<std::string> FilesReadWith(const std::string& path);

}  // namespace firth

#endif  // FIRTH_FILE_INFO_H_

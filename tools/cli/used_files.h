// Checks the files that a command reads and writes for conflicts.
//
// Each option with a path declares its use of the file (FileUse). All files of
// a command, including those that it derives from others, are therefore known
// in one place, and conflicts are found before any file is opened.

#ifndef FIRTH_TOOLS_CLI_USED_FILES_H_
#define FIRTH_TOOLS_CLI_USED_FILES_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firth::tools {

// The use of a file that an option names.
struct FileUse {
  enum class Kind {
    kNone,         // Not a file, or one that only this run can access.
    kRead,         // A file and those that are read with it
                   // (FilesReadWith()), a folder and all its files, or "-".
    kWritten,      // A file that is replaced, or "-".
    kWrittenInto,  // A folder in which files are created and removed.
  };
  Kind kind = Kind::kNone;
  // Returns the other files that are written with `path`, named after it.
  std::function<std::vector<std::string>(const std::string& path)> beside = {};
  // Returns whether an existing `path` and its derived files were written
  // together. If empty, they were.
  std::function<bool(const std::string& path)> owns_beside = {};
  // Returns whether `path` is a folder, created if necessary, that contains the
  // derived files. If empty, it is not a folder.
  std::function<bool(const std::string& path)> is_folder = {};
  // Prefix of the names of files that are written into a folder.
  std::string prefix = {};
  bool dash_is_stream = false;  // Whether "-" is standard output.
};

inline FileUse NoFile() { return {}; }
inline FileUse Reads() { return {FileUse::Kind::kRead}; }
inline FileUse Writes() { return {FileUse::Kind::kWritten}; }
inline FileUse WritesOrPrints() {
  return {.kind = FileUse::Kind::kWritten, .dash_is_stream = true};
}
inline FileUse WritesInto(absl::string_view prefix) {
  return {.kind = FileUse::Kind::kWrittenInto, .prefix = std::string(prefix)};
}

struct UsedFile {
  std::string name;  // Name of the option or argument, for messages.
  std::string path;  // Empty if it was not given.
  FileUse use;
};

// Checks that no written file is also read, written twice, part of an input of
// several files, or in a folder that is read. Recognizes files under other
// names (links, "./x") and redirected standard streams. Also refuses a file
// with the name prefix of a folder that is written into, "-" as the name of an
// output file, and standard input with two readers. Errors: InvalidArgument,
// with the names of both.
absl::Status CheckNoneIsReadAndWritten(const std::vector<UsedFile>& files);

// Checks that all input files exist and are readable. A missing one must not be
// noticed only after hours of reading others.
absl::Status CheckAllReadable(const std::vector<UsedFile>& files);

// Checks that all output files can be written, so that hours of work are not
// lost. Also refuses to replace a derived file if the output itself does not
// exist, because the file then belongs to someone else.
absl::Status CheckAllWritable(const std::vector<UsedFile>& files);

// Refuses a folder, a pipe or a device. A program that opened a pipe would wait
// until another one writes to it. A missing file is accepted. Errors:
// InvalidArgument, with the path.
absl::Status CheckIsRegularFile(const std::string& path);
// Reads a whole file. Errors: those of CheckIsRegularFile(); NotFound, with the
// system's reason.
absl::StatusOr<std::string> ReadRegularFile(const std::string& path);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_USED_FILES_H_

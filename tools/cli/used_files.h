// The files that a command reads and writes, and that none of them is both.
//
// Every option that takes a path says what is done with it (FileUse). So one
// place knows all files of a command, those that nobody typed included, and
// refuses what would destroy an input before anything is opened.

#ifndef FIRTH_TOOLS_CLI_USED_FILES_H_
#define FIRTH_TOOLS_CLI_USED_FILES_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth::tools {

// How a command uses the file that an option names.
struct FileUse {
  enum class Kind {
    kNone,         // it is no file, or one that only this run can see
    kRead,         // a file with those that are read with it
                   // (FilesReadWith()), a folder with all below it, or "-"
    kWritten,      // a file that is replaced, or "-"
    kWrittenInto,  // a folder whose files come and go
  };
  Kind kind = Kind::kNone;
  // The files that are written with `path` under names made of it.
  std::function<std::vector<std::string>(const std::string& path)> beside = {};
  // Whether those beside `path`, where that exists, are what was written with
  // it; empty: they are.
  std::function<bool(const std::string& path)> owns_beside = {};
  // Whether `path` is a folder that is made where it is not there, and has the
  // files beside it in it; empty: it is none.
  std::function<bool(const std::string& path)> is_folder = {};
  // The prefix of the names that come and go in a folder that is written into.
  std::string prefix = {};
  bool dash_is_stream = false;  // written: "-" is standard output, and no file
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
  std::string name;  // of the option or argument, for messages
  std::string path;  // may be empty: it was not given
  FileUse use;
};

// Fails when something that is written is also read, belongs to an input of
// several files, lies in a folder that is read, or is written twice, under
// whatever names (links, "./x", a link in a folder). Standard
// input and output count where they are files. Fails for a file that is written
// into a folder under a name that is the folder's own to give. Fails for "-" as
// a file to write that would be one of that name, and for standard input that
// two options read. Errors: InvalidArgument, with the names of both.
absl::Status CheckNoneIsReadAndWritten(const std::vector<UsedFile>& files);

// Fails where there is no file to read, or none that may be: the one that is
// read last must not be missed after hours of reading others.
absl::Status CheckAllReadable(const std::vector<UsedFile>& files);

// Fails where a file cannot be written, since hours of work must not end at
// that, and where one would be replaced whose name nobody gave: a file beside
// an output that is not there itself is somebody else's.
absl::Status CheckAllWritable(const std::vector<UsedFile>& files);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_USED_FILES_H_

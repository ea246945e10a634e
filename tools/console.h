// The program's two outputs: results to standard output, all else to standard
// error.

#ifndef FIRTH_TOOLS_CONSOLE_H_
#define FIRTH_TOOLS_CONSOLE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth::tools {

// How the user called the program: "firth", or with the folders before it.
void SetProgramName(const std::string& name);
const std::string& ProgramName();

// Writes a result.
void Print(absl::string_view text);

// Sends what was printed on its way. Errors: Aborted when nobody reads any
// more, which is no failure to speak of; else what the system says, such as a
// full disk.
absl::Status FlushResults();

// Writes "firth: MESSAGE" to standard error, in one piece.
void Say(absl::string_view message);

// Writes to standard error as it is.
void PrintNote(absl::string_view text);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CONSOLE_H_

// The two outputs of the program: results on standard output, everything else
// on standard error.
//
// Words and file names come from other people, and a terminal executes some of
// their control characters. These are therefore escaped in everything on
// standard error and in results that go to a terminal. Results in a file or a
// pipe are unchanged.

#ifndef FIRTH_TOOLS_CLI_CONSOLE_H_
#define FIRTH_TOOLS_CLI_CONSOLE_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth::tools {

// Sets the command that started the program: "firth", or with its folders.
void SetProgramName(const std::string& name);
const std::string& ProgramName();

// Returns the text with control characters escaped. Those other than line ends
// and tabs, and those that change the direction of writing, become \x1b or
// \u202e; bytes that are not valid UTF-8 become \xff.
std::string Visible(absl::string_view text);

// Returns Visible(text) if results go to a terminal, and otherwise the text
// itself. Use it to measure widths; Print() makes the same change.
std::string AsPrinted(std::string text);

// Writes a result.
void Print(absl::string_view text);

// Styles of emphasized and of less important text on a terminal.
enum class Style { kBold, kDim };
// Returns AsPrinted() of the text, for PrintStyled(). The text has this style
// if results go to a terminal with styles and $NO_COLOR is not set
// (no-color.org).
std::string Styled(Style style, absl::string_view text);
// Writes a result with the styles that Styled() added. Text from other people
// can only become bold or dim.
void PrintStyled(absl::string_view text);

// Returns the number of columns of the terminal at `fd`, or 80 if unknown.
size_t TerminalColumns(int fd);

// Flushes results. Errors: Aborted, the reader has closed the pipe, which needs
// no message; otherwise the system's error, such as a full disk.
absl::Status FlushResults();

// Writes "firth: MESSAGE" to standard error in one piece.
void PrintMessage(absl::string_view message);
// Writes an error message; if styles are available, "firth:" is red.
void PrintError(absl::string_view message);

// Writes to standard error.
void PrintNote(absl::string_view text);

// Replaces the last line of a terminal at standard error, written by
// ShowStatus() before. An empty line removes it.
void ShowStatus(absl::string_view line);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_CONSOLE_H_

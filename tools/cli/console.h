// The program's two outputs: results to standard output, all else to standard
// error.
//
// Words and names of files are other people's bytes, and a terminal obeys some
// of them. So what a terminal may show has its control characters escaped:
// all of standard error, and results that go to a terminal. Results that go to
// a file or a pipe keep every byte.

#ifndef FIRTH_TOOLS_CLI_CONSOLE_H_
#define FIRTH_TOOLS_CLI_CONSOLE_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth::tools {

// How the user called the program: "firth", or with the folders before it.
void SetProgramName(const std::string& name);
const std::string& ProgramName();

// The text with what a terminal would obey made visible: control characters
// other than line ends and tabs, and characters that turn the direction of
// writing, as \x1b and \u202e; bytes that are not valid UTF-8 as \xff.
std::string Visible(absl::string_view text);

// Visible(text) where results go to a terminal, else the text as it is: for
// who must know its width. Print() does the same.
std::string AsPrinted(std::string text);

// Writes a result.
void Print(absl::string_view text);

// Styles of text that stands out on a terminal, and of text that steps back.
enum class Style { kBold, kDim };
// The text as AsPrinted() has it and, where results go to a terminal that knows
// styles and $NO_COLOR is not set (no-color.org), in this style: for
// PrintStyled().
std::string Styled(Style style, absl::string_view text);
// Writes a result with the styles that the text has by Styled(). Other people's
// bytes cannot do more than to be bold or dim.
void PrintStyled(absl::string_view text);

// Columns of the terminal that is open as `fd`; 80 where it does not tell.
size_t TerminalColumns(int fd);

// Sends what was printed on its way. Errors: Aborted when nobody reads any
// more, which is no failure to speak of; else what the system says, such as a
// full disk.
absl::Status FlushResults();

// Writes "firth: MESSAGE" to standard error, in one piece.
void PrintMessage(absl::string_view message);
// The same of what went wrong: with styles, its "firth:" is red.
void PrintError(absl::string_view message);

// Writes to standard error.
void PrintNote(absl::string_view text);

// Replaces the last line of a terminal at standard error, which ShowStatus()
// wrote before; an empty one takes it away.
void ShowStatus(absl::string_view line);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_CONSOLE_H_

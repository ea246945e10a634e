// All output goes through Write(), which stores the first error, so that a full
// disk or a closed pipe is reported once, at the end. Text for a terminal is
// escaped before it reaches Write(), except for Firth's own styles.

#include "cli/console.h"

#include <sys/ioctl.h>
#include <unistd.h>
#include <utf8proc.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace firth::tools {
namespace {

std::string& TheProgramName() {
  static auto& name = *new std::string("firth");
  return name;
}

}  // namespace

void SetProgramName(const std::string& name) { TheProgramName() = name; }

const std::string& ProgramName() { return TheProgramName(); }

namespace {

bool ResultsGoToTerminal() {
  static const bool terminal = isatty(STDOUT_FILENO) != 0;
  return terminal;
}

// Styles, in the notation of ECMA-48 ("select graphic rendition").
constexpr absl::string_view kBoldOn = "\x1b[1m";
constexpr absl::string_view kDimOn = "\x1b[2m";
constexpr absl::string_view kRedOn = "\x1b[31m";
constexpr absl::string_view kStyleOff = "\x1b[0m";

bool IsSet(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != 0;
}

// Returns whether output to `fd` may have styles.
bool KnowsStyles(int fd) {
  return isatty(fd) != 0 && !IsSet("NO_COLOR") && IsSet("TERM") &&
         absl::string_view(std::getenv("TERM")) != "dumb";
}

bool ResultsHaveStyles() {
  static const bool styles = KnowsStyles(STDOUT_FILENO);
  return styles;
}

// Returns the style at the start of `text`, or "" if there is none.
absl::string_view StartingStyle(absl::string_view text) {
  for (const absl::string_view style : {kBoldOn, kDimOn, kStyleOff}) {
    if (absl::StartsWith(text, style)) return style;
  }
  return "";
}

bool IsObeyed(utf8proc_int32_t code_point) {
  const utf8proc_property_t& property = *utf8proc_get_property(code_point);
  switch (property.bidi_class) {
    case UTF8PROC_BIDI_CLASS_LRE:
    case UTF8PROC_BIDI_CLASS_LRO:
    case UTF8PROC_BIDI_CLASS_RLE:
    case UTF8PROC_BIDI_CLASS_RLO:
    case UTF8PROC_BIDI_CLASS_PDF:
    case UTF8PROC_BIDI_CLASS_LRI:
    case UTF8PROC_BIDI_CLASS_RLI:
    case UTF8PROC_BIDI_CLASS_FSI:
    case UTF8PROC_BIDI_CLASS_PDI:
      return true;
    default:
      break;
  }
  return property.category == UTF8PROC_CATEGORY_ZL ||
         property.category == UTF8PROC_CATEGORY_ZP ||
         (property.category == UTF8PROC_CATEGORY_CC && code_point != '\n' &&
          code_point != '\t');
}

// Returns the errno of the first failed write of results; 0 means no error.
// Later writes may fail without setting errno.
int& FirstError() {
  static int error = 0;
  return error;
}

void Write(absl::string_view text, std::FILE* to) {
  const size_t written = std::fwrite(text.data(), 1, text.size(), to);
  if (written == text.size() || to != stdout || FirstError() != 0) return;
  FirstError() = errno;
}

void FlushOutput() {
  if (std::fflush(stdout) != 0 && FirstError() == 0) FirstError() = errno;
}

}  // namespace

std::string Visible(absl::string_view text) {
  std::string visible;
  while (!text.empty()) {
    const auto* const bytes =
        reinterpret_cast<const utf8proc_uint8_t*>(text.data());
    utf8proc_int32_t code_point;
    const utf8proc_ssize_t length = utf8proc_iterate(
        bytes, static_cast<utf8proc_ssize_t>(text.size()), &code_point);
    const size_t size = length > 0 ? static_cast<size_t>(length) : 1;
    if (length <= 0 || (IsObeyed(code_point) && code_point < 0x80)) {
      absl::StrAppendFormat(&visible, "\\x%02x", *bytes);
    } else if (IsObeyed(code_point)) {
      absl::StrAppendFormat(&visible, "\\u%04x", code_point);
    } else {
      absl::StrAppend(&visible, text.substr(0, size));
    }
    text.remove_prefix(size);
  }
  return visible;
}

std::string AsPrinted(std::string text) {
  if (ResultsGoToTerminal()) return Visible(text);
  return text;
}

void Print(absl::string_view text) {
  if (ResultsGoToTerminal()) {
    Write(Visible(text), stdout);
  } else {
    Write(text, stdout);
  }
}

std::string Styled(Style style, absl::string_view text) {
  std::string printed = AsPrinted(std::string(text));
  if (!ResultsHaveStyles()) return printed;
  return absl::StrCat(style == Style::kBold ? kBoldOn : kDimOn, printed,
                      kStyleOff);
}

void PrintStyled(absl::string_view text) {
  while (ResultsHaveStyles() && !text.empty()) {
    const absl::string_view style = StartingStyle(text);
    Write(style, stdout);
    text.remove_prefix(style.size());
    const size_t plain = text.find('\x1b', style.empty() ? 1 : 0);
    Print(text.substr(0, plain));
    text.remove_prefix(std::min(plain, text.size()));
  }
  Print(text);
}

size_t TerminalColumns(int fd) {
  constexpr size_t kDefaultColumns = 80;
  winsize size{};
  const bool known = ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kDefaultColumns;
}

absl::Status FlushResults() {
  FlushOutput();
  const int error = FirstError();
  if (error == 0) return absl::OkStatus();
  if (error == EPIPE)
    return absl::AbortedError(
        "the reader of the results has closed standard output");
  return absl::ResourceExhaustedError(
      absl::StrCat("cannot write the results to standard output: ",
                   std::generic_category().message(error)));
}

namespace {

// Keeps line ends that precede Firth's own indentation, and escapes others. A
// line end in a name must not start a line that looks like a message.
std::string MessageLines(absl::string_view message) {
  constexpr absl::string_view kOurs = "\n       ";
  std::string lines;
  for (size_t i = 0; i < message.size(); ++i) {
    const bool others =
        message[i] == '\n' && !absl::StartsWith(message.substr(i), kOurs);
    absl::StrAppend(&lines, others ? "\\n" : message.substr(i, 1));
  }
  return lines + "\n";
}

}  // namespace

void PrintMessage(absl::string_view message) {
  PrintNote(absl::StrCat("firth: ", MessageLines(message)));
}

void PrintError(absl::string_view message) {
  if (!KnowsStyles(STDERR_FILENO)) return PrintMessage(message);
  FlushOutput();
  Write(absl::StrCat(kRedOn, "firth:", kStyleOff, " ",
                     Visible(MessageLines(message))),
        stderr);
}

void PrintNote(absl::string_view text) {
  FlushOutput();  // Keeps the order of both streams on a terminal.
  Write(Visible(text), stderr);
}

void ShowStatus(absl::string_view line) {
  FlushOutput();
  Write(absl::StrCat("\r", Visible(line), "\x1b[K"), stderr);
}

}  // namespace firth::tools

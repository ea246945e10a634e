#include "cli/console.h"

#include <unistd.h>
#include <utf8proc.h>

#include <cerrno>
#include <cstdio>
#include <string>
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

// The errno with which writing results failed first: what is written after that
// may fail without a reason. 0: all went well.
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

absl::Status FlushResults() {
  FlushOutput();
  const int error = FirstError();
  if (error == 0) return absl::OkStatus();
  if (error == EPIPE) return absl::AbortedError("nobody reads the results");
  return absl::ResourceExhaustedError(
      absl::StrCat("cannot write the results to standard output: ",
                   std::generic_category().message(error)));
}

// A line end stays where an indented line of ours goes on: one in a name must
// not begin a line that looks like a message.
void PrintMessage(absl::string_view message) {
  constexpr absl::string_view kOurs = "\n       ";
  std::string lines;
  for (size_t i = 0; i < message.size(); ++i) {
    const bool others =
        message[i] == '\n' && !absl::StartsWith(message.substr(i), kOurs);
    absl::StrAppend(&lines, others ? "\\n" : message.substr(i, 1));
  }
  PrintNote(absl::StrCat("firth: ", lines, "\n"));
}

void PrintNote(absl::string_view text) {
  FlushOutput();  // the two must not overtake each other on a terminal
  Write(Visible(text), stderr);
}

void ShowStatus(absl::string_view line) {
  FlushOutput();
  Write(absl::StrCat("\r", Visible(line), "\x1b[K"), stderr);
}

}  // namespace firth::tools

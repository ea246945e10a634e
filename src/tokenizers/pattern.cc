// ICU matches UTF-16. The text is converted first, together with the position
// in bytes of each unit, which is several times faster than ICU's own access to
// UTF-8.

#include "tokenizers/pattern.h"

#include <unicode/uregex.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/icu.h"
#include "base/matrix.h"
#include "base/quote.h"
#include "base/spares.h"
#include "base/spelling.h"
#include "base/unicode.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

class Literal : public TextPattern {
 public:
  explicit Literal(absl::string_view literal) : literal_(literal) {}

  absl::Status FindAll(absl::string_view text,
                       std::vector<TextRange>* matches) const override {
    matches->clear();
    for (size_t at = text.find(literal_); at < text.size();
         at = text.find(literal_, at)) {
      matches->push_back({at, at + literal_.size()});
      // The empty text matches before each character.
      at += literal_.empty() ? DecodeUtf8(text.substr(at)).bytes
                             : literal_.size();
    }
    if (literal_.empty()) matches->push_back({text.size(), text.size()});
    return absl::OkStatus();
  }

 private:
  std::string literal_;
};

struct IcuRegexFunctions {
  decltype(&uregex_open) open;
  decltype(&uregex_clone) clone;
  decltype(&uregex_close) close;
  decltype(&uregex_setText) set_text;
  decltype(&uregex_setTimeLimit) set_time_limit;
  decltype(&uregex_setStackLimit) set_stack_limit;
  decltype(&uregex_findNext) find_next;
  decltype(&uregex_start) start;
  decltype(&uregex_end) end;
};

absl::StatusOr<IcuRegexFunctions> LoadIcuRegex() {
  FIRTH_ASSIGN_OR_RETURN(void* const library, LoadIcuLibrary("i18n"));
  IcuRegexFunctions icu{};
  if (FindInIcu(library, "uregex_open", &icu.open) &&
      FindInIcu(library, "uregex_clone", &icu.clone) &&
      FindInIcu(library, "uregex_close", &icu.close) &&
      FindInIcu(library, "uregex_setText", &icu.set_text) &&
      FindInIcu(library, "uregex_setTimeLimit", &icu.set_time_limit) &&
      FindInIcu(library, "uregex_setStackLimit", &icu.set_stack_limit) &&
      FindInIcu(library, "uregex_findNext", &icu.find_next) &&
      FindInIcu(library, "uregex_start", &icu.start) &&
      FindInIcu(library, "uregex_end", &icu.end)) {
    return icu;
  }
  return absl::FailedPreconditionError(dlerror());
}

const absl::StatusOr<IcuRegexFunctions>& IcuRegex() {
  static const auto& icu =
      *new absl::StatusOr<IcuRegexFunctions>(LoadIcuRegex());
  return icu;
}

// The limit of ICU's time, in units of 10,000 steps back: a hundred steps per
// byte. An expression of a tokenizer needs a few. The limit of a short text is
// small, because a text may have many short parts.
int32_t TimeLimitFor(size_t bytes) {
  return static_cast<int32_t>(
      std::min<size_t>(2 + bytes / 100, std::numeric_limits<int32_t>::max()));
}
constexpr int32_t kMostStackBytes = 1 << 26;
constexpr size_t kMostRegexText = size_t{1} << 30;

// A text in UTF-16.
struct Utf16Text {
  std::u16string units;
  // The position of each unit, and the length of the text, in bytes. Empty if
  // units are bytes.
  std::vector<size_t> positions;

  size_t PositionOf(int32_t unit) const {
    const auto i = static_cast<size_t>(unit);
    return positions.empty() ? i : positions[i];
  }

  void Set(absl::string_view text) {
    units.clear();
    positions.clear();
    if (IsAscii(text)) {
      units.assign(text.begin(), text.end());
      return;
    }
    for (size_t i = 0; i < text.size();) {
      const CodePoint point = DecodeUtf8(text.substr(i));
      positions.push_back(i);
      if (point.value < 0x10000) {
        units.push_back(static_cast<char16_t>(point.value));
      } else {
        positions.push_back(i);
        units.push_back(static_cast<char16_t>(0xD7C0 + (point.value >> 10)));
        units.push_back(static_cast<char16_t>(0xDC00 | (point.value & 0x3FF)));
      }
      i += point.bytes;
    }
    positions.push_back(text.size());
  }
};

// A compiled expression and its text, for one thread at a time.
class RegexMatcher {
 public:
  RegexMatcher(const IcuRegexFunctions& icu, URegularExpression* regex)
      : icu_(icu), regex_(regex) {}
  ~RegexMatcher() { icu_.close(regex_); }
  RegexMatcher(const RegexMatcher&) = delete;
  RegexMatcher& operator=(const RegexMatcher&) = delete;

  std::unique_ptr<RegexMatcher> Clone() const {
    UErrorCode error = U_ZERO_ERROR;
    URegularExpression* const copy = icu_.clone(regex_, &error);
    if (U_FAILURE(error)) ThrowNoMemory();
    return std::make_unique<RegexMatcher>(icu_, copy);
  }

  UErrorCode FindAll(absl::string_view text, std::vector<TextRange>* matches) {
    text_.Set(text);
    UErrorCode error = U_ZERO_ERROR;
    icu_.set_text(regex_, text_.units.data(),
                  static_cast<int32_t>(text_.units.size()), &error);
    icu_.set_time_limit(regex_, TimeLimitFor(text.size()), &error);
    icu_.set_stack_limit(regex_, kMostStackBytes, &error);
    while (icu_.find_next(regex_, &error)) {
      const TextRange match = {text_.PositionOf(icu_.start(regex_, 0, &error)),
                               text_.PositionOf(icu_.end(regex_, 0, &error))};
      const bool follows_another = match.begin == match.end &&
                                   !matches->empty() &&
                                   matches->back().end == match.begin;
      if (!follows_another) matches->push_back(match);
    }
    return error;
  }

 private:
  const IcuRegexFunctions& icu_;
  URegularExpression* regex_;
  Utf16Text text_;
};

class RegularExpression : public TextPattern {
 public:
  RegularExpression(absl::string_view expression,
                    std::unique_ptr<RegexMatcher> first)
      : expression_(expression), first_(std::move(first)) {}

  absl::Status FindAll(absl::string_view text,
                       std::vector<TextRange>* matches) const override {
    matches->clear();
    UErrorCode error = U_REGEX_STACK_OVERFLOW;
    if (text.size() <= kMostRegexText) {
      const auto matcher = spares_.Borrow([this] { return first_->Clone(); });
      error = matcher->FindAll(text, matches);
    }
    if (U_SUCCESS(error)) return absl::OkStatus();
    if (error == U_MEMORY_ALLOCATION_ERROR) ThrowNoMemory();
    return absl::InvalidArgumentError(absl::StrCat(
        "the regular expression ", Quote(expression_), " takes too much ",
        error == U_REGEX_TIME_OUT ? "time" : "memory", " for a text of ",
        text.size(), " bytes"));
  }

 private:
  std::string expression_;
  std::unique_ptr<RegexMatcher> first_;  // Only its clones match.
  mutable Spares<RegexMatcher> spares_;
};

// Returns a part of the expression that Oniguruma and ICU read differently, or
// "": \h, which is a hexadecimal digit or horizontal space, and the flag m,
// which concerns the dot or the ends of lines.
absl::string_view FindDifferentPart(absl::string_view expression) {
  for (size_t i = 0; i + 1 < expression.size(); ++i) {
    const absl::string_view rest = expression.substr(i);
    if (rest[0] == '\\') {
      if (rest[1] == 'h' || rest[1] == 'H') return rest.substr(0, 2);
      ++i;  // The character after it has no other meaning.
    } else if (absl::StartsWith(rest, "(?")) {
      size_t end = 2;
      while (end < rest.size() &&
             (absl::ascii_isalpha(static_cast<unsigned char>(rest[end])) ||
              rest[end] == '-')) {
        ++end;
      }
      const absl::string_view flags = rest.substr(0, end);
      if (flags.find('m') != flags.npos) return flags;
    }
  }
  return "";
}

}  // namespace

std::unique_ptr<TextPattern> LiteralPattern(absl::string_view literal) {
  return std::make_unique<Literal>(literal);
}

absl::StatusOr<std::unique_ptr<TextPattern>> RegexPattern(
    absl::string_view expression) {
  const auto refused = [&](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected a regular expression ", what, ", found ", Quote(expression)));
  };
  const absl::string_view different = FindDifferentPart(expression);
  if (!different.empty()) {
    return refused(absl::StrCat("without ", different));
  }
  const absl::StatusOr<IcuRegexFunctions>& icu = IcuRegex();
  if (!icu.ok()) return icu.status();
  Utf16Text text;
  text.Set(expression);
  UParseError place;
  UErrorCode error = U_ZERO_ERROR;
  // Oniguruma's ^ and $ match at the ends of lines, which end with \n.
  URegularExpression* const regex =
      icu->open(text.units.data(), static_cast<int32_t>(text.units.size()),
                UREGEX_MULTILINE | UREGEX_UNIX_LINES, &place, &error);
  if (error == U_MEMORY_ALLOCATION_ERROR) ThrowNoMemory();
  if (U_FAILURE(error)) {
    return refused(absl::StrCat("that ICU reads (it stops after character ",
                                place.offset, ")"));
  }
  return std::make_unique<RegularExpression>(
      expression, std::make_unique<RegexMatcher>(*icu, regex));
}

}  // namespace firth

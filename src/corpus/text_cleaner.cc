// Most text is valid and needs no change. Eight bytes at a time are checked to
// find the first place that does, and only the text from there on is copied.
// Text that consists of separate words (sentences in memory) is cleaned word by
// word, since words may change their lengths.

#include "corpus/text_cleaner.h"

#include <unicode/ubrk.h>
#include <unicode/utext.h>

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "base/check.h"
#include "base/icu.h"
#include "base/matrix.h"
#include "base/unicode.h"
#include "corpus/word_key.h"

namespace firth {
namespace {

constexpr uint64_t kHighBits = 0x8080808080808080u;

bool IsContinuation(char byte) { return (byte & 0xC0) == 0x80; }

// Returns the first invalid part of `text` at or after `from`, or npos. ASCII
// is processed eight bytes at a time, and frequent short sequences without a
// call. `text` must be followed by kTextPadding bytes that are not continuation
// bytes.
size_t NextInvalid(absl::string_view text, size_t from) {
  for (size_t i = from; i < text.size();) {
    if ((LoadWord64(text.data() + i) & kHighBits) == 0) {
      i += 8;
      continue;
    }
    const auto byte = static_cast<unsigned char>(text.data()[i]);
    const char* next = text.data() + i + 1;
    if (byte < 0x80) {
      ++i;
    } else if (byte >= 0xC2 && byte <= 0xDF && IsContinuation(next[0])) {
      i += 2;
    } else if (byte > 0xE0 && byte < 0xED && IsContinuation(next[0]) &&
               IsContinuation(next[1])) {
      i += 3;
    } else {
      const CodePoint point = DecodeUtf8(text.substr(i));
      if (point.value < 0) return i;
      i += point.bytes;
    }
  }
  return absl::string_view::npos;
}

uint64_t CountInvalid(absl::string_view text, size_t first) {
  uint64_t invalid = 0;
  for (size_t i = first; i != absl::string_view::npos;) {
    ++invalid;
    i = NextInvalid(text, i + DecodeUtf8(text.substr(i)).bytes);
  }
  return invalid;
}

absl::Status InvalidByte(absl::string_view place, char byte,
                         absl::string_view where) {
  return absl::InvalidArgumentError(
      absl::StrCat(place, ": expected valid UTF-8, found 0x",
                   absl::StrFormat("%02X", static_cast<unsigned char>(byte)),
                   " at byte ", where));
}

absl::Status InvalidInText(const TextBlock& block, size_t place) {
  const absl::string_view before = block.text().substr(0, place);
  const auto newlines =
      static_cast<uint64_t>(std::count(before.begin(), before.end(), '\n'));
  const size_t line_begin = newlines == 0 ? 0 : before.rfind('\n') + 1;
  const uint64_t offset =
      place - line_begin + (newlines == 0 ? block.line_offset : 0);
  return InvalidByte(
      absl::StrCat(*block.file, ":", block.first_line + newlines),
      block.bytes[place], absl::StrCat(offset + 1, " of the line"));
}

absl::Status InvalidInWords(const TextBlock& block, size_t place) {
  uint64_t sentence = block.first_line;
  uint64_t word = block.line_offset + 1;
  size_t begin = 0;
  for (const uint32_t end : block.word_ends) {
    if (place < end) break;
    const bool ends_sentence = end == begin;
    sentence += ends_sentence;
    word = ends_sentence ? 1 : word + 1;
    begin = end + 1;
  }
  return InvalidByte(absl::StrCat(*block.file, ":", sentence),
                     block.bytes[place],
                     absl::StrCat(place - begin + 1, " of word ", word));
}

void Replace(const std::string& text, TextBlock* block) {
  block->Reserve(text.size());
  const auto end = std::copy(text.begin(), text.end(), block->bytes.begin());
  std::fill_n(end, kTextPadding, '\0');
  block->size = text.size();
}

void FoldAscii(TextBlock* block) {
  for (size_t i = 0; i < block->size; ++i) {
    char& byte = block->bytes[i];
    byte = static_cast<char>(byte + (byte >= 'A' && byte <= 'Z' ? 32 : 0));
  }
}

std::string Cleaned(absl::string_view text, bool replace,
                    const Spelling& spelling) {
  std::string replaced;
  if (replace) AppendReplacingInvalid(text, &replaced);
  std::string cleaned;
  cleaned.reserve(text.size());
  AppendSpelled(replace ? replaced : text, spelling, &cleaned);
  return cleaned;
}

// Words may change their lengths, and then later words change their positions.
std::string CleanWords(bool replace, const Spelling& spelling,
                       TextBlock* block) {
  std::string cleaned;
  size_t begin = 0;
  for (uint32_t& end : block->word_ends) {
    cleaned +=
        Cleaned(block->text().substr(begin, end - begin), replace, spelling);
    begin = end + 1;
    end = static_cast<uint32_t>(cleaned.size());
    cleaned += '\n';
  }
  return cleaned;
}

// Separates punctuation and keeps the white space unchanged.
std::string PartedText(absl::string_view text) {
  std::string parted;
  parted.reserve(text.size() + text.size() / 4);
  while (!text.empty()) {
    const absl::string_view word = text.substr(0, FindWhiteSpace(text));
    AppendParted(word, &parted);
    text.remove_prefix(word.size());
    const size_t space = WhiteSpaceBytes(text);
    absl::StrAppend(&parted, text.substr(0, space));
    text.remove_prefix(space);
  }
  return parted;
}

// Replaces each word by its parts. White space inside a word also separates
// parts. Empty words, which end sentences, are kept.
std::string PartedWords(TextBlock* block) {
  std::string parted, parts;
  std::vector<uint32_t> ends;
  const auto add = [&](absl::string_view word) {
    absl::StrAppend(&parted, word);
    ends.push_back(static_cast<uint32_t>(parted.size()));
    parted += '\n';
  };
  size_t begin = 0;
  for (const uint32_t end : block->word_ends) {
    const absl::string_view word = block->text().substr(begin, end - begin);
    begin = end + 1;
    SplitPunctuation(word, &parts);
    if (parts.empty()) {
      add(word);
    } else {
      for (const absl::string_view part : absl::StrSplit(parts, ' ')) add(part);
    }
  }
  block->word_ends = std::move(ends);
  return parted;
}

struct IcuFunctions {
  decltype(&ubrk_open) open;
  decltype(&ubrk_close) close;
  decltype(&ubrk_setUText) set_text;
  decltype(&ubrk_next) next;
  decltype(&utext_openUTF8) open_text;
  decltype(&utext_close) close_text;
};

struct LoadedIcu {
  absl::Status status;
  IcuFunctions functions;
};

LoadedIcu LoadIcu() {
  LoadedIcu icu{};
  const absl::StatusOr<void*> library = LoadIcuLibrary("uc");
  if (!library.ok()) {
    icu.status = absl::FailedPreconditionError(
        absl::StrCat("split-punctuation: ", library.status().message()));
    return icu;
  }
  IcuFunctions& functions = icu.functions;
  if (!FindInIcu(*library, "ubrk_open", &functions.open) ||
      !FindInIcu(*library, "ubrk_close", &functions.close) ||
      !FindInIcu(*library, "ubrk_setUText", &functions.set_text) ||
      !FindInIcu(*library, "ubrk_next", &functions.next) ||
      !FindInIcu(*library, "utext_openUTF8", &functions.open_text) ||
      !FindInIcu(*library, "utext_close", &functions.close_text)) {
    icu.status = absl::FailedPreconditionError(
        absl::StrCat("split-punctuation: ", dlerror()));
  }
  return icu;
}

const LoadedIcu& Icu() {
  static const LoadedIcu& icu = *new LoadedIcu(LoadIcu());
  return icu;
}

// Throws std::bad_alloc if ICU has no memory; it has no other reason to fail.
void CheckSuccess(UErrorCode error) {
  if (error == U_MEMORY_ALLOCATION_ERROR) ThrowNoMemory();
  FIRTH_CHECK(U_SUCCESS(error));
}

// A thread's iterator, which is used for one word after another.
class WordBoundaries {
 public:
  WordBoundaries() : icu_(Icu().functions) {
    FIRTH_CHECK(Icu().status.ok());
    UErrorCode error = U_ZERO_ERROR;
    iterator_ = icu_.open(UBRK_WORD, "", nullptr, 0, &error);
    CheckSuccess(error);
  }
  ~WordBoundaries() {
    icu_.close(iterator_);
    icu_.close_text(&text_);
  }
  WordBoundaries(const WordBoundaries&) = delete;
  WordBoundaries& operator=(const WordBoundaries&) = delete;

  template <class Visit>
  void ForEachPart(absl::string_view word, Visit visit) {
    UErrorCode error = U_ZERO_ERROR;
    icu_.open_text(&text_, word.data(), static_cast<int64_t>(word.size()),
                   &error);
    icu_.set_text(iterator_, &text_, &error);
    CheckSuccess(error);
    size_t begin = 0;
    for (int32_t end; (end = icu_.next(iterator_)) != UBRK_DONE;) {
      const auto part_end = static_cast<size_t>(end);
      visit(word.substr(begin, part_end - begin));
      begin = part_end;
    }
  }

 private:
  const IcuFunctions& icu_;
  UBreakIterator* iterator_ = nullptr;
  UText text_ = UTEXT_INITIALIZER;
};

// Returns whether there are only ASCII letters and digits, between which there
// is no boundary.
bool IsPlain(absl::string_view word) {
  for (const char c : word) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c))) return false;
  }
  return true;
}

}  // namespace

void PartPunctuation(TextBlock* block) {
  Replace(
      block->word_ends.empty() ? PartedText(block->text()) : PartedWords(block),
      block);
}

absl::Status CleanText(Utf8Policy policy, const Spelling& spelling,
                       TextBlock* block, uint64_t* invalid) {
  *invalid = 0;
  const bool ascii = IsAscii(block->text());
  const size_t first =
      ascii ? absl::string_view::npos : NextInvalid(block->text(), 0);
  const bool valid = first == absl::string_view::npos;
  const bool in_words = !block->word_ends.empty();
  if (!valid && policy == Utf8Policy::kError) {
    return in_words ? InvalidInWords(*block, first)
                    : InvalidInText(*block, first);
  }
  if (!valid) *invalid = CountInvalid(block->text(), first);
  block->DropFromStart(std::exchange(block->rest_of_word, 0));
  const bool replace = !valid && policy == Utf8Policy::kReplace;
  if (ascii && spelling.lowercase) FoldAscii(block);
  const bool respells =
      spelling.lowercase || spelling.normalize != Normalization::kNone;
  if (ascii || !(replace || respells)) return absl::OkStatus();
  Replace(in_words ? CleanWords(replace, spelling, block)
                   : Cleaned(block->text(), replace, spelling),
          block);
  return absl::OkStatus();
}

absl::Status LoadWordBoundaries() { return Icu().status; }

void AppendParted(absl::string_view word, std::string* out) {
  if (IsPlain(word)) {
    absl::StrAppend(out, word);
    return;
  }
  thread_local WordBoundaries boundaries;
  bool first = true;
  boundaries.ForEachPart(word, [&](absl::string_view part) {
    absl::StrAppend(out, first ? "" : " ", part);
    first = false;
  });
}

void SplitPunctuation(absl::string_view text, std::string* out) {
  out->clear();
  while (!text.empty()) {
    const size_t size = FindWhiteSpace(text);
    if (size > 0) {
      if (!out->empty()) out->push_back(' ');
      AppendParted(text.substr(0, size), out);
      text.remove_prefix(size);
    }
    text.remove_prefix(WhiteSpaceBytes(text));
  }
}

}  // namespace firth

// ICU is loaded on first use, because its libraries with 30 MB of data would
// slow down every start of the program. Its names end in the version of the
// headers.

#include "corpus/punctuation.h"

#include <dlfcn.h>
#include <unicode/ubrk.h>
#include <unicode/utext.h>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/unicode.h"

namespace firth {
namespace {

constexpr char kIcuFile[] = "libicuuc.so." U_ICU_VERSION_SHORT;

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

template <class Function>
bool FindInIcu(void* library, const std::string& name, Function* function) {
  *function = reinterpret_cast<Function>(
      dlsym(library, (name + "_" U_ICU_VERSION_SHORT).c_str()));
  return *function != nullptr;
}

LoadedIcu LoadIcu() {
  LoadedIcu icu{};
  void* const library = dlopen(kIcuFile, RTLD_NOW | RTLD_LOCAL);
  IcuFunctions& functions = icu.functions;
  if (library == nullptr || !FindInIcu(library, "ubrk_open", &functions.open) ||
      !FindInIcu(library, "ubrk_close", &functions.close) ||
      !FindInIcu(library, "ubrk_setUText", &functions.set_text) ||
      !FindInIcu(library, "ubrk_next", &functions.next) ||
      !FindInIcu(library, "utext_openUTF8", &functions.open_text) ||
      !FindInIcu(library, "utext_close", &functions.close_text)) {
    icu.status = absl::FailedPreconditionError(
        absl::StrCat("split-punctuation needs the library ", kIcuFile,
                     " (Debian package libicu" U_ICU_VERSION_SHORT
                     "), which cannot be loaded: ",
                     dlerror()));
  }
  return icu;
}

const LoadedIcu& Icu() {
  static const LoadedIcu& icu = *new LoadedIcu(LoadIcu());
  return icu;
}

// A thread's iterator, which is used for one word after another.
class WordBoundaries {
 public:
  WordBoundaries() : icu_(Icu().functions) {
    FIRTH_CHECK(Icu().status.ok());
    UErrorCode error = U_ZERO_ERROR;
    iterator_ = icu_.open(UBRK_WORD, "", nullptr, 0, &error);
    FIRTH_CHECK(U_SUCCESS(error));
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
    FIRTH_CHECK(U_SUCCESS(error));
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

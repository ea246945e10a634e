// All steps leave ASCII text alone, or change it byte by byte, because most
// texts are ASCII and the tables of Unicode take most of the time.

#include "tokenizers/normalizers.h"

#include <utf8proc.h>

#include <array>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/spelling.h"
#include "base/unicode.h"
#include "firth/status_macros.h"
#include "tokenizers/charsmap.h"
#include "vocab/byte_pairs.h"
#include "vocab/piece_cutter.h"

namespace firth {
namespace {

constexpr size_t kMostGrowth = 64;
constexpr size_t kMostAdded = size_t{1} << 16;

absl::Status TooLong() {
  return absl::InvalidArgumentError(
      absl::StrCat("the tokenizer's normalizer makes the text more than ",
                   kMostGrowth, " times as long"));
}

// Replaces the text by text.room. The first character of the new text is that
// of the old one unless it was removed.
absl::Status TakeRoom(bool removes_first, ChangedText* text) {
  if (removes_first) text->starts_text = false;
  text->text.swap(text->room);
  return text->text.size() <= text->most_bytes ? absl::OkStatus() : TooLong();
}

// Calls append(point, room) for each character.
template <class Append>
absl::Status ChangeCharacters(ChangedText* text, const Append& append) {
  text->room.clear();
  bool removes_first = false;
  const absl::string_view old = text->text;
  for (size_t i = 0; i < old.size();) {
    const CodePoint point = DecodeUtf8(old.substr(i));
    append(point.value, &text->room);
    removes_first |= i == 0 && text->room.empty();
    i += point.bytes;
  }
  return TakeRoom(removes_first, text);
}

template <Normalization form>
absl::Status Compose(ChangedText* text) {
  if (IsAscii(text->text)) return absl::OkStatus();
  text->room.clear();
  AppendNormalized(text->text, form, &text->room);
  return TakeRoom(false, text);
}

template <bool compatibly>
absl::Status DecomposeText(ChangedText* text) {
  if (IsAscii(text->text)) return absl::OkStatus();
  text->room.clear();
  for (const int32_t point : Decompose(text->text, compatibly)) {
    AppendUtf8(point, &text->room);
  }
  return TakeRoom(false, text);
}

// U+0130 is the only character whose lower case has two.
void AppendLowercaseLikeRust(int32_t point, std::string* to) {
  if (point == 0x130) {
    absl::StrAppend(to, "i\u0307");
  } else {
    AppendUtf8(LowercaseCodePoint(point), to);
  }
}

absl::Status LowercaseText(ChangedText* text) {
  if (IsAscii(text->text)) {
    absl::AsciiStrToLower(&text->text);
    return absl::OkStatus();
  }
  return ChangeCharacters(text, AppendLowercaseLikeRust);
}

// Returns whether BERT surrounds the character with spaces. The tokenizers
// library begins CJK extension E at U+2B920, where Unicode has U+2B820.
bool IsIdeographOfBert(int32_t point) {
  return IsIdeograph(point) && !(point >= 0x2B820 && point < 0x2B920);
}

bool IsWhiteSpacePoint(int32_t point) {
  std::string utf8;
  AppendUtf8(point, &utf8);
  return WhiteSpaceBytes(utf8) > 0;
}

// Unlike BERT's, tokenizers keeps unassigned characters.
bool IsControlOfBert(int32_t point) {
  return point != '\t' && point != '\n' && point != '\r' &&
         IsControlOrUnassigned(point) &&
         utf8proc_category(point) != UTF8PROC_CATEGORY_CN;
}

struct BertOptions {
  bool clean;
  bool part_ideographs;
  bool strip_accents;
  bool lowercase;
};

class BertStep : public TextStep {
 public:
  explicit BertStep(const BertOptions& options) : options_(options) {
    for (int byte = 0; byte < 0x80; ++byte) {
      const auto original = static_cast<unsigned char>(byte);
      char& changed = ascii_[static_cast<size_t>(byte)];
      changed = options.lowercase ? absl::ascii_tolower(original)
                                  : static_cast<char>(original);
      if (options.clean && byte < ' ') changed = 0;
      if (options.clean && byte == 0x7F) changed = 0;
      if (options.clean && (byte == '\t' || byte == '\n' || byte == '\r')) {
        changed = ' ';
      }
    }
  }

  absl::Status Change(ChangedText* text) const override {
    if (IsAscii(text->text)) return ChangeAscii(text);
    if (options_.clean) FIRTH_RETURN_IF_ERROR(Clean(text));
    if (options_.part_ideographs) FIRTH_RETURN_IF_ERROR(PartIdeographs(text));
    if (options_.strip_accents) {
      FIRTH_RETURN_IF_ERROR(DecomposeText<false>(text));
      FIRTH_RETURN_IF_ERROR(
          ChangeCharacters(text, [](int32_t point, std::string* to) {
            if (!IsNonspacingMark(point)) AppendUtf8(point, to);
          }));
    }
    return options_.lowercase ? LowercaseText(text) : absl::OkStatus();
  }

 private:
  absl::Status ChangeAscii(ChangedText* text) const {
    if (options_.clean && !text->text.empty() &&
        ascii_[static_cast<unsigned char>(text->text[0])] == 0) {
      text->starts_text = false;
    }
    char* to = text->text.data();
    for (const char byte : text->text) {
      *to = ascii_[static_cast<unsigned char>(byte)];
      to += !options_.clean || *to != 0;
    }
    text->text.resize(static_cast<size_t>(to - text->text.data()));
    return absl::OkStatus();
  }

  static absl::Status Clean(ChangedText* text) {
    return ChangeCharacters(text, [](int32_t point, std::string* to) {
      if (point == 0 || point == 0xFFFD || IsControlOfBert(point)) return;
      AppendUtf8(IsWhiteSpacePoint(point) ? ' ' : point, to);
    });
  }

  static absl::Status PartIdeographs(ChangedText* text) {
    return ChangeCharacters(text, [](int32_t point, std::string* to) {
      const bool is_ideograph = IsIdeographOfBert(point);
      if (is_ideograph) to->push_back(' ');
      AppendUtf8(point, to);
      if (is_ideograph) to->push_back(' ');
    });
  }

  BertOptions options_;
  std::array<char, 128> ascii_;  // 0 for removed characters.
};

// A step without options.
class SimpleStep : public TextStep {
 public:
  using Function = absl::Status (*)(ChangedText*);
  explicit SimpleStep(Function function) : function_(function) {}
  absl::Status Change(ChangedText* text) const override {
    return function_(text);
  }

 private:
  Function function_;
};

absl::Status RemoveMarks(ChangedText* text) {
  if (IsAscii(text->text)) return absl::OkStatus();
  return ChangeCharacters(text, [](int32_t point, std::string* to) {
    if (!IsMark(point)) AppendUtf8(point, to);
  });
}

// The rules of SentencePiece for machine translation.
absl::Status ChangeForTranslation(ChangedText* text) {
  return ChangeCharacters(text, [](int32_t point, std::string* to) {
    const bool removed = (point >= 0x01 && point <= 0x08) || point == 0x0B ||
                         (point >= 0x0E && point <= 0x1F) || point == 0x7F ||
                         point == 0x8F || point == 0x9F;
    const bool is_space = point == '\t' || point == '\n' || point == '\f' ||
                          point == '\r' || point == 0x1680 ||
                          (point >= 0x200B && point <= 0x200F) ||
                          point == 0x2028 || point == 0x2029 ||
                          point == 0x2581 || point == 0xFEFF || point == 0xFFFD;
    if (!removed) AppendUtf8(is_space ? ' ' : point, to);
  });
}

absl::Status SpellBytes(ChangedText* text) {
  text->room.clear();
  AppendSpelledBytes(text->text, &text->room);
  return TakeRoom(false, text);
}

class StripStep : public TextStep {
 public:
  StripStep(bool left, bool right) : left_(left), right_(right) {}

  absl::Status Change(ChangedText* text) const override {
    absl::string_view kept = text->text;
    while (left_ && WhiteSpaceBytes(kept) > 0) {
      kept.remove_prefix(WhiteSpaceBytes(kept));
      text->starts_text = false;
    }
    size_t end = right_ ? 0 : kept.size();
    for (size_t i = 0; right_ && i < kept.size();) {
      const size_t space = WhiteSpaceBytes(kept.substr(i));
      i += space > 0 ? space : DecodeUtf8(kept.substr(i)).bytes;
      if (space == 0) end = i;
    }
    kept = kept.substr(0, end);
    text->room.assign(kept.data(), kept.size());
    return TakeRoom(false, text);
  }

 private:
  bool left_;
  bool right_;
};

class ReplaceStep : public TextStep {
 public:
  ReplaceStep(std::unique_ptr<TextPattern> pattern, std::string by)
      : pattern_(std::move(pattern)), by_(std::move(by)) {}

  absl::Status Change(ChangedText* text) const override {
    FIRTH_RETURN_IF_ERROR(pattern_->FindAll(text->text, &text->matches));
    if (text->matches.empty()) return absl::OkStatus();
    text->room.clear();
    size_t end = 0;
    const absl::string_view old = text->text;
    for (const TextRange& match : text->matches) {
      absl::StrAppend(&text->room, old.substr(end, match.begin - end), by_);
      if (text->room.size() > text->most_bytes) return TooLong();
      end = match.end;
    }
    absl::StrAppend(&text->room, old.substr(end));
    // A replacement comes from the last character that it replaces.
    const TextRange& first = text->matches.front();
    const size_t kept = by_.empty() ? 0 : DecodeUtf8(old).bytes;
    return TakeRoom(first.begin == 0 && first.end > kept, text);
  }

 private:
  std::unique_ptr<TextPattern> pattern_;
  std::string by_;
};

class PrependStep : public TextStep {
 public:
  explicit PrependStep(std::string start) : start_(std::move(start)) {}

  absl::Status Change(ChangedText* text) const override {
    if (text->text.empty()) return absl::OkStatus();
    text->room = absl::StrCat(start_, text->text);
    return TakeRoom(false, text);
  }

 private:
  std::string start_;
};

class CharsmapStep : public TextStep {
 public:
  explicit CharsmapStep(Charsmap map) : map_(std::move(map)) {}

  absl::Status Change(ChangedText* text) const override {
    text->room.clear();
    map_.AppendReplaced(text->text, &text->room);
    return TakeRoom(false, text);
  }

 private:
  Charsmap map_;
};

absl::Status AddBert(const JsonOptions& options, TextSteps* steps) {
  FIRTH_RETURN_IF_ERROR(options.CheckNames(
      {"clean_text", "handle_chinese_chars", "strip_accents", "lowercase"}));
  BertOptions bert{};
  FIRTH_ASSIGN_OR_RETURN(bert.clean, options.Flag("clean_text", true));
  FIRTH_ASSIGN_OR_RETURN(bert.part_ideographs,
                         options.Flag("handle_chinese_chars", true));
  FIRTH_ASSIGN_OR_RETURN(bert.lowercase, options.Flag("lowercase", true));
  FIRTH_ASSIGN_OR_RETURN(bert.strip_accents,
                         options.Flag("strip_accents", bert.lowercase));
  steps->push_back(std::make_unique<BertStep>(bert));
  return absl::OkStatus();
}

absl::Status AddStrip(const JsonOptions& options, TextSteps* steps) {
  FIRTH_RETURN_IF_ERROR(options.CheckNames({"strip_left", "strip_right"}));
  FIRTH_ASSIGN_OR_RETURN(const bool left, options.Flag("strip_left", true));
  FIRTH_ASSIGN_OR_RETURN(const bool right, options.Flag("strip_right", true));
  steps->push_back(std::make_unique<StripStep>(left, right));
  return absl::OkStatus();
}

absl::Status AddReplace(const JsonOptions& options, TextSteps* steps) {
  FIRTH_RETURN_IF_ERROR(options.CheckNames({"pattern", "content"}));
  FIRTH_ASSIGN_OR_RETURN(auto pattern, PatternOf(options));
  FIRTH_ASSIGN_OR_RETURN(std::string by, options.Text("content"));
  steps->push_back(
      std::make_unique<ReplaceStep>(std::move(pattern), std::move(by)));
  return absl::OkStatus();
}

absl::Status AddPrepend(const JsonOptions& options, TextSteps* steps) {
  FIRTH_RETURN_IF_ERROR(options.CheckNames({"prepend"}));
  FIRTH_ASSIGN_OR_RETURN(std::string start, options.Text("prepend"));
  steps->push_back(std::make_unique<PrependStep>(std::move(start)));
  return absl::OkStatus();
}

absl::Status AddPrecompiled(const JsonOptions& options, TextSteps* steps) {
  constexpr absl::string_view kName = "precompiled_charsmap";
  FIRTH_RETURN_IF_ERROR(options.CheckNames({kName}));
  FIRTH_ASSIGN_OR_RETURN(const std::string base64, options.Text(kName));
  absl::StatusOr<Charsmap> map = Charsmap::Read(base64);
  if (!map.ok()) return At(options.PathOf(kName), map.status());
  steps->push_back(std::make_unique<CharsmapStep>(*std::move(map)));
  return absl::OkStatus();
}

absl::Status AddSteps(const JsonOptions& options, TextSteps* steps) {
  FIRTH_RETURN_IF_ERROR(options.CheckNames({"normalizers"}));
  FIRTH_ASSIGN_OR_RETURN(const std::vector<JsonOptions> all,
                         options.Objects("normalizers"));
  for (const JsonOptions& one : all) {
    FIRTH_RETURN_IF_ERROR(AddTextSteps(one, steps));
  }
  return absl::OkStatus();
}

template <SimpleStep::Function function>
absl::Status AddSimple(const JsonOptions& options, TextSteps* steps) {
  FIRTH_RETURN_IF_ERROR(options.CheckNames({}));
  steps->push_back(std::make_unique<SimpleStep>(function));
  return absl::OkStatus();
}

constexpr absl::string_view kNormalizerTypes[] = {
    "Sequence",    "BertNormalizer", "Lowercase", "NFC",     "NFD",     "NFKC",
    "NFKD",        "StripAccents",   "Strip",     "Replace", "Prepend", "Nmt",
    "Precompiled", "ByteLevel"};
// Factories of the kinds, in the order of kNormalizerTypes.
constexpr absl::Status (*kAddNormalizer[])(const JsonOptions&, TextSteps*) = {
    AddSteps,
    AddBert,
    AddSimple<LowercaseText>,
    AddSimple<Compose<Normalization::kNfc>>,
    AddSimple<DecomposeText<false>>,
    AddSimple<Compose<Normalization::kNfkc>>,
    AddSimple<DecomposeText<true>>,
    AddSimple<RemoveMarks>,
    AddStrip,
    AddReplace,
    AddPrepend,
    AddSimple<ChangeForTranslation>,
    AddPrecompiled,
    AddSimple<SpellBytes>};

}  // namespace

void ChangedText::Set(absl::string_view original, bool at_start) {
  text.assign(original.data(), original.size());
  starts_text = at_start;
  most_bytes = kMostGrowth * original.size() + kMostAdded;
}

absl::Status AddTextSteps(const JsonOptions& normalizer, TextSteps* steps) {
  FIRTH_ASSIGN_OR_RETURN(const size_t type,
                         normalizer.Choice("type", kNormalizerTypes));
  return kAddNormalizer[type](normalizer, steps);
}

absl::Status ChangeText(const TextSteps& steps, ChangedText* text) {
  for (const auto& step : steps) {
    FIRTH_RETURN_IF_ERROR(step->Change(text));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<TextPattern>> PatternOf(
    const JsonOptions& options) {
  const Json* const found = options.Find("pattern");
  if (found == nullptr) {
    return options.Expected("pattern", "{\"String\": ...} or {\"Regex\": ...}");
  }
  const JsonOptions pattern(options.PathOf("pattern"), *found);
  FIRTH_RETURN_IF_ERROR(pattern.CheckNames({"String", "Regex"}));
  if (pattern.Find("Regex") == nullptr) {
    FIRTH_ASSIGN_OR_RETURN(const std::string literal, pattern.Text("String"));
    return LiteralPattern(literal);
  }
  FIRTH_ASSIGN_OR_RETURN(const std::string expression, pattern.Text("Regex"));
  absl::StatusOr<std::unique_ptr<TextPattern>> made = RegexPattern(expression);
  if (!made.ok()) return At(pattern.PathOf("Regex"), made.status());
  return made;
}

}  // namespace firth

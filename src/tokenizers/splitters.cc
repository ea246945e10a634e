// Most steps find matches in each part, such as white space or punctuation, and
// a behavior determines what becomes of them.

#include "tokenizers/splitters.h"

#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/unicode.h"
#include "firth/status_macros.h"
#include "tokenizers/normalizers.h"
#include "vocab/byte_pairs.h"
#include "vocab/piece_cutter.h"

namespace firth {
namespace {

using Piece = SplitText::Piece;

enum class Behavior {
  kRemoved,
  kIsolated,
  kMergedWithPrevious,
  kMergedWithNext,
  kContiguous
};
constexpr absl::string_view kBehaviors[] = {"Removed", "Isolated",
                                            "MergedWithPrevious",
                                            "MergedWithNext", "Contiguous"};

// Adds a part of `whole`, which is or was a part of the text.
void AddPart(const TextPart& whole, TextRange range, SplitText* text) {
  if (range.begin == range.end) return;
  text->next_parts.push_back({range.begin, range.end,
                              whole.starts_text && range.begin == whole.begin});
}

// Sets text->pieces to the matches in text->matches and what is between them,
// which together are the part [begin, end). Matches are relative to `begin`. If
// `inverted`, what is between them matches.
void SetPieces(size_t begin, size_t end, bool inverted, SplitText* text) {
  text->pieces.clear();
  size_t last = begin;
  for (const TextRange& match : text->matches) {
    const TextRange range = {begin + match.begin, begin + match.end};
    if (range.begin > last) {
      text->pieces.push_back({{last, range.begin}, inverted});
    }
    text->pieces.push_back({range, !inverted});
    last = range.end;
  }
  if (end > last) text->pieces.push_back({{last, end}, inverted});
}

// Joins each match with a neighbor: the piece before it, which is no match, or
// if `from_end`, the piece after it. The second of two adjacent matches in this
// direction stays alone.
void JoinMatches(bool from_end, std::vector<Piece>* pieces) {
  std::vector<Piece> joined;
  bool last_matches = false;
  for (size_t i = 0; i < pieces->size(); ++i) {
    const Piece& piece = (*pieces)[from_end ? pieces->size() - 1 - i : i];
    if (!piece.is_match || last_matches || joined.empty()) {
      joined.push_back(piece);
    } else if (from_end) {
      joined.back().range.begin = piece.range.begin;
    } else {
      joined.back().range.end = piece.range.end;
    }
    last_matches = piece.is_match;
  }
  if (from_end) {
    pieces->assign(joined.rbegin(), joined.rend());
  } else {
    pieces->swap(joined);
  }
}

void JoinRuns(std::vector<Piece>* pieces) {
  size_t kept = 0;
  for (size_t i = 0; i < pieces->size(); ++i) {
    const Piece piece = (*pieces)[i];
    if (kept > 0 && (*pieces)[kept - 1].is_match == piece.is_match) {
      (*pieces)[kept - 1].range.end = piece.range.end;
    } else {
      (*pieces)[kept++] = piece;
    }
  }
  pieces->resize(kept);
}

// Adds the parts into which text->pieces split `part`.
void AddParts(const TextPart& part, Behavior behavior, SplitText* text) {
  if (behavior == Behavior::kContiguous) JoinRuns(&text->pieces);
  if (behavior == Behavior::kMergedWithPrevious) {
    JoinMatches(/*from_end=*/false, &text->pieces);
  }
  if (behavior == Behavior::kMergedWithNext) {
    JoinMatches(/*from_end=*/true, &text->pieces);
  }
  for (const Piece& piece : text->pieces) {
    if (behavior == Behavior::kRemoved && piece.is_match) continue;
    AddPart(part, piece.range, text);
  }
}

// Splits at the matches of a pattern.
class PatternSplit : public SplitStep {
 public:
  PatternSplit(std::unique_ptr<TextPattern> pattern, Behavior behavior,
               bool inverted)
      : pattern_(std::move(pattern)),
        behavior_(behavior),
        inverted_(inverted) {}

  absl::Status Split(SplitText* text) const override {
    text->next_parts.clear();
    for (const TextPart& part : text->parts) {
      FIRTH_RETURN_IF_ERROR(pattern_->FindAll(text->Of(part), &text->matches));
      SetPieces(part.begin, part.end, inverted_, text);
      AddParts(part, behavior_, text);
    }
    text->parts.swap(text->next_parts);
    return absl::OkStatus();
  }

 private:
  std::unique_ptr<TextPattern> pattern_;
  Behavior behavior_;
  bool inverted_;
};

// Splits at characters for which Matches::Test() is true; each is a match.
template <class Matches>
class CharacterSplit : public SplitStep {
 public:
  CharacterSplit(Matches matches, Behavior behavior)
      : matches_(matches), behavior_(behavior) {}

  absl::Status Split(SplitText* text) const override {
    text->next_parts.clear();
    for (const TextPart& part : text->parts) {
      const absl::string_view whole = text->Of(part);
      text->matches.clear();
      for (size_t i = 0; i < whole.size();) {
        const size_t bytes = DecodeUtf8(whole.substr(i)).bytes;
        if (matches_.Test(whole.substr(i, bytes))) {
          text->matches.push_back({i, i + bytes});
        }
        i += bytes;
      }
      SetPieces(part.begin, part.end, /*inverted=*/false, text);
      AddParts(part, behavior_, text);
    }
    text->parts.swap(text->next_parts);
    return absl::OkStatus();
  }

 private:
  Matches matches_;
  Behavior behavior_;
};

struct IsWhiteSpace {
  static bool Test(absl::string_view character) {
    return WhiteSpaceBytes(character) > 0;
  }
};
struct IsMarkOfBert {
  static bool Test(absl::string_view character) {
    return IsWordPieceMark(DecodeUtf8(character).value);
  }
};
struct IsNumeric {
  static bool Test(absl::string_view character) {
    return IsNumber(DecodeUtf8(character).value);
  }
};
struct IsCharacter {
  std::string character;
  bool Test(absl::string_view other) const { return other == character; }
};

// White space separates parts, and each punctuation mark is a part.
class BertSplit : public SplitStep {
 public:
  absl::Status Split(SplitText* text) const override {
    text->next_parts.clear();
    for (const TextPart& part : text->parts) {
      ForEachMarkedPart(text->Of(part), [&](absl::string_view found) {
        const auto begin =
            static_cast<size_t>(found.data() - text->text.data());
        AddPart(part, {begin, begin + found.size()}, text);
      });
    }
    text->parts.swap(text->next_parts);
    return absl::OkStatus();
  }
};

// Parts are runs of word characters, and runs of others without white space:
// \w+|[^\w\s]+.
class WordSplit : public SplitStep {
 public:
  absl::Status Split(SplitText* text) const override {
    text->next_parts.clear();
    for (const TextPart& part : text->parts) {
      size_t begin = part.begin;
      Kind last = Kind::kSpace;
      for (size_t at = part.begin; at < part.end;) {
        size_t bytes = 0;
        const Kind kind = KindOf(text->Of({at, part.end, false}), &bytes);
        if (kind != last) {
          if (last != Kind::kSpace) AddPart(part, {begin, at}, text);
          begin = at;
          last = kind;
        }
        at += bytes;
      }
      if (last != Kind::kSpace) AddPart(part, {begin, part.end}, text);
    }
    text->parts.swap(text->next_parts);
    return absl::OkStatus();
  }

 private:
  enum class Kind { kSpace, kWord, kOther };

  static Kind KindOf(absl::string_view rest, size_t* bytes) {
    *bytes = WhiteSpaceBytes(rest);
    if (*bytes > 0) return Kind::kSpace;
    const CodePoint point = DecodeUtf8(rest);
    *bytes = point.bytes;
    return IsWordCharacter(point.value) ? Kind::kWord : Kind::kOther;
  }
};

// Replaces the bytes of the text by their characters. A part is first extended
// by a space, and split like GPT-2's.
class ByteSplit : public SplitStep {
 public:
  ByteSplit(bool adds_space, bool splits)
      : adds_space_(adds_space), splits_(splits) {}

  absl::Status Split(SplitText* text) const override {
    text->next_parts.clear();
    text->room.clear();
    std::string spaced;
    for (const TextPart& part : text->parts) {
      absl::string_view rest = text->Of(part);
      if (adds_space_ && rest[0] != ' ') {
        spaced = absl::StrCat(" ", rest);
        rest = spaced;
      }
      for (bool starts_text = part.starts_text; !rest.empty();) {
        const size_t length = splits_ ? BytePairPartLength(rest) : rest.size();
        const size_t begin = text->room.size();
        AppendSpelledBytes(rest.substr(0, length), &text->room);
        text->next_parts.push_back({begin, text->room.size(), starts_text});
        rest.remove_prefix(length);
        starts_text = false;
      }
    }
    text->text.swap(text->room);
    text->parts.swap(text->next_parts);
    return absl::OkStatus();
  }

 private:
  bool adds_space_;
  bool splits_;
};

// Replaces spaces by a mark, which also precedes a part, and splits before each
// mark.
class MarkedSpaceSplit : public SplitStep {
 public:
  enum class Prepend { kFirst, kNever, kAlways };

  MarkedSpaceSplit(std::string mark, Prepend prepend, bool splits)
      : mark_(std::move(mark)), prepend_(prepend), splits_(splits) {}

  absl::Status Split(SplitText* text) const override {
    text->next_parts.clear();
    text->room.clear();
    for (const TextPart& part : text->parts) {
      const absl::string_view whole = text->Of(part);
      TextPart marked = {text->room.size(), 0, part.starts_text};
      const bool has_mark = whole[0] == ' ' || absl::StartsWith(whole, mark_);
      if (!has_mark && (prepend_ == Prepend::kAlways ||
                        (prepend_ == Prepend::kFirst && part.starts_text))) {
        absl::StrAppend(&text->room, mark_);
      }
      for (const char byte : whole) {
        if (byte == ' ') {
          absl::StrAppend(&text->room, mark_);
        } else {
          text->room.push_back(byte);
        }
      }
      marked.end = text->room.size();
      AddMarked(marked, text);
    }
    text->text.swap(text->room);
    text->parts.swap(text->next_parts);
    return absl::OkStatus();
  }

 private:
  // Each mark begins a part.
  void AddMarked(const TextPart& marked, SplitText* text) const {
    size_t begin = marked.begin;
    while (splits_ && begin < marked.end) {
      const size_t next = text->room.find(mark_, begin + 1);
      if (next >= marked.end) break;
      AddPart(marked, {begin, next}, text);
      begin = next;
    }
    AddPart(marked, {begin, marked.end}, text);
  }

  std::string mark_;
  Prepend prepend_;
  bool splits_;
};

// Returns an option that is one character.
absl::StatusOr<std::string> CharacterOf(const JsonOptions& options,
                                        absl::string_view name) {
  FIRTH_ASSIGN_OR_RETURN(std::string text, options.Text(name));
  if (text.empty() || DecodeUtf8(text).bytes != text.size()) {
    return options.Expected(name, "one character");
  }
  return text;
}

absl::StatusOr<Behavior> BehaviorOf(const JsonOptions& options,
                                    std::optional<Behavior> if_missing) {
  std::optional<size_t> index;
  if (if_missing.has_value()) index = static_cast<size_t>(*if_missing);
  FIRTH_ASSIGN_OR_RETURN(const size_t chosen,
                         options.Choice("behavior", kBehaviors, index));
  return static_cast<Behavior>(chosen);
}

absl::Status AddSequence(const JsonOptions& options, SplitSteps* steps) {
  FIRTH_RETURN_IF_ERROR(options.CheckNames({"pretokenizers"}));
  FIRTH_ASSIGN_OR_RETURN(const std::vector<JsonOptions> all,
                         options.Objects("pretokenizers"));
  for (const JsonOptions& one : all) {
    FIRTH_RETURN_IF_ERROR(AddSplitSteps(one, steps));
  }
  return absl::OkStatus();
}

template <class Step>
absl::Status AddPlain(const JsonOptions& options, SplitSteps* steps) {
  FIRTH_RETURN_IF_ERROR(options.CheckNames({}));
  steps->push_back(std::make_unique<Step>());
  return absl::OkStatus();
}

template <class Matches>
void AddCharacterSplit(Matches matches, Behavior behavior, SplitSteps* steps) {
  steps->push_back(
      std::make_unique<CharacterSplit<Matches>>(std::move(matches), behavior));
}

absl::Status AddWhitespaceSplit(const JsonOptions& options, SplitSteps* steps) {
  FIRTH_RETURN_IF_ERROR(options.CheckNames({}));
  AddCharacterSplit(IsWhiteSpace(), Behavior::kRemoved, steps);
  return absl::OkStatus();
}

absl::Status AddPunctuation(const JsonOptions& options, SplitSteps* steps) {
  FIRTH_RETURN_IF_ERROR(options.CheckNames({"behavior"}));
  FIRTH_ASSIGN_OR_RETURN(const Behavior behavior,
                         BehaviorOf(options, Behavior::kIsolated));
  AddCharacterSplit(IsMarkOfBert(), behavior, steps);
  return absl::OkStatus();
}

absl::Status AddDigits(const JsonOptions& options, SplitSteps* steps) {
  FIRTH_RETURN_IF_ERROR(options.CheckNames({"individual_digits"}));
  FIRTH_ASSIGN_OR_RETURN(const bool alone,
                         options.Flag("individual_digits", false));
  AddCharacterSplit(IsNumeric(),
                    alone ? Behavior::kIsolated : Behavior::kContiguous, steps);
  return absl::OkStatus();
}

absl::Status AddDelimiter(const JsonOptions& options, SplitSteps* steps) {
  FIRTH_RETURN_IF_ERROR(options.CheckNames({"delimiter"}));
  FIRTH_ASSIGN_OR_RETURN(std::string delimiter,
                         CharacterOf(options, "delimiter"));
  AddCharacterSplit(IsCharacter{std::move(delimiter)}, Behavior::kRemoved,
                    steps);
  return absl::OkStatus();
}

absl::Status AddSplit(const JsonOptions& options, SplitSteps* steps) {
  FIRTH_RETURN_IF_ERROR(options.CheckNames({"pattern", "behavior", "invert"}));
  FIRTH_ASSIGN_OR_RETURN(auto pattern, PatternOf(options));
  FIRTH_ASSIGN_OR_RETURN(const Behavior behavior, BehaviorOf(options, {}));
  FIRTH_ASSIGN_OR_RETURN(const bool inverted, options.Flag("invert", false));
  steps->push_back(
      std::make_unique<PatternSplit>(std::move(pattern), behavior, inverted));
  return absl::OkStatus();
}

// "str_rep" repeats "replacement" in old files.
absl::Status AddMetaspace(const JsonOptions& options, SplitSteps* steps) {
  constexpr absl::string_view kSchemes[] = {"first", "never", "always"};
  using Prepend = MarkedSpaceSplit::Prepend;
  FIRTH_RETURN_IF_ERROR(
      options.CheckNames({"replacement", "prepend_scheme", "split",
                          "add_prefix_space", "str_rep"}));
  FIRTH_ASSIGN_OR_RETURN(std::string mark, CharacterOf(options, "replacement"));
  FIRTH_ASSIGN_OR_RETURN(const bool adds_space,
                         options.Flag("add_prefix_space", true));
  const Prepend by_flag = adds_space ? Prepend::kAlways : Prepend::kNever;
  FIRTH_ASSIGN_OR_RETURN(
      const size_t scheme,
      options.Choice("prepend_scheme", kSchemes, static_cast<size_t>(by_flag)));
  FIRTH_ASSIGN_OR_RETURN(const bool splits, options.Flag("split", true));
  const auto prepend = static_cast<Prepend>(scheme);
  if (!adds_space && prepend != Prepend::kNever) {
    return options.Expected("prepend_scheme",
                            "\"never\", as add_prefix_space is false");
  }
  steps->push_back(
      std::make_unique<MarkedSpaceSplit>(std::move(mark), prepend, splits));
  return absl::OkStatus();
}

// "trim_offsets" concerns positions of tokens in the text.
absl::Status AddByteLevel(const JsonOptions& options, SplitSteps* steps) {
  FIRTH_RETURN_IF_ERROR(
      options.CheckNames({"add_prefix_space", "trim_offsets", "use_regex"}));
  FIRTH_ASSIGN_OR_RETURN(const bool adds_space,
                         options.Flag("add_prefix_space", true));
  FIRTH_ASSIGN_OR_RETURN(const bool splits, options.Flag("use_regex", true));
  steps->push_back(std::make_unique<ByteSplit>(adds_space, splits));
  return absl::OkStatus();
}

constexpr absl::string_view kPreTokenizerTypes[] = {
    "Sequence",    "BertPreTokenizer",
    "Whitespace",  "WhitespaceSplit",
    "Punctuation", "Digits",
    "Split",       "Metaspace",
    "ByteLevel",   "CharDelimiterSplit"};
// Factories of the kinds, in the order of kPreTokenizerTypes.
constexpr absl::Status (*kAddPreTokenizer[])(const JsonOptions&,
                                             SplitSteps*) = {
    AddSequence,        AddPlain<BertSplit>, AddPlain<WordSplit>,
    AddWhitespaceSplit, AddPunctuation,      AddDigits,
    AddSplit,           AddMetaspace,        AddByteLevel,
    AddDelimiter};

}  // namespace

void SplitText::Set(absl::string_view whole, bool starts_text) {
  text.assign(whole.data(), whole.size());
  parts.clear();
  if (!whole.empty()) parts.push_back({0, whole.size(), starts_text});
}

absl::Status AddSplitSteps(const JsonOptions& pre_tokenizer,
                           SplitSteps* steps) {
  FIRTH_ASSIGN_OR_RETURN(const size_t type,
                         pre_tokenizer.Choice("type", kPreTokenizerTypes));
  return kAddPreTokenizer[type](pre_tokenizer, steps);
}

}  // namespace firth

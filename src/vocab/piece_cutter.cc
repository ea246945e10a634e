// BERT divides a text into pieces in two steps. The first step cleans a word
// and divides it into parts: control characters are removed, letters become
// lower case and lose their accents if the model requires it, and each
// ideograph and punctuation mark becomes a part of its own. The second step
// repeatedly takes the longest piece at the start of the rest of a part. A part
// that cannot be divided completely in this way is unknown.

#include "vocab/piece_cutter.h"

#include <algorithm>
#include <array>
#include <optional>
#include <queue>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/quote.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

// The prefix of a piece inside a word.
constexpr absl::string_view kInside = "##";

// Blocks of Chinese ideographs, without Hangul and Japanese kana, in which
// words are separated by spaces or are longer.
bool IsIdeograph(int32_t point) {
  constexpr std::pair<int32_t, int32_t> kBlocks[] = {
      {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},
      {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F},
      {0x2B820, 0x2CEAF}, {0x2F800, 0x2FA1F}};
  return std::any_of(std::begin(kBlocks), std::end(kBlocks),
                     [point](const auto& block) {
                       return point >= block.first && point <= block.second;
                     });
}

bool IsSpace(int32_t point) {
  return point == '\t' || point == '\n' || point == '\r' ||
         IsSpaceSeparator(point) || point == 0x2028 || point == 0x2029;
}

// The first step without accents and ideographs.
std::string Cleaned(absl::string_view text, bool lowercase) {
  std::string kept;
  kept.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const CodePoint point = DecodeUtf8(text.substr(i));
    i += point.bytes;
    if (IsSpace(point.value)) {
      kept += ' ';
    } else if (point.value > 0 && point.value != 0xFFFD &&
               !IsControlOrUnassigned(point.value)) {
      AppendUtf8(lowercase ? LowercaseCodePoint(point.value) : point.value,
                 &kept);
    }
  }
  return kept;
}

std::string WithPartedIdeographs(absl::string_view text) {
  std::string parted;
  parted.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const CodePoint point = DecodeUtf8(text.substr(i));
    const char* const around = IsIdeograph(point.value) ? " " : "";
    absl::StrAppend(&parted, around, text.substr(i, point.bytes), around);
    i += point.bytes;
  }
  return parted;
}

class WordPieces : public PieceCutter {
 public:
  WordPieces(const WordPieceOptions& options, Vocabulary pieces, WordId unknown)
      : options_(options), matcher_(std::move(pieces)), unknown_(unknown) {}

  void Cut(absl::string_view word, bool /*starts_text*/,
           std::vector<WordId>* pieces) const override {
    ForEachMarkedPart(CleanForWordPieces(word, options_),
                      [&](absl::string_view part) {
                        if (!matcher_.AppendPieces(part, pieces)) {
                          pieces->push_back(unknown_);
                        }
                      });
  }

  std::string Join(absl::Span<const WordId> pieces) const override {
    std::string text;
    for (const WordId piece : pieces) {
      absl::string_view spelled = matcher_.pieces().Word(piece);
      if (!absl::ConsumePrefix(&spelled, kInside) && !text.empty()) {
        text += ' ';
      }
      absl::StrAppend(&text, spelled);
    }
    return text;
  }

 private:
  WordPieceOptions options_;
  WordPieceMatcher matcher_;
  WordId unknown_;
};

// Byte pairs: a word is first divided into parts, so that no piece combines
// letters with numbers or marks. A part is a contraction such as 's; or
// letters, numbers or other characters with the space before them; or white
// space, whose last character belongs to what follows. The bytes of a part are
// its first symbols. The pair of neighbors that was merged first in training is
// merged at all its positions, then the next one, until no pair is left that
// was ever merged.
//
// Pairs are kept in a heap by rank and position, so a word of n bytes takes n
// log n steps. Pairs that a round of merges creates are added after the round,
// as if each round went through the whole word.

// Returns the character that represents each byte: the one with its number if
// it is visible in Latin-1, otherwise the next one from U+0100 on.
std::array<int32_t, 256> CharactersOfBytes() {
  std::array<int32_t, 256> characters;
  int32_t next = 256;
  for (int32_t byte = 0; byte < 256; ++byte) {
    const bool seen =
        (byte > ' ' && byte < 0x7F) || (byte > 0xA0 && byte != 0xAD);
    characters[byte] = seen ? byte : next++;
  }
  return characters;
}

enum class Kind { kSpace, kLetter, kNumber, kOther };

// Returns the kind of the first character of `text`, which must not be empty.
// Invalid UTF-8 is kOther.
Kind KindOf(absl::string_view text, size_t* bytes) {
  *bytes = WhiteSpaceBytes(text);
  if (*bytes > 0) return Kind::kSpace;
  const CodePoint point = DecodeUtf8(text);
  *bytes = point.bytes;
  if (point.value < 0) return Kind::kOther;
  if (IsLetter(point.value)) return Kind::kLetter;
  return IsNumber(point.value) ? Kind::kNumber : Kind::kOther;
}

// Returns the length of the run of characters of this kind at the start of
// `text`. *last is the length of the last of them.
size_t RunOf(Kind kind, absl::string_view text, size_t* last) {
  size_t length = 0;
  size_t bytes = 0;
  while (length < text.size() && KindOf(text.substr(length), &bytes) == kind) {
    length += bytes;
    *last = bytes;
  }
  return length;
}

// Returns the length of the first part of `text`, which must not be empty.
size_t PartLength(absl::string_view text) {
  for (const absl::string_view ending :
       {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    if (absl::StartsWith(text, ending)) return ending.size();
  }
  size_t bytes = 0;
  const size_t space = text[0] == ' ' && text.size() > 1 ? 1 : 0;
  const Kind kind = KindOf(text.substr(space), &bytes);
  if (kind != Kind::kSpace) {
    return space + RunOf(kind, text.substr(space), &bytes);
  }
  const size_t length = RunOf(Kind::kSpace, text, &bytes);
  // The last white space belongs to the word after it, if there is one and the
  // white space is not alone.
  return length == text.size() || length == bytes ? length : length - bytes;
}

class BytePairs : public PieceCutter {
 public:
  BytePairs(const BytePairOptions& options, Vocabulary pieces, WordId unknown)
      : options_(options), pieces_(std::move(pieces)) {
    const std::array<int32_t, 256> characters = CharactersOfBytes();
    for (size_t byte = 0; byte < characters.size(); ++byte) {
      std::string spelled;
      AppendUtf8(characters[byte], &spelled);
      piece_of_byte_[byte] = pieces_.Find(spelled).value_or(unknown);
      byte_of_character_[characters[byte]] = static_cast<char>(byte);
    }
  }

  // Adds a merge, given as "LEFT RIGHT".
  absl::Status AddMerge(absl::string_view text) {
    const size_t space = text.find(' ');
    const absl::string_view left = text.substr(0, space);
    const absl::string_view right =
        space == text.npos ? "" : text.substr(space + 1);
    const std::optional<WordId> ids[] = {
        pieces_.Find(left), pieces_.Find(right),
        pieces_.Find(absl::StrCat(left, right))};
    if (!std::all_of(std::begin(ids), std::end(ids),
                     [](const auto& id) { return id.has_value(); })) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected two pieces, separated by a space, that form a "
                       "third, found ",
                       Quote(text)));
    }
    const auto rank = static_cast<uint32_t>(merges_.size());
    merges_.try_emplace({*ids[0], *ids[1]}, Merge{rank, *ids[2]});
    return absl::OkStatus();
  }

  void Cut(absl::string_view word, bool starts_text,
           std::vector<WordId>* pieces) const override {
    const std::string text =
        absl::StrCat(starts_text && !options_.space_first ? "" : " ", word);
    for (absl::string_view rest = text; !rest.empty();) {
      const size_t length = PartLength(rest);
      MergePart(rest.substr(0, length), pieces);
      rest.remove_prefix(length);
    }
  }

  std::string Join(absl::Span<const WordId> pieces) const override {
    std::string text;
    for (const WordId piece : pieces) {
      const absl::string_view spelled = pieces_.Word(piece);
      for (size_t i = 0; i < spelled.size();) {
        const CodePoint point = DecodeUtf8(spelled.substr(i));
        const auto byte = byte_of_character_.find(point.value);
        // A character that represents no byte belongs to a word that is never
        // divided.
        if (byte == byte_of_character_.end()) {
          absl::StrAppend(&text, spelled.substr(i, point.bytes));
        } else {
          text += byte->second;
        }
        i += point.bytes;
      }
    }
    return text;
  }

 private:
  struct Merge {
    uint32_t rank;
    WordId piece;
  };
  // A symbol of a part. A symbol that was merged into the one before has no
  // bytes.
  struct Symbol {
    WordId piece;
    size_t bytes;
    size_t before;  // The symbol before; unspecified for the first one.
  };
  // Two neighbors that can be merged, and their pieces when this was found.
  struct Pair {
    uint32_t rank;
    size_t left;  // Position of the symbol.
    size_t right;
    WordId pieces[2];
    WordId merged;

    // The heap returns the first pair of the lowest rank.
    bool operator<(const Pair& other) const {
      return rank != other.rank ? rank > other.rank : left > other.left;
    }
  };
  using Heap = std::priority_queue<Pair>;

  std::optional<Pair> PairOf(const std::vector<Symbol>& symbols,
                             size_t left) const {
    const size_t right = left + symbols[left].bytes;
    if (right >= symbols.size()) return std::nullopt;
    const std::pair<WordId, WordId> both = {symbols[left].piece,
                                            symbols[right].piece};
    const auto found = merges_.find(both);
    if (found == merges_.end()) return std::nullopt;
    return Pair{found->second.rank,
                left,
                right,
                {both.first, both.second},
                found->second.piece};
  }

  // The position of a symbol is that of its first byte.
  void MergePart(absl::string_view part, std::vector<WordId>* pieces) const {
    std::vector<Symbol> symbols;
    for (const char byte : part) {
      const size_t position = symbols.size();
      symbols.push_back({piece_of_byte_[static_cast<unsigned char>(byte)], 1,
                         position - (position > 0)});
    }
    Heap heap;
    for (size_t i = 0; i < symbols.size(); ++i) {
      if (const auto pair = PairOf(symbols, i)) heap.push(*pair);
    }
    while (!heap.empty()) MergeRound(&heap, &symbols);
    for (const Symbol& symbol : symbols) {
      if (symbol.bytes > 0) pieces->push_back(symbol.piece);
    }
  }

  // Makes all merges of the lowest rank.
  void MergeRound(Heap* heap, std::vector<Symbol>* all) const {
    std::vector<Symbol>& symbols = *all;
    const uint32_t rank = heap->top().rank;
    std::vector<size_t> merged;
    for (; !heap->empty() && heap->top().rank == rank; heap->pop()) {
      const Pair& pair = heap->top();
      Symbol& left = symbols[pair.left];
      Symbol& right = symbols[pair.right];
      // An earlier merge may have used one of them.
      if (left.bytes == 0 || pair.left + left.bytes != pair.right ||
          left.piece != pair.pieces[0] || right.bytes == 0 ||
          right.piece != pair.pieces[1]) {
        continue;
      }
      left.piece = pair.merged;
      left.bytes += right.bytes;
      right.bytes = 0;
      const size_t next = pair.left + left.bytes;
      if (next < symbols.size()) symbols[next].before = pair.left;
      merged.push_back(pair.left);
    }
    for (const size_t i : merged) {
      if (i > 0) {
        if (const auto pair = PairOf(symbols, symbols[i].before)) {
          heap->push(*pair);
        }
      }
      if (const auto pair = PairOf(symbols, i)) heap->push(*pair);
    }
  }

  BytePairOptions options_;
  Vocabulary pieces_;
  std::array<WordId, 256> piece_of_byte_;
  absl::flat_hash_map<int32_t, char> byte_of_character_;
  absl::flat_hash_map<std::pair<WordId, WordId>, Merge> merges_;
};

}  // namespace

std::string CleanForWordPieces(absl::string_view text,
                               const WordPieceOptions& options) {
  std::string clean = Cleaned(text, options.lowercase);
  if (options.strip_accents) clean = WithoutAccents(clean);
  return options.part_ideographs ? WithPartedIdeographs(clean) : clean;
}

std::string WithoutAccents(absl::string_view text) {
  std::string without;
  without.reserve(text.size());
  for (const int32_t point : Decompose(text)) {
    if (!IsNonspacingMark(point)) AppendUtf8(point, &without);
  }
  return without;
}

bool IsWordPieceMark(int32_t point) {
  const bool printable = point > ' ' && point < 0x7F;
  if (printable) return !IsLetter(point) && !IsDigit(point);
  return IsPunctuation(point);
}

WordPieceMatcher::WordPieceMatcher(Vocabulary pieces, size_t most_characters)
    : pieces_(std::move(pieces)), most_characters_(most_characters) {
  for (const absl::string_view piece : pieces_.Words()) {
    longest_ = std::max(longest_, piece.size());
  }
}

bool WordPieceMatcher::AppendPieces(absl::string_view part,
                                    std::vector<WordId>* to) const {
  const auto continues = [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
  };
  const auto characters = static_cast<size_t>(
      part.size() - std::count_if(part.begin(), part.end(), continues));
  if (characters > most_characters_) return false;
  const size_t before = to->size();
  std::string rest(part);
  for (size_t marks = 0; rest.size() > marks; marks = kInside.size()) {
    std::optional<WordId> piece;
    size_t length = std::min(rest.size(), longest_);
    for (; length > marks; --length) {
      piece = pieces_.Find(absl::string_view(rest).substr(0, length));
      if (piece.has_value()) break;
    }
    if (!piece.has_value()) {
      to->resize(before);
      return false;
    }
    to->push_back(*piece);
    rest.replace(0, length, kInside.data(), kInside.size());
  }
  return true;
}

std::unique_ptr<PieceCutter> MakeWordPieces(const WordPieceOptions& options,
                                            Vocabulary pieces, WordId unknown) {
  return std::make_unique<WordPieces>(options, std::move(pieces), unknown);
}

absl::StatusOr<std::unique_ptr<PieceCutter>> MakeBytePairs(
    const BytePairOptions& options, Vocabulary pieces, WordId unknown,
    const Vocabulary& merges) {
  auto cutter =
      std::make_unique<BytePairs>(options, std::move(pieces), unknown);
  for (const absl::string_view merge : merges.Words()) {
    FIRTH_RETURN_IF_ERROR(cutter->AddMerge(merge));
  }
  return cutter;
}

}  // namespace firth

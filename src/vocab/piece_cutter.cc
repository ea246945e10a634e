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
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/quote.h"
#include "firth/status_macros.h"
#include "vocab/byte_pairs.h"

namespace firth {
namespace {

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
      if (!absl::ConsumePrefix(&spelled, kInsideWord) && !text.empty()) {
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

// The bytes of a part are its first pieces.
class BytePairs : public PieceCutter {
 public:
  BytePairs(const BytePairOptions& options, Vocabulary pieces, WordId unknown)
      : options_(options), pieces_(std::move(pieces)) {
    const std::array<int32_t, 256>& characters = CharactersOfBytes();
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
    merges_.Add(static_cast<uint32_t>(*ids[0]), static_cast<uint32_t>(*ids[1]),
                static_cast<uint32_t>(*ids[2]));
    return absl::OkStatus();
  }

  void Cut(absl::string_view word, bool starts_text,
           std::vector<WordId>* pieces) const override {
    const std::string text =
        absl::StrCat(starts_text && !options_.space_first ? "" : " ", word);
    PairMerges::Room room;
    std::vector<uint32_t> made;
    for (absl::string_view rest = text; !rest.empty();) {
      const size_t length = BytePairPartLength(rest);
      const size_t from = made.size();
      for (const char byte : rest.substr(0, length)) {
        made.push_back(static_cast<uint32_t>(
            piece_of_byte_[static_cast<unsigned char>(byte)]));
      }
      merges_.Apply(/*in_rounds=*/true, &room, from, &made);
      rest.remove_prefix(length);
    }
    for (const uint32_t piece : made) pieces->push_back(ToWordId(piece));
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
  BytePairOptions options_;
  Vocabulary pieces_;
  std::array<WordId, 256> piece_of_byte_;
  absl::flat_hash_map<int32_t, char> byte_of_character_;
  PairMerges merges_;
};

}  // namespace

std::string CleanForWordPieces(absl::string_view text,
                               const WordPieceOptions& options) {
  std::string clean = Cleaned(text, options.lowercase);
  if (options.strip_accents) clean = WithoutAccents(clean);
  return options.part_ideographs ? WithPartedIdeographs(clean) : clean;
}

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

WordPieceMatcher::WordPieceMatcher(Vocabulary pieces, size_t most_characters,
                                   absl::string_view prefix)
    : pieces_(std::move(pieces)),
      most_characters_(most_characters),
      prefix_(prefix) {
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
  // The prefix overwrites the end of the previous piece.
  std::string bytes = absl::StrCat(prefix_, part);
  size_t begin = prefix_.size();
  for (size_t marks = 0; begin < bytes.size(); marks = prefix_.size()) {
    bytes.replace(begin - marks, marks, prefix_, 0, marks);
    const absl::string_view rest =
        absl::string_view(bytes).substr(begin - marks);
    std::optional<WordId> piece;
    size_t length = std::min(rest.size(), longest_);
    for (; length > marks; --length) {
      piece = pieces_.Find(rest.substr(0, length));
      if (piece.has_value()) break;
    }
    if (!piece.has_value()) {
      to->resize(before);
      return false;
    }
    to->push_back(*piece);
    begin += length - marks;
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

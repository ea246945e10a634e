// BERT divides a text into pieces in two steps. The first step cleans a word
// and divides it into parts: control characters are removed, letters become
// lower case and lose their accents if the model requires it, and each
// ideograph and punctuation mark becomes a part of its own. The second step
// repeatedly takes the longest piece at the start of the rest of a part. A part
// that cannot be divided completely in this way is unknown.

#include "vocab/word_pieces.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

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

}  // namespace firth

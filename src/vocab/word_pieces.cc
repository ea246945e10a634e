// BERT's way from a text to pieces has two steps. The first cleans a word and
// parts it: control characters go, letters become small and lose their accents
// where the model wants that, ideographs and punctuation marks stand for
// themselves. The second takes the longest piece that the rest of a part begins
// with, again and again; a part that cannot be cut so to its end is unknown.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/unicode.h"
#include "vocab/piece_cutter.h"

namespace firth {
namespace {

constexpr absl::string_view kInside = "##";  // starts a piece inside a word
constexpr size_t kMostCharacters = 100;      // of a part that is cut

// The blocks of ideographs of Chinese, without Hangul and the kana of Japanese,
// whose words have spaces or are longer.
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

// All of ASCII that is no letter, digit, space or control character counts.
bool IsMark(int32_t point) {
  const bool printable = point > ' ' && point < 0x7F;
  if (printable) return !IsLetter(point) && !IsDigit(point);
  return IsPunctuation(point);
}

bool IsSpace(int32_t point) {
  return point == '\t' || point == '\n' || point == '\r' ||
         IsSpaceSeparator(point) || point == 0x2028 || point == 0x2029;
}

class WordPieces : public PieceCutter {
 public:
  WordPieces(const WordPieceOptions& options, Vocabulary pieces, WordId unknown)
      : options_(options), pieces_(std::move(pieces)), unknown_(unknown) {
    for (const absl::string_view piece : pieces_.Words()) {
      longest_ = std::max(longest_, piece.size());
    }
  }

  void Cut(absl::string_view word, bool /*starts_text*/,
           std::vector<WordId>* pieces) const override {
    std::string part;
    size_t characters = 0;
    const auto end_part = [&] {
      if (!part.empty()) CutPart(part, characters, pieces);
      part.clear();
      characters = 0;
    };
    for (const int32_t point : Normalized(word)) {
      const bool alone = IsMark(point) || IsPartedIdeograph(point);
      if (alone || point == ' ') end_part();
      if (point == ' ') continue;
      AppendUtf8(point, &part);
      ++characters;
      if (alone) end_part();
    }
    end_part();
  }

  std::string Join(absl::Span<const WordId> pieces) const override {
    std::string text;
    for (const WordId piece : pieces) {
      absl::string_view spelled = pieces_.Word(piece);
      if (!absl::ConsumePrefix(&spelled, kInside) && !text.empty()) {
        text += ' ';
      }
      absl::StrAppend(&text, spelled);
    }
    return text;
  }

 private:
  bool IsPartedIdeograph(int32_t point) const {
    return options_.part_ideographs && IsIdeograph(point);
  }

  // What is left of a word, with each white space as one space. What is not
  // valid UTF-8 is left out.
  std::vector<int32_t> Normalized(absl::string_view word) const {
    std::string kept;
    for (size_t i = 0; i < word.size();) {
      const CodePoint point = DecodeUtf8(word.substr(i));
      i += point.bytes;
      if (IsSpace(point.value)) {
        kept += ' ';
      } else if (point.value > 0 && point.value != 0xFFFD &&
                 !IsControlOrUnassigned(point.value)) {
        AppendUtf8(
            options_.lowercase ? LowercaseCodePoint(point.value) : point.value,
            &kept);
      }
    }
    return options_.strip_accents ? WithoutAccents(kept) : CodePoints(kept);
  }

  static std::vector<int32_t> WithoutAccents(absl::string_view text) {
    std::vector<int32_t> points = Decompose(text);
    std::erase_if(points, IsNonspacingMark);
    return points;
  }

  static std::vector<int32_t> CodePoints(absl::string_view text) {
    std::vector<int32_t> points;
    for (size_t i = 0; i < text.size();) {
      const CodePoint point = DecodeUtf8(text.substr(i));
      points.push_back(point.value);
      i += point.bytes;
    }
    return points;
  }

  void CutPart(absl::string_view part, size_t characters,
               std::vector<WordId>* pieces) const {
    const size_t before = pieces->size();
    std::string rest(part);
    while (!rest.empty()) {
      size_t length = 0;
      std::optional<WordId> piece;
      if (characters <= kMostCharacters) piece = LongestPiece(rest, &length);
      if (!piece.has_value()) {
        pieces->resize(before);
        pieces->push_back(unknown_);
        return;
      }
      pieces->push_back(*piece);
      rest.erase(0, length);
      if (!rest.empty()) rest.insert(0, kInside.data(), kInside.size());
    }
  }

  // The longest piece that `text` begins with and its length.
  std::optional<WordId> LongestPiece(absl::string_view text,
                                     size_t* length) const {
    const size_t least = absl::StartsWith(text, kInside) ? kInside.size() : 0;
    for (*length = std::min(text.size(), longest_); *length > least;
         --*length) {
      const auto found = pieces_.Find(text.substr(0, *length));
      if (found.has_value()) return found;
    }
    return std::nullopt;
  }

  WordPieceOptions options_;
  Vocabulary pieces_;
  WordId unknown_;
  size_t longest_ = 0;  // piece, in bytes
};

}  // namespace

std::unique_ptr<PieceCutter> MakeWordPieces(const WordPieceOptions& options,
                                            Vocabulary pieces, WordId unknown) {
  return std::make_unique<WordPieces>(options, std::move(pieces), unknown);
}

}  // namespace firth

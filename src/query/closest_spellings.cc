// Spelling suggestions by scanning the vocabulary.
//
// The distance is Damerau-Levenshtein's in its simple form (optimal string
// alignment: no letter is edited twice). A column of its table is computed at
// once, with one bit per letter (Hyyrö, "A bit-vector algorithm for computing
// Levenshtein and Damerau edit distances", Nordic Journal of Computing 10,
// 2003). Words come in the order of their frequency, so once enough are found,
// a later word must be closer than the limit, and the limit is lowered. Most
// words are rejected before, because they lack more letters of the given word
// than the limit allows.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "base/unicode.h"
#include "firth/query.h"

namespace firth {
namespace {

// Maximum number of letters, one bit each, of a word to compare with others.
constexpr size_t kMostLetters = 64;

// Sets `letters` to the code points of a word in lower case. Each invalid byte
// becomes a number outside Unicode.
void Spell(absl::string_view word, std::vector<int32_t>* letters) {
  letters->clear();
  for (size_t i = 0; i < word.size();) {
    const auto byte = static_cast<unsigned char>(word[i]);
    if (byte < 0x80) {
      letters->push_back(absl::ascii_tolower(byte));
      ++i;
      continue;
    }
    const CodePoint point = DecodeUtf8(word.substr(i));
    letters->push_back(point.value < 0 ? 0x110000 + byte
                                       : LowercaseCodePoint(point.value));
    i += point.bytes;
  }
}

// Returns one bit for each letter; several letters may share a bit.
uint64_t LettersIn(const std::vector<int32_t>& word) {
  uint64_t bits = 0;
  for (const int32_t letter : word) bits |= uint64_t{1} << (letter & 63);
  return bits;
}

class SpellingDistance {
 public:
  // `from` has at most kMostLetters letters.
  explicit SpellingDistance(const std::vector<int32_t>& from);

  // Returns the number of edits between the word of the constructor and `to`,
  // or limit + 1 if there are more than `limit`.
  size_t operator()(absl::string_view to, size_t limit);

 private:
  // Returns false if the word surely needs more than `limit` edits. This is
  // known for most words in ASCII, before they are converted to letters.
  bool MayBeNear(absl::string_view word, size_t limit) const;
  size_t Edits(const std::vector<int32_t>& to, size_t limit) const;
  // Returns one bit for each position of the letter in the word.
  uint64_t PositionsOf(int32_t letter) const;

  size_t size_;
  uint64_t letters_;
  uint64_t ascii_[128] = {};  // PositionsOf() of these letters.
  std::vector<std::pair<int32_t, uint64_t>> others_;
  std::vector<int32_t> to_;  // Reused.
};

SpellingDistance::SpellingDistance(const std::vector<int32_t>& from)
    : size_(from.size()), letters_(LettersIn(from)) {
  for (size_t i = 0; i < from.size(); ++i) {
    const uint64_t position = uint64_t{1} << i;
    if (from[i] < 128) {
      ascii_[from[i]] |= position;
    } else {
      others_.emplace_back(from[i], position);
    }
  }
}

bool SpellingDistance::MayBeNear(absl::string_view word, size_t limit) const {
  if (word.size() + limit < size_) return false;
  uint64_t letters = 0;
  for (const char letter : word) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte >= 0x80) return true;
    letters |= uint64_t{1} << (absl::ascii_tolower(byte) & 63);
  }
  if (word.size() > size_ + limit) return false;
  // A letter that only one of the words contains costs an edit.
  const int missing = std::max(std::popcount(letters_ & ~letters),
                               std::popcount(letters & ~letters_));
  return static_cast<size_t>(missing) <= limit;
}

uint64_t SpellingDistance::PositionsOf(int32_t letter) const {
  if (letter < 128) return ascii_[letter];
  uint64_t positions = 0;
  for (const auto& [other, position] : others_) {
    if (other == letter) positions |= position;
  }
  return positions;
}

// The variables are named as in Hyyrö's paper. `vp` and `vn` have the bits of
// cells that are one more and one less than the cell above, `hp` and `hn` of
// those that are one more and one less than the cell to the left.
size_t SpellingDistance::Edits(const std::vector<int32_t>& to,
                               size_t limit) const {
  if (size_ == 0) return std::min(to.size(), limit + 1);
  const uint64_t last = uint64_t{1} << (size_ - 1);
  uint64_t vp = ~uint64_t{0}, vn = 0, d0 = 0, previous = 0;
  size_t edits = size_;
  size_t left = to.size();
  for (const int32_t letter : to) {
    const uint64_t equal = PositionsOf(letter);
    const uint64_t swapped = ((~d0 & equal) << 1) & previous;
    d0 = (((equal & vp) + vp) ^ vp) | equal | vn | swapped;
    uint64_t hp = vn | ~(d0 | vp);
    uint64_t hn = d0 & vp;
    edits += (hp & last) != 0;
    edits -= (hn & last) != 0;
    hp = hp << 1 | 1;
    hn <<= 1;
    vp = hn | ~(d0 | hp);
    vn = hp & d0;
    previous = equal;
    // Each letter that is left can save one edit.
    if (edits > limit + --left) return limit + 1;
  }
  return edits;
}

size_t SpellingDistance::operator()(absl::string_view to, size_t limit) {
  if (!MayBeNear(to, limit)) return limit + 1;
  Spell(to, &to_);
  return Edits(to_, limit);
}

}  // namespace

std::vector<WordId> ClosestSpellings(const Vocabulary& vocabulary,
                                     absl::string_view word, size_t count) {
  std::vector<int32_t> letters;
  Spell(word, &letters);
  if (letters.size() > kMostLetters) return {};
  size_t limit = std::max<size_t>(1, letters.size() / 3);
  SpellingDistance distance(letters);
  std::vector<std::vector<WordId>> by_distance(limit + 1);
  size_t found = 0;  // Words in by_distance[0 ... limit].
  for (size_t i = 0; i < vocabulary.size() && found < count; ++i) {
    const size_t edits = distance(vocabulary.Word(ToWordId(i)), limit);
    if (edits > limit) continue;
    by_distance[edits].push_back(ToWordId(i));
    ++found;
    // Once there are enough words, later ones at the limit are not needed.
    while (found >= count && limit > 0) found -= by_distance[limit--].size();
  }
  std::vector<WordId> closest;
  for (const std::vector<WordId>& words : by_distance) {
    closest.insert(closest.end(), words.begin(), words.end());
  }
  closest.resize(std::min(closest.size(), count));
  return closest;
}

}  // namespace firth

// Spelling suggestions by scanning the vocabulary.
//
// The distance is Damerau-Levenshtein's in its simple form (optimal string
// alignment: no letter is edited twice). Only a band of 2 * limit + 1 cells of
// the table can hold distances up to the limit. Words come in the order of
// their frequency, so once enough are found, a later word must be closer than
// the limit, and the limit is lowered. Most words are rejected without a table,
// because they lack more letters of the given word than the limit allows.

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
  explicit SpellingDistance(std::vector<int32_t> from)
      : from_(std::move(from)), letters_(LettersIn(from_)) {}

  // Returns the number of edits between the word of the constructor and `to`,
  // or limit + 1 if there are more than `limit`.
  size_t operator()(const std::vector<int32_t>& to, size_t limit);

 private:
  // Fills row i of the table, i > 0, within the band, from the two rows above.
  // Returns the smallest cell of the row.
  size_t FillRow(size_t i, const std::vector<int32_t>& to, size_t limit);

  std::vector<int32_t> from_;
  uint64_t letters_;
  std::vector<size_t> before_last_, last_, row_;  // [to.size() + 1]
};

size_t SpellingDistance::FillRow(size_t i, const std::vector<int32_t>& to,
                                 size_t limit) {
  const size_t low = i > limit ? i - limit : 0;
  const size_t high = std::min(to.size(), i + limit);
  size_t least = limit + 1;
  // The cells next to the band are read when their neighbors are filled.
  if (low > 0) row_[low - 1] = limit + 1;
  if (high < to.size()) row_[high + 1] = limit + 1;
  for (size_t j = low; j <= high; ++j) {
    size_t edits = last_[j] + 1;
    if (j > 0) {
      const size_t replace = from_[i - 1] != to[j - 1];
      edits = std::min({edits, row_[j - 1] + 1, last_[j - 1] + replace});
      if (i > 1 && j > 1 && from_[i - 1] == to[j - 2] &&
          from_[i - 2] == to[j - 1]) {
        edits = std::min(edits, before_last_[j - 2] + 1);
      }
    }
    row_[j] = std::min(edits, limit + 1);
    least = std::min(least, row_[j]);
  }
  return least;
}

size_t SpellingDistance::operator()(const std::vector<int32_t>& to,
                                    size_t limit) {
  const size_t longer = std::max(from_.size(), to.size());
  const size_t shorter = std::min(from_.size(), to.size());
  if (longer - shorter > limit) return limit + 1;
  // A letter that only one of the words contains costs an edit.
  const uint64_t letters = LettersIn(to);
  const int missing = std::max(std::popcount(letters_ & ~letters),
                               std::popcount(letters & ~letters_));
  if (static_cast<size_t>(missing) > limit) return limit + 1;
  for (std::vector<size_t>* row : {&before_last_, &last_, &row_}) {
    row->resize(std::max(row->size(), to.size() + 1));
  }
  for (size_t j = 0; j <= to.size(); ++j) row_[j] = std::min(j, limit + 1);
  for (size_t i = 1; i <= from_.size(); ++i) {
    before_last_.swap(last_);
    last_.swap(row_);
    // Later rows have no smaller cells: a cell comes from the row above, or
    // with one more edit from the row before that, whose smallest cell is at
    // most one less.
    if (FillRow(i, to, limit) > limit) return limit + 1;
  }
  return row_[to.size()];
}

}  // namespace

std::vector<WordId> ClosestSpellings(const Vocabulary& vocabulary,
                                     absl::string_view word, size_t count) {
  std::vector<int32_t> letters;
  Spell(word, &letters);
  size_t limit = std::max<size_t>(1, letters.size() / 3);
  SpellingDistance distance(letters);
  std::vector<std::vector<WordId>> by_distance(limit + 1);
  size_t found = 0;  // Words in by_distance[0 ... limit].
  for (size_t i = 0; i < vocabulary.size() && found < count; ++i) {
    Spell(vocabulary.Word(ToWordId(i)), &letters);
    const size_t edits = distance(letters, limit);
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

// Spelling suggestions by scanning the vocabulary.
//
// The distance is Damerau-Levenshtein's in its simple form (optimal string
// alignment: no letter is edited twice). Only a band of 2 * limit + 1 cells of
// the table can hold distances up to the limit, and the limit sinks as soon as
// enough words are found, since words come in the order of their frequency and
// a later one must be closer.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "base/unicode.h"
#include "firth/query.h"

namespace firth {
namespace {

// Code points in lower case. An invalid byte becomes a number of its own,
// beyond Unicode.
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

class SpellingDistance {
 public:
  explicit SpellingDistance(std::vector<int32_t> from)
      : from_(std::move(from)) {}

  // The number of edits between the word of the constructor and `to`, or
  // limit + 1 if there are more than `limit`.
  size_t operator()(const std::vector<int32_t>& to, size_t limit);

 private:
  // Fills row_ [i] of the table, i > 0, from the two rows above within the
  // band; returns its least cell.
  size_t FillRow(size_t i, const std::vector<int32_t>& to, size_t limit);

  std::vector<int32_t> from_;
  std::vector<size_t> before_last_, last_, row_;  // [to.size() + 1]
};

size_t SpellingDistance::FillRow(size_t i, const std::vector<int32_t>& to,
                                 size_t limit) {
  const size_t low = i > limit ? i - limit : 0;
  const size_t high = std::min(to.size(), i + limit);
  size_t least = limit + 1;
  // What lies just outside the band is read by its neighbours.
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
  for (std::vector<size_t>* row : {&before_last_, &last_, &row_}) {
    row->resize(std::max(row->size(), to.size() + 1));
  }
  for (size_t j = 0; j <= to.size(); ++j) row_[j] = std::min(j, limit + 1);
  for (size_t i = 1; i <= from_.size(); ++i) {
    before_last_.swap(last_);
    last_.swap(row_);
    // The least cell of a row never sinks: a later cell comes from this row,
    // or with one more edit from the row above, whose least plus 1 is no less.
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
  size_t found = 0;  // in by_distance[0 ... limit]
  for (size_t i = 0; i < vocabulary.size() && found < count; ++i) {
    Spell(vocabulary.Word(ToWordId(i)), &letters);
    const size_t edits = distance(letters, limit);
    if (edits > limit) continue;
    by_distance[edits].push_back(ToWordId(i));
    ++found;
    // With enough words, later ones at the limit come too late.
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

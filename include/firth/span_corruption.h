// Span corruption: masks text in the way T5 is trained (Raffel et al.,
// "Exploring the limits of transfer learning with a unified text-to-text
// transformer", JMLR 2020, section 3.1.4). Each removed span of a sentence is
// replaced by a mark. The target lists the spans, each after its mark:
//
//   Thank you for inviting me to your party last week
//   Thank you <extra_id_0> me to your party <extra_id_1> week
//   <extra_id_0> for inviting <extra_id_1> last <extra_id_2>

#ifndef FIRTH_SPAN_CORRUPTION_H_
#define FIRTH_SPAN_CORRUPTION_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace firth {

class FieldTable;

struct SpanOptions {
  // Fraction of a sentence's words to remove, 0.01 to 0.99; at least one word,
  // and never all.
  double share = 0.15;
  double mean_length = 3;  // Mean length of a span in words, 1 to 1000.
  uint64_t seed = 1;

  static FieldTable Fields();
  absl::Status Validate() const;
};

// The words from `begin` up to, but not including, `end`.
struct WordSpan {
  size_t begin = 0;
  size_t end = 0;

  bool operator==(const WordSpan& other) const {
    return begin == other.begin && end == other.end;
  }
};

// Draws the spans of a sentence with this number of words, by the seed and the
// sentence's number. Spans are in order. All ways to divide the removed words
// into spans, and the remaining words into the parts before each span, are
// equally likely. A sentence of fewer than two words has no spans. `options`
// must be valid.
std::vector<WordSpan> DrawSpans(size_t words, const SpanOptions& options,
                                uint64_t sentence);

struct CorruptedSentence {
  std::vector<std::string> input;  // Words with marks in place of the spans.
  // The spans, each after its mark, and one final mark.
  std::vector<std::string> target;
};

// Removes spans from a sentence. They must be in order, not empty, and within
// the words.
CorruptedSentence CorruptSpans(absl::Span<const absl::string_view> words,
                               absl::Span<const WordSpan> spans);

// Returns whether a word is spelled like the mark of a span.
bool IsSpanMark(absl::string_view word);

}  // namespace firth

#endif  // FIRTH_SPAN_CORRUPTION_H_

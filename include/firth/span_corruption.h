// Span corruption: masked text as T5 learns from it (Raffel et al., "Exploring
// the limits of transfer learning with a unified text-to-text transformer",
// JMLR 2020, section 3.1.4). A mark stands for each span that is taken out of a
// sentence, and the target tells the spans, each behind its mark:
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
  double share = 0.15;     // of a sentence's words that is taken out, 0.01 to
                           // 0.99; at least one word, and not all
  double mean_length = 3;  // of a span, words, 1 to 1000
  uint64_t seed = 1;

  static FieldTable Fields();
  absl::Status Validate() const;
};

// Words from `begin` up to `end`.
struct WordSpan {
  size_t begin = 0;
  size_t end = 0;

  bool operator==(const WordSpan& other) const {
    return begin == other.begin && end == other.end;
  }
};

// The spans of a sentence of so many words, in order, drawn by the seed and the
// sentence's number: all ways to cut what is taken out into spans, and what
// stays into what stands before each, are equally likely. None of a sentence of
// fewer than two words. options: valid.
std::vector<WordSpan> DrawSpans(size_t words, const SpanOptions& options,
                                uint64_t sentence);

struct CorruptedSentence {
  std::vector<std::string> input;   // with marks in the place of spans
  std::vector<std::string> target;  // the spans behind their marks, and one
                                    // mark more
};

// spans: in order, not empty, of these words.
CorruptedSentence CorruptSpans(absl::Span<const absl::string_view> words,
                               absl::Span<const WordSpan> spans);

// Whether a word is spelled like the mark of a span.
bool IsSpanMark(absl::string_view word);

}  // namespace firth

#endif  // FIRTH_SPAN_CORRUPTION_H_

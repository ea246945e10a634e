// How well tags were predicted: accuracy, and precision, recall and F1 of the
// spans that they mark.

#ifndef FIRTH_TAG_SCORES_H_
#define FIRTH_TAG_SCORES_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/types/span.h"

namespace firth {

// Some tokens of a sentence that its tags mark as one thing.
struct TagSpan {
  size_t begin = 0;  // position of its first token
  size_t end = 0;    // behind its last one
  std::string type;

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 does not know <=>.
  auto operator<=>(const TagSpan& other) const = default;
};

// Whether all tags are O or B-, I-, E- or S- with a type, and not all O.
bool MarkSpans(absl::Span<const std::string> tags);

// The spans that the tags of a sentence mark, in order. A tag is PREFIX-TYPE,
// split at the first dash. Between two tokens a span
//
//   ends    if the tag before is E or S, or this one is B, S or O,
//           or their types differ
//   begins  if this one is not O, and it is B or S, or the tag before is E, S
//           or O, or their types differ
//
// which reads IOB1, IOB2, IOE1, IOE2 and BIOES alike, as the script conlleval
// of the CoNLL shared tasks does.
std::vector<TagSpan> SpansOf(absl::Span<const std::string> tags);

struct SpanCounts {
  uint64_t gold = 0;
  uint64_t found = 0;
  uint64_t correct = 0;  // same begin, end and type

  // Returns a value in [0, 1], or 0 if there is nothing to count.
  double precision() const;
  double recall() const;
  double f1() const;
};

struct TagScores {
  uint64_t tokens = 0;
  uint64_t correct = 0;    // tags
  bool has_spans = false;  // MarkSpans() of all tags seen
  SpanCounts spans;
  std::map<std::string, SpanCounts> types;

  double accuracy() const;
};

// Counts tags and spans as the script conlleval of the CoNLL shared tasks does.
class TagScorer {
 public:
  // One sentence: as many predicted tags as gold ones.
  void Add(absl::Span<const std::string> gold,
           absl::Span<const std::string> predicted);
  TagScores scores() const;

 private:
  TagScores scores_;
  bool only_spans_ = true;
  bool any_span_ = false;
};

}  // namespace firth

#endif  // FIRTH_TAG_SCORES_H_

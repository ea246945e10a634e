// Measures how well tags were predicted: accuracy of tags, and precision,
// recall and F1 of the spans that they mark.

#ifndef FIRTH_TAG_SCORES_H_
#define FIRTH_TAG_SCORES_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "firth/answer.h"
#include "firth/proportions.h"

namespace firth {

// Consecutive tokens of a sentence that its tags mark as one unit.
struct TagSpan {
  size_t begin = 0;
  size_t end = 0;
  std::string type;

  static AnswerTable Members() {
    return {{"begin", &TagSpan::begin, "position of the first token, from 0"},
            {"end", &TagSpan::end, "position after the last token"},
            {"type", &TagSpan::type}};
  }
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 does not know <=>.
  auto operator<=>(const TagSpan& other) const = default;
};

// Returns whether all tags are O, or B-, I-, E- or S- followed by a type, and
// not all are O.
bool MarkSpans(absl::Span<const std::string> tags);

// Returns the spans marked by the tags of a sentence, in order. A tag is
// PREFIX-TYPE, split at the first dash. Between two tokens a span
//
//   ends    if the tag before is E or S, or this one is B, S or O,
//           or their types differ
//   begins  if this one is not O, and it is B or S, or the tag before is E, S
//           or O, or their types differ
//
// This reads IOB1, IOB2, IOE1, IOE2 and BIOES alike, in the same way as the
// script conlleval of the CoNLL shared tasks.
std::vector<TagSpan> SpansOf(absl::Span<const std::string> tags);

struct TagScores {
  uint64_t tokens = 0;
  uint64_t correct = 0;    // Correct tags.
  bool has_spans = false;  // MarkSpans() of all tags seen.
  FoundCounts spans;       // A correct span has the right begin, end and type.
  std::map<std::string, FoundCounts> types;

  double accuracy() const;
};

// Counts tags and spans in the same way as the script conlleval of the CoNLL
// shared tasks.
class TagScorer {
 public:
  // Adds a sentence. Both spans must have the same length.
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

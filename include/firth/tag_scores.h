// How well tags were predicted: accuracy, and precision, recall and F1 of the
// spans that they mark.

#ifndef FIRTH_TAG_SCORES_H_
#define FIRTH_TAG_SCORES_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/types/span.h"

namespace firth {

struct SpanCounts {
  uint64_t gold = 0;
  uint64_t found = 0;
  uint64_t correct = 0;  // same begin, end and type

  // In [0, 1]; 0 of nothing.
  double precision() const;
  double recall() const;
  double f1() const;
};

struct TagScores {
  uint64_t tokens = 0;
  uint64_t correct = 0;  // tags
  // Whether all tags seen are O or B-, I-, E- or S- with a type, and not all O.
  bool has_spans = false;
  SpanCounts spans;
  std::map<std::string, SpanCounts> types;

  double accuracy() const;
};

// Counts as the script conlleval of the CoNLL shared tasks does. A tag is
// PREFIX-TYPE, split at the first dash. Between two tokens a span
//
//   ends    if the tag before is E or S, or this one is B, S or O,
//           or their types differ
//   begins  if this one is not O, and it is B or S, or the tag before is E, S
//           or O, or their types differ
//
// which reads IOB1, IOB2, IOE1, IOE2 and BIOES alike.
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

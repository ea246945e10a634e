#include "firth/tag_scores.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "base/check.h"

namespace firth {
namespace {

struct Tag {
  absl::string_view prefix;
  absl::string_view type;  // empty if there is no dash

  bool Is(absl::string_view prefixes) const {
    return prefix.size() == 1 && prefixes.find(prefix[0]) != prefixes.npos;
  }
};

Tag Split(absl::string_view tag) {
  const size_t dash = tag.find('-');
  if (dash == tag.npos) return {tag, {}};
  return {tag.substr(0, dash), tag.substr(dash + 1)};
}

bool MarksSpan(absl::string_view text) {
  const Tag tag = Split(text);
  return tag.Is("BIES") && !tag.type.empty();
}

}  // namespace

bool MarkSpans(absl::Span<const std::string> tags) {
  return absl::c_any_of(tags, MarksSpan) &&
         absl::c_all_of(tags, [](const std::string& tag) {
           return tag == "O" || MarksSpan(tag);
         });
}

std::vector<TagSpan> SpansOf(absl::Span<const std::string> tags) {
  std::vector<TagSpan> spans;
  bool open = false;
  Tag before{"O", {}};
  for (size_t i = 0; i <= tags.size(); ++i) {
    const Tag tag = i < tags.size() ? Split(tags[i]) : Tag{"O", {}};
    const bool cut =
        before.Is("ES") || tag.Is("BSO") || before.type != tag.type;
    if (open && cut) {
      spans.back().end = i;
      open = false;
    }
    if (!tag.Is("O") && (cut || before.Is("O"))) {
      spans.push_back({i, i, std::string(tag.type)});
      open = true;
    }
    before = tag;
  }
  return spans;
}

double TagScores::accuracy() const { return Ratio(correct, tokens); }

void TagScorer::Add(absl::Span<const std::string> gold,
                    absl::Span<const std::string> predicted) {
  FIRTH_CHECK(gold.size() == predicted.size());
  scores_.tokens += gold.size();
  for (size_t i = 0; i < gold.size(); ++i) {
    scores_.correct += gold[i] == predicted[i] ? 1 : 0;
    for (const std::string* text : {&gold[i], &predicted[i]}) {
      const bool marks = MarksSpan(*text);
      any_span_ |= marks;
      only_spans_ &= marks || *text == "O";
    }
  }
  const std::vector<TagSpan> expected = SpansOf(gold);
  for (const TagSpan& span : expected) ++scores_.types[span.type].gold;
  for (const TagSpan& span : SpansOf(predicted)) {
    FoundCounts& counts = scores_.types[span.type];
    ++counts.found;
    counts.correct +=
        std::binary_search(expected.begin(), expected.end(), span) ? 1 : 0;
  }
}

TagScores TagScorer::scores() const {
  TagScores scores = scores_;
  scores.has_spans = only_spans_ && any_span_;
  for (const auto& [type, counts] : scores.types) {
    scores.spans.gold += counts.gold;
    scores.spans.found += counts.found;
    scores.spans.correct += counts.correct;
  }
  return scores;
}

}  // namespace firth

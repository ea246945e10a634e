// TextLabels: the labels of texts as numbers.

#ifndef FIRTH_SRC_CLASSIFY_TEXT_LABELS_H_
#define FIRTH_SRC_CLASSIFY_TEXT_LABELS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/classifier.h"

namespace firth {

struct TextLabels {
  std::vector<uint64_t> begins = {0};
  std::vector<uint32_t> numbers;

  size_t size() const { return begins.size() - 1; }
  // Of a text: each once, rising.
  absl::Span<const uint32_t> Of(size_t text) const {
    return absl::MakeConstSpan(numbers).subspan(
        begins[text], begins[text + 1] - begins[text]);
  }
};

struct LabelSet {
  std::vector<std::string> names;  // most frequent first, ties by name
  std::vector<uint64_t> counts;    // texts that have each
  bool several = false;            // a text has more than one
  TextLabels texts;
};

// Errors: InvalidArgument, with the number of the text: one without a label;
// fewer than two labels; more than 2^31 - 1.
absl::StatusOr<LabelSet> NumberLabels(absl::Span<const LabelledText> texts);

// The labels of other texts, without those that are not in `names`.
TextLabels LabelsAmong(const std::vector<std::string>& names,
                       absl::Span<const LabelledText> texts);

// Whether a label of the texts is in `names` once `prefix` is in front of it.
bool HaveLabelAmong(const std::vector<std::string>& names,
                    absl::Span<const LabelledText> texts,
                    absl::string_view prefix = {});

// Errors: InvalidArgument, the texts have labels and none of them is in
// `names`. For the message: the texts are `whose`, the names belong to `owner`.
absl::Status CheckLabelsAmong(const std::vector<std::string>& names,
                              absl::Span<const LabelledText> texts,
                              absl::string_view whose, absl::string_view owner);

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_TEXT_LABELS_H_

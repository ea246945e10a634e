// TextLabels: the labels of texts as numbers.

#ifndef FIRTH_CLASSIFY_TEXTS_TEXT_LABELS_H_
#define FIRTH_CLASSIFY_TEXTS_TEXT_LABELS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/labelled_text.h"

namespace firth {

struct TextLabels {
  std::vector<uint64_t> begins = {0};
  std::vector<uint32_t> numbers;

  size_t size() const { return begins.size() - 1; }
  // Returns the labels of a text, each once, in ascending order.
  absl::Span<const uint32_t> Of(size_t text) const {
    return absl::MakeConstSpan(numbers).subspan(
        begins[text], begins[text + 1] - begins[text]);
  }
};

struct LabelSet {
  std::vector<std::string> names;  // most frequent first, ties by name
  std::vector<uint64_t> counts;    // number of texts that have each
  bool several = false;            // a text has more than one
  TextLabels texts;
};

// Numbers the labels. Errors: InvalidArgument, a text without a label, with its
// number; fewer than two labels; more than 2^31 - 1.
absl::StatusOr<LabelSet> NumberLabels(absl::Span<const LabelledText> texts);

// Returns the labels of other texts, without those that are not in `names`.
TextLabels LabelsAmong(const std::vector<std::string>& names,
                       absl::Span<const LabelledText> texts);

// Returns whether any label of the texts is in `names` after `prefix` is put
// before it.
bool HaveLabelAmong(const std::vector<std::string>& names,
                    absl::Span<const LabelledText> texts,
                    absl::string_view prefix = {});

// Checks that at least one label of the texts is in `names`, if they have any.
// Errors: InvalidArgument. The message calls the texts `whose` and the owner of
// the names `owner`.
absl::Status CheckLabelsAmong(const std::vector<std::string>& names,
                              absl::Span<const LabelledText> texts,
                              absl::string_view whose, absl::string_view owner);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_TEXTS_TEXT_LABELS_H_

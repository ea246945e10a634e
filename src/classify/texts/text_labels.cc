#include "classify/texts/text_labels.h"

#include <algorithm>
#include <limits>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/quote.h"

namespace firth {
namespace {

using LabelNumbers = absl::flat_hash_map<absl::string_view, uint32_t>;

void AddText(std::vector<uint32_t> labels, TextLabels* texts) {
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  texts->numbers.insert(texts->numbers.end(), labels.begin(), labels.end());
  texts->begins.push_back(texts->numbers.size());
}

LabelNumbers NumbersOf(const std::vector<std::string>& names) {
  LabelNumbers numbers;
  numbers.reserve(names.size());
  for (const std::string& name : names) {
    numbers.emplace(name, static_cast<uint32_t>(numbers.size()));
  }
  return numbers;
}

absl::Status CheckNumber(const std::vector<std::string>& names) {
  if (names.size() < 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a classifier needs texts with at least two different labels, but ",
        names.empty()
            ? "there are no texts"
            : absl::StrCat("all texts have the label ", Quote(names[0]))));
  }
  if (names.size() > std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a classifier must have at most 2^31 - 1 labels, found ",
                     names.size()));
  }
  return absl::OkStatus();
}

}  // namespace

TextLabels LabelsAmong(const std::vector<std::string>& names,
                       absl::Span<const LabelledText> texts) {
  const LabelNumbers numbers = NumbersOf(names);
  TextLabels all;
  for (const LabelledText& text : texts) {
    std::vector<uint32_t> labels;
    for (const std::string& label : text.labels) {
      const auto found = numbers.find(label);
      if (found != numbers.end()) labels.push_back(found->second);
    }
    AddText(std::move(labels), &all);
  }
  return all;
}

bool HaveLabelAmong(const std::vector<std::string>& names,
                    absl::Span<const LabelledText> texts,
                    absl::string_view prefix) {
  const LabelNumbers numbers = NumbersOf(names);
  return absl::c_any_of(texts, [&](const LabelledText& text) {
    return absl::c_any_of(text.labels, [&](const std::string& label) {
      return numbers.contains(absl::StrCat(prefix, label));
    });
  });
}

absl::Status CheckLabelsAmong(const std::vector<std::string>& names,
                              absl::Span<const LabelledText> texts,
                              absl::string_view whose,
                              absl::string_view owner) {
  if (HaveLabelAmong(names, texts)) return absl::OkStatus();
  absl::flat_hash_set<absl::string_view> labels;
  absl::string_view first;
  for (const LabelledText& text : texts) {
    if (labels.empty() && !text.labels.empty()) first = text.labels.front();
    labels.insert(text.labels.begin(), text.labels.end());
  }
  if (labels.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "none of the labels of ", whose, " is a label of ", owner, ": ", whose,
      " have ", Quote(first), labels.size() > 1 ? " and others, " : ", ", owner,
      " ", Quote(names.front()),
      ". The options label-prefix, label-column and label-separator define "
      "what is read as a label"));
}

absl::StatusOr<LabelSet> NumberLabels(absl::Span<const LabelledText> texts) {
  absl::flat_hash_map<absl::string_view, uint64_t> counts;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].labels.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("text ", i + 1, ": the text has no label"));
    }
    for (const std::string& label : texts[i].labels) ++counts[label];
  }
  std::vector<std::pair<absl::string_view, uint64_t>> order(counts.begin(),
                                                            counts.end());
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  LabelSet set;
  for (const auto& [name, count] : order) set.names.emplace_back(name);
  const absl::Status status = CheckNumber(set.names);
  if (!status.ok()) return status;
  set.texts = LabelsAmong(set.names, texts);
  set.counts.resize(set.names.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    const absl::Span<const uint32_t> labels = set.texts.Of(i);
    set.several = set.several || labels.size() > 1;
    for (const uint32_t label : labels) ++set.counts[label];
  }
  return set;
}

}  // namespace firth

// Converts words to the requests of a command: each word, all words together,
// or a sum of words as a user writes it, such as king - man + woman.

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ask/ask_command.h"
#include "cli/foreign_names.h"
#include "cli/human.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

// Sets a field that is a text, a list of texts, or a list of terms.
void SetWords(absl::Span<const std::string> words, const FieldTarget& target) {
  if (auto* const* text = std::get_if<std::string*>(&target)) {
    **text = words.empty() ? "" : words[0];
  } else if (auto* const* list =
                 std::get_if<std::vector<std::string>*>(&target)) {
    (*list)->assign(words.begin(), words.end());
  } else {
    auto* const terms = std::get<std::vector<WordOrVector>*>(target);
    terms->clear();
    for (const std::string& word : words) terms->push_back({word, {}});
  }
}

struct SumOfWords {
  bool is_sum = false;  // Whether any word has a sign.
  std::vector<std::string> positive;
  std::vector<std::string> negative;
};

bool IsSign(absl::string_view text) { return text == "+" || text == "-"; }

// Parses words. They are a sum if one of them has a sign: a "+" or "-" between
// two words, or at the beginning of a word for which `is_known` is false. A "-"
// before a word that begins with a minus sign makes it positive.
SumOfWords ParseSum(absl::Span<const std::string> words,
                    absl::FunctionRef<bool(absl::string_view)> is_known) {
  SumOfWords sum;
  bool is_negative = false;
  for (size_t i = 0; i < words.size(); ++i) {
    absl::string_view text = words[i];
    const bool between = i > 0 && i + 1 < words.size();
    if (between && IsSign(text) && !IsSign(words[i - 1])) {
      is_negative = text == "-";
      sum.is_sum = true;
      continue;
    }
    if (text.size() > 1 && IsSign(text.substr(0, 1)) && !is_known(text)) {
      if (text[0] == '-') is_negative = !is_negative;
      text.remove_prefix(1);
      sum.is_sum = true;
    }
    (is_negative ? sum.negative : sum.positive).emplace_back(text);
    is_negative = false;
  }
  return sum;
}

}  // namespace

absl::Status AskCommand::CheckWords(absl::Span<const std::string> words) const {
  if (words.empty() || form_ != Form::kTogether) return absl::OkStatus();
  size_t low = question_.arguments.size(), high = low;
  const std::string& last = question_.arguments.back();
  if (KindOf(last) == FieldKind::kTexts) {
    const Field& field = *fields_.Find(last);
    low += static_cast<size_t>(std::max(field.min, 1.0)) - 1;
    high = static_cast<size_t>(std::min(field.max, 0x1p62));
  }
  if (words.size() >= low && words.size() <= high) return absl::OkStatus();
  const char* const noun = question_.takes_texts ? "text" : "word";
  std::string hint;
  if (question_.takes_texts) {
    hint =
        "; give each text as one argument, or separate the texts by a tab in a "
        "line of standard input";
  } else if (absl::c_any_of(words, HoldsWhiteSpace)) {
    hint = "; write each as a separate argument, without quotes";
  } else if (words.size() > high && question_.name == "similarity") {
    hint = "; \"firth matrix\" compares several words";
  } else if (words.size() > high && question_.name == "analogy") {
    hint = "; \"firth nn\" takes sums of words";
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "expected ",
      words.size() > high && high > low
          ? absl::StrCat("at most ", Counted(high, noun))
          : absl::StrCat(Counted(low, noun), high > low ? " or more" : ""),
      ", found ", words.size(), hint));
}

void* AskCommand::AddRequest(const std::string& place, Asked* asked) const {
  asked->places.push_back(place);
  return asked->batch->Add(prototype_->request(0));
}

absl::Status AskCommand::AddWords(absl::Span<const std::string> words,
                                  const std::string& place,
                                  Asked* asked) const {
  if (words.empty()) return absl::OkStatus();
  FIRTH_RETURN_IF_ERROR(CheckWords(words));
  if (form_ == Form::kTogether) return AddOne(words, place, asked);
  if (form_ == Form::kTerms && AddSum(words, place, asked)) {
    return absl::OkStatus();
  }
  for (const std::string& word : words) {
    FIRTH_RETURN_IF_ERROR(AddOne({word}, place, asked));
  }
  return absl::OkStatus();
}

bool AskCommand::AddSum(absl::Span<const std::string> words,
                        const std::string& place, Asked* asked) const {
  const Vocabulary& vocabulary = vectors().vectors().vocabulary();
  const SumOfWords sum = ParseSum(words, [&](absl::string_view word) {
    return vocabulary.Find(word).has_value();
  });
  if (!sum.is_sum) return false;
  FieldEditor fields(*question_.request, AddRequest(place, asked));
  SetWords(sum.positive, fields.At("positive"));
  SetWords(sum.negative, fields.At("negative"));
  return true;
}

absl::Status AskCommand::AddOne(absl::Span<const std::string> words,
                                const std::string& place, Asked* asked) const {
  const std::unique_ptr<Batch> one = question_.new_batch();
  FieldEditor fields(*question_.request, one->Add(prototype_->request(0)));
  for (size_t i = 0; i < question_.arguments.size(); ++i) {
    const bool is_last = i + 1 == question_.arguments.size();
    SetWords(words.subspan(i, is_last ? words.npos : 1),
             fields.At(question_.arguments[i]));
  }
  FIRTH_RETURN_IF_ERROR(fields.Check());
  asked->places.push_back(place);
  asked->batch->Add(one->request(0));
  return absl::OkStatus();
}

absl::Status AskCommand::AddNumbers(absl::Span<const std::string> words,
                                    const std::string& place,
                                    Asked* asked) const {
  const size_t dim = vectors().vectors().dim();
  if (words.size() != dim && words.size() != dim + 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", dim, " numbers, or a label and ", dim,
                     " numbers, found ", words.size()));
  }
  const bool labelled = words.size() > dim;
  WordOrVector term;
  if (labelled) term.word = words[0];
  for (const std::string& word : words.subspan(labelled ? 1 : 0)) {
    if (absl::SimpleAtof(word, &term.vector.emplace_back()) &&
        std::isfinite(term.vector.back())) {
      continue;
    }
    return absl::InvalidArgumentError(
        absl::StrCat("expected a finite number, found \"", word, "\""));
  }
  FieldEditor fields(*question_.request, AddRequest(place, asked));
  std::get<std::vector<WordOrVector>*>(fields.At("positive"))
      ->push_back(std::move(term));
  return absl::OkStatus();
}

}  // namespace firth::tools

// Interpolates two models: the probability of each token is a weighted mean of
// theirs. The weight is estimated by expectation maximization on another text,
// which has one maximum.

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "base/quote.h"
#include "corpus/token_stream.h"
#include "firth/language_model.h"
#include "firth/status_macros.h"
#include "lm/read/perplexity.h"
#include "lm/read/text_model.h"

namespace firth {
namespace {

using Sentence = LanguageModel::Sentence;

constexpr size_t kSentencesTogether = 1024;
constexpr int kMostSteps = 1000;
constexpr double kLeastChange = 1e-7;  // of the weight
constexpr double kMostRatio = 700;     // in nats, so that it stays finite

absl::Status CheckSameTokens(const Sentence& sentence,
                             absl::Span<const TokenScore> first,
                             absl::Span<const TokenScore> second) {
  if (first.size() != second.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the models split a sentence into ", first.size(), " and ",
                     second.size(),
                     " tokens; only models with the same tokens can be "
                     "mixed"));
  }
  for (size_t i = 0; i < first.size(); ++i) {
    if (first[i].unknown == second[i].unknown) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "the word ", i < sentence.size() ? Quote(sentence[i]) : "",
        " is <UNK> for the ", first[i].unknown ? "first" : "second",
        " model only; train both with the same --min-count and --max-vocab"));
  }
  return absl::OkStatus();
}

// Calls visit(first, second) with the scores of each token by both models.
absl::Status ForEachToken(
    LanguageModel& first, LanguageModel& second, const Corpus& text,
    const Hooks& hooks,
    absl::FunctionRef<void(const TokenScore&, const TokenScore&)> visit) {
  const Hooks only_stop = {.stop = hooks.stop};
  const absl::Span<const uint32_t> tokens = text.tokens->tokens();
  std::vector<Sentence> sentences(1);
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] != TokenStream::kSentenceEnd) {
      sentences.back().push_back(text.vocabulary.Word(ToWordId(tokens[i])));
      continue;
    }
    if (sentences.size() < kSentencesTogether && i + 1 < tokens.size()) {
      sentences.emplace_back();
      continue;
    }
    FIRTH_ASSIGN_OR_RETURN(const auto of_first,
                           first.TokenScores(sentences, only_stop));
    FIRTH_ASSIGN_OR_RETURN(const auto of_second,
                           second.TokenScores(sentences, only_stop));
    for (size_t s = 0; s < sentences.size(); ++s) {
      FIRTH_RETURN_IF_ERROR(
          CheckSameTokens(sentences[s], of_first[s], of_second[s]));
      for (size_t t = 0; t < of_first[s].size(); ++t) {
        visit(of_first[s][t], of_second[s][t]);
      }
    }
    sentences.assign(1, {});
    hooks.ReportWork(i + 1, tokens.size());
  }
  return absl::OkStatus();
}

// Returns the weight of the first model that maximizes the probability of
// tokens, given the probability ratio p_second / p_first of each.
double FitWeight(const std::vector<double>& ratios) {
  double weight = 0.5;
  for (int step = 0; step < kMostSteps; ++step) {
    double sum = 0;
    for (const double ratio : ratios) {
      sum += weight / (weight + (1 - weight) * ratio);
    }
    const double next = sum / static_cast<double>(ratios.size());
    if (std::abs(next - std::exchange(weight, next)) < kLeastChange) break;
  }
  return weight;
}

}  // namespace

absl::StatusOr<MixedPerplexity> MeasureMixture(LanguageModel& first,
                                               LanguageModel& second,
                                               const Corpus& valid,
                                               const Corpus& text,
                                               const Hooks& hooks) {
  FIRTH_RETURN_IF_ERROR(CheckRead(valid));
  FIRTH_RETURN_IF_ERROR(CheckRead(text));
  for (const LanguageModel* const model : {&first, &second}) {
    if (TextModel::Of(*model).has_probabilities()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "the ", model == &first ? "first" : "second",
        " model has scores that are not probabilities (stupid backoff), so it "
        "cannot be mixed; use Kneser-Ney smoothing"));
  }
  std::vector<double> ratios;
  const auto add_ratio = [&](const TokenScore& a, const TokenScore& b) {
    ratios.push_back(
        std::exp(std::min(kMostRatio, b.log_probability - a.log_probability)));
  };
  FIRTH_RETURN_IF_ERROR(ForEachToken(first, second, valid, hooks, add_ratio));
  MixedPerplexity measured;
  measured.weight = FitWeight(ratios);
  LossSums of_first;
  LossSums of_second;
  LossSums of_both;
  const auto add = [&](const TokenScore& a, const TokenScore& b) {
    of_first.Add(-a.log_probability, a.unknown);
    of_second.Add(-b.log_probability, b.unknown);
    const double most = std::max(a.log_probability, b.log_probability);
    const double p = measured.weight * std::exp(a.log_probability - most) +
                     (1 - measured.weight) * std::exp(b.log_probability - most);
    of_both.Add(-most - std::log(p), a.unknown);
  };
  FIRTH_RETURN_IF_ERROR(ForEachToken(first, second, text, hooks, add));
  measured.first = of_first.Mean();
  measured.second = of_second.Mean();
  measured.mixed = of_both.Mean();
  return measured;
}

}  // namespace firth

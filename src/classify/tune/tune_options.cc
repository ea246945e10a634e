// The fields of tuning options, and the text forms of a metric and a budget.

#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/json.h"
#include "firth/fields.h"
#include "firth/tune.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

using Kind = TuneMetric::Kind;

constexpr std::pair<absl::string_view, Kind> kPlainMetrics[] = {
    {"accuracy", Kind::kAccuracy},
    {"macro-f1", Kind::kMacroF1},
    {"micro-f1", Kind::kMicroF1}};
constexpr absl::string_view kPrecisionAtRecall = "precision@recall=";

// The units of a budget, in tokens. Lower-case letters are units of time,
// capitals are units of a number.
constexpr std::pair<absl::string_view, uint64_t> kBudgetUnits[] = {
    {"K", 1000},
    {"M", 1000000},
    {"G", 1000000000},
    {"s", kTokensPerSecond},
    {"m", 60 * kTokensPerSecond},
    {"h", 3600 * kTokensPerSecond}};
constexpr double kMostTokens = 1e15;

// Parses a number that consists only of digits and a point, without a sign or
// an exponent.
bool ParsePlainNumber(absl::string_view text, double* number) {
  return text.find_first_not_of("0123456789.") == text.npos &&
         absl::SimpleAtod(text, number);
}

std::string BudgetText(const uint64_t& tokens) {
  for (const auto& [letter, unit] : {kBudgetUnits[2], kBudgetUnits[1]}) {
    if (tokens > 0 && tokens % unit == 0) {
      return absl::StrCat(tokens / unit, letter);
    }
  }
  return absl::StrCat(tokens);
}

OrderedJson TrialJson(const TuneTrial& trial) {
  return {{"options", OrderedJson::parse(FieldsJson(trial.options))},
          {"folds", trial.folds},
          {"share", trial.share},
          {"tokens", trial.tokens},
          {"score", trial.score},
          {"deviation", trial.deviation},
          {"memory", trial.memory},
          {"bytes", trial.bytes},
          {"seconds", trial.seconds},
          {"left_out", trial.left_out}};
}

}  // namespace

bool ParseTuneMetric(const std::string& text, TuneMetric* metric) {
  for (const auto& [name, kind] : kPlainMetrics) {
    if (text != name) continue;
    *metric = {};
    metric->kind = kind;
    return true;
  }
  absl::string_view rest = text;
  if (!absl::ConsumePrefix(&rest, kPrecisionAtRecall)) return false;
  const size_t colon = rest.find(':');
  if (colon == rest.npos || colon + 1 == rest.size()) return false;
  double recall = 0;
  if (!ParsePlainNumber(rest.substr(0, colon), &recall)) return false;
  if (recall <= 0 || recall >= 1) return false;
  *metric = {.kind = Kind::kPrecisionAtRecall,
             .recall = recall,
             .label = std::string(rest.substr(colon + 1))};
  return true;
}

std::string TuneMetricText(const TuneMetric& metric) {
  for (const auto& [name, kind] : kPlainMetrics) {
    if (metric.kind == kind) return std::string(name);
  }
  // The shortest text that is read as the same number.
  char recall[32];
  const auto end =
      std::to_chars(std::begin(recall), std::end(recall), metric.recall).ptr;
  return absl::StrCat(kPrecisionAtRecall, std::string(recall, end), ":",
                      metric.label);
}

bool ParseTokenBudget(const std::string& text, uint64_t* tokens) {
  absl::string_view number = text;
  uint64_t unit = 1;
  for (const auto& [letter, count] : kBudgetUnits) {
    if (!absl::ConsumeSuffix(&number, letter)) continue;
    unit = count;
    break;
  }
  double value = 0;
  if (!ParsePlainNumber(number, &value)) return false;
  value = std::round(value * static_cast<double>(unit));
  if (value > kMostTokens || (value == 0) != (text == "0")) return false;
  *tokens = static_cast<uint64_t>(value);
  return true;
}

FieldTable TuneOptions::Fields() {
  FieldsOf<TuneOptions> fields;
  fields.Section("Search");
  fields.Written<TuneMetric>(
      "metric", &TuneOptions::metric, TuneMetricText, ParseTuneMetric,
      "choose the score to maximize: accuracy, macro-f1, micro-f1, or "
      "precision@recall=.9:LABEL, which is the precision of LABEL at the "
      "threshold where 90% of its texts are found",
      Field().ValueName("METRIC").Everyday());
  fields.Add(
      "folds", &TuneOptions::folds,
      "number of cross-validation folds; each fold is used for evaluation "
      "after training on the others",
      Field().Range(2, 100).Everyday());
  fields.Written<uint64_t>(
      "budget", &TuneOptions::budget_tokens, BudgetText, ParseTokenBudget,
      absl::StrCat("set the total training budget of all trials: a number "
                   "of tokens, such as 200M, or a time, such as 90s, 5m or "
                   "2h. A time is converted at ",
                   kTokensPerSecond / 1000000,
                   "M tokens per second, so that the same command always "
                   "tries the same options. 0 means 1,000 times the number "
                   "of tokens in the texts, but at least 50M"),
      Field().ValueName("TOKENS|TIME").Everyday());
  fields.Add(
      "max-size", &TuneOptions::max_bytes,
      "maximum size of the classifier's file; larger classifiers are "
      "quantized to this size before they are measured. 0 means no limit",
      Field().Size().Everyday());
  fields.Add("memory", &TuneOptions::memory_bytes,
             "maximum memory of all trials that run at the same time; 0 means "
             "the memory that is available",
             Field().Size().Work());
  fields.Add(
      "seed", &TuneOptions::seed,
      "set the random seed for the search, the folds and each training run");
  fields.Add("threads", &TuneOptions::threads,
             "number of trials that run at the same time, one thread each; the "
             "result does not depend on it. 0 means all cores",
             Field().Range(0, kMostThreads).Work());
  return fields;
}

absl::Status TuneOptions::Validate() const { return CheckFields(*this); }

std::string ReportJson(const TuneReport& report) {
  OrderedJson trials = OrderedJson::array();
  for (const TuneTrial& trial : report.trials) {
    trials.push_back(TrialJson(trial));
  }
  return DumpJson(OrderedJson{{"trials", std::move(trials)},
                              {"best", report.best},
                              {"tokens", report.tokens},
                              {"budget_tokens", report.budget_tokens},
                              {"interrupted", report.interrupted}});
}

}  // namespace firth

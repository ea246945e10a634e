#include <optional>
#include <string>
#include <utility>

#include "base/json.h"
#include "firth/classifier.h"
#include "firth/fields.h"
#include "firth/tune.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

OrderedJson OrNull(const std::optional<double>& number) {
  return number.has_value() ? OrderedJson(*number) : OrderedJson(nullptr);
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

std::string ReportJson(const ClassifierReport& report) {
  OrderedJson epochs = OrderedJson::array();
  for (const ClassifierEpoch& epoch : report.epochs) {
    epochs.push_back({{"loss", epoch.loss},
                      {"score", OrNull(epoch.score)},
                      {"seconds", epoch.seconds}});
  }
  return DumpJson(
      OrderedJson{{"texts", report.texts},
                  {"words", report.words},
                  {"labels", report.labels},
                  {"features", report.features},
                  {"parameters", report.parameters},
                  {"epochs", std::move(epochs)},
                  {"best_epoch", report.best_epoch},
                  {"calibrated_on", report.calibrated_on},
                  {"calibration_error", OrNull(report.calibration_error)},
                  {"seconds", report.seconds},
                  {"interrupted", report.interrupted}});
}

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

// Facts about a finished training run: the report, and the metadata of the
// model. The metadata has nothing that differs between two runs with the same
// options, so equal runs give equal files.

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "firth/vector_training.h"
#include "nlohmann/json.hpp"

#ifndef FIRTH_VERSION
#error "the build defines FIRTH_VERSION"
#endif

namespace firth {
namespace {

OrderedJson NormalizationJson(const NormalizationReport& report) {
  return {{"windows", report.windows},
          {"mean_ln_z", report.mean_ln_z},
          {"stddev_ln_z", report.stddev_ln_z},
          {"perplexity", report.perplexity}};
}

OrderedJson Losses(const TrainReport& training) {
  OrderedJson losses = OrderedJson::array();
  for (const EpochReport& epoch : training.epochs) {
    losses.push_back(epoch.loss);
  }
  return losses;
}

OrderedJson Epochs(const TrainingFacts& facts) {
  OrderedJson epochs = OrderedJson::array();
  for (const EpochReport& epoch : facts.training.epochs) {
    OrderedJson entry = {{"loss", epoch.loss},
                         {"examples", epoch.examples},
                         {"seconds", epoch.seconds}};
    if (epoch.held_out_loss.has_value()) {
      entry["held_out_loss"] = *epoch.held_out_loss;
    }
    if (epoch.score.has_value()) entry["score"] = *epoch.score;
    if (facts.has_normalization) {
      entry["normalization"] = NormalizationJson(epoch.normalization);
    }
    epochs.push_back(std::move(entry));
  }
  return epochs;
}

// Formats a value of an option as a user would type it.
std::string AsText(const OrderedJson& value) {
  return value.is_string() ? value.get<std::string>() : DumpJson(value);
}

OrderedJson Account(const CorpusReport& report) {
  return {{"files", report.files},
          {"bytes", report.bytes},
          {"lines", report.lines},
          {"tokens", report.tokens},
          {"words_kept", report.words_kept},
          {"types_seen", report.types_seen},
          {"types_kept", report.types_kept},
          {"types_known", report.types_known},
          {"dropped_min_count", report.dropped_min_count},
          {"dropped_max_vocab", report.dropped_max_vocab},
          {"dropped_pruned", report.dropped_pruned},
          {"dropped_not_given", report.dropped_not_given},
          {"dropped_too_long", report.dropped_too_long},
          {"invalid_utf8", report.invalid_utf8},
          {"tokens_with_nul", report.tokens_with_nul},
          {"spooled_bytes", report.spooled_bytes},
          {"seconds", report.seconds}};
}

OrderedJson ParsedOptions(const TrainingFacts& facts) {
  return OrderedJson::parse(facts.options, nullptr,
                            /*allow_exceptions=*/false);
}

}  // namespace

std::string ReportJson(const CorpusReport& report) {
  return DumpJson(Account(report));
}

std::string ReportJson(const TrainingFacts& facts) {
  const TrainReport& training = facts.training;
  OrderedJson report = {{"program", "firth"},
                        {"version", FIRTH_VERSION},
                        {"interrupted", training.interrupted},
                        {"options", ParsedOptions(facts)},
                        {"corpus", Account(facts.corpus)},
                        {"words_trained", training.words},
                        {"held_out_words", training.held_out_words},
                        {"threads", training.threads},
                        {"words_per_second", training.words_per_second},
                        {"resumed_words", training.resumed_words},
                        {"best_epoch", training.best_epoch},
                        {"stopped_early", training.stopped_early},
                        {"checkpoints",
                         {{"written", training.checkpoints},
                          {"waited_seconds", training.checkpoint_seconds}}},
                        {"seconds",
                         {{"read", facts.corpus.seconds},
                          {"train", training.seconds},
                          {"write", facts.write_seconds}}},
                        {"peak_memory_bytes", PeakMemory()},
                        {"loss", Losses(training)},
                        {"epochs", Epochs(facts)}};
  if (training.ranks > 1) {
    report["ranks"] = training.ranks;
    report["learning_rate_factor"] = training.rate_of_ranks;
    report["seconds"]["communication"] = training.communication_seconds;
  }
  if (facts.has_normalization) {
    OrderedJson means = OrderedJson::array();
    for (const EpochReport& epoch : training.epochs) {
      means.push_back(epoch.normalization.mean_ln_z);
    }
    report["mean_ln_z"] = std::move(means);
  }
  return DumpJson(report);
}

std::map<std::string, std::string> ModelMetadata(const TrainingFacts& facts) {
  std::map<std::string, std::string> metadata;
  const OrderedJson options = ParsedOptions(facts);
  for (const auto& [name, value] : options.items()) {
    const std::string text = AsText(value);
    if (!text.empty()) metadata[name] = text;  // empty if not given
  }
  metadata["corpus-tokens"] = absl::StrCat(facts.corpus.tokens);
  metadata["corpus-words"] = absl::StrCat(facts.corpus.types_kept);
  metadata["words-trained"] = absl::StrCat(facts.training.words);
  metadata["interrupted"] = facts.training.interrupted ? "true" : "false";
  metadata["loss-by-epoch"] = DumpJson(Losses(facts.training));
  if (facts.has_normalization && !facts.training.epochs.empty()) {
    metadata["normalization"] =
        DumpJson(NormalizationJson(facts.training.epochs.back().normalization));
  }
  return metadata;
}

}  // namespace firth

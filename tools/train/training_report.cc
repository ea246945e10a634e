#include "train/training_report.h"

#include <cmath>
#include <cstdint>

#include "absl/strings/str_format.h"
#include "cli/human.h"
#include "train/reading_options.h"

namespace firth::tools {
namespace {

Json NormalizationJson(const NormalizationReport& report) {
  return {{"windows", report.windows},
          {"mean_ln_z", report.mean_ln_z},
          {"stddev_ln_z", report.stddev_ln_z},
          {"perplexity", report.perplexity}};
}

Json Losses(const TrainReport& training) {
  Json losses = Json::array();
  for (const EpochReport& epoch : training.epochs) {
    losses.push_back(epoch.loss);
  }
  return losses;
}

Json Epochs(const TrainingFacts& facts) {
  Json epochs = Json::array();
  for (const EpochReport& epoch : facts.training.epochs) {
    Json entry = {{"loss", epoch.loss},
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

// Options are kept as they would be typed.
std::string AsText(const Json& value) {
  return value.is_string() ? value.get<std::string>() : OneLine(value);
}

absl::string_view Verdict(const NormalizationReport& report) {
  const double off = std::abs(report.mean_ln_z);
  if (off < 0.1 && report.stddev_ln_z < 0.5) {
    return "the scores are probabilities, near enough";
  }
  if (off < 0.5 && report.stddev_ln_z < 1) {
    return "the scores are probabilities, roughly";
  }
  return "the scores are not probabilities yet; more noise words "
         "(--negative) or epochs bring it closer to 0";
}

}  // namespace

Json ReportJson(const TrainingFacts& facts) {
  const TrainReport& training = facts.training;
  Json report = {{"program", "firth"},
                 {"version", FIRTH_VERSION},
                 {"interrupted", training.interrupted},
                 {"options", facts.options},
                 {"corpus", AccountJson(facts.corpus)},
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
  if (facts.has_normalization) {
    Json means = Json::array();
    for (const EpochReport& epoch : training.epochs) {
      means.push_back(epoch.normalization.mean_ln_z);
    }
    report["mean_ln_z"] = std::move(means);
  }
  return report;
}

std::map<std::string, std::string> ModelMetadata(const TrainingFacts& facts) {
  std::map<std::string, std::string> metadata;
  for (const auto& [name, value] : facts.options.items()) {
    const std::string text = AsText(value);
    if (!text.empty()) metadata[name] = text;  // empty: not given
  }
  metadata["corpus-tokens"] = absl::StrCat(facts.corpus.tokens);
  metadata["corpus-words"] = absl::StrCat(facts.corpus.types_kept);
  metadata["words-trained"] = absl::StrCat(facts.training.words);
  metadata["interrupted"] = facts.training.interrupted ? "true" : "false";
  metadata["loss-by-epoch"] = OneLine(Losses(facts.training));
  if (facts.has_normalization && !facts.training.epochs.empty()) {
    metadata["normalization"] =
        OneLine(NormalizationJson(facts.training.epochs.back().normalization));
  }
  return metadata;
}

std::string NormalizationLine(const NormalizationReport& report) {
  return absl::StrFormat("mean ln Z %.3f, deviation %.3f, on %s: %s",
                         report.mean_ln_z, report.stddev_ln_z,
                         Counted(report.windows, "held-out window"),
                         Verdict(report));
}

}  // namespace firth::tools

// The fields of a classifier's options, and the checks for contradictions.

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "classify/train/training_plan.h"
#include "firth/classifier.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "lm/learn/tuning_fields.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

void AddFeatures(FieldsOf<ClassifierOptions>* fields) {
  fields->Section("Features");
  fields->Add("lowercase", &ClassifierOptions::lowercase,
              "convert all text to lower case", Field().Shape());
  fields->Choice("normalize", &ClassifierOptions::normalize,
                 {"none", "nfc", "nfkc"},
                 "merge words that differ only in their Unicode form: nfc "
                 "composes letters and their accents; nfkc also replaces "
                 "variants such as ligatures and full-width letters",
                 Field().Shape());
  fields->Add("split-punctuation", &ClassifierOptions::split_punctuation,
              "separate punctuation from words at Unicode word boundaries; "
              "without it, words are separated by white space only",
              Field().Shape().Everyday());
  fields->Add(
      "word-ngrams", &ClassifierOptions::word_ngrams,
      "maximum length of word n-grams, in words, that are used as features",
      Field().Range(1, 10).Shape().Everyday());
  fields->Add(
      "min-n", &ClassifierOptions::min_n,
      "minimum length of character n-grams, in characters, including the "
      "< and > that mark the ends of a word. Setting both this and "
      "--max-n to 0 turns character n-grams off",
      Field().Range(0, 20).Shape());
  fields->Add("max-n", &ClassifierOptions::max_n,
              "maximum length of character n-grams, in characters",
              Field().Range(0, 20).Shape());
  fields->Add("min-count", &ClassifierOptions::min_count,
              "ignore words and n-grams that occur less often than this in the "
              "training texts",
              Field().Range(1, Field::kUnlimited).Shape());
  fields->Add("buckets", &ClassifierOptions::buckets,
              "number of hash buckets for all n-grams, as in fastText; 0 gives "
              "each n-gram in the texts its own row",
              Field().Range(0, uint32_t{1} << 31).Shape());
}

void AddModel(FieldsOf<ClassifierOptions>* fields) {
  fields->Section("Model");
  fields->Choice(
      "parts", &ClassifierOptions::parts, {"both", "wide", "deep"},
      "choose the model: wide has one weight per n-gram and label; "
      "deep classifies the mean of the vectors of words and n-grams; "
      "both adds the scores of these two models",
      Field().Shape());
  fields
      ->Add("dim", &ClassifierOptions::dim,
            "number of dimensions of the vectors in the deep part")
      .Range(1, 65536)
      .Automatic(0, "the dimensions of the initial vectors, otherwise 16")
      .Shape()
      .Needs({"parts"}, {"both", "deep"});
  fields->Variant(
      "loss", &ClassifierOptions::loss,
      "choose the loss: softmax for one label per text; ova (one versus "
      "all) for several labels per text; hs (hierarchical softmax) or ns "
      "(sampled labels) for tens of thousands of labels, without a wide "
      "part. auto chooses softmax if each text has one label and ova "
      "otherwise, or hs for more than 10,000 labels",
      Field().Shape().Everyday());
}

void AddTraining(FieldsOf<ClassifierOptions>* fields) {
  fields->Section("Training");
  fields->Choice(
      "class-weights", &ClassifierOptions::class_weights, {"none", "balanced"},
      "choose the weights of labels: none weights all texts equally; "
      "balanced weights all labels equally, so that rare labels are "
      "predicted more often",
      Field().Habit().Everyday());
  fields
      ->Add("epochs", &ClassifierOptions::epochs,
            "maximum number of passes over the texts")
      .Range(1, 10000)
      .Automatic(0, "depends on the amount of text")
      .Habit()
      .Everyday();
  fields
      ->Add("learning-rate", &ClassifierOptions::learning_rate,
            "set the initial learning rate of the deep part; it falls to 0")
      .Range(1e-12, 1e9)
      .Automatic(0, "0.5")
      .Needs({"parts"}, {"both", "deep"});
  fields
      ->Add("l2", &ClassifierOptions::l2,
            "set the L2 penalty per text on the weights of the wide part")
      .Range(1e-12, 1e9)
      .Automatic(0, "depends on the amount of text")
      .Habit()
      .Needs({"parts"}, {"both", "wide"})
      .Needs({"loss"}, {"auto", "softmax", "ova"});
  fields->Add(
      "held-out", &ClassifierOptions::held_out,
      "hold out this fraction of the texts, at most 10,000, to calibrate "
      "probabilities when no validation texts are given; training then "
      "starts again with all texts. 0 skips calibration",
      Field().Range(0, 0.5).Habit());
  fields->Add("patience", &ClassifierOptions::patience,
              "stop after this many epochs without a better score on the "
              "validation texts; 0 means never",
              Field().Range(0, 10000));
  fields->Add(
      "seed", &ClassifierOptions::seed,
      "set the random seed; the same seed and --threads 1 give the same file");
  fields->Add("threads", &ClassifierOptions::threads,
              "number of threads; 0 means all cores",
              Field().Range(0, kMostThreads).Work());
}

// The fields that control how the contextualizer is tuned. Its file is an
// input, so the commands describe that these fields go with it.
void AddTuning(FieldsOf<ClassifierOptions>* fields) {
  fields->Section("Features");
  AddTuneContextualizer(
      "texts", "The classifier's file contains the tuned contextualizer",
      fields)
      .Needs({"parts"}, {"both", "deep"});
  AddTuningRate(fields);
  fields->Add("batch", &ClassifierOptions::batch,
              "number of texts per update of the contextualizer's weights",
              Field().Range(1, 65536).Habit().Needs({"tune-contextualizer"}));
}

absl::Status CheckCharacters(const ClassifierOptions& options) {
  const bool has_none = options.min_n == 0 && options.max_n == 0;
  if (has_none || (options.min_n > 0 && options.min_n <= options.max_n)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("min-n: must be 1 to max-n (", options.max_n,
                   "), or both must be 0, found ", options.min_n));
}

OrderedJson OrNull(const std::optional<double>& number) {
  return number.has_value() ? OrderedJson(*number) : OrderedJson(nullptr);
}

}  // namespace

FieldTable SampledLabelLoss::Fields() {
  FieldsOf<SampledLabelLoss> fields;
  fields.Add("negative", &SampledLabelLoss::negatives,
             "number of wrong labels sampled per correct label",
             Field().Range(1, 1000).Habit());
  return fields;
}

FieldTable ClassifierOptions::Fields() {
  FieldsOf<ClassifierOptions> fields;
  AddFeatures(&fields);
  AddModel(&fields);
  AddTraining(&fields);
  AddTuning(&fields);
  return fields;
}

absl::Status ClassifierOptions::Validate() const {
  FIRTH_RETURN_IF_ERROR(CheckFields(*this));
  FIRTH_RETURN_IF_ERROR(CheckCharacters(*this));
  if (IsDeepLoss(loss) && parts == ClassifierParts::kWide) {
    return absl::InvalidArgumentError(
        "parts: the wide part does not support the losses hs and ns; use deep "
        "or both");
  }
  return absl::OkStatus();
}

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

}  // namespace firth

// The fields of a classifier's options, and what of them contradicts.

#include <variant>

#include "absl/strings/str_cat.h"
#include "firth/classifier.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "lm/tuning_fields.h"

namespace firth {
namespace {

void AddFeatures(FieldsOf<ClassifierOptions>* fields) {
  fields->Section("Features");
  fields
      ->Add("lowercase", &ClassifierOptions::lowercase,
            "read capitals as small letters")
      .Shape();
  fields
      ->Choice("normalize", &ClassifierOptions::normalize,
               {"none", "nfc", "nfkc"},
               "join words that differ in their Unicode form alone: nfc "
               "composes letters and their accents; nfkc also replaces "
               "variants such as ligatures and full-width letters")
      .Shape();
  fields
      ->Add("split-punctuation", &ClassifierOptions::split_punctuation,
            "part punctuation from words, by the rules of Unicode; else words "
            "stand between white space")
      .Shape()
      .Everyday();
  fields
      ->Add("word-ngrams", &ClassifierOptions::word_ngrams,
            "read up to so many words in a row as one feature, too")
      .Range(1, 10)
      .Shape()
      .Everyday();
  fields
      ->Add("min-n", &ClassifierOptions::min_n,
            "least characters of the n-grams that are read of a word, its ends "
            "included; 0 with --max-n 0: none")
      .Range(0, 20)
      .Shape();
  fields
      ->Add("max-n", &ClassifierOptions::max_n,
            "most characters of these n-grams")
      .Range(0, 20)
      .Shape();
  fields
      ->Add("min-count", &ClassifierOptions::min_count,
            "leave out words and n-grams that are rarer in the training texts")
      .Range(1, Field::kUnlimited)
      .Shape();
  fields
      ->Add("buckets", &ClassifierOptions::buckets,
            "hash all n-grams into so many rows, as fastText does; 0: those "
            "that occur have a row each")
      .Range(0, uint32_t{1} << 31)
      .Shape();
}

void AddModel(FieldsOf<ClassifierOptions>* fields) {
  fields->Section("Model");
  fields
      ->Choice("parts", &ClassifierOptions::parts, {"both", "wide", "deep"},
               "what scores a text: a weight for each n-gram and label (wide), "
               "vectors whose mean is the text (deep), or their sum")
      .Shape()
      .Everyday();
  fields->Add("dim", &ClassifierOptions::dim, "values a vector, deep part")
      .Range(1, 65536)
      .Automatic(0, "that of the vectors it starts from, else 16")
      .Shape()
      .Everyday()
      .Needs({"parts"}, {"both", "deep"});
  fields
      ->Variant("loss", &ClassifierOptions::loss,
                "what predicting means: one label a text (softmax); each label "
                "for itself (ova), for texts with several; a tree of the "
                "labels (hs) or some drawn by frequency (ns), for ten "
                "thousands of labels, without a wide part. auto: softmax or "
                "ova as the texts have labels, hs above 10,000 labels")
      .Shape()
      .Everyday();
}

void AddTraining(FieldsOf<ClassifierOptions>* fields) {
  fields->Section("Training");
  fields
      ->Choice("class-weights", &ClassifierOptions::class_weights,
               {"none", "balanced"},
               "texts count the same (none), or all labels do (balanced), so "
               "that rare ones are found more often")
      .Habit()
      .Everyday();
  fields
      ->Add("epochs", &ClassifierOptions::epochs,
            "passes over the texts, at most")
      .Range(1, 10000)
      .Automatic(0, "by the size of the text")
      .Habit()
      .Everyday();
  fields
      ->Add("learning-rate", &ClassifierOptions::learning_rate,
            "of the deep part, at the start; it falls to 0")
      .Range(1e-12, 1e9)
      .Automatic(0, "0.5")
      .Needs({"parts"}, {"both", "deep"});
  fields
      ->Add("l2", &ClassifierOptions::l2,
            "penalty on the squares of the wide part's weights, for each text")
      .Range(1e-12, 1e9)
      .Automatic(0, "by the size of the text")
      .Habit()
      .Needs({"parts"}, {"both", "wide"})
      .Needs({"loss"}, {"auto", "softmax", "ova"});
  fields
      ->Add("held-out", &ClassifierOptions::held_out,
            "share of the texts, at most 10,000, that is held out where none "
            "are given to measure on: they tell what probabilities scores "
            "mean, then the training starts again with all. 0: not told")
      .Range(0, 0.5)
      .Habit();
  fields
      ->Add("patience", &ClassifierOptions::patience,
            "stop after so many epochs without a better score on given texts; "
            "0: never")
      .Range(0, 10000);
  fields->Add("seed", &ClassifierOptions::seed,
              "of all random numbers; the same seed and --threads 1 give the "
              "same file");
  fields->Add("threads", &ClassifierOptions::threads, "0: as many as cores")
      .Range(0, kMostThreads)
      .Work();
}

// The fields that tell how the contextualizer learns. Its file is an input, so
// the commands say that these go with it.
void AddTuning(FieldsOf<ClassifierOptions>* fields) {
  fields->Section("Features");
  AddTuneContextualizer("texts", "the classifier's file holds it", fields)
      .Needs({"parts"}, {"both", "deep"});
  AddTuningRate(fields);
  fields
      ->Add("batch", &ClassifierOptions::batch,
            "texts a step of the contextualizer's weights")
      .Range(1, 65536)
      .Habit()
      .Needs({"tune-contextualizer"});
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

}  // namespace

FieldTable SampledLabelLoss::Fields() {
  FieldsOf<SampledLabelLoss> fields;
  fields
      .Add("negative", &SampledLabelLoss::negatives,
           "labels drawn against each right one")
      .Range(1, 1000)
      .Habit();
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
  const bool is_deep_loss = std::holds_alternative<TreeLabelLoss>(loss) ||
                            std::holds_alternative<SampledLabelLoss>(loss);
  if (is_deep_loss && parts == ClassifierParts::kWide) {
    return absl::InvalidArgumentError(
        "parts: the wide part does not support loss hs and ns; use deep or "
        "both");
  }
  return absl::OkStatus();
}

}  // namespace firth

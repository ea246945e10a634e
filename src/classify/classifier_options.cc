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
            "convert the text to lower case")
      .Shape();
  fields
      ->Choice("normalize", &ClassifierOptions::normalize,
               {"none", "nfc", "nfkc"},
               "Unicode normalization of words. nfc: compose letters and their "
               "accents; nfkc: also replace variants such as ligatures and "
               "full-width letters")
      .Shape();
  fields
      ->Add("split-punctuation", &ClassifierOptions::split_punctuation,
            "separate punctuation from words at Unicode word boundaries; "
            "without it, words are separated by white space only")
      .Shape()
      .Everyday();
  fields
      ->Add("word-ngrams", &ClassifierOptions::word_ngrams,
            "maximum number of consecutive words that form one feature")
      .Range(1, 10)
      .Shape()
      .Everyday();
  fields
      ->Add("min-n", &ClassifierOptions::min_n,
            "length of the shortest character n-grams of a word, including its "
            "boundary marks; 0 together with --max-n 0 means none")
      .Range(0, 20)
      .Shape();
  fields
      ->Add("max-n", &ClassifierOptions::max_n,
            "length of the longest character n-grams")
      .Range(0, 20)
      .Shape();
  fields
      ->Add(
          "min-count", &ClassifierOptions::min_count,
          "drop words and n-grams that occur fewer times in the training texts")
      .Range(1, Field::kUnlimited)
      .Shape();
  fields
      ->Add("buckets", &ClassifierOptions::buckets,
            "hash all n-grams to this many rows, as fastText does; 0 gives "
            "each n-gram a row of its own")
      .Range(0, uint32_t{1} << 31)
      .Shape();
}

void AddModel(FieldsOf<ClassifierOptions>* fields) {
  fields->Section("Model");
  fields
      ->Choice("parts", &ClassifierOptions::parts, {"both", "wide", "deep"},
               "what scores a text. wide: a weight for each n-gram and label; "
               "deep: the mean of trained vectors; both: the sum of the two")
      .Shape()
      .Everyday();
  fields
      ->Add("dim", &ClassifierOptions::dim,
            "number of dimensions of the vectors of the deep part")
      .Range(1, 65536)
      .Automatic(0, "that of --vectors, otherwise 16")
      .Shape()
      .Everyday()
      .Needs({"parts"}, {"both", "deep"});
  fields
      ->Variant("loss", &ClassifierOptions::loss,
                "loss function. softmax: one label per text; ova: each label "
                "independently, for texts with several labels; hs: a tree of "
                "the labels; ns: sampled labels. hs and ns are for tens of "
                "thousands of labels and have no wide part. auto: softmax or "
                "ova, depending on the texts, and hs above 10,000 labels")
      .Shape()
      .Everyday();
}

void AddTraining(FieldsOf<ClassifierOptions>* fields) {
  fields->Section("Training");
  fields
      ->Choice(
          "class-weights", &ClassifierOptions::class_weights,
          {"none", "balanced"},
          "weights of the texts. none: all texts count the same; balanced: all "
          "labels count the same, so that rare labels are found more often")
      .Habit()
      .Everyday();
  fields
      ->Add("epochs", &ClassifierOptions::epochs,
            "maximum number of passes over the texts")
      .Range(1, 10000)
      .Automatic(0, "depends on the size of the text")
      .Habit()
      .Everyday();
  fields
      ->Add("learning-rate", &ClassifierOptions::learning_rate,
            "initial learning rate of the deep part; it decreases to 0")
      .Range(1e-12, 1e9)
      .Automatic(0, "0.5")
      .Needs({"parts"}, {"both", "deep"});
  fields
      ->Add("l2", &ClassifierOptions::l2,
            "L2 penalty on the weights of the wide part, per text")
      .Range(1e-12, 1e9)
      .Automatic(0, "depends on the size of the text")
      .Habit()
      .Needs({"parts"}, {"both", "wide"})
      .Needs({"loss"}, {"auto", "softmax", "ova"});
  fields
      ->Add("held-out", &ClassifierOptions::held_out,
            "fraction of the texts, at most 10,000 of them, that is held out "
            "if no --valid texts are given. They calibrate the probabilities; "
            "then the classifier is trained again on all texts. 0 disables "
            "calibration")
      .Range(0, 0.5)
      .Habit();
  fields
      ->Add("patience", &ClassifierOptions::patience,
            "stop after this many epochs without a better score on the --valid "
            "texts; 0 means never")
      .Range(0, 10000);
  fields->Add("seed", &ClassifierOptions::seed,
              "seed of the random numbers; with --threads 1, the same seed "
              "gives the same file");
  fields
      ->Add("threads", &ClassifierOptions::threads,
            "number of threads; 0 means all cores")
      .Range(0, kMostThreads)
      .Work();
}

// The fields that tell how the contextualizer learns. Its file is an input, so
// the commands say that these go with it.
void AddTuning(FieldsOf<ClassifierOptions>* fields) {
  fields->Section("Features");
  AddTuneContextualizer("texts", "the classifier's file contains it", fields)
      .Needs({"parts"}, {"both", "deep"});
  AddTuningRate(fields);
  fields
      ->Add("batch", &ClassifierOptions::batch,
            "number of texts per step of the contextualizer's weights")
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
      absl::StrCat("min-n: expected 1 to max-n, ", options.max_n,
                   ", or both 0, found ", options.min_n));
}

}  // namespace

FieldTable SampledLabelLoss::Fields() {
  FieldsOf<SampledLabelLoss> fields;
  fields
      .Add("negative", &SampledLabelLoss::negatives,
           "number of wrong labels drawn for each right one")
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
        "parts: loss hs and ns have no wide part; expected deep or both, found "
        "wide");
  }
  return absl::OkStatus();
}

}  // namespace firth

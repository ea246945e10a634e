// The fields of the options for document vectors, and the training options of
// word vectors that they amount to.

#include "documents/document_options.h"

#include <cmath>
#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "firth/documents.h"
#include "firth/fields.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

void AddModel(FieldsOf<DocumentOptions>* fields) {
  fields->Section("Model");
  fields->Variant(
      "arch", &DocumentOptions::architecture,
      "choose the architecture: dbow predicts the words of a document from its "
      "vector, and is fast; dm predicts each word from the mean of this vector "
      "and the words around it, and trains word vectors, too",
      Field().Shape().Everyday());
  fields->Variant("loss", &DocumentOptions::objective,
                  "choose the training objective: negative sampling (ns) or "
                  "hierarchical softmax (hs)",
                  Field().Shape());
  fields->Add(
      "dim", &DocumentOptions::dim,
      "number of dimensions of the vectors; time and memory grow with it",
      Field().Range(1, 65536).Shape().Everyday());
  fields->Add("window", &DocumentOptions::window,
              "maximum number of context words on each side, for dm and for "
              "the words of --train-words",
              Field().Range(1, 1000).Habit().Everyday());
  fields->Add("dynamic-window", &DocumentOptions::dynamic_window,
              "draw the window size at each position at random from 1 to "
              "--window, so that near words count more",
              Field().Habit());
}

void AddTraining(FieldsOf<DocumentOptions>* fields) {
  fields->Section("Training");
  fields->Add(
      "sample", &DocumentOptions::sample,
      "subsample words whose fraction of the text is above this; smaller "
      "values drop more occurrences of frequent words. 0 turns it off",
      Field().Range(0, 1).Habit());
  fields->Add("epochs", &DocumentOptions::epochs,
              "number of passes over the text",
              Field().Range(1, 10000).Habit().Everyday());
  fields->Add("learning-rate", &DocumentOptions::learning_rate,
              "set the initial learning rate; it falls linearly to "
              "--min-learning-rate",
              Field().Range(1e-12, 1e9));
  fields->Add("min-learning-rate", &DocumentOptions::min_learning_rate,
              "set the final learning rate", Field().Range(0, 1e9));
  fields->Add(
      "seed", &DocumentOptions::seed,
      "set the random seed; the same seed and --threads 1 give the same file");
  fields->Add("deterministic", &DocumentOptions::deterministic,
              "write the same file for the same seed with any number of "
              "threads, at about half the speed");
  fields->Add("threads", &DocumentOptions::threads, "number of threads")
      .Range(0, kMostThreads)
      .Default("0, which means all cores")
      .Work()
      .Everyday();
}

// Adds the option that both architectures have.
template <class Options>
Field& AddSharedWindows(FieldsOf<Options>* fields) {
  return fields
      ->Add("shared-windows", &Options::shared_windows,
            "number of adjacent words that share their negative samples; more "
            "are faster")
      .Range(1, 6)
      .Automatic(0, "6, or 4 with --train-words")
      .Habit()
      .Needs({"loss"}, {"ns"});
}

}  // namespace

FieldTable DbowOptions::Fields() {
  FieldsOf<DbowOptions> fields;
  fields.Add("train-words", &DbowOptions::train_words,
             "train word vectors, too, in the same space as the vectors of "
             "documents; this takes several times as long",
             Field().Shape().Everyday());
  AddSharedWindows(&fields);
  return fields;
}

FieldTable DmOptions::Fields() {
  FieldsOf<DmOptions> fields;
  fields.Choice("dm-context", &DmOptions::sum, {"mean", "sum"},
                "choose how the vectors of a context are combined",
                Field().Habit());
  AddSharedWindows(&fields);
  return fields;
}

FieldTable DocumentOptions::Fields() {
  FieldsOf<DocumentOptions> fields;
  AddModel(&fields);
  AddTraining(&fields);
  return fields;
}

absl::Status DocumentOptions::Validate() const {
  FIRTH_RETURN_IF_ERROR(CheckFields(*this));
  if (min_learning_rate <= learning_rate) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("min-learning-rate: must be at most the learning rate (",
                   learning_rate, "), found ", min_learning_rate));
}

bool DocumentOptions::has_word_vectors() const {
  const auto* const dbow = std::get_if<DbowOptions>(&architecture);
  return dbow == nullptr || dbow->train_words;
}

FieldTable InferOptions::Fields() {
  FieldsOf<InferOptions> fields;
  fields.Add("epochs", &InferOptions::epochs, "number of passes over each text")
      .Range(1, 10000)
      .Automatic(0, "that of training");
  fields
      .Add("learning-rate", &InferOptions::learning_rate,
           "set the initial learning rate")
      .Range(1e-12, 1e9)
      .Automatic(0, "that of training");
  fields
      .Add("min-learning-rate", &InferOptions::min_learning_rate,
           "set the final learning rate")
      .Range(1e-12, 1e9)
      .Automatic(0, "that of training");
  fields.Add("threads", &InferOptions::threads, "number of threads")
      .Range(0, kMostThreads)
      .Default("0, which means all cores")
      .Work()
      .Everyday();
  return fields;
}

namespace {

ArchitectureOptions ArchitectureOf(const DbowOptions& dbow) {
  return SkipGramOptions{.shared_windows = dbow.shared_windows};
}

// The whole gradient goes to each vector, since a document's vector would
// otherwise learn slowly beside many words.
ArchitectureOptions ArchitectureOf(const DmOptions& dm) {
  return CbowOptions{
      .gradient = dm.sum ? CbowGradient::kCorrected : CbowGradient::kWord2vec,
      .shared_windows = dm.shared_windows,
      .sum = dm.sum};
}

}  // namespace

DocumentOptions Resolved(const DocumentOptions& options) {
  DocumentOptions resolved = options;
  auto* const dbow = std::get_if<DbowOptions>(&resolved.architecture);
  const int most = dbow != nullptr && dbow->train_words ? 4 : 6;
  std::visit(
      [&](auto& architecture) {
        if (architecture.shared_windows == 0) {
          architecture.shared_windows = most;
        }
      },
      resolved.architecture);
  return resolved;
}

// A short document has few words, and takes epochs to get away from values near
// 0. Larger ones help dbow (accuracy of a linear classifier on 5,452 questions
// of 10 words, dim 100, 20 epochs: 76 % -> 88 %) and not dm, whose means also
// contain words (72 % -> 70 %).
float InputRange(const DocumentOptions& options) {
  const auto dim = static_cast<float>(options.dim);
  const bool is_dm = std::holds_alternative<DmOptions>(options.architecture);
  return is_dm ? 1 / dim : 1 / std::sqrt(dim);
}

TrainOptions TrainOptionsOf(const DocumentOptions& options) {
  TrainOptions train;
  train.architecture =
      std::visit([](const auto& chosen) { return ArchitectureOf(chosen); },
                 options.architecture);
  train.objective =
      std::visit([](const auto& chosen) -> ObjectiveOptions { return chosen; },
                 options.objective);
  train.dim = options.dim;
  train.window = options.has_word_vectors() ? options.window : 0;
  train.dynamic_window = options.has_word_vectors() && options.dynamic_window;
  train.sample = options.sample;
  train.epochs = options.epochs;
  train.learning_rate = options.learning_rate;
  train.min_learning_rate = options.min_learning_rate;
  train.threads = options.threads;
  train.seed = options.seed;
  train.deterministic = options.deterministic;
  return train;
}

}  // namespace firth

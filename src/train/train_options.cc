// The fields of the options of training, and what of them contradicts.

#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "firth/train.h"

namespace firth {
namespace {

// Of every architecture, and of CBOW's historic gradient.
template <class... Architectures>
std::string DefaultLearningRates(const std::variant<Architectures...>&) {
  const auto rate = [](const ArchitectureOptions& architecture) {
    TrainOptions options;
    options.architecture = architecture;
    return DefaultLearningRate(options);
  };
  std::vector<std::string> rates = {
      absl::StrCat(rate(Architectures{}), " with ", Architectures::kName)...};
  rates.push_back(absl::StrCat(rate(CbowOptions{CbowGradient::kWord2vec}),
                               " with --cbow-gradient word2vec"));
  return absl::StrJoin(rates, ", ");
}

void AddModel(FieldsOf<TrainOptions>* fields) {
  fields->Section("Model");
  fields
      ->Variant("arch", &TrainOptions::architecture,
                "architecture. skipgram: each context word predicts the center "
                "word; cbow: the mean of the context words predicts it")
      .Shape()
      .Everyday();
  fields
      ->Variant("loss", &TrainOptions::objective,
                "training objective. ns: negative sampling; nce: "
                "noise-contrastive estimation; hs: hierarchical softmax; "
                "softmax: full softmax, which is slow with a large vocabulary")
      .Shape();
  fields->Add("dim", &TrainOptions::dim, "number of dimensions of the vectors")
      .Range(1, 65536)
      .Shape()
      .Everyday();
  fields
      ->Add("window", &TrainOptions::window,
            "number of context words on each side of the center word")
      .Range(1, 1000)
      .Habit()
      .Everyday();
  fields
      ->Add("views", &TrainOptions::views,
            "train once with each of these window sizes and combine the "
            "vectors by principal component analysis; gives better vectors, "
            "but takes as long as that many training runs")
      .Range(1, 1000);
  fields
      ->Add("view-dim", &TrainOptions::view_dim,
            "number of dimensions of the vectors in each of the --views; all "
            "views together need at least --dim")
      .Range(1, 65536)
      .Automatic(0, "about four fifths of --dim, a multiple of 16")
      .Needs({"views"});
  fields
      ->Add("dynamic-window", &TrainOptions::dynamic_window,
            "draw the window size at each position from 1 to --window, so that "
            "near words count more")
      .Habit();
}

void AddSubwords(FieldsOf<TrainOptions>* fields) {
  fields->Section("Subwords");
  fields
      ->Variant("subword-index", &TrainOptions::subwords,
                "train character n-grams in addition to words. buckets: "
                "n-grams are hashed to --buckets rows, as in fastText; "
                "explicit: each n-gram has a row of its own; floret: each "
                "n-gram uses several rows of a small table, as in floret")
      .Shape();
  fields
      ->Add("subword-step", &TrainOptions::subword_step,
            "fraction of a word's update that is applied to the row of each of "
            "its n-grams")
      .Range(1e-6, 1)
      .Habit()
      .Needs({"subword-index"}, {"buckets", "explicit", "floret"});
  fields
      ->Add("word-step", &TrainOptions::word_step,
            "factor for the update of the row of the word itself")
      .Range(1e-6, 1000)
      .Habit()
      .Needs({"subword-index"}, {"buckets", "explicit"});
}

void AddTraining(FieldsOf<TrainOptions>* fields) {
  fields->Section("Training");
  fields
      ->Add("word-share", &TrainOptions::word_share,
            "after training, multiply the row of each word itself by this "
            "factor; below 1, the n-grams count more")
      .Range(0, 1)
      .Needs({"subword-index"}, {"buckets", "explicit"});
  fields
      ->Add("add-output", &TrainOptions::add_output,
            "after training, add this fraction of each word's output vector, "
            "centered and scaled to the same length, to its vector; the result "
            "depends more on which words occur together; only with --loss ns, "
            "nce or softmax")
      .Range(0, 10);
  fields
      ->Add("sample", &TrainOptions::sample,
            "subsampling threshold: randomly skip occurrences of words with a "
            "higher relative frequency; 0 disables subsampling")
      .Range(0, 1)
      .Habit();
  fields->Add("epochs", &TrainOptions::epochs, "number of passes over the text")
      .Range(1, 10000)
      .Habit()
      .Everyday();
  fields
      ->Add("learning-rate", &TrainOptions::learning_rate,
            "initial learning rate; it decreases linearly")
      .Range(1e-12, 1e9)
      .Automatic(0, DefaultLearningRates(ArchitectureOptions()));
  fields
      ->Add("min-learning-rate", &TrainOptions::min_learning_rate,
            "final learning rate")
      .Range(0, 1e9);
  fields->Add("seed", &TrainOptions::seed,
              "seed of the random numbers; with --threads 1, the same seed "
              "gives the same file");
  fields->Add(
      "deterministic", &TrainOptions::deterministic,
      "produce the same file from the same seed with any number of threads; "
      "about half as fast; --loss softmax then uses one thread");
  fields
      ->Variant("distributed", &TrainOptions::distributed,
                "how the processes that mpirun starts share the work. "
                "replicas: each process trains on its part of the text, and "
                "they exchange changes; columns: each process stores some "
                "dimensions of every vector, and they exchange scores")
      .Work();
  fields
      ->Add("threads", &TrainOptions::threads,
            "number of threads; 0 means all cores")
      .Range(0, kMostThreads)
      .Default("0")
      .Work();
}

// Adds the option that every architecture has.
template <class Options>
void AddSharedWindows(FieldsOf<Options>* fields) {
  fields
      ->Add("shared-windows", &Options::shared_windows,
            "number of neighboring windows that share their negative samples; "
            "2 is about a fifth faster and costs about half a point of analogy "
            "accuracy")
      .Range(1, 2)
      .Habit()
      .Needs({"loss"}, {"ns", "nce"});
}

// Adding output vectors needs one row a word in both tables.
absl::Status CheckAddOutput(const TrainOptions& options) {
  const auto* skip_gram = std::get_if<SkipGramOptions>(&options.architecture);
  const bool directional =
      skip_gram != nullptr && skip_gram->directional && options.views.empty();
  if (options.add_output > 0 &&
      (directional || !WordsHaveRows(options.subwords) ||
       std::holds_alternative<HierarchicalSoftmaxOptions>(options.objective))) {
    return absl::InvalidArgumentError(
        "add-output: needs one output row and one input row per word, which "
        "hierarchical softmax, directional training and floret subwords do not "
        "have");
  }
  return absl::OkStatus();
}

absl::Status CheckViews(const TrainOptions& options) {
  if (options.views.empty()) return absl::OkStatus();
  const size_t count = options.views.size();
  if (count == 1 || count > 8) {
    return absl::InvalidArgumentError(
        absl::StrCat("number of views: expected 2 to 8, found ", count));
  }
  const auto views = static_cast<int>(count);
  const int least = (options.dim + views - 1) / views;
  if (options.view_dim == 0 || options.view_dim >= least) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "view-dim: expected ", least, " to 65536, found ", options.view_dim));
}

}  // namespace

FieldTable SkipGramOptions::Fields() {
  FieldsOf<SkipGramOptions> fields;
  AddSharedWindows(&fields);
  fields
      .Add("directional", &SkipGramOptions::directional,
           "use separate output weights for words before and after the center "
           "word, so that word order matters; with --views, in the narrowest "
           "window only")
      .Shape()
      .Needs({"loss"}, {"ns"});
  return fields;
}

FieldTable CbowOptions::Fields() {
  FieldsOf<CbowOptions> fields;
  AddSharedWindows(&fields);
  fields
      .Choice("cbow-gradient", &CbowOptions::gradient,
              {"corrected", "word2vec"},
              "update of each context word in CBOW. corrected: the true "
              "gradient; word2vec: the gradient times the number of context "
              "words, as in word2vec.c")
      .Habit();
  fields
      .Choice("context-weights", &CbowOptions::context_weights,
              {"equal", "distance", "position"},
              "weights of the context words in CBOW. equal: all the same; "
              "distance: lower for distant words; position: a trained vector "
              "for each position")
      .Habit();
  return fields;
}

FieldTable ReplicasOptions::Fields() {
  FieldsOf<ReplicasOptions> fields;
  fields
      .Choice("replica-send", &ReplicasOptions::send, {"f32", "bf16"},
              "number format in which replicas send their changes. bf16 halves "
              "the traffic on a slow network; rounding errors are added to the "
              "next exchange")
      .Work();
  return fields;
}

FieldTable ColumnsOptions::Fields() {
  FieldsOf<ColumnsOptions> fields;
  fields
      .Add("column-batch", &ColumnsOptions::batch,
           "number of windows that are computed from about the same rows. A "
           "third of them is exchanged at once, in 16 bits, while others are "
           "computed. A larger number needs fewer messages; 1 gives exactly "
           "the steps of one process")
      .Range(0, 65536)
      .Default(
          "0, which means 512, or fewer if that would update a word more than "
          "100 times")
      .Work();
  return fields;
}

FieldTable TrainOptions::Fields() {
  FieldsOf<TrainOptions> fields;
  AddModel(&fields);
  AddSubwords(&fields);
  AddTraining(&fields);
  return fields;
}

absl::Status TrainOptions::Validate() const {
  FIRTH_RETURN_IF_ERROR(CheckFields(*this));
  FIRTH_RETURN_IF_ERROR(CheckFieldsApply(*this, {"directional", "word-share"}));
  FIRTH_RETURN_IF_ERROR(firth::Validate(subwords));
  if (!std::holds_alternative<NoSubwords>(subwords) &&
      std::holds_alternative<FullSoftmaxOptions>(objective)) {
    return absl::InvalidArgumentError(
        "subwords: cannot be combined with full softmax");
  }
  FIRTH_RETURN_IF_ERROR(CheckAddOutput(*this));
  FIRTH_RETURN_IF_ERROR(CheckViews(*this));
  const double start =
      learning_rate > 0 ? learning_rate : DefaultLearningRate(*this);
  if (min_learning_rate <= start) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("min-learning-rate: expected at most the learning rate, ",
                   start, ", found ", min_learning_rate));
}

double DefaultLearningRate(const TrainOptions& options) {
  const auto* cbow = std::get_if<CbowOptions>(&options.architecture);
  if (cbow == nullptr) return 0.025;
  return cbow->gradient == CbowGradient::kCorrected ? 0.1 : 0.05;
}

}  // namespace firth

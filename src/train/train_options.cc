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
                "what predicts what: each context word the center, or the mean "
                "of the context the center")
      .Shape()
      .Everyday();
  fields
      ->Variant("loss", &TrainOptions::objective,
                "what predicting means: negative sampling, noise-contrastive "
                "estimation, hierarchical softmax, full softmax")
      .Shape();
  fields->Add("dim", &TrainOptions::dim, "values a vector")
      .Range(1, 65536)
      .Shape()
      .Everyday();
  fields->Add("window", &TrainOptions::window, "context words to each side")
      .Range(1, 1000)
      .Habit()
      .Everyday();
  fields
      ->Add("views", &TrainOptions::views,
            "train once with each of these windows, and join the results by "
            "their principal components: better vectors for so many times the "
            "work")
      .Range(1, 1000);
  fields
      ->Add("view-dim", &TrainOptions::view_dim,
            "values a vector in each of --views, all together at least --dim")
      .Range(1, 65536)
      .Automatic(0, "a fifth fewer than --dim, in whole sixteens")
      .Needs({"views"});
  fields
      ->Add("dynamic-window", &TrainOptions::dynamic_window,
            "draw the reach from 1 to --window at each position, so that near "
            "words count more")
      .Habit();
}

void AddSubwords(FieldsOf<TrainOptions>* fields) {
  fields->Section("Subwords");
  fields
      ->Variant("subword-index", &TrainOptions::subwords,
                "learn character n-grams too: hashed to --buckets rows as "
                "fastText has them; each with a row of its own; or to few "
                "rows, of which each n-gram has several, as floret has them")
      .Shape();
  fields
      ->Add("subword-step", &TrainOptions::subword_step,
            "share of a word's step that the row of each of its n-grams gets")
      .Range(1e-6, 1)
      .Habit()
      .Needs({"subword-index"}, {"buckets", "explicit", "floret"});
  fields
      ->Add("word-step", &TrainOptions::word_step,
            "share of its step that the row of the word itself gets")
      .Range(1e-6, 1000)
      .Habit()
      .Needs({"subword-index"}, {"buckets", "explicit"});
}

void AddTraining(FieldsOf<TrainOptions>* fields) {
  fields->Section("Training");
  fields
      ->Add("word-share", &TrainOptions::word_share,
            "at the end, multiply the row of each word itself by this: what "
            "its n-grams do not say counts less")
      .Range(0, 1)
      .Needs({"subword-index"}, {"buckets", "explicit"});
  fields
      ->Add("add-output", &TrainOptions::add_output,
            "at the end, add this share of each word's output vector, centered "
            "and as long, to its vector: more of what words are used with; "
            "with --loss ns, nce or softmax")
      .Range(0, 10);
  fields
      ->Add("sample", &TrainOptions::sample,
            "thin out words more frequent than this share of the text; 0: none")
      .Range(0, 1)
      .Habit();
  fields->Add("epochs", &TrainOptions::epochs, "passes over the text")
      .Range(1, 10000)
      .Habit()
      .Everyday();
  fields
      ->Add("learning-rate", &TrainOptions::learning_rate,
            "at the start; it falls linearly")
      .Range(1e-12, 1e9)
      .Automatic(0, DefaultLearningRates(ArchitectureOptions()));
  fields
      ->Add("min-learning-rate", &TrainOptions::min_learning_rate, "at the end")
      .Range(0, 1e9);
  fields->Add("seed", &TrainOptions::seed,
              "of all random numbers; the same seed and --threads 1 give the "
              "same file");
  fields->Add("deterministic", &TrainOptions::deterministic,
              "the same seed gives the same file with any number of threads, "
              "at about half the speed; --loss softmax works on one thread "
              "then");
  fields
      ->Variant("distributed", &TrainOptions::distributed,
                "how the processes that mpirun starts share the work: with "
                "replicas, each trains on its share of the text, and they "
                "exchange what has moved; with columns, each has some values "
                "of every vector, and they exchange scores")
      .Work();
  fields->Add("threads", &TrainOptions::threads, "threads to work with")
      .Range(0, kMostThreads)
      .Default("0: all cores")
      .Work()
      .Everyday();
}

// Adds the option that every architecture has.
template <class Options>
void AddSharedWindows(FieldsOf<Options>* fields) {
  fields
      ->Add("shared-windows", &Options::shared_windows,
            "neighbouring windows that share their noise words; 2 is a fifth "
            "faster and costs about half a point of analogies")
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
        "add-output: not possible with hierarchical softmax, directional or "
        "floret, which have no single input and output row per word");
  }
  return absl::OkStatus();
}

absl::Status CheckViews(const TrainOptions& options) {
  if (options.views.empty()) return absl::OkStatus();
  const size_t count = options.views.size();
  if (count == 1 || count > 8) {
    return absl::InvalidArgumentError(
        absl::StrCat("views: must be 2 to 8 windows, found ", count));
  }
  const auto views = static_cast<int>(count);
  const int least = (options.dim + views - 1) / views;
  if (options.view_dim == 0 || options.view_dim >= least) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "view-dim: must be ", least, " to 65536, found ", options.view_dim));
}

}  // namespace

FieldTable SkipGramOptions::Fields() {
  FieldsOf<SkipGramOptions> fields;
  AddSharedWindows(&fields);
  fields
      .Add("directional", &SkipGramOptions::directional,
           "words before and after the center predict it with weights of "
           "their own, so that order is learnt; of --views, in the narrowest")
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
              "what each context word gets of the step: its share, or all of "
              "it as in word2vec.c")
      .Habit();
  fields
      .Choice("context-weights", &CbowOptions::context_weights,
              {"equal", "distance", "position"},
              "what context words are multiplied by: nothing, less with "
              "distance, or a learnt vector for each position")
      .Habit();
  return fields;
}

FieldTable ReplicasOptions::Fields() {
  FieldsOf<ReplicasOptions> fields;
  fields
      .Choice("replica-send", &ReplicasOptions::send, {"f32", "bf16"},
              "what the moves of rows are sent as: bf16 are half the bytes, "
              "for a slow network; what rounding takes away is sent the next "
              "time")
      .Work();
  return fields;
}

FieldTable ColumnsOptions::Fields() {
  FieldsOf<ColumnsOptions> fields;
  fields
      .Add("column-batch", &ColumnsOptions::batch,
           "windows whose steps start from about the same rows: a third of "
           "them is exchanged at once, in 16 bits, while others are computed; "
           "more of them need fewer messages; 1 steps exactly as one process "
           "does")
      .Range(0, 65536)
      .Default("0: 512, or so few that they step no word more than 100 times")
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
        "subwords: not possible with the softmax objective; use another one");
  }
  FIRTH_RETURN_IF_ERROR(CheckAddOutput(*this));
  FIRTH_RETURN_IF_ERROR(CheckViews(*this));
  const double start =
      learning_rate > 0 ? learning_rate : DefaultLearningRate(*this);
  if (min_learning_rate <= start) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("min-learning-rate: must be at most the learning rate (",
                   start, "), found ", min_learning_rate));
}

double DefaultLearningRate(const TrainOptions& options) {
  const auto* cbow = std::get_if<CbowOptions>(&options.architecture);
  if (cbow == nullptr) return 0.025;
  return cbow->gradient == CbowGradient::kCorrected ? 0.1 : 0.05;
}

}  // namespace firth

// The fields of the training options, and checks for contradictory ones.

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

// Returns the rates of all architectures, and of CBOW's historic gradient.
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
  fields->Variant("arch", &TrainOptions::architecture,
                  "choose the architecture: skipgram predicts the center word "
                  "from each context word, and is better for rare words; cbow "
                  "predicts it from the mean of the context, and is faster",
                  Field().Shape());
  fields->Variant("loss", &TrainOptions::objective,
                  "choose the training objective: negative sampling (ns), "
                  "noise-contrastive estimation (nce), hierarchical softmax "
                  "(hs), or full softmax (softmax), whose time per word grows "
                  "with the vocabulary",
                  Field().Shape());
  fields->Add(
      "dim", &TrainOptions::dim,
      "number of dimensions of the vectors; time and memory grow with it",
      Field().Range(1, 65536).Shape().Everyday());
  fields->Add("window", &TrainOptions::window,
              "maximum number of context words on each side",
              Field().Range(1, 1000).Habit().Everyday());
  fields->Add("views", &TrainOptions::views,
              "train once with each of these window sizes and join the results "
              "by principal component analysis; this gives better vectors, and "
              "training time grows with the number of windows",
              Field().Range(1, 1000));
  fields
      ->Add("view-dim", &TrainOptions::view_dim,
            "number of dimensions of the vectors in each view; all views "
            "together must have at least --dim dimensions")
      .Range(1, 65536)
      .Automatic(0, "four fifths of --dim, rounded up to a multiple of 16")
      .Needs({"views"});
  fields->Add("dynamic-window", &TrainOptions::dynamic_window,
              "draw the window size at each position at random from 1 to "
              "--window, so that near words count more",
              Field().Habit());
}

void AddSubwords(FieldsOf<TrainOptions>* fields) {
  fields->Section("Subwords");
  fields->Variant(
      "subword-index", &TrainOptions::subwords,
      "add vectors of character n-grams: buckets hashes them to "
      "--buckets rows, as in fastText; explicit gives each frequent "
      "n-gram its own row; floret hashes each n-gram to several rows "
      "of a small table, as in floret",
      Field().Shape());
  fields->Add("subword-step", &TrainOptions::subword_step,
              "multiply the update of each n-gram row by this",
              Field().Range(1e-6, 1).Habit().Needs(
                  {"subword-index"}, {"buckets", "explicit", "floret"}));
  fields
      ->Add("word-step", &TrainOptions::word_step,
            "multiply the update of the word's own row by this")
      .Range(1e-6, 1000)
      .Habit()
      .Needs({"subword-index"}, {"buckets", "explicit"});
}

void AddTraining(FieldsOf<TrainOptions>* fields) {
  fields->Section("Training");
  fields->Add(
      "word-share", &TrainOptions::word_share,
      "multiply each word's own row by this after training; below 1, "
      "n-grams contribute more to the vectors",
      Field().Range(0, 1).Needs({"subword-index"}, {"buckets", "explicit"}));
  fields->Add(
      "add-output", &TrainOptions::add_output,
      "add this multiple of each word's output vector to its vector "
      "after training. Output vectors are centered and scaled to the "
      "same length first. This moves words that occur together closer to "
      "each other. Requires --loss ns, nce or softmax",
      Field().Range(0, 10));
  fields->Add(
      "sample", &TrainOptions::sample,
      "subsample words whose fraction of the text is above this; smaller "
      "values drop more occurrences of frequent words. 0 turns it off",
      Field().Range(0, 1).Habit());
  fields->Add("epochs", &TrainOptions::epochs, "number of passes over the text",
              Field().Range(1, 10000).Habit().Everyday());
  fields
      ->Add("learning-rate", &TrainOptions::learning_rate,
            "set the initial learning rate; it falls linearly to "
            "--min-learning-rate")
      .Range(1e-12, 1e9)
      .Automatic(0, DefaultLearningRates(ArchitectureOptions()));
  fields->Add("min-learning-rate", &TrainOptions::min_learning_rate,
              "set the final learning rate", Field().Range(0, 1e9));
  fields->Add(
      "seed", &TrainOptions::seed,
      "set the random seed; the same seed and --threads 1 give the same file");
  fields->Add(
      "deterministic", &TrainOptions::deterministic,
      "write the same file for the same seed with any number of threads, at "
      "about half the speed; --loss softmax then runs on one thread");
  fields->Variant(
      "distributed", &TrainOptions::distributed,
      "choose how the processes started by mpirun share the work: with "
      "replicas, each process has a part of the text, and the processes "
      "exchange changed rows; with columns, each process has some "
      "dimensions of every vector, and the processes exchange scores",
      Field().Work());
  fields->Add("threads", &TrainOptions::threads, "number of threads")
      .Range(0, kMostThreads)
      .Default("0, which means all cores")
      .Work()
      .Everyday();
}

// Adds the option that all architectures have.
template <class Options>
void AddSharedWindows(FieldsOf<Options>* fields) {
  fields->Add("shared-windows", &Options::shared_windows,
              "number of adjacent windows that share their negative samples; 2 "
              "is about a fifth faster and costs about half a point of analogy "
              "accuracy",
              Field().Range(1, 2).Habit().Needs({"loss"}, {"ns", "nce"}));
}

// Checks add-output, which needs one row per word in both tables.
absl::Status CheckAddOutput(const TrainOptions& options) {
  const auto* skip_gram = std::get_if<SkipGramOptions>(&options.architecture);
  const bool directional =
      skip_gram != nullptr && skip_gram->directional && options.views.empty();
  if (options.add_output > 0 &&
      (directional || !WordsHaveRows(options.subwords) ||
       !TraitsOf(options.objective).has_word_rows)) {
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
  fields.Add(
      "directional", &SkipGramOptions::directional,
      "use separate output weights for context words before and after the "
      "center word, so that the vectors reflect word order; with --views, "
      "this applies only to the narrowest window",
      Field().Shape().Needs({"loss"}, {"ns"}));
  return fields;
}

FieldTable CbowOptions::Fields() {
  FieldsOf<CbowOptions> fields;
  AddSharedWindows(&fields);
  fields.Choice(
      "cbow-gradient", &CbowOptions::gradient, {"corrected", "word2vec"},
      "choose the gradient of each context word: corrected divides it by "
      "the number of context words; word2vec does not, as in word2vec.c",
      Field().Habit());
  fields.Choice("context-weights", &CbowOptions::context_weights,
                {"equal", "distance", "position"},
                "choose the weights of context words: equal gives all the same "
                "weight; distance gives nearer words more weight; position "
                "learns a weight vector for each position",
                Field().Habit());
  return fields;
}

FieldTable ReplicasOptions::Fields() {
  FieldsOf<ReplicasOptions> fields;
  fields.Choice(
      "replica-send", &ReplicasOptions::send, {"f32", "bf16"},
      "choose the number format of exchanged rows: bf16 sends half as "
      "many bytes, which helps on a slow network; rounding errors are "
      "carried over to the next exchange",
      Field().Work());
  return fields;
}

FieldTable ColumnsOptions::Fields() {
  FieldsOf<ColumnsOptions> fields;
  fields
      .Add("column-batch", &ColumnsOptions::batch,
           "number of windows in a batch, which are computed from nearly the "
           "same rows. A third of them is exchanged, in 16 bits, while the "
           "others are computed. Larger batches need fewer messages; 1 gives "
           "the same result as a single process")
      .Range(0, 65536)
      .Default(
          "0, which means 512, or fewer so that no word is updated more than "
          "100 times per batch")
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
      TraitsOf(objective).updates_all_rows) {
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

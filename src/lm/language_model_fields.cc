// The fields of the options of language models, and what of them contradicts.

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/check_range.h"
#include "firth/fields.h"
#include "firth/language_model.h"
#include "firth/status_macros.h"
#include "lm/character_filters.h"

namespace firth {
namespace {

std::vector<std::string> Names(absl::Span<const absl::string_view> names) {
  return {names.begin(), names.end()};
}

using Training = LanguageModelTraining;

void AddInput(FieldsOf<Training>* fields) {
  fields->Add(
      "tune-vectors", &Training::tune_vectors,
      "also train the vectors of --vectors; without it they stay fixed");
  fields
      ->Add("char-cnn", &Training::use_characters,
            "read words by their characters, alone or in addition to vectors")
      .Shape()
      .Everyday();
  fields->Part(&Training::characters);
  fields
      ->Add("dim", &Training::dim,
            "number of dimensions of the word vectors to train, if no "
            "--vectors are given")
      .Range(0, 65536)
      .Default("that of one direction, or none with --char-cnn")
      .Shape();
}

void AddTransformer(FieldsOf<Training>* fields) {
  const std::vector<std::string> network = {"network"};
  const std::vector<std::string> here = {"transformer"};
  fields->Add("heads", &Training::heads, "number of attention heads")
      .Range(1, 1024)
      .Shape()
      .Needs(network, here);
  fields
      ->Add("feed-forward", &Training::feed_forward,
            "number of hidden units of the feed-forward networks after the "
            "attention")
      .Range(0, 1 << 20)
      .Default("0, which means four times --units")
      .Shape()
      .Needs(network, here);
  fields
      ->Add("context", &Training::context,
            "number of tokens that a token can attend to, including itself. "
            "Longer texts are read in blocks of this length or, with "
            "--positions relative, in a sliding window")
      .Range(2, 1 << 16)
      .Shape()
      .Needs(network, here);
  fields
      ->Choice("positions", &Training::positions, Names(kPositionNames),
               "how the positions of tokens are represented. relative: by "
               "their distances; sinusoidal and learnt: by fixed or trained "
               "vectors of the positions in a block")
      .Shape()
      .Needs(network, here);
  fields
      ->Choice("norm", &Training::norm, Names(kNormPlaceNames),
               "place of layer normalization: before each sublayer, or after "
               "its residual connection")
      .Shape()
      .Needs(network, here);
  fields
      ->Choice("activation", &Training::activation, Names(kActivationNames),
               "activation function of the feed-forward networks")
      .Shape()
      .Needs(network, here);
}

void AddLayers(FieldsOf<Training>* fields) {
  fields->Section("Layers");
  fields
      ->Choice("reads", &Training::reads, Names(kReadingNames),
               "reading direction. forward: enough to generate text; backward; "
               "both: for contextual vectors")
      .Shape();
  fields
      ->Choice("network", &Training::network, Names(kNetworkNames),
               "network that reads the text. recurrent: recurrent layers; "
               "window: tanh layers over the last words, which train faster "
               "but see less; transformer: attention to all words of a context")
      .Shape();
  fields
      ->Add("window", &Training::window,
            "number of words that are read at each step, including the current "
            "one")
      .Range(1, 1000)
      .Shape()
      .Needs({"network"}, {"window"});
  // All names beside the option would not fit into a line.
  fields
      ->Choice("cell", &Training::cell, Names(kCellNames),
               absl::StrCat("cell type of the recurrent layers: ",
                            absl::StrJoin(kCellNames, ", ")))
      .ValueName("CELL")
      .Shape()
      .Needs({"network"}, {"recurrent"});
  fields
      ->Add("units", &Training::units,
            "number of cells or units of a layer, per direction")
      .Range(1, 65536)
      .Shape()
      .Everyday();
  AddTransformer(fields);
  fields
      ->Add("projection", &Training::projection,
            "project the output of a layer to this many dimensions; 0 means no "
            "projection")
      .Range(0, 65536)
      .Shape()
      .Needs({"network"}, {"recurrent"});
  fields->Add("layers", &Training::layers, "number of layers, per direction")
      .Range(1, 100)
      .Shape()
      .Everyday();
  fields
      ->Add("residual", &Training::residual,
            "add a layer's input to its output, from the second layer on")
      .Shape()
      .Needs({"network"}, {"recurrent", "window"});
  fields
      ->Add("dropout", &Training::dropout,
            "fraction of the values that is dropped during training")
      .Range(0, 0.99)
      .Habit();
  fields
      ->Add("cell-clip", &Training::cell_clip,
            "maximum absolute value of a cell state; 0 means no limit")
      .Range(0, 1e9)
      .Shape()
      .Needs({"network"}, {"recurrent"});
  fields
      ->Add("projection-clip", &Training::projection_clip,
            "maximum absolute value of a projected value; 0 means no limit")
      .Range(0, 1e9)
      .Shape()
      .Needs({"network"}, {"recurrent"});
  fields
      ->Add("forget-bias", &Training::forget_bias,
            "initial bias of the forget gates")
      .Range(-1000, 1000)
      .Needs({"network"}, {"recurrent"});
  fields
      ->Add("orthogonal", &Training::orthogonal,
            "initialize the recurrent weights as orthogonal matrices, one per "
            "gate")
      .Needs({"network"}, {"recurrent"});
}

void AddPrediction(FieldsOf<Training>* fields) {
  fields->Section("Prediction");
  fields
      ->Choice("predict", &Training::predict, Names(kPredictionNames),
               "what is predicted. next: the next word, in each direction; "
               "masked: hidden words, from the words on both sides")
      .Shape();
  fields
      ->Add("next-sentence", &Training::next_sentence,
            "also train to predict whether one sentence follows another, as "
            "BERT does, for texts that come in pairs. The text must consist of "
            "documents with empty lines between them")
      .Shape()
      .Needs({"predict"}, {"masked"})
      .Needs({"network"}, {"transformer"});
  fields
      ->Choice("head", &Training::head,
               Names(absl::MakeSpan(kHeadNames).first(4)),  // without none
               "how words are predicted. softmax: by the softmax over the "
               "vocabulary; sampled: by the softmax over the target and noise "
               "words; nce: by distinguishing the target from noise words; "
               "continuous: as the word's vector of --vectors")
      .Shape();
  fields
      ->Add("label-smoothing", &Training::label_smoothing,
            "fraction of the target probability that is spread evenly over all "
            "words")
      .Range(0, 0.99)
      .Habit()
      .Needs({"head"}, {"softmax"});
  fields->Add("samples", &Training::samples, "number of noise words per step")
      .Range(1, 1 << 24)
      .Habit();
  fields
      ->Add("char-output", &Training::character_output,
            "score words by their characters, as --char-cnn reads them, and a "
            "short correction vector; gives a small model with many words")
      .Shape();
  fields
      ->Add("correction-dim", &Training::correction_dim,
            "number of dimensions of a word's correction vector, with "
            "--char-output")
      .Range(1, 65536)
      .Shape()
      .Needs({"char-output"});
}

void AddTraining(FieldsOf<Training>* fields) {
  fields->Section("Training");
  fields
      ->Add("batch", &Training::batch,
            "number of segments of the text that are read in parallel")
      .Range(1, 65536)
      .Habit();
  fields
      ->Add("unroll", &Training::unroll,
            "number of tokens of each segment in one step; states are carried "
            "to the next step, but gradients are not")
      .Range(0, 10000)
      .Default("0, which means 20, or --context for a transformer")
      .Habit();
  fields->Add("epochs", &Training::epochs, "number of passes over the text")
      .Range(1e-6, 1e6)
      .Habit()
      .Everyday();
  fields
      ->Choice("optimizer", &Training::optimizer, {"sgd", "adagrad", "adam"},
               "optimizer, which turns gradients into steps")
      .Habit();
  fields
      ->Add("learning-rate", &Training::learning_rate,
            "initial learning rate, after --warmup")
      .Range(1e-12, 1e9);
  fields
      ->Add("min-learning-rate", &Training::min_learning_rate,
            "final learning rate")
      .Range(0, 1e9);
  fields->Choice("decay", &Training::decay,
                 {"constant", "linear", "exponential", "inverse-root"},
                 "how the learning rate decreases");
  fields->Add("warmup", &Training::warmup,
              "number of steps during which the learning rate rises");
  fields
      ->Add("clip-norm", &Training::clip_norm,
            "maximum norm of the gradient of all parameters; 0 means no limit")
      .Range(0, 1e9)
      .Habit();
  fields->Add("seed", &Training::seed,
              "seed of the random numbers; the same seed gives the same file");
  fields->Section("Validation");
  fields
      ->Add("valid-every", &Training::validate_every,
            "number of tokens between two validations")
      .Default("0, which means one epoch");
  fields
      ->Add(
          "patience", &Training::patience,
          "stop after this many validations without improvement; 0 means never")
      .Range(0, 10000);
}

void AddRunning(FieldsOf<Training>* fields) {
  fields->Section("Output");
  fields
      ->Add("threads", &Training::threads,
            "number of threads; the model does not depend on it; 0 means all "
            "cores")
      .Range(0, kMostThreads)
      .Default("0")
      .Work();
}

absl::Status CheckHead(const Training& training) {
  if (training.vectors != nullptr && training.vectors->dim() == 0) {
    return absl::InvalidArgumentError("head: continuous requires vectors");
  }
  if (training.vectors == nullptr && training.start == nullptr &&
      training.head == HeadKind::kContinuous) {
    return absl::InvalidArgumentError(
        "head: continuous predicts vectors, which must be given");
  }
  if (training.character_output && training.head != HeadKind::kSoftmax &&
      training.head != HeadKind::kSampled) {
    return absl::InvalidArgumentError(absl::StrCat(
        "head: expected softmax or sampled with char-output, found ",
        kHeadNames[static_cast<size_t>(training.head)]));
  }
  return absl::OkStatus();
}

absl::Status CheckTransformer(const Training& training) {
  if (training.network != NetworkKind::kTransformer) return absl::OkStatus();
  if (training.predict == Prediction::kMasked &&
      training.reads != Reading::kBoth) {
    return absl::InvalidArgumentError(
        absl::StrCat("reads: a transformer that predicts masked words reads "
                     "both sides at once; expected both, found ",
                     kReadingNames[static_cast<size_t>(training.reads)]));
  }
  if (training.units % training.heads == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("heads: expected a divisor of the units, ", training.units,
                   ", found ", training.heads));
}

absl::Status CheckNextSentence(const Training& training) {
  const bool fits = training.network == NetworkKind::kTransformer &&
                    training.predict == Prediction::kMasked;
  if (!training.next_sentence || training.start != nullptr || fits) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "next-sentence: requires a transformer that predicts masked words");
}

absl::Status CheckRate(const Training& training) {
  FIRTH_RETURN_IF_ERROR(CheckRange("min-learning-rate",
                                   training.min_learning_rate, 0.0,
                                   training.learning_rate));
  if (training.decay == Decay::kExponential &&
      training.min_learning_rate == 0) {
    return absl::InvalidArgumentError(
        "min-learning-rate: must be above 0 for exponential decay");
  }
  return absl::OkStatus();
}

}  // namespace

FieldTable CharacterOptions::Fields() {
  const std::vector<std::string> reading = {"char-cnn", "char-output"};
  FieldsOf<CharacterOptions> fields;
  fields
      .Written<FilterList>(
          "char-filters", &CharacterOptions::filters, FiltersText, ParseFilters,
          "filters of the character CNN, each as width x number of filters")
      .ValueName("WIDTHxCOUNT,...")
      .Shape()
      .Needs(reading);
  fields
      .Add("char-dim", &CharacterOptions::dim,
           "number of dimensions of a character's vector")
      .Range(1, 1024)
      .Shape()
      .Needs(reading);
  fields
      .Add("max-characters", &CharacterOptions::max_characters,
           "maximum number of bytes of a word that are read, including two "
           "boundary marks")
      .Range(3, 1000)
      .Shape()
      .Needs(reading);
  fields
      .Add("highways", &CharacterOptions::highways,
           "number of highway layers after the filters")
      .Range(0, 100)
      .Shape()
      .Needs({"char-cnn"});
  return fields;
}

FieldTable LanguageModelTraining::Fields() {
  FieldsOf<Training> fields;
  fields.Part(&Training::vocabulary);
  AddInput(&fields);
  AddLayers(&fields);
  AddPrediction(&fields);
  AddTraining(&fields);
  AddRunning(&fields);
  return fields;
}

FieldTable MeasureOptions::Fields() {
  FieldsOf<MeasureOptions> fields;
  fields.Add("stateful", &MeasureOptions::stateful,
             "start each sentence from the state after the previous one, as in "
             "training; without it, sentences are independent");
  fields
      .Add("threads", &MeasureOptions::threads,
           "number of threads; with 2, each direction has its own; 0 depends "
           "on the number of cores")
      .Range(0, kMostThreads)
      .Work();
  return fields;
}

absl::Status LanguageModelTraining::Validate() const {
  FIRTH_RETURN_IF_ERROR(CheckFields(*this));
  FIRTH_RETURN_IF_ERROR(CheckFilters(
      characters.filters, static_cast<size_t>(characters.max_characters)));
  FIRTH_RETURN_IF_ERROR(CheckHead(*this));
  FIRTH_RETURN_IF_ERROR(CheckTransformer(*this));
  FIRTH_RETURN_IF_ERROR(CheckNextSentence(*this));
  return CheckRate(*this);
}

FieldTable GenerateOptions::Fields() {
  using Options = GenerateOptions;
  FieldsOf<Options> fields;
  fields
      .Add("temperature", &Options::temperature,
           "draw words with a probability proportional to p^(1 / temperature); "
           "0 always takes the most likely word")
      .Range(0, 100);
  fields
      .Add("top-k", &Options::top_k,
           "draw from this many of the most likely words only; 0 means all")
      .Needs({"temperature"});
  fields
      .Add("beam", &Options::beam,
           "number of hypotheses of beam search; above 1, the best sentences "
           "of the search are printed")
      .Range(1, 1000);
  fields
      .Add("length-normalization", &Options::length_normalization,
           "rank sentences by ln p / ((5 + length) / 6)^X; only with --beam")
      .Range(0, 10);
  fields
      .Add("end-normalization", &Options::end_normalization,
           "make the end of a sentence less likely: its ln p is reduced by X "
           "expected-length / length")
      .Range(0, 1000);
  fields
      .Add("expected-length", &Options::expected_length,
           "expected length in words, for --end-normalization")
      .Range(1, 1 << 20)
      .Needs({"end-normalization"});
  fields
      .Add("max-tokens", &Options::max_tokens,
           "maximum number of words after those given")
      .Range(1, 1 << 20);
  fields.Add("count", &Options::count, "number of sentences").Range(1, 1 << 20);
  fields.Add("unknown", &Options::unknown, "allow <UNK> to be generated");
  fields.Add("seed", &Options::seed, "seed of the random numbers")
      .Needs({"temperature"});
  return fields;
}

absl::Status GenerateOptions::Validate() const {
  FIRTH_RETURN_IF_ERROR(CheckFields(*this));
  if (beam == 1 || temperature == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "beam: expected 1 with a temperature above 0, found ", beam));
}

}  // namespace firth

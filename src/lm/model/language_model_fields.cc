// The fields of the options of language models, and checks across fields.

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/check_range.h"
#include "firth/fields.h"
#include "firth/language_model.h"
#include "firth/status_macros.h"
#include "lm/model/character_ids.h"

namespace firth {
namespace {

using Training = LanguageModelTraining;

// Descriptions of the defaults of options that ChooseOptions() chooses.
constexpr absl::string_view kChosen =
    "depends on the network and the amount of text";
constexpr absl::string_view kChosenRate =
    "depends on the optimizer, the network and the amount of text";

void AddInput(FieldsOf<Training>* fields) {
  fields->Add("tune-vectors", &Training::tune_vectors,
              "train the vectors of --vectors further; without this option "
              "they stay fixed");
  fields->Add("char-cnn", &Training::use_characters,
              "compute word vectors from characters with a convolutional "
              "network, alone or in addition to --vectors",
              Field().Shape().Everyday());
  fields->Part(&Training::characters);
  fields
      ->Add("dim", &Training::dim,
            "number of dimensions of the word vectors to learn, if no "
            "--vectors are given")
      .Range(0, 65536)
      .Default("the output size of one direction, or 0 with --char-cnn")
      .Shape();
}

void AddTransformer(FieldsOf<Training>* fields) {
  const std::vector<std::string> network = {"network"};
  const std::vector<std::string> here = {"transformer"};
  fields->Add("heads", &Training::heads,
              "number of attention heads; must divide --units",
              Field().Range(1, 1024).Shape().Needs(network, here));
  fields
      ->Add("feed-forward", &Training::feed_forward,
            "number of units in the feed-forward networks after the attention")
      .Range(0, 1 << 20)
      .Default("0, which means four times --units")
      .Shape()
      .Needs(network, here);
  fields->Add("context", &Training::context,
              "number of tokens that attention covers, including the token "
              "itself. Longer texts are split into blocks of this length; with "
              "--positions relative, a sliding window is used instead",
              Field().Range(2, 1 << 16).Shape().Needs(network, here));
  fields
      ->Choice("positions", &Training::positions, kPositionNames,
               "choose the encoding of positions: relative encodes distances "
               "between tokens; sinusoidal uses fixed sine waves; learned "
               "trains one vector per position in a block",
               Field().Shape().Needs(network, here))
      .former_choices = {{"learnt", "learned"}};
  fields->Choice("norm", &Training::norm, kNormPlaceNames,
                 "choose where layer normalization is applied: before or after "
                 "each sublayer",
                 Field().Shape().Needs(network, here));
  fields->Add("attention-dropout", &Training::attention_dropout,
              "set the dropout rate of attention weights in training",
              Field().Range(0, 0.99).Habit().Needs(network, here));
  fields->Choice("activation", &Training::activation, kActivationNames,
                 "choose the activation function of the feed-forward networks",
                 Field().Shape().Needs(network, here));
}

void AddLayers(FieldsOf<Training>* fields) {
  fields->Section("Layers");
  fields->Choice("reads", &Training::reads, kReadingNames,
                 "choose the direction of reading: forward is enough for "
                 "generating text, and both gives the best contextual vectors",
                 Field().Shape());
  fields->Choice(
      "network", &Training::network, kNetworkNames,
      "choose the network: recurrent (recurrent layers), window (tanh "
      "layers over the preceding words, which train faster but use less "
      "context) or transformer (attention to all tokens in a block)",
      Field().Shape());
  fields->Add(
      "window", &Training::window,
      "number of words that are read at each step, including the current "
      "one",
      Field().Range(1, 1000).Shape().Needs({"network"}, {"window"}));
  // The help shows the name CELL next to the option, because the list of all
  // names would not fit into a line.
  fields->Choice(
      "cell", &Training::cell, kCellNames,
      absl::StrCat("choose the cell type of the recurrent layers: ",
                   absl::StrJoin(kCellNames, ", ")),
      Field().ValueName("CELL").Shape().Needs({"network"}, {"recurrent"}));
  fields->Add("units", &Training::units,
              "number of units per layer and direction",
              Field().Range(1, 65536).Shape().Everyday());
  AddTransformer(fields);
  fields->Add(
      "projection", &Training::projection,
      "number of dimensions that the output of each layer is projected "
      "to; 0 means no projection",
      Field().Range(0, 65536).Shape().Needs({"network"}, {"recurrent"}));
  fields->Add("layers", &Training::layers, "number of layers per direction",
              Field().Range(1, 100).Shape().Everyday());
  fields->Add(
      "residual", &Training::residual,
      "add the input of each layer to its output, from the second layer on",
      Field().Shape().Needs({"network"}, {"recurrent", "window"}));
  fields->Add("dropout", &Training::dropout,
              "set the dropout rate: the fraction of values set to zero in "
              "training",
              Field().Range(0, 0.99).Habit().Automatic(-1, kChosen));
  fields->Add("cell-clip", &Training::cell_clip,
              "maximum absolute value of the cell state; 0 means no limit",
              Field().Range(0, 1e9).Shape().Needs({"network"}, {"recurrent"}));
  fields->Add("projection-clip", &Training::projection_clip,
              "maximum absolute value of a projected value; 0 means no limit",
              Field().Range(0, 1e9).Shape().Needs({"network"}, {"recurrent"}));
  fields->Add("forget-bias", &Training::forget_bias,
              "set the initial bias of the forget gates",
              Field().Range(-1000, 1000).Needs({"network"}, {"recurrent"}));
  fields->Add(
      "orthogonal", &Training::orthogonal,
      "initialize recurrent weights as orthogonal matrices, one per gate",
      Field().Needs({"network"}, {"recurrent"}));
  fields->Add("radius", &Training::radius,
              "multiply orthogonal weights by this number, which becomes their "
              "spectral radius",
              Field().Range(0, 1000).Needs({"orthogonal"}));
}

void AddPrediction(FieldsOf<Training>* fields) {
  fields->Section("Prediction");
  fields->Choice("predict", &Training::predict, kPredictionNames,
                 "choose what to predict: the next word in each direction "
                 "(next), or hidden words from both sides (masked)",
                 Field().Shape());
  fields
      ->Add("next-sentence", &Training::next_sentence,
            "also train the model to predict whether one sentence follows "
            "another, as in BERT, for tasks with pairs of texts; documents in "
            "the text must be separated by empty lines")
      .Shape()
      .Needs({"predict"}, {"masked"})
      .Needs({"network"}, {"transformer"});
  fields->Choice(
      "head", &Training::head,
      absl::MakeSpan(kHeadNames).first(4),  // without none
      "choose how words are predicted: softmax (over all words), "
      "sampled (softmax over the target and noise words), nce "
      "(separate the target from noise words) or continuous (predict "
      "the word's vector in --vectors)",
      Field().Shape());
  fields->Add(
      "label-smoothing", &Training::label_smoothing,
      "set the fraction of the target probability that is spread evenly "
      "over all words",
      Field().Range(0, 0.99).Habit().Needs({"head"}, {"softmax"}));
  fields->Add("samples", &Training::samples,
              "number of noise words per training step",
              Field().Range(1, 1 << 24).Habit());
  fields->Add(
      "tied", &Training::tied,
      "score words by the vectors with which they are read, so that one "
      "table serves as input and output; --dim must be the size that "
      "predicts words, which is its default here",
      Field().Shape());
  fields->Add(
      "char-output", &Training::character_output,
      "compute the scores of words from their characters, as --char-cnn "
      "does, plus a short correction vector per word; this allows large "
      "vocabularies in a small model",
      Field().Shape());
  fields->Add("correction-dim", &Training::correction_dim,
              "number of dimensions of each word's correction vector",
              Field().Range(1, 65536).Shape().Needs({"char-output"}));
}

void AddTraining(FieldsOf<Training>* fields) {
  fields->Section("Training");
  fields->Add("batch", &Training::batch,
              "number of text segments that are processed in parallel",
              Field().Range(1, 65536).Habit().Automatic(0, kChosen));
  fields->Add(
      "unroll", &Training::unroll,
      "number of tokens of each segment per training step; gradients are "
      "truncated after these tokens, while states are carried over",
      Field().Range(1, 10000).Habit().Automatic(0, kChosen));
  fields->Add("epochs", &Training::epochs,
              "number of passes over the text; fractions are allowed",
              Field().Range(1e-6, 1e6).Habit().Everyday());
  fields->Choice("optimizer", &Training::optimizer, {"sgd", "adagrad", "adam"},
                 "choose the optimizer", Field().Habit());
  fields->Add(
      "learning-rate", &Training::learning_rate,
      "set the initial learning rate, or the rate reached after --warmup",
      Field().Range(1e-12, 1e9).Automatic(0, kChosenRate));
  fields->Add("min-learning-rate", &Training::min_learning_rate,
              "set the final learning rate", Field().Range(0, 1e9));
  fields->Choice(
      "decay", &Training::decay,
      {"constant", "linear", "exponential", "inverse-root", "cosine"},
      "choose how the learning rate falls");
  fields->Add("warmup", &Training::warmup,
              "number of steps over which the learning rate rises to its "
              "initial value",
              Field().Automatic(-1, kChosen));
  fields->Add(
      "clip-norm", &Training::clip_norm,
      "maximum norm of the gradient of all parameters together; 0 means "
      "no limit",
      Field().Range(0, 1e9).Habit());
  fields->Add("weight-decay", &Training::weight_decay,
              "multiply weights by 1 - X * learning rate at each step (AdamW); "
              "biases, gains and rows of words outside the step do not change",
              Field().Range(0, 100).Habit().Needs({"optimizer"}, {"adam"}));
  fields->Add("seed", &Training::seed,
              "set the random seed; the same seed gives the same file");
  fields->Section("Validation");
  fields->Add("valid-every", &Training::validate_every,
              "number of tokens between two validations",
              Field().Default("0, which means one epoch"));
  fields->Add(
      "patience", &Training::patience,
      "stop after this many validations without improvement; 0 means never",
      Field().Range(0, 10000));
}

void AddRunning(FieldsOf<Training>* fields) {
  fields->Section("Output");
  fields
      ->Add("threads", &Training::threads,
            "number of threads; the model does not depend on it")
      .Range(0, kMostThreads)
      .Default("0, which means all cores")
      .Work();
}

absl::Status CheckHead(const Training& training) {
  if (training.vectors != nullptr && training.vectors->dim() == 0) {
    return absl::InvalidArgumentError("vectors: the vectors are missing");
  }
  if (training.vectors == nullptr && training.start == nullptr &&
      training.head == HeadKind::kContinuous) {
    return absl::InvalidArgumentError(
        "head: continuous predicts vectors and therefore requires vectors");
  }
  if (training.character_output && training.head != HeadKind::kSoftmax &&
      training.head != HeadKind::kSampled) {
    return absl::InvalidArgumentError(
        absl::StrCat("head: char-output requires softmax or sampled, found ",
                     kHeadNames[static_cast<size_t>(training.head)]));
  }
  return absl::OkStatus();
}

// Checks what can be checked without the network.
absl::Status CheckTied(const Training& training) {
  if (!training.tied || training.start != nullptr) return absl::OkStatus();
  if (training.vectors != nullptr) {
    return absl::InvalidArgumentError(
        "tied: cannot be combined with vectors, since these are not the words "
        "that are predicted");
  }
  if (training.character_output || training.head == HeadKind::kContinuous) {
    return absl::InvalidArgumentError(absl::StrCat(
        "tied: requires an output table, which ",
        training.character_output ? "char-output" : "head continuous",
        " replaces"));
  }
  return absl::OkStatus();
}

absl::Status CheckTransformer(const Training& training) {
  if (training.network != NetworkKind::kTransformer) return absl::OkStatus();
  if (training.predict == Prediction::kMasked &&
      training.reads != Reading::kBoth) {
    return absl::InvalidArgumentError(absl::StrCat(
        "reads: a Transformer that predicts masked words requires both, found ",
        kReadingNames[static_cast<size_t>(training.reads)]));
  }
  if (training.units % training.heads == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("heads: must divide the number of units (", training.units,
                   "), found ", training.heads));
}

absl::Status CheckNextSentence(const Training& training) {
  const bool fits = training.network == NetworkKind::kTransformer &&
                    training.predict == Prediction::kMasked;
  if (!training.next_sentence || training.start != nullptr || fits) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "next-sentence: requires a Transformer that predicts masked words");
}

absl::Status CheckRate(const Training& training) {
  if (training.learning_rate > 0) {  // otherwise it is not chosen yet
    FIRTH_RETURN_IF_ERROR(CheckRange("min-learning-rate",
                                     training.min_learning_rate, 0.0,
                                     training.learning_rate));
  }
  if (training.decay == Decay::kExponential &&
      training.min_learning_rate == 0) {
    return absl::InvalidArgumentError(
        "min-learning-rate: exponential decay requires a value above 0");
  }
  return absl::OkStatus();
}

}  // namespace

FieldTable CharacterOptions::Fields() {
  const std::vector<std::string> reading = {"char-cnn", "char-output"};
  FieldsOf<CharacterOptions> fields;
  fields.Written<FilterList>(
      "char-filters", &CharacterOptions::filters, FiltersText, ParseFilters,
      "set the filters of the character network, each as WIDTHxCOUNT",
      Field().ValueName("WIDTHxCOUNT,...").Shape().Needs(reading));
  fields.Add("char-dim", &CharacterOptions::dim,
             "number of dimensions of the character vectors",
             Field().Range(1, 1024).Shape().Needs(reading));
  fields.Add("max-characters", &CharacterOptions::max_characters,
             "maximum number of bytes read per word, including two boundary "
             "symbols",
             Field().Range(3, 1000).Shape().Needs(reading));
  fields.Add("highways", &CharacterOptions::highways,
             "number of highway layers after the filters",
             Field().Range(0, 100).Shape().Needs({"char-cnn"}));
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
  fields.Add(
      "stateful", &MeasureOptions::stateful,
      "carry the state over from one sentence to the next, as in training; "
      "without this option each sentence starts from the initial state");
  fields
      .Add("threads", &MeasureOptions::threads,
           "number of threads; with 2, each direction has its own thread. 0 "
           "means all cores")
      .Range(0, kMostThreads)
      .Work();
  return fields;
}

absl::Status LanguageModelTraining::Validate() const {
  FIRTH_RETURN_IF_ERROR(CheckFields(*this));
  FIRTH_RETURN_IF_ERROR(CheckFilters(
      characters.filters, static_cast<size_t>(characters.max_characters)));
  FIRTH_RETURN_IF_ERROR(CheckHead(*this));
  FIRTH_RETURN_IF_ERROR(CheckTied(*this));
  FIRTH_RETURN_IF_ERROR(CheckTransformer(*this));
  FIRTH_RETURN_IF_ERROR(CheckNextSentence(*this));
  return CheckRate(*this);
}

FieldTable GenerateOptions::Fields() {
  using Options = GenerateOptions;
  FieldsOf<Options> fields;
  fields.Add("temperature", &Options::temperature,
             "set the sampling temperature: words are drawn with probability "
             "proportional to p^(1 / temperature); 0 always takes the most "
             "probable word",
             Field().Range(0, 100));
  fields.Add("top-k", &Options::top_k,
             "draw only from this many of the most probable words; 0 means all",
             Field().Needs({"temperature"}));
  fields.Add("top-p", &Options::top_p,
             "draw only from the most probable words that together have this "
             "fraction of the probability (nucleus sampling)",
             Field().Range(0, 1).Needs({"temperature"}));
  fields.Add("beam", &Options::beam,
             "number of hypotheses in beam search; if it is above 1, the best "
             "sentences of the search are printed",
             Field().Range(1, 1000));
  fields.Add(
      "length-normalization", &Options::length_normalization,
      "set the exponent of length normalization in beam search: sentences "
      "are compared by ln p / ((5 + length) / 6)^X",
      Field().Range(0, 10));
  fields.Add("end-normalization", &Options::end_normalization,
             "make the end of a sentence less probable by subtracting X * "
             "expected-length / length from its ln p",
             Field().Range(0, 1000));
  fields.Add("expected-length", &Options::expected_length,
             "set the expected length of a sentence in words, for "
             "--end-normalization",
             Field().Range(1, 1 << 20).Needs({"end-normalization"}));
  fields.Add("max-tokens", &Options::max_tokens,
             "maximum number of words generated after the prompt",
             Field().Range(1, 1 << 20));
  fields.Add("count", &Options::count, "number of sentences to print",
             Field().Range(1, 1 << 20));
  fields.Add("unknown", &Options::unknown, "allow <UNK> to be generated");
  fields.Add("seed", &Options::seed, "set the random seed",
             Field().Needs({"temperature"}));
  return fields;
}

absl::Status GenerateOptions::Validate() const {
  FIRTH_RETURN_IF_ERROR(CheckFields(*this));
  if (beam > 1 && count > beam) {
    return absl::InvalidArgumentError(
        absl::StrCat("count: a beam of ", beam,
                     " gives at most as many sentences, found ", count));
  }
  if (beam == 1 || temperature == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "beam: a temperature above 0 requires beam 1, found ", beam));
}

}  // namespace firth

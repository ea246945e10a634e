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
  fields->Add("tune-vectors", &Training::tune_vectors,
              "the vectors of --vectors are learnt further; else they stay as "
              "they are");
  fields
      ->Add("char-cnn", &Training::use_characters,
            "read words by their characters, alone or besides vectors")
      .Shape()
      .Everyday();
  fields->Part(&Training::characters);
  fields
      ->Add("dim", &Training::dim,
            "values of the word vectors to learn, where none are given")
      .Range(0, 65536)
      .Default("as many as a direction has; none with --char-cnn")
      .Shape();
}

void AddTransformer(FieldsOf<Training>* fields) {
  const std::vector<std::string> network = {"network"};
  const std::vector<std::string> here = {"transformer"};
  fields
      ->Add("heads", &Training::heads,
            "parts of the units that attend each by itself")
      .Range(1, 1024)
      .Shape()
      .Needs(network, here);
  fields
      ->Add("feed-forward", &Training::feed_forward,
            "values inside the networks behind the attention")
      .Range(0, 1 << 20)
      .Default("0: four times --units")
      .Shape()
      .Needs(network, here);
  fields
      ->Add("context", &Training::context,
            "tokens that a token sees, with itself; a longer text is read in "
            "blocks of so many, or with --positions relative in a window that "
            "slides")
      .Range(2, 1 << 16)
      .Shape()
      .Needs(network, here);
  fields
      ->Choice("positions", &Training::positions, Names(kPositionNames),
               "how a token knows where the others stand: by the way to them, "
               "or by vectors of the places in a block")
      .Shape()
      .Needs(network, here);
  fields
      ->Choice("norm", &Training::norm, Names(kNormPlaceNames),
               "layer normalization in front of what is added, or behind it")
      .Shape()
      .Needs(network, here);
  fields
      ->Choice("activation", &Training::activation, Names(kActivationNames),
               "of the feed-forward networks")
      .Shape()
      .Needs(network, here);
}

void AddLayers(FieldsOf<Training>* fields) {
  fields->Section("Layers");
  fields
      ->Choice("reads", &Training::reads, Names(kReadingNames),
               "the text forward, which suffices to generate, backward, or "
               "both, for vectors in context")
      .Shape();
  fields
      ->Choice("network", &Training::network, Names(kNetworkNames),
               "what reads the text: recurrent layers; tanh layers over a "
               "window of the last words, which train faster and see less; or "
               "attention to all words of a context")
      .Shape();
  fields
      ->Add("window", &Training::window,
            "words that are read at each step, with the one of the step")
      .Range(1, 1000)
      .Shape()
      .Needs({"network"}, {"window"});
  // All names beside the option would not fit into a line.
  fields
      ->Choice("cell", &Training::cell, Names(kCellNames),
               absl::StrCat("of the recurrent layers: ",
                            absl::StrJoin(kCellNames, ", ")))
      .ValueName("CELL")
      .Shape()
      .Needs({"network"}, {"recurrent"});
  fields
      ->Add("units", &Training::units,
            "cells or values of a layer, in each direction")
      .Range(1, 65536)
      .Shape()
      .Everyday();
  AddTransformer(fields);
  fields
      ->Add("projection", &Training::projection,
            "values that a layer hands on, made of its cells'; 0: as they are")
      .Range(0, 65536)
      .Shape()
      .Needs({"network"}, {"recurrent"});
  fields->Add("layers", &Training::layers, "in each direction")
      .Range(1, 100)
      .Shape()
      .Everyday();
  fields
      ->Add("residual", &Training::residual,
            "add its input to a layer's output, from the second on")
      .Shape()
      .Needs({"network"}, {"recurrent", "window"});
  fields
      ->Add("dropout", &Training::dropout,
            "share of values left out while training")
      .Range(0, 0.99)
      .Habit();
  fields
      ->Add("cell-clip", &Training::cell_clip,
            "greatest absolute value of a cell's state; 0: any")
      .Range(0, 1e9)
      .Shape()
      .Needs({"network"}, {"recurrent"});
  fields
      ->Add("projection-clip", &Training::projection_clip,
            "and of a projected value")
      .Range(0, 1e9)
      .Shape()
      .Needs({"network"}, {"recurrent"});
  fields
      ->Add("forget-bias", &Training::forget_bias,
            "what the bias of forget gates starts with")
      .Range(-1000, 1000)
      .Needs({"network"}, {"recurrent"});
  fields
      ->Add("orthogonal", &Training::orthogonal,
            "recurrent weights start as orthogonal matrices, one a gate")
      .Needs({"network"}, {"recurrent"});
}

void AddPrediction(FieldsOf<Training>* fields) {
  fields->Section("Prediction");
  fields
      ->Choice("predict", &Training::predict, Names(kPredictionNames),
               "the next word in each direction, or words that are hidden, by "
               "those on both sides")
      .Shape();
  fields
      ->Add("next-sentence", &Training::next_sentence,
            "also learn whether a sentence follows another, of a text of "
            "documents with empty lines between; of --predict masked, as BERT "
            "does, for texts that come in pairs")
      .Shape()
      .Needs({"predict"}, {"masked"})
      .Needs({"network"}, {"transformer"});
  fields
      ->Choice("head", &Training::head,
               Names(absl::MakeSpan(kHeadNames).first(4)),  // without none
               "how words are predicted: by the softmax over all, or over the "
               "target and noise; by telling it from noise; or as the word's "
               "vector of --vectors")
      .Shape();
  fields
      ->Add("label-smoothing", &Training::label_smoothing,
            "share of the probability that is asked for all words alike")
      .Range(0, 0.99)
      .Habit()
      .Needs({"head"}, {"softmax"});
  fields->Add("samples", &Training::samples, "noise words a step")
      .Range(1, 1 << 24)
      .Habit();
  fields
      ->Add("char-output", &Training::character_output,
            "score words by their characters, as --char-cnn reads them, and a "
            "short correction: many words in a small model")
      .Shape();
  fields
      ->Add("correction-dim", &Training::correction_dim,
            "values of a word's correction, with --char-output")
      .Range(1, 65536)
      .Shape()
      .Needs({"char-output"});
}

void AddTraining(FieldsOf<Training>* fields) {
  fields->Section("Training");
  fields
      ->Add("batch", &Training::batch,
            "pieces of the text that are read side by side")
      .Range(1, 65536)
      .Habit();
  fields
      ->Add("unroll", &Training::unroll,
            "tokens of each that are a step; gradients go back no farther, "
            "states go on")
      .Range(0, 10000)
      .Default("0: 20, or --context")
      .Habit();
  fields->Add("epochs", &Training::epochs, "passes over the text")
      .Range(1e-6, 1e6)
      .Habit()
      .Everyday();
  fields
      ->Choice("optimizer", &Training::optimizer, {"sgd", "adagrad", "adam"},
               "what makes steps of gradients")
      .Habit();
  fields
      ->Add("learning-rate", &Training::learning_rate,
            "at the start, or after --warmup")
      .Range(1e-12, 1e9);
  fields->Add("min-learning-rate", &Training::min_learning_rate, "at the end")
      .Range(0, 1e9);
  fields->Choice("decay", &Training::decay,
                 {"constant", "linear", "exponential", "inverse-root"},
                 "how it falls");
  fields->Add("warmup", &Training::warmup, "steps in which it rises");
  fields
      ->Add("clip-norm", &Training::clip_norm,
            "greatest norm of all gradients together; 0: any")
      .Range(0, 1e9)
      .Habit();
  fields->Add("seed", &Training::seed,
              "of all random numbers; the same seed gives the same file");
  fields->Section("Validation");
  fields
      ->Add("valid-every", &Training::validate_every,
            "tokens between two validations")
      .Default("0: an epoch");
  fields
      ->Add("patience", &Training::patience,
            "stop after so many validations without a better one; 0: go on")
      .Range(0, 10000);
}

void AddRunning(FieldsOf<Training>* fields) {
  fields->Section("Output");
  fields
      ->Add("threads", &Training::threads,
            "how many work; the model is the same with any number")
      .Range(0, kMostThreads)
      .Default("0: all cores")
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
  FIRTH_RETURN_IF_ERROR(CheckRange("min-learning-rate",
                                   training.min_learning_rate, 0.0,
                                   training.learning_rate));
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
  fields
      .Written<FilterList>("char-filters", &CharacterOptions::filters,
                           FiltersText, ParseFilters,
                           "filters of --char-cnn, width x count of each")
      .ValueName("WIDTHxCOUNT,...")
      .Shape()
      .Needs(reading);
  fields
      .Add("char-dim", &CharacterOptions::dim, "values of a character's vector")
      .Range(1, 1024)
      .Shape()
      .Needs(reading);
  fields
      .Add("max-characters", &CharacterOptions::max_characters,
           "bytes of a word that are read, with two marks")
      .Range(3, 1000)
      .Shape()
      .Needs(reading);
  fields
      .Add("highways", &CharacterOptions::highways,
           "highway layers behind the filters")
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
             "each sentence goes on from the state that the one before left, "
             "as in training; else it stands for itself");
  fields
      .Add("threads", &MeasureOptions::threads,
           "2 use one for each direction; 0: as cores are there")
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
           "draw words, by p^(1 / temperature); 0: the likeliest")
      .Range(0, 100);
  fields
      .Add("top-k", &Options::top_k, "draw among the likeliest so many; 0: all")
      .Needs({"temperature"});
  fields
      .Add("beam", &Options::beam,
           "beginnings to keep; above 1 the best sentences of the search are "
           "printed")
      .Range(1, 1000);
  fields
      .Add("length-normalization", &Options::length_normalization,
           "compare sentences by ln p / ((5 + length) / 6)^X; with --beam")
      .Range(0, 10);
  fields
      .Add("end-normalization", &Options::end_normalization,
           "make the end of a sentence less likely, ln p less X "
           "expected-length / length")
      .Range(0, 1000);
  fields
      .Add("expected-length", &Options::expected_length,
           "words; for --end-normalization")
      .Range(1, 1 << 20)
      .Needs({"end-normalization"});
  fields
      .Add("max-tokens", &Options::max_tokens, "most words behind those given")
      .Range(1, 1 << 20);
  fields.Add("count", &Options::count, "sentences to print").Range(1, 1 << 20);
  fields.Add("unknown", &Options::unknown, "<UNK> may be a word, too");
  fields.Add("seed", &Options::seed, "of what is drawn").Needs({"temperature"});
  return fields;
}

absl::Status GenerateOptions::Validate() const {
  FIRTH_RETURN_IF_ERROR(CheckFields(*this));
  if (beam == 1 || temperature == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "beam: a temperature above 0 requires beam 1, found ", beam));
}

}  // namespace firth

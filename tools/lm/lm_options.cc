#include "lm/lm_options.h"

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace firth::tools {
namespace {

Option& NameChoice(OptionSet* options, absl::string_view name,
                   std::string* target,
                   absl::Span<const absl::string_view> names,
                   absl::string_view help) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const absl::string_view value : names) {
    values.emplace_back(std::string(value), std::string(value));
  }
  return options->Choice<std::string>(name, target, std::move(values), help);
}

absl::Status ParseFilters(const std::string& text,
                          std::vector<CharacterOptions::Filters>* filters) {
  filters->clear();
  for (const absl::string_view set : absl::StrSplit(text, ',')) {
    const std::vector<absl::string_view> numbers = absl::StrSplit(set, 'x');
    CharacterOptions::Filters parsed;
    if (numbers.size() != 2 || !absl::SimpleAtoi(numbers[0], &parsed.width) ||
        !absl::SimpleAtoi(numbers[1], &parsed.count)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--char-filters: expected WIDTHxCOUNT, separated by commas, as "
          "1x32,2x64, found \"",
          text, "\""));
    }
    filters->push_back(parsed);
  }
  return absl::OkStatus();
}

}  // namespace

void LmOptions::DeclareInput(OptionSet* options) {
  options->Switch("tune-vectors", &training.tune_vectors,
                  "the vectors of --vectors are learnt further; else they stay "
                  "as they are");
  options
      ->Switch("char-cnn", &training.use_characters,
               "read words by their characters, alone or besides vectors")
      .Everyday();
  CharacterOptions& characters = training.characters;
  options->Text("char-filters", "LIST", &filters_,
                "filters of --char-cnn, width x count of each");
  options->Integer("char-dim", &characters.dim, 1, 1024,
                   "values of a character's vector");
  options->Integer("max-characters", &characters.max_characters, 3, 1000,
                   "bytes of a word that are read, with two marks");
  options->Integer("highways", &characters.highways, 0, 100,
                   "highway layers behind the filters");
  options
      ->Integer("dim", &training.dim, 0, 65536,
                "values of the word vectors to learn, where none are given")
      .default_text = "as many as a direction has; none with --char-cnn";
}

void LmOptions::DeclareLayers(OptionSet* options) {
  options->Section("Layers");
  NameChoice(options, "reads", &training.reads, ReadingNames(),
             "the text forward, which suffices to generate, backward, or both, "
             "for vectors in context");
  NameChoice(options, "network", &training.network, NetworkNames(),
             "what reads the text: recurrent layers, or tanh layers over a "
             "window of the last words, which train faster and see less");
  options->Integer("window", &training.window, 1, 1000,
                   "words that --network window reads at each step, with the "
                   "one of the step");
  // All names beside the option would not fit into a line.
  NameChoice(options, "cell", &training.cell, CellNames(),
             absl::StrCat("of the recurrent layers: ",
                          absl::StrJoin(CellNames(), ", ")))
      .value_name = "CELL";
  options
      ->Integer("units", &training.units, 1, 65536,
                "cells or values of a layer, in each direction")
      .Everyday();
  options->Integer("projection", &training.projection, 0, 65536,
                   "values that a layer hands on, made of its cells'; 0: as "
                   "they are");
  options->Integer("layers", &training.layers, 1, 100, "in each direction")
      .Everyday();
  options->Choice<bool>("residual", &training.residual,
                        {{"on", true}, {"off", false}},
                        "add its input to a layer's output, from the second "
                        "on");
  options->Real("dropout", &training.dropout, 0, 0.99,
                "share of values left out while training");
  options->Real("cell-clip", &training.cell_clip, 0, 1e9,
                "greatest absolute value of a cell's state; 0: any");
  options->Real("projection-clip", &training.projection_clip, 0, 1e9,
                "and of a projected value");
  options->Real("forget-bias", &training.forget_bias, -1000, 1000,
                "what the bias of forget gates starts with");
  options->Section("Prediction");
  NameChoice(options, "head", &training.head, HeadNames(),
             "how words are predicted: by the softmax over all, or over the "
             "target and noise; by telling it from noise; or as the word's "
             "vector of --vectors");
  options->Integer("samples", &training.samples, 1, 1 << 24,
                   "noise words a step; with --head sampled or nce");
  options->Switch("char-output", &training.character_output,
                  "score words by their characters, as --char-cnn reads them, "
                  "and a short correction: many words in a small model; with "
                  "--head softmax or sampled");
  options->Integer("correction-dim", &training.correction_dim, 1, 65536,
                   "values of a word's correction, with --char-output");
}

void LmOptions::DeclareTraining(OptionSet* options) {
  constexpr uint64_t kAny = std::numeric_limits<uint64_t>::max();
  options->Section("Training");
  options->Integer("batch", &training.batch, 1, 65536,
                   "pieces of the text that are read side by side");
  options->Integer("unroll", &training.unroll, 1, 10000,
                   "tokens of each that are a step; gradients go back no "
                   "farther, states go on");
  options->Real("epochs", &training.epochs, 1e-6, 1e6, "passes over the text")
      .Everyday();
  NameChoice(options, "optimizer", &training.optimizer, OptimizerNames(),
             "what makes steps of gradients");
  options->Real("learning-rate", &training.learning_rate, 1e-12, 1e9,
                "at the start, or after --warmup");
  options->Real("min-learning-rate", &training.min_learning_rate, 0, 1e9,
                "at the end");
  NameChoice(options, "decay", &training.decay, DecayNames(), "how it falls");
  options
      ->Integer("warmup", &training.warmup, 0, 1 << 30,
                "steps in which it rises")
      .range.clear();
  options->Real("clip-norm", &training.clip_norm, 0, 1e9,
                "greatest norm of all gradients together; 0: any");
  options
      ->Integer("seed", &training.seed, 0, kAny,
                "of all random numbers; the same seed gives the same file")
      .range.clear();
  options->Section("Validation");
  Option& every = options->Integer("valid-every", &training.validate_every, 0,
                                   kAny, "tokens between two validations");
  every.range.clear();
  every.default_text = "0: an epoch";
  options
      ->Integer("patience", &training.patience, 0, 1 << 30,
                "stop after so many validations without a better one; 0: go "
                "on")
      .range.clear();
}

void LmOptions::Declare(OptionSet* options) {
  DeclareInput(options);
  DeclareLayers(options);
  DeclareTraining(options);
}

absl::Status LmOptions::Finish(const OptionSet& given, bool has_vectors) {
  absl::Status status = ParseFilters(filters_, &training.characters.filters);
  if (!status.ok()) return status;
  for (const char* name : {"char-filters", "char-dim", "max-characters"}) {
    if (given.Given(name) && !training.use_characters &&
        !training.character_output) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", name, " goes with --char-cnn or --char-output"));
    }
  }
  if (given.Given("window") && training.network != "window") {
    return absl::InvalidArgumentError("--window goes with --network window");
  }
  for (const char* name :
       {"cell", "projection", "cell-clip", "projection-clip", "forget-bias"}) {
    if (given.Given(name) && training.network != "recurrent") {
      return absl::InvalidArgumentError(
          absl::StrCat("--", name, " goes with --network recurrent"));
    }
  }
  if (given.Given("highways") && !training.use_characters) {
    return absl::InvalidArgumentError("--highways goes with --char-cnn");
  }
  if (given.Given("correction-dim") && !training.character_output) {
    return absl::InvalidArgumentError(
        "--correction-dim goes with --char-output");
  }
  if (given.Given("samples") && training.head != "sampled" &&
      training.head != "nce") {
    return absl::InvalidArgumentError(
        "--samples goes with --head sampled or nce");
  }
  if (given.Given("tune-vectors") && !has_vectors) {
    return absl::InvalidArgumentError(
        "--tune-vectors goes with --vectors FILE");
  }
  if (given.Given("dim") && has_vectors) {
    return absl::InvalidArgumentError(
        "--dim cannot be combined with --vectors, which have theirs");
  }
  if (training.head == "continuous" && !has_vectors) {
    return absl::InvalidArgumentError(
        "--head continuous goes with --vectors FILE");
  }
  if (training.character_output && training.head != "softmax" &&
      training.head != "sampled") {
    return absl::InvalidArgumentError(
        "--char-output goes with --head softmax or sampled");
  }
  LanguageModelTraining checked = training;
  if (has_vectors) checked.head = "sampled";  // they are not loaded yet
  return checked.Validate();
}

}  // namespace firth::tools

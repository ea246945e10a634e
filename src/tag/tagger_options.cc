// The fields of a tagger's options.

#include "firth/fields.h"
#include "firth/status_macros.h"
#include "firth/tagger.h"
#include "lm/learn/tuning_fields.h"
#include "lm/model/character_ids.h"
#include "tag/tag_set.h"

namespace firth {
namespace {

void AddMix(FieldsOf<TaggerOptions>* fields) {
  fields->Section("Features");
  fields->Add("mix-input", &TaggerOptions::mix_at_input,
              "use a learned mix of the contextual layers as input of the "
              "BiLSTM; off requires --mix-output",
              Field().Shape());
  fields->Add("mix-output", &TaggerOptions::mix_at_output,
              "add a learned mix of the contextual layers to the output of the "
              "BiLSTM",
              Field().Shape());
  fields->Add("mix-layer-norm", &TaggerOptions::mix_layer_norm,
              "normalize the vectors of each layer before they are mixed",
              Field().Shape());
  fields->Add("top-layer", &TaggerOptions::mix_top_only,
              "use the last contextual layer instead of a learned mix",
              Field().Shape());
  fields->Add(
      "mix-l2", &TaggerOptions::mix_l2,
      "set the L2 penalty on the weights of each mix, before the softmax "
      "is applied to them",
      Field().Range(0, 1e9).Habit());
  AddTuneContextualizer(
      "sentences",
      "The tagger's file contains the tuned contextualizer and the vectors",
      fields);
  AddTuningRate(fields);
}

void AddSpelling(FieldsOf<TaggerOptions>* fields) {
  fields->Section("Spelling");
  fields->Add(
      "case-dim", &TaggerOptions::case_dim,
      "number of dimensions of a learned vector for each pattern of "
      "letter case, which helps to recognize names; 0 turns it off",
      Field().Range(0, 1024).Shape().Everyday().Details(
          "The patterns are lower case, Initial, CAPITALS, miXed, digits. This "
          "helps most if --vectors has only lower case"));
  fields->Add("char-cnn", &TaggerOptions::use_characters,
              "also compute features from the characters of each token, which "
              "helps with endings, names and unknown words; --vectors is not "
              "required",
              Field().Shape().Everyday());
  fields->Written<FilterList>(
      "char-filters", &TaggerOptions::character_filters, FiltersText,
      ParseFilters,
      "set the filters of the character network, each as WIDTHxCOUNT",
      Field().ValueName("WIDTHxCOUNT,...").Shape().Needs({"char-cnn"}));
  fields->Add("char-dim", &TaggerOptions::character_dim,
              "number of dimensions of the character vectors",
              Field().Range(1, 1024).Shape().Needs({"char-cnn"}));
}

void AddNetwork(FieldsOf<TaggerOptions>* fields) {
  fields->Section("Network");
  fields->Add("layers", &TaggerOptions::lstm_layers,
              "number of BiLSTM layers; 0 gives a linear model",
              Field().Range(0, 100).Shape());
  fields->Add("units", &TaggerOptions::units,
              "number of units per layer and direction",
              Field().Range(1, 65536).Shape());
  fields->Choice("head", &TaggerOptions::crf, {"softmax", "crf"},
                 "choose the output layer: softmax predicts each tag "
                 "independently; crf predicts all tags of a sentence jointly, "
                 "which is better for spans",
                 Field().Shape().Everyday());
  fields->Add("dropout", &TaggerOptions::dropout,
              "set the dropout rate at the inputs and outputs of the BiLSTM",
              Field().Range(0, 0.99).Habit());
}

void AddTraining(FieldsOf<TaggerOptions>* fields) {
  fields->Section("Training");
  fields->Add("epochs", &TaggerOptions::epochs,
              "maximum number of passes over the sentences",
              Field().Range(1, 10000).Habit().Everyday());
  fields->Add("patience", &TaggerOptions::patience,
              "stop after this many epochs without a better score on --dev; 0 "
              "means never",
              Field().Range(0, 10000));
  fields->Add("batch", &TaggerOptions::batch,
              "number of sentences per training step",
              Field().Range(1, 65536).Habit());
  fields->Add("learning-rate", &TaggerOptions::learning_rate,
              "set Adam's initial learning rate; over all epochs it falls to a "
              "tenth of this value",
              Field().Range(1e-12, Field::kUnlimited));
  fields->Add(
      "clip", &TaggerOptions::clip,
      "maximum norm of the gradient of all parameters together; 0 means "
      "no limit",
      Field().Range(0, 1e9).Habit());
  fields->Add("seed", &TaggerOptions::seed,
              "set the random seed; the same seed gives the same model");
  fields->Add("threads", &TaggerOptions::threads,
              "number of threads; with 2, each direction has its own thread. 0 "
              "means all cores",
              Field().Range(0, kMostThreads).Work());
  fields->Add("cache", &TaggerOptions::cache_bytes,
              "maximum memory for contextual vectors; the rest are computed "
              "again in each epoch",
              Field().Size().Work().Default(""));
}

}  // namespace

FieldTable TaggerOptions::Fields() {
  FieldsOf<TaggerOptions> fields;
  AddMix(&fields);
  AddSpelling(&fields);
  AddNetwork(&fields);
  AddTraining(&fields);
  return fields;
}

absl::Status TaggerOptions::Validate() const {
  FIRTH_RETURN_IF_ERROR(CheckFields(*this));
  if (!mix_at_input && !mix_at_output) {
    return absl::InvalidArgumentError(
        "mix-input: a contextualizer needs a mix of layers at the input or at "
        "the output; enable one of them");
  }
  return CheckFilters(character_filters, kTaggerCharacters);
}

}  // namespace firth

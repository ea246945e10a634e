// The fields of a tagger's options.

#include "firth/fields.h"
#include "firth/status_macros.h"
#include "firth/tagger.h"
#include "lm/character_filters.h"
#include "lm/tuning_fields.h"
#include "tag/tag_set.h"

namespace firth {
namespace {

void AddMix(FieldsOf<TaggerOptions>* fields) {
  fields->Section("Features");
  fields
      ->Add("mix-input", &TaggerOptions::mix_at_input,
            "let the BiLSTM read a mix of the contextual layers; off goes with "
            "--mix-output")
      .Shape();
  fields
      ->Add("mix-output", &TaggerOptions::mix_at_output,
            "mix the contextual layers behind the BiLSTM, too")
      .Shape();
  fields
      ->Add("mix-layer-norm", &TaggerOptions::mix_layer_norm,
            "normalise each layer's vectors before they are mixed")
      .Shape();
  fields
      ->Add("top-layer", &TaggerOptions::mix_top_only,
            "use the last contextual layer instead of a mix")
      .Shape();
  fields
      ->Add("mix-l2", &TaggerOptions::mix_l2,
            "penalty on the squares of a mix's weights before their softmax")
      .Range(0, 1e9)
      .Habit();
  AddTuneContextualizer("sentences", "the tagger's file holds its inputs",
                        fields)
      .Everyday();
  AddTuningRate(fields);
}

void AddSpelling(FieldsOf<TaggerOptions>* fields) {
  fields->Section("Spelling");
  fields
      ->Add("case-dim", &TaggerOptions::case_dim,
            "values of a vector that is learnt for each way of writing: lower "
            "case, Initial, CAPITALS, miXed, digits; 0: none. Names show by "
            "it, also where vectors know words in lower case alone")
      .Range(0, 1024)
      .Shape()
      .Everyday();
  fields
      ->Add("char-cnn", &TaggerOptions::use_characters,
            "read tokens by their characters, too, or by them alone: endings "
            "and names that no vector is known of")
      .Shape()
      .Everyday();
  fields
      ->Written<FilterList>("char-filters", &TaggerOptions::character_filters,
                            FiltersText, ParseFilters,
                            "filters of --char-cnn, width x count of each")
      .ValueName("WIDTHxCOUNT,...")
      .Shape()
      .Needs({"char-cnn"});
  fields
      ->Add("char-dim", &TaggerOptions::character_dim,
            "values of a character's vector")
      .Range(1, 1024)
      .Shape()
      .Needs({"char-cnn"});
}

void AddNetwork(FieldsOf<TaggerOptions>* fields) {
  fields->Section("Network");
  fields
      ->Add("layers", &TaggerOptions::lstm_layers,
            "layers of the BiLSTM; 0: none, a linear model")
      .Range(0, 100)
      .Shape();
  fields->Add("units", &TaggerOptions::units, "of a layer and direction")
      .Range(1, 65536)
      .Shape()
      .Everyday();
  fields
      ->Choice("head", &TaggerOptions::crf, {"softmax", "crf"},
               "how tags are chosen: each for itself, or all of a sentence "
               "together, which suits spans")
      .Shape()
      .Everyday();
  fields
      ->Add("dropout", &TaggerOptions::dropout,
            "share of the BiLSTM's inputs and outputs left out while training")
      .Range(0, 0.99)
      .Habit();
}

void AddTraining(FieldsOf<TaggerOptions>* fields) {
  fields->Section("Training");
  fields->Add("epochs", &TaggerOptions::epochs, "at most")
      .Range(1, 10000)
      .Habit()
      .Everyday();
  fields
      ->Add("patience", &TaggerOptions::patience,
            "stop after so many epochs without a better score on --dev; 0: "
            "never")
      .Range(0, 10000);
  fields->Add("batch", &TaggerOptions::batch, "sentences a step")
      .Range(1, 65536)
      .Habit();
  fields
      ->Add("learning-rate", &TaggerOptions::learning_rate,
            "of Adam; falls to a tenth over all epochs")
      .Range(1e-12, Field::kUnlimited);
  fields
      ->Add("clip", &TaggerOptions::clip,
            "greatest norm of all gradients; 0: any")
      .Range(0, 1e9)
      .Habit();
  fields->Add("seed", &TaggerOptions::seed,
              "the same seed gives the same model");
  fields
      ->Add("threads", &TaggerOptions::threads,
            "2 use one for each direction; 0: as cores are there")
      .Range(0, kMostThreads)
      .Work();
  fields
      ->Add("cache", &TaggerOptions::cache_bytes,
            "contextual vectors kept in memory; those beyond are made anew "
            "each epoch")
      .Size()
      .Work()
      .Default("");
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

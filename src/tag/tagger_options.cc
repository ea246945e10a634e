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
            "feed a mix of the contextual layers to the BiLSTM; off requires "
            "--mix-output")
      .Shape();
  fields
      ->Add("mix-output", &TaggerOptions::mix_at_output,
            "also add a mix of the contextual layers after the BiLSTM")
      .Shape();
  fields
      ->Add("mix-layer-norm", &TaggerOptions::mix_layer_norm,
            "normalize each layer's vectors before mixing them")
      .Shape();
  fields
      ->Add("top-layer", &TaggerOptions::mix_top_only,
            "use the last contextual layer instead of a mix")
      .Shape();
  fields
      ->Add("mix-l2", &TaggerOptions::mix_l2,
            "L2 penalty on the weights of a mix before their softmax")
      .Range(0, 1e9)
      .Habit();
  AddTuneContextualizer("sentences", "the tagger's file contains its inputs",
                        fields)
      .Everyday();
  AddTuningRate(fields);
}

void AddSpelling(FieldsOf<TaggerOptions>* fields) {
  fields->Section("Spelling");
  fields
      ->Add("case-dim", &TaggerOptions::case_dim,
            "number of dimensions of a trained vector for the case of a token: "
            "lower case, Initial, CAPITALS, miXed, digits; 0 means none. Helps "
            "to find names, even if the vectors are of lower-case words only")
      .Range(0, 1024)
      .Shape()
      .Everyday();
  fields
      ->Add("char-cnn", &TaggerOptions::use_characters,
            "also read tokens by their characters, or only by them; helps with "
            "endings and with names that have no vector")
      .Shape()
      .Everyday();
  fields
      ->Written<FilterList>(
          "char-filters", &TaggerOptions::character_filters, FiltersText,
          ParseFilters,
          "filters of the character CNN, each as width x number of filters")
      .ValueName("WIDTHxCOUNT,...")
      .Shape()
      .Needs({"char-cnn"});
  fields
      ->Add("char-dim", &TaggerOptions::character_dim,
            "number of dimensions of a character's vector")
      .Range(1, 1024)
      .Shape()
      .Needs({"char-cnn"});
}

void AddNetwork(FieldsOf<TaggerOptions>* fields) {
  fields->Section("Network");
  fields
      ->Add("layers", &TaggerOptions::lstm_layers,
            "number of layers of the BiLSTM; 0 means a linear model")
      .Range(0, 100)
      .Shape();
  fields
      ->Add("units", &TaggerOptions::units,
            "number of units per layer and direction")
      .Range(1, 65536)
      .Shape()
      .Everyday();
  fields
      ->Choice("head", &TaggerOptions::crf, {"softmax", "crf"},
               "how tags are chosen. softmax: each tag independently; crf: all "
               "tags of a sentence jointly, which suits spans")
      .Shape()
      .Everyday();
  fields
      ->Add("dropout", &TaggerOptions::dropout,
            "fraction of the BiLSTM's inputs and outputs that is dropped "
            "during training")
      .Range(0, 0.99)
      .Habit();
}

void AddTraining(FieldsOf<TaggerOptions>* fields) {
  fields->Section("Training");
  fields
      ->Add("epochs", &TaggerOptions::epochs,
            "maximum number of passes over the sentences")
      .Range(1, 10000)
      .Habit()
      .Everyday();
  fields
      ->Add("patience", &TaggerOptions::patience,
            "stop after this many epochs without a better score on --dev; 0 "
            "means never")
      .Range(0, 10000);
  fields->Add("batch", &TaggerOptions::batch, "number of sentences per step")
      .Range(1, 65536)
      .Habit();
  fields
      ->Add("learning-rate", &TaggerOptions::learning_rate,
            "initial learning rate (Adam); it decreases to a tenth over all "
            "epochs")
      .Range(1e-12, Field::kUnlimited);
  fields
      ->Add("clip", &TaggerOptions::clip,
            "maximum norm of the gradient of all parameters; 0 means no limit")
      .Range(0, 1e9)
      .Habit();
  fields->Add("seed", &TaggerOptions::seed,
              "seed of the random numbers; the same seed gives the same model");
  fields
      ->Add("threads", &TaggerOptions::threads,
            "number of threads; with 2, each direction has its own; 0 depends "
            "on the number of cores")
      .Range(0, kMostThreads)
      .Work();
  fields
      ->Add("cache", &TaggerOptions::cache_bytes,
            "maximum memory for contextual vectors; those beyond it are "
            "computed again in each epoch")
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
        "mix-input: off requires mix-output, and a contextualizer whose layers "
        "are mixed");
  }
  return CheckFilters(character_filters, kTaggerCharacters);
}

}  // namespace firth

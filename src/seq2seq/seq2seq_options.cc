// Field tables of the options, which the commands, Python and model files
// share, and the checks that concern several options.

#include <array>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "firth/fields.h"
#include "firth/seq2seq.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

constexpr std::array<absl::string_view, 2> kDecoderNames = {"recurrent",
                                                            "transformer"};
constexpr std::array<absl::string_view, 4> kMetricNames = {"loss", "bleu",
                                                           "chrf", "exact"};
constexpr std::array<absl::string_view, 4> kDecays = {
    "constant", "linear", "exponential", "inverse-root"};

void AddTransformer(FieldsOf<Seq2SeqShape>* fields) {
  using Shape = Seq2SeqShape;
  const FieldCondition blocks{{"encoder", "decoder"}, {"transformer"}};
  const auto field = [&] {
    return Field().Shape().Needs(blocks.names, blocks.values);
  };
  fields->Add("heads", &Shape::heads,
              "number of attention heads of a Transformer; they must divide "
              "the units",
              field().Range(1, 1024));
  fields->Add("feed-forward", &Shape::feed_forward,
              "number of units of the feed-forward part of a Transformer; 0 "
              "means four times the units",
              field().Range(0, 1 << 20));
  fields->Add("context", &Shape::context,
              "maximum number of tokens that a token of a Transformer attends "
              "to",
              field().Range(2, 8192));
  fields->Choice("positions", &Shape::positions, kPositionNames,
                 "choose how a Transformer represents positions: by the "
                 "distances between tokens, by fixed sine waves, or by trained "
                 "vectors",
                 field());
  fields->Choice("norm", &Shape::norm, kNormPlaceNames,
                 "choose whether a Transformer normalizes before or after each "
                 "part",
                 field());
}

void AddTraining(FieldsOf<Seq2SeqOptions>* fields) {
  using Options = Seq2SeqOptions;
  fields->Section("Training");
  fields->Add("epochs", &Options::epochs,
              "number of passes over the training pairs",
              Field().Range(1, 10000).Habit().Everyday());
  fields->Add("patience", &Options::patience,
              "stop after this many epochs without a better result on the dev "
              "set; 0 means never",
              Field().Range(0, 10000));
  fields->Choice("metric", &Options::metric, kMetricNames,
                 "choose what decides which epoch is the best on the dev set; "
                 "all except loss require that the model writes the texts of "
                 "the dev set after each epoch",
                 Field().Habit());
  fields->Add("batch", &Options::batch, "number of pairs per training step",
              Field().Range(1, 65536).Habit());
  fields->Add("learning-rate", &Options::learning_rate,
              "set Adam's learning rate, or the rate reached after --warmup",
              Field().Range(1e-12, 1e3));
  fields->Add("warmup", &Options::warmup,
              "number of steps over which the learning rate rises",
              Field().Range(0, 1e12));
  fields->Choice("decay", &Options::decay, kDecays,
                 "choose how the learning rate falls, to a tenth if linear or "
                 "exponential");
  fields->Add(
      "clip", &Options::clip,
      "maximum norm of the gradient of all parameters together; 0 means "
      "no limit",
      Field().Range(0, 1e9).Habit());
  fields->Add("label-smoothing", &Options::label_smoothing,
              "set the fraction of the target probability that is spread "
              "evenly over all words",
              Field().Range(0, 0.99).Habit());
  fields->Add("dropout", &Options::dropout, "set the dropout probability",
              Field().Range(0, 0.99).Habit());
  fields->Add("seed", &Options::seed,
              "set the random seed; the same seed gives the same model");
  fields->Add("threads", &Options::threads,
              "number of threads, which does not change the result; 0 means "
              "all cores",
              Field().Range(0, kMostThreads).Work());
}

}  // namespace

FieldTable Seq2SeqShape::Fields() {
  using Shape = Seq2SeqShape;
  FieldsOf<Shape> fields;
  fields.Choice("encoder", &Shape::encoder, kNetworkNames,
                "choose the layers that read the source",
                Field().Shape().Everyday());
  fields.Choice("decoder", &Shape::decoder, kDecoderNames,
                "choose the layers that write the target",
                Field().Shape().Everyday());
  fields.Choice("cell", &Shape::cell, kCellNames,
                "choose the cells of recurrent layers",
                Field().Shape().Needs({"encoder", "decoder"}, {"recurrent"}));
  fields.Add("units", &Shape::units,
             "number of units per layer; a recurrent or window encoder has "
             "half of them in each direction",
             Field().Range(2, 16384).Shape().Everyday());
  fields.Add("layers", &Shape::layers,
             "number of layers of the encoder, and of the decoder",
             Field().Range(1, 100).Shape().Everyday());
  fields.Choice("attention", &Shape::attention, kAttentionNames,
                "choose how a recurrent decoder attends to the source; none "
                "leaves only the encoder's last state",
                Field().Shape().Everyday().Needs({"decoder"}, {"recurrent"}));
  fields.Add(
      "input-feeding", &Shape::input_feeding,
      "let each step of a recurrent decoder read what the step before "
      "found by attention",
      Field().Shape().Needs({"attention"}, {"dot", "general", "additive"}));
  fields.Add("window", &Shape::window,
             "number of words that a window encoder reads at each step, "
             "including the current one",
             Field().Range(1, 1000).Shape().Needs({"encoder"}, {"window"}));
  AddTransformer(&fields);
  fields.Add("tied", &Shape::tied,
             "score words by the vectors by which the decoder reads them",
             Field().Shape());
  return fields;
}

absl::Status Seq2SeqShape::Validate() const {
  FIRTH_RETURN_IF_ERROR(CheckFields(*this));
  const bool blocks = encoder == NetworkKind::kTransformer ||
                      decoder == DecoderKind::kTransformer;
  if (units % 2 != 0 && encoder != NetworkKind::kTransformer) {
    return absl::InvalidArgumentError(absl::StrCat(
        "units: expected an even number, half for each direction of the "
        "encoder, found ",
        units));
  }
  if (blocks && units % heads != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "heads: expected a divisor of the ", units, " units, found ", heads));
  }
  if (decoder == DecoderKind::kRecurrent && attention == AttentionKind::kNone &&
      encoder != NetworkKind::kRecurrent) {
    return absl::InvalidArgumentError(
        "attention: a decoder without attention reads only the last state of "
        "the encoder, so the encoder must be recurrent");
  }
  return absl::OkStatus();
}

FieldTable Seq2SeqOptions::Fields() {
  using Options = Seq2SeqOptions;
  FieldsOf<Options> fields;
  fields.Section("Text");
  fields.Part(&Options::tokens);
  fields.Add("min-count", &Options::min_count,
             "minimum number of occurrences of a word in the training pairs; "
             "rarer words are unknown",
             Field().Range(1, 1e12).Shape());
  fields.Add("max-vocab", &Options::max_vocab,
             "maximum number of words per side, the most frequent ones; 0 "
             "means no limit",
             Field().Range(0, 1e9).Shape());
  fields.Add(
      "denoise", &Options::denoise,
      "learn to restore spans of words that are removed from plain text, "
      "as T5 does",
      Field().Habit());
  fields.Add("span-share", &Options::span_share,
             "set the fraction of the words of a text that are removed",
             Field().Range(0.01, 0.99).Habit().Needs({"denoise"}));
  fields.Add("span-length", &Options::span_length,
             "set the mean length of the removed spans, in words",
             Field().Range(1, 1000).Habit().Needs({"denoise"}));
  fields.Section("Network");
  fields.Part(&Options::shape);
  fields.Add("dim", &Options::dim,
             "number of dimensions of the word vectors, unless they are given; "
             "0 means as many as units",
             Field().Range(0, 65536).Shape());
  AddTraining(&fields);
  return fields;
}

absl::Status Seq2SeqOptions::Validate() const {
  FIRTH_RETURN_IF_ERROR(CheckFields(*this));
  FIRTH_RETURN_IF_ERROR(shape.Validate());
  FIRTH_RETURN_IF_ERROR(tokens.Validate());
  const uint64_t target_dim = target_vectors != nullptr ? target_vectors->dim()
                              : dim > 0                 ? dim
                                                        : shape.units;
  if (!shape.tied || target_dim == shape.units) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "tied: the target's vectors must have as many dimensions as there are "
      "units, found ",
      target_dim, " and ", shape.units));
}

FieldTable Seq2SeqSearch::Fields() {
  using Options = Seq2SeqSearch;
  FieldsOf<Options> fields;
  fields.Add("beam", &Options::beam,
             "number of hypotheses in beam search; 1 takes the most probable "
             "token at each step",
             Field().Range(1, 1000).Everyday());
  fields.Add("best", &Options::best,
             "number of results per text, at most --beam",
             Field().Range(1, 1000).Everyday());
  fields.Add("length-normalization", &Options::length_normalization,
             "set the exponent of length normalization: results are compared "
             "by ln p / ((5 + length) / 6)^X",
             Field().Range(0, 10));
  fields.Add("coverage-normalization", &Options::coverage_normalization,
             "prefer results that attend to all tokens of the source: X times "
             "the sum of ln min(attention, 1) is added to the score of a "
             "result",
             Field().Range(0, 1000));
  fields.Add("end-normalization", &Options::end_normalization,
             "make the end of a result less probable by subtracting X * source "
             "length / length from its ln p",
             Field().Range(0, 1000));
  fields.Add(
      "max-tokens", &Options::max_tokens,
      "maximum number of tokens of a result; 0 means 20 plus twice those "
      "of the source",
      Field().Range(0, 65536));
  fields.Add("copy-unknown", &Options::copy_unknown,
             "replace an unknown word by the token of the source to which the "
             "model attends most");
  fields.Add("threads", &Options::threads,
             "number of threads, which does not change the result; 0 means "
             "all cores",
             Field().Range(0, kMostThreads).Work());
  return fields;
}

absl::Status Seq2SeqSearch::Validate() const {
  FIRTH_RETURN_IF_ERROR(CheckFields(*this));
  if (best <= beam) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("best: expected at most as many results as the ", beam,
                   " hypotheses of the beam, found ", best));
}

}  // namespace firth

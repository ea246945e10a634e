// A file may have been written by anybody, so every number has limits.

#include "lm/model/language_model_options.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/saturated.h"
#include "firth/status_macros.h"
#include "lm/model/character_ids.h"
#include "nn/cells.h"

namespace firth {
namespace {

// Activations of character CNNs.
const absl::Span<const absl::string_view> kActivations =
    absl::MakeConstSpan(kActivationNames).first(2);

absl::StatusOr<nn::TokenEncoderOptions> ReadEncoder(const JsonSection& json) {
  nn::TokenEncoderOptions encoder;
  FIRTH_RETURN_IF_ERROR(json.Read(&encoder));
  if (json.json.contains("char_cnn")) {
    FIRTH_ASSIGN_OR_RETURN(const JsonSection cnn, json.Sub("char_cnn"));
    FIRTH_ASSIGN_OR_RETURN(encoder.char_cnn, ReadCharCnn(cnn));
  } else if (!encoder.has_table()) {
    return json.Bad("char_cnn", "an object where \"table_dim\" is 0");
  }
  return encoder;
}

// Reads the kind of layers whose section exists. If there is none, reads
// recurrent layers, so that the error names their section.
template <class... Kinds>
absl::Status ReadLayers(const JsonSection& root,
                        std::variant<Kinds...>* options) {
  const auto choose = [&](auto kind) {
    if (root.json.contains(kind.kSection)) *options = kind;
  };
  (choose(Kinds()), ...);
  return std::visit(
      [&](auto& kind) {
        const absl::StatusOr<JsonSection> section = root.Sub(kind.kSection);
        if (!section.ok()) return section.status();
        return section->Read(&kind);
      },
      *options);
}

absl::StatusOr<std::vector<std::string>> ReadMarks(const JsonSection& root) {
  std::vector<std::string> marks;
  const Json& json = root.json.at("marks");
  const auto is_text = [](const Json& mark) { return mark.is_string(); };
  if (json.is_array() && std::all_of(json.begin(), json.end(), is_text)) {
    marks = json.get<std::vector<std::string>>();
  }
  if (marks.size() < kMarks.size() ||
      !std::equal(kMarks.begin(), kMarks.end(), marks.begin())) {
    return root.Bad("marks", "a list of <S>, </S>, <UNK> and further texts");
  }
  return marks;
}

// Returns whether the layers are a single direction that sees both sides.
bool CanReadPairs(const LanguageModelOptions& options) {
  const auto* const blocks =
      std::get_if<nn::TransformerLayers>(&options.layers);
  return blocks != nullptr && !blocks->causal &&
         options.reading == Reading::kForward;
}

bool CanTie(const LanguageModelOptions& options) {
  return options.encoder.embedding_dim == HeadDim(options) &&
         options.output_cnn.filters.empty() &&
         options.head != HeadKind::kNone &&
         options.head != HeadKind::kContinuous;
}

}  // namespace

uint32_t MaskId(const LanguageModelOptions& options) {
  return static_cast<uint32_t>(
      std::find(options.marks.begin(), options.marks.end(), kMask) -
      options.marks.begin());
}

std::string ToJson(const LanguageModelOptions& options) {
  const nn::TokenEncoderOptions& encoder = options.encoder;
  OrderedJson json;
  json["encoder"] = FileFields(encoder);
  std::visit(
      [&json](const auto& kind) { json[kind.kSection] = FileFields(kind); },
      options.layers);
  if (options.reading != Reading::kBoth) {
    json["reads"] = kReadingNames[static_cast<size_t>(options.reading)];
  }
  if (options.marks.size() > kMarks.size()) json["marks"] = options.marks;
  if (IsMasked(options)) json["predict"] = "masked";
  if (!options.begin_mark) json["without_begin"] = true;
  if (options.pieces.cut()) json["pieces"] = PiecesJson(options.pieces);
  if (options.pairs) json["pairs"] = true;
  if (options.next_sentence) json["next_sentence"] = true;
  json["head"] = kHeadNames[static_cast<size_t>(options.head)];
  json["samples"] = options.samples;
  if (options.tied) json["tied"] = true;
  if (encoder.has_characters()) {
    json["encoder"]["char_cnn"] = CharCnnJson(encoder.char_cnn);
  }
  if (!options.output_cnn.filters.empty()) {
    json["output"] = {{"char_cnn", CharCnnJson(options.output_cnn)},
                      {"correction_dim", options.correction_dim}};
  }
  return DumpJson(json);
}

absl::StatusOr<LanguageModelOptions> ParseLanguageModelOptions(
    const std::string& text, const std::string& place) {
  const auto json = ParseJson(text);
  if (!json.is_object()) {
    return absl::InvalidArgumentError(
        absl::StrCat(place, ": not a JSON object"));
  }
  const JsonSection root{place, "", json};
  LanguageModelOptions options;
  FIRTH_ASSIGN_OR_RETURN(const JsonSection encoder, root.Sub("encoder"));
  FIRTH_ASSIGN_OR_RETURN(options.encoder, ReadEncoder(encoder));
  FIRTH_RETURN_IF_ERROR(ReadLayers(root, &options.layers));
  const auto* const blocks =
      std::get_if<nn::TransformerLayers>(&options.layers);
  if (blocks != nullptr && blocks->units % blocks->heads != 0) {
    return root.Bad("transformer.heads",
                    absl::StrCat("a divisor of ", blocks->units));
  }
  if (json.contains("reads")) {
    FIRTH_ASSIGN_OR_RETURN(const size_t reading,
                           root.Choice("reads", kReadingNames));
    options.reading = static_cast<Reading>(reading);
  }
  if (json.contains("marks")) {
    FIRTH_ASSIGN_OR_RETURN(options.marks, ReadMarks(root));
  }
  if (json.contains("predict")) {
    FIRTH_ASSIGN_OR_RETURN(const size_t predict,
                           root.Choice("predict", kPredictionNames));
    options.predict = static_cast<Prediction>(predict);
  }
  if (IsMasked(options) && MaskId(options) == options.marks.size()) {
    return root.Bad("marks",
                    "a list that contains <MASK>, since words are masked");
  }
  FIRTH_ASSIGN_OR_RETURN(const bool without_begin, root.Flag("without_begin"));
  options.begin_mark = !without_begin;
  if (json.contains("pieces")) {
    FIRTH_ASSIGN_OR_RETURN(const JsonSection pieces, root.Sub("pieces"));
    FIRTH_ASSIGN_OR_RETURN(options.pieces, ReadPieces(pieces));
    if (!options.encoder.has_table()) {
      return encoder.Bad(
          "table_dim", "a table size above 0, since the model has \"pieces\"");
    }
  }
  // Otherwise, layer 0 would not have the size of the other layers.
  const size_t most_token_dim =
      NumDirections(options) * nn::OutputDim(options.layers);
  if (options.encoder.output_dim() > most_token_dim) {
    return encoder.Bad("projection_dim",
                       absl::StrCat("token vectors of at most ", most_token_dim,
                                    " values in all directions together"));
  }
  FIRTH_ASSIGN_OR_RETURN(const size_t head, root.Choice("head", kHeadNames));
  options.head = static_cast<HeadKind>(head);
  FIRTH_ASSIGN_OR_RETURN(options.samples, root.Size("samples", 0, UINT32_MAX));
  if (json.contains("output")) {
    if (options.head != HeadKind::kSoftmax &&
        options.head != HeadKind::kSampled) {
      return root.Bad("head",
                      "softmax or sampled, since the model has an \"output\"");
    }
    FIRTH_ASSIGN_OR_RETURN(const JsonSection output, root.Sub("output"));
    FIRTH_ASSIGN_OR_RETURN(const JsonSection cnn, output.Sub("char_cnn"));
    FIRTH_ASSIGN_OR_RETURN(options.output_cnn, ReadCharCnn(cnn));
    FIRTH_ASSIGN_OR_RETURN(options.correction_dim,
                           output.Size("correction_dim", 1, kMostUnits));
  }
  FIRTH_ASSIGN_OR_RETURN(options.pairs, root.Flag("pairs"));
  FIRTH_ASSIGN_OR_RETURN(options.next_sentence, root.Flag("next_sentence"));
  if (options.pairs && !CanReadPairs(options)) {
    return root.Bad("pairs",
                    "false, since the layers do not read both directions");
  }
  if (options.next_sentence && !options.pairs) {
    return root.Bad("next_sentence", "false without \"pairs\"");
  }
  FIRTH_ASSIGN_OR_RETURN(options.tied, root.Flag("tied"));
  if (options.tied && !CanTie(options)) {
    return root.Bad(
        "tied",
        "false, since the head has no table with rows of the input's length");
  }
  return options;
}

OrderedJson CharCnnJson(const nn::CharCnnOptions& cnn) {
  OrderedJson filters = OrderedJson::array();
  for (const nn::CharFilters& set : cnn.filters) {
    filters.push_back({set.width, set.count});
  }
  return {{"max_characters_per_token", cnn.max_characters},
          {"embedding", {{"dim", cnn.embedding_dim}}},
          {"filters", filters},
          {"activation", kActivations[static_cast<size_t>(cnn.activation)]}};
}

absl::StatusOr<nn::CharCnnOptions> ReadCharCnn(const JsonSection& section) {
  nn::CharCnnOptions options;
  options.num_characters = kNumCharacters;
  options.padding = kPaddingCharacter;
  FIRTH_ASSIGN_OR_RETURN(
      options.max_characters,
      section.Size("max_characters_per_token", 3, kMostWidth));
  FIRTH_ASSIGN_OR_RETURN(const std::vector<JsonSection::Pair> filters,
                         section.Filters("filters", options.max_characters));
  for (const auto& [width, count] : filters) {
    options.filters.push_back({width, count});
  }
  FIRTH_ASSIGN_OR_RETURN(const JsonSection embedding, section.Sub("embedding"));
  FIRTH_ASSIGN_OR_RETURN(options.embedding_dim,
                         embedding.Size("dim", 1, kMostUnits));
  FIRTH_ASSIGN_OR_RETURN(const size_t activation,
                         section.Choice("activation", kActivations));
  options.activation = static_cast<nn::Activation>(activation);
  return options;
}

uint64_t ParameterBytes(const LanguageModelOptions& options) {
  const nn::TokenEncoderOptions& encoder = options.encoder;
  uint64_t values = 0;
  const auto add = [&values](uint64_t rows, uint64_t cols) {
    values = AddSaturated(values, MultiplySaturated(rows, cols));
  };
  const auto add_filters = [&add](const nn::CharCnnOptions& cnn) {
    for (const nn::CharFilters& set : cnn.filters) {
      add(set.width * set.count, cnn.embedding_dim);
    }
  };
  const uint64_t filters = encoder.char_cnn.num_filters();
  add(encoder.vocab_size, encoder.embedding_dim);
  add_filters(encoder.char_cnn);
  for (size_t h = 0; h < encoder.highways; ++h) add(filters, 2 * filters);
  add(encoder.embedding_dim + filters, encoder.projection_dim);
  add(NumDirections(options),
      nn::CountParameters(options.layers, encoder.output_dim()));
  const uint64_t output = HeadDim(options);
  if (options.pairs) add(1, encoder.output_dim());
  if (options.next_sentence) {
    add(nn::OutputDim(options.layers), nn::OutputDim(options.layers));
  }
  if (!options.output_cnn.filters.empty()) {
    add_filters(options.output_cnn);
    add(options.output_cnn.num_filters() + options.correction_dim, output);
    add(options.vocab_size, options.correction_dim);
  } else if (options.head != HeadKind::kNone &&
             options.head != HeadKind::kContinuous) {
    add(options.vocab_size, options.tied ? 1 : output + 1);
  }
  return MultiplySaturated(values, sizeof(float));
}

}  // namespace firth

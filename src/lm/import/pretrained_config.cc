// A table lists the names that the two kinds use for the same option. A key
// that enables an unsupported feature must have the value that disables it.
// Such a model is rejected rather than read incorrectly.

#include "lm/import/pretrained_config.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/quote.h"
#include "base/unicode.h"
#include "firth/status_macros.h"
#include "lm/model/json_section.h"
#include "nlohmann/json.hpp"

namespace firth {

namespace {

using Kind = PretrainedConfig::Kind;
constexpr absl::string_view kKinds[] = {"bert", "gpt2"};

// The names of common options in each kind.
struct Keys {
  const char* units;
  const char* heads;
  const char* feed_forward;
  const char* layers;
  const char* context;
  const char* activation;
  const char* epsilon;
  const char* dropout;
};
constexpr Keys kBertKeys = {
    "hidden_size",       "num_attention_heads",     "intermediate_size",
    "num_hidden_layers", "max_position_embeddings", "hidden_act",
    "layer_norm_eps",    "hidden_dropout_prob"};
constexpr Keys kGpt2Keys = {"n_embd",
                            "n_head",
                            "n_inner",
                            "n_layer",
                            "n_positions",
                            "activation_function",
                            "layer_norm_epsilon",
                            "resid_pdrop"};

constexpr std::array<std::pair<absl::string_view, Activation>, 5>
    kTheirActivations = {{{"gelu", Activation::kGelu},
                          {"gelu_new", Activation::kGeluTanh},
                          {"gelu_pytorch_tanh", Activation::kGeluTanh},
                          {"relu", Activation::kRelu},
                          {"tanh", Activation::kTanh}}};

// Returns whether the key has a value; null counts as none.
bool Has(const JsonSection& config, const char* key) {
  const auto found = config.json.find(key);
  return found != config.json.end() && !found->is_null();
}

absl::Status ReadLayers(const JsonSection& config, const Keys& keys,
                        nn::TransformerLayers* layers) {
  FIRTH_ASSIGN_OR_RETURN(layers->units, config.Size(keys.units, 1, kMostUnits));
  FIRTH_ASSIGN_OR_RETURN(layers->heads, config.Size(keys.heads, 1, kMostUnits));
  if (layers->units % layers->heads != 0) {
    return config.Bad(keys.heads, absl::StrCat("a divisor of ", layers->units));
  }
  FIRTH_ASSIGN_OR_RETURN(layers->layers,
                         config.Size(keys.layers, 1, kMostLayers));
  FIRTH_ASSIGN_OR_RETURN(layers->context,
                         config.Size(keys.context, 2, kMostContext));
  if (Has(config, keys.feed_forward)) {
    FIRTH_ASSIGN_OR_RETURN(layers->feed_forward,
                           config.Size(keys.feed_forward, 1, kMostUnits));
  }
  std::array<absl::string_view, kTheirActivations.size()> names;
  for (size_t i = 0; i < names.size(); ++i)
    names[i] = kTheirActivations[i].first;
  if (Has(config, keys.activation)) {
    FIRTH_ASSIGN_OR_RETURN(const size_t activation,
                           config.Choice(keys.activation, names));
    layers->activation = kTheirActivations[activation].second;
  }
  if (Has(config, keys.epsilon)) {
    FIRTH_ASSIGN_OR_RETURN(layers->epsilon, config.Limit(keys.epsilon));
  }
  FIRTH_ASSIGN_OR_RETURN(layers->dropout, config.Limit(keys.dropout));
  if (layers->dropout >= 1) return config.Bad(keys.dropout, "a number below 1");
  return absl::OkStatus();
}

// Checks that unsupported features that would change the network are off.
absl::Status CheckPlain(const JsonSection& config) {
  for (const char* const key : {"is_decoder", "add_cross_attention",
                                "scale_attn_by_inverse_layer_idx"}) {
    FIRTH_ASSIGN_OR_RETURN(const bool set, config.Flag(key));
    if (set && !(config.json.at("model_type") == "gpt2" &&
                 absl::string_view(key) == "is_decoder")) {
      return config.Bad(key, "false");
    }
  }
  for (const auto& [key, value] :
       {std::pair("position_embedding_type", nlohmann::json("absolute")),
        {"scale_attn_weights", nlohmann::json(true)}}) {
    if (Has(config, key) && config.json.at(key) != value) {
      return config.Bad(key, value.is_boolean() ? "true" : "\"absolute\"");
    }
  }
  return absl::OkStatus();
}

// Every line and every number of these files is checked before a vocabulary is
// made, so that a message can name it.

absl::Status Bad(const std::string& path, size_t line,
                 absl::string_view expected, absl::string_view found) {
  return absl::InvalidArgumentError(absl::StrCat(path, ":", line, ": expected ",
                                                 expected, ", found ", found));
}

// Returns the lines of a file. The last one need not end with '\n'.
std::vector<absl::string_view> LinesOf(absl::string_view text) {
  std::vector<absl::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(absl::StripSuffix(text.substr(0, end), "\r"));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// `first_line` is the number of lines[0].
absl::Status CheckDistinct(const std::string& path, size_t first_line,
                           absl::Span<const absl::string_view> lines) {
  absl::flat_hash_map<absl::string_view, size_t> seen;
  for (size_t i = 0; i < lines.size(); ++i) {
    const auto [found, is_new] = seen.try_emplace(lines[i], i);
    if (is_new) continue;
    return Bad(path, first_line + i, "each line once",
               absl::StrCat(Quote(lines[i]), " again, as in line ",
                            first_line + found->second));
  }
  return absl::OkStatus();
}

bool IsPiece(absl::string_view text) {
  return !text.empty() && FindInvalidUtf8(text) == text.npos &&
         text.find('\n') == text.npos;
}

bool IsMerge(absl::string_view text) {
  const size_t space = text.find(' ');
  return space != text.npos && IsPiece(text.substr(0, space)) &&
         IsPiece(text.substr(space + 1)) &&
         text.find(' ', space + 1) == text.npos;
}

}  // namespace

absl::StatusOr<PretrainedConfig> ReadPretrainedConfig(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const nlohmann::json json,
                         ReadJsonObject(path, "the configuration of a model"));
  const JsonSection config{path, "", json};
  PretrainedConfig read;
  FIRTH_ASSIGN_OR_RETURN(const size_t kind,
                         config.Choice("model_type", kKinds));
  read.kind = static_cast<Kind>(kind);
  FIRTH_RETURN_IF_ERROR(CheckPlain(config));
  const bool bert = read.kind == Kind::kBert;
  nn::TransformerLayers& layers = read.layers;
  layers.norm = bert ? NormPlace::kAfter : NormPlace::kBefore;
  layers.positions = PositionKind::kLearned;
  layers.causal = !bert;
  layers.scale_input = false;
  layers.activation = bert ? Activation::kGelu : Activation::kGeluTanh;
  layers.epsilon = bert ? 1e-12 : 1e-5;
  FIRTH_RETURN_IF_ERROR(
      ReadLayers(config, bert ? kBertKeys : kGpt2Keys, &layers));
  if (layers.feed_forward == 0) {
    if (bert) return config.Bad(kBertKeys.feed_forward, "a whole number");
    layers.feed_forward = 4 * layers.units;
  }
  FIRTH_ASSIGN_OR_RETURN(read.vocab_size,
                         config.Size("vocab_size", 1, UINT32_MAX - 4));
  if (Has(config, "tie_word_embeddings")) {
    FIRTH_ASSIGN_OR_RETURN(read.tied, config.Flag("tie_word_embeddings"));
  }
  if (bert) {
    FIRTH_ASSIGN_OR_RETURN(read.segments,
                           config.Size("type_vocab_size", 1, kMostUnits));
  }
  return read;
}

absl::StatusOr<PretrainedCutting> ReadPretrainedCutting(
    const std::string& path) {
  PretrainedCutting cutting;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return cutting;
  FIRTH_ASSIGN_OR_RETURN(const nlohmann::json json,
                         ReadJsonObject(path, "the options of a tokenizer"));
  const JsonSection config{path, "", json};
  if (Has(config, "do_lower_case")) {
    FIRTH_ASSIGN_OR_RETURN(cutting.lowercase, config.Flag("do_lower_case"));
  }
  cutting.strip_accents = cutting.lowercase;
  if (Has(config, "strip_accents")) {
    FIRTH_ASSIGN_OR_RETURN(cutting.strip_accents, config.Flag("strip_accents"));
  }
  if (Has(config, "tokenize_chinese_chars")) {
    FIRTH_ASSIGN_OR_RETURN(cutting.part_ideographs,
                           config.Flag("tokenize_chinese_chars"));
  }
  if (Has(config, "add_prefix_space")) {
    FIRTH_ASSIGN_OR_RETURN(cutting.space_first,
                           config.Flag("add_prefix_space"));
  }
  return cutting;
}

absl::StatusOr<std::vector<std::string>> ReadPieceLines(
    const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  const std::vector<absl::string_view> lines = LinesOf(file->bytes());
  for (size_t i = 0; i < lines.size(); ++i) {
    if (IsPiece(lines[i])) continue;
    return Bad(path, i + 1, "a piece in UTF-8", Quote(lines[i]));
  }
  FIRTH_RETURN_IF_ERROR(CheckDistinct(path, 1, lines));
  return std::vector<std::string>(lines.begin(), lines.end());
}

absl::StatusOr<std::vector<std::string>> ReadPieceNumbers(
    const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  const auto bad = [&](absl::string_view expected, absl::string_view found) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": expected ", expected, ", found ", found));
  };
  JsonFaults faults;
  const Json json = ParseJson(file->bytes(), 2, &faults);
  if (!json.is_object()) {
    return bad("a JSON object of pieces and their numbers", "something else");
  }
  if (!faults.twice.empty()) {
    return bad("each piece once", Quote(faults.twice) + " twice");
  }
  std::vector<std::string> pieces(json.size());
  for (const auto& [piece, number] : json.items()) {
    const bool fits = number.is_number_unsigned() &&
                      number.get<uint64_t>() < pieces.size() &&
                      pieces[number.get<uint64_t>()].empty();
    if (!fits) {
      return bad(
          absl::StrCat("a unique number from 0 to ", pieces.size() - 1, " for ",
                       Quote(piece)),
          number.is_structured() ? "an array or object" : DumpJson(number));
    }
    if (!IsPiece(piece)) return bad("pieces in UTF-8", Quote(piece));
    pieces[number.get<uint64_t>()] = piece;
  }
  return pieces;
}

absl::StatusOr<Vocabulary> ReadMerges(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  const std::vector<absl::string_view> lines = LinesOf(file->bytes());
  const bool versioned =
      !lines.empty() && absl::StartsWith(lines.front(), "#version");
  const auto merges = absl::MakeConstSpan(lines).subspan(versioned);
  const size_t first_line = 1 + versioned;
  for (size_t i = 0; i < merges.size(); ++i) {
    if (IsMerge(merges[i])) continue;
    return Bad(path, first_line + i, "two pieces separated by a space",
               Quote(merges[i]));
  }
  FIRTH_RETURN_IF_ERROR(CheckDistinct(path, first_line, merges));
  return Vocabulary::Create(merges, {});
}

absl::StatusOr<MarkedPieces> MarkPieces(const std::vector<std::string>& pieces,
                                        absl::Span<const std::string> marks,
                                        absl::Span<const std::string> named,
                                        const std::string& path) {
  MarkedPieces marked;
  std::vector<absl::string_view> words(marks.begin(), marks.end());
  std::vector<bool> is_mark(pieces.size());
  for (const std::string& name : named) {
    const auto found = std::find(pieces.begin(), pieces.end(), name);
    if (found == pieces.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": the piece ", Quote(name), " is missing"));
    }
    marked.rows.push_back(static_cast<size_t>(found - pieces.begin()));
    is_mark[marked.rows.back()] = true;
  }
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (is_mark[i]) continue;
    if (std::find(marks.begin(), marks.end(), pieces[i]) != marks.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": the piece ", Quote(pieces[i]),
                       " has the name of one of Firth's own marks"));
    }
    words.push_back(pieces[i]);
    marked.rows.push_back(i);
  }
  FIRTH_ASSIGN_OR_RETURN(marked.words, Vocabulary::Create(words, {}));
  return marked;
}

const TensorNames& NamesOf(PretrainedConfig::Kind kind) {
  static const auto& bert =
      *new TensorNames{"bert.",
                       "embeddings.word_embeddings.weight",
                       "embeddings.position_embeddings.weight",
                       "cls.predictions.decoder.weight",
                       {"bert.pooler.", "pooler.", "cls.seq_relationship.",
                        "cls.predictions.decoder."},
                       {"position_ids"}};
  static const auto& gpt2 = *new TensorNames{
      "transformer.",   "wte.weight", "wpe.weight",
      "lm_head.weight", {"lm_head."}, {".attn.bias", ".attn.masked_bias"}};
  return kind == PretrainedConfig::Kind::kBert ? bert : gpt2;
}

}  // namespace firth

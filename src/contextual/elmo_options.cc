#include "contextual/elmo_options.h"

#include <cstdint>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/quote.h"
#include "base/status_macros.h"
#include "contextual/character_ids.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

using Json = nlohmann::json;

constexpr uint64_t kMostUnits = 1 << 20;
constexpr uint64_t kMostLayers = 100;
constexpr uint64_t kMostWidth = 1000;

// An object of the file, and how it is called in messages.
struct Section {
  const std::string& path;
  std::string name;
  const Json& json;

  absl::Status Bad(absl::string_view key, absl::string_view expected) const {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": \"", name, key, "\": expected ", expected, ", found ",
        json.contains(std::string(key)) ? Quote(json[std::string(key)].dump())
                                        : "nothing"));
  }

  absl::StatusOr<Section> Sub(const char* key) const {
    if (!json.contains(key) || !json[key].is_object()) {
      return Bad(key, "an object");
    }
    return Section{path, absl::StrCat(name, key, "."), json[key]};
  }

  absl::StatusOr<size_t> Size(const char* key, uint64_t least,
                              uint64_t most) const {
    if (json.contains(key) && json[key].is_number_unsigned()) {
      const auto size = json[key].get<uint64_t>();
      if (size >= least && size <= most) return size;
    }
    return Bad(key, absl::StrCat("a whole number from ", least, " to ", most));
  }

  // 0 if it lacks or is null.
  absl::StatusOr<double> Limit(const char* key) const {
    if (!json.contains(key) || json[key].is_null()) return 0;
    if (json[key].is_number() && json[key].get<double>() >= 0) {
      return json[key].get<double>();
    }
    return Bad(key, "a number that is not negative");
  }
};

absl::StatusOr<std::vector<nn::CharFilters>> ReadFilters(const Section& cnn,
                                                         size_t most_width) {
  constexpr absl::string_view kExpected =
      "a list of [width, count], widths at most max_characters_per_token";
  if (!cnn.json.contains("filters") || !cnn.json["filters"].is_array() ||
      cnn.json["filters"].empty() || cnn.json["filters"].size() > kMostLayers) {
    return cnn.Bad("filters", kExpected);
  }
  std::vector<nn::CharFilters> filters;
  for (const Json& pair : cnn.json["filters"]) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_unsigned() ||
        !pair[1].is_number_unsigned()) {
      return cnn.Bad("filters", kExpected);
    }
    const nn::CharFilters set{pair[0].get<uint64_t>(), pair[1].get<uint64_t>()};
    if (set.width == 0 || set.width > most_width || set.count == 0 ||
        set.count > kMostUnits) {
      return cnn.Bad("filters", kExpected);
    }
    filters.push_back(set);
  }
  return filters;
}

absl::StatusOr<nn::CharCnnOptions> ReadCharCnn(const Section& cnn) {
  nn::CharCnnOptions options;
  options.num_characters = kNumCharacters;
  options.padding = kPaddingCharacter;
  FIRTH_ASSIGN_OR_RETURN(options.max_characters,
                         cnn.Size("max_characters_per_token", 3, kMostWidth));
  FIRTH_ASSIGN_OR_RETURN(options.filters,
                         ReadFilters(cnn, options.max_characters));
  FIRTH_ASSIGN_OR_RETURN(const Section embedding, cnn.Sub("embedding"));
  FIRTH_ASSIGN_OR_RETURN(options.embedding_dim,
                         embedding.Size("dim", 1, kMostUnits));
  const std::string activation = cnn.json.value("activation", Json()).dump();
  if (activation != "\"relu\"" && activation != "\"tanh\"") {
    return cnn.Bad("activation", "\"relu\" or \"tanh\"");
  }
  options.activation =
      activation == "\"relu\"" ? nn::Activation::kRelu : nn::Activation::kTanh;
  return options;
}

absl::StatusOr<nn::StackOptions> ReadStack(const Section& lstm) {
  nn::StackOptions stack;
  nn::RecurrentOptions& recurrent = stack.recurrent;
  FIRTH_ASSIGN_OR_RETURN(recurrent.units, lstm.Size("dim", 1, kMostUnits));
  FIRTH_ASSIGN_OR_RETURN(recurrent.projection_dim,
                         lstm.Size("projection_dim", 1, kMostUnits));
  FIRTH_ASSIGN_OR_RETURN(stack.layers, lstm.Size("n_layers", 1, kMostLayers));
  FIRTH_ASSIGN_OR_RETURN(recurrent.cell_clip, lstm.Limit("cell_clip"));
  FIRTH_ASSIGN_OR_RETURN(recurrent.projection_clip, lstm.Limit("proj_clip"));
  const Json residual = lstm.json.value("use_skip_connections", Json(false));
  if (!residual.is_boolean()) {
    return lstm.Bad("use_skip_connections", "true or false");
  }
  stack.residual = residual.get<bool>();
  // bilm-tf projects the output only if that changes its size.
  if (recurrent.projection_dim == recurrent.units) recurrent.projection_dim = 0;
  return stack;
}

}  // namespace

absl::StatusOr<BiLstmOptions> ReadElmoOptions(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file.good() || !(text << file.rdbuf())) {
    return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  }
  const Json json = Json::parse(text.str(), nullptr, false);
  if (!json.is_object()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path,
                     ": expected a JSON object with the options of an "
                     "ELMo model, found something else"));
  }
  const Section root{path, "", json};
  FIRTH_ASSIGN_OR_RETURN(const Section lstm, root.Sub("lstm"));
  FIRTH_ASSIGN_OR_RETURN(const Section cnn, root.Sub("char_cnn"));
  BiLstmOptions options;
  FIRTH_ASSIGN_OR_RETURN(options.stack, ReadStack(lstm));
  FIRTH_ASSIGN_OR_RETURN(options.encoder.char_cnn, ReadCharCnn(cnn));
  FIRTH_ASSIGN_OR_RETURN(options.encoder.highways,
                         cnn.Size("n_highway", 0, kMostLayers));
  const size_t filters = options.encoder.char_cnn.num_filters();
  const size_t dim = options.stack.recurrent.output_dim();
  options.encoder.projection_dim = filters == dim ? 0 : dim;
  return options;
}

}  // namespace firth

// Ids may come in any order but must have no gaps. Tokens are stored by id; an
// id that is missing or used twice is an error that names it.

#include "io/formats/model2vec_tokenizer.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/foreign_content.h"
#include "base/json.h"
#include "base/quote.h"
#include "firth/status_macros.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

constexpr int kMostDepth = 16;

// A tokenizer that splits a text at white space and has no words yet.
constexpr char kWhiteSpaceTokenizer[] =
    R"({"version": "1.0", "truncation": null, "padding": null,
        "added_tokens": [], "normalizer": null,
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": {}}})";

absl::Status Corrupt(const MappedFile& file, absl::string_view expected,
                     absl::string_view found) {
  return absl::DataLossError(
      absl::StrCat(file.path(), ": expected ", expected, ", found ", found));
}

std::string TextAt(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>()
                                                     : std::string();
}

absl::StatusOr<Json> ParseTokenizer(const MappedFile& file) {
  Json json = ParseJson(file.bytes(), kMostDepth);
  if (!json.is_object() || !json.contains("model") ||
      !json["model"].is_object()) {
    return Corrupt(file, "a JSON object with a \"model\"",
                   DescribeContent(file.bytes()));
  }
  const std::string type = TextAt(json["model"], "type");
  if (type != "WordLevel" && type != "WordPiece") {
    return absl::InvalidArgumentError(absl::StrCat(
        file.path(),
        ": expected a tokenizer of words (WordLevel or WordPiece), found ",
        type.empty() ? "one without a type" : Quote(type)));
  }
  const auto vocabulary = json["model"].find("vocab");
  if (vocabulary == json["model"].end() || !vocabulary->is_object()) {
    return Corrupt(file, "an object \"vocab\" in \"model\"", "none");
  }
  return json;
}

// Stores tokens by their ids.
class TokenPlaces {
 public:
  TokenPlaces(const MappedFile& file, uint64_t rows)
      : file_(file), tokens_(rows) {}

  absl::Status Add(const std::string& token, const Json& id) {
    if (!id.is_number_unsigned() || id >= tokens_.size()) {
      return Corrupt(file_,
                     absl::StrCat("an id from 0 to ", tokens_.size() - 1,
                                  " for the token ", Quote(token)),
                     DumpJson(id));
    }
    std::string& there = tokens_[id.get<uint64_t>()];
    if (token.empty() || (!there.empty() && there != token)) {
      return Corrupt(file_,
                     absl::StrCat("one token with the id ", DumpJson(id)),
                     absl::StrCat(Quote(there), " and ", Quote(token)));
    }
    there = token;
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<std::string>> Take() && {
    for (size_t id = 0; id < tokens_.size(); ++id) {
      if (!tokens_[id].empty()) continue;
      return Corrupt(
          file_, absl::StrCat("a token for each of ", tokens_.size(), " rows"),
          absl::StrCat("none with the id ", id));
    }
    return std::move(tokens_);
  }

 private:
  const MappedFile& file_;
  std::vector<std::string> tokens_;
};

// Adds the tokens outside the vocabulary, most of which are also in it.
absl::Status AddAddedTokens(const MappedFile& file, const Json& tokenizer,
                            TokenPlaces* places) {
  const auto added = tokenizer.find("added_tokens");
  if (added == tokenizer.end() || added->is_null()) return absl::OkStatus();
  if (!added->is_array()) {
    return Corrupt(file, "an array \"added_tokens\"", DumpJson(*added));
  }
  for (const Json& token : *added) {
    if (!token.is_object() || !token.contains("id")) {
      return Corrupt(file,
                     "objects with \"id\" and \"content\" as added tokens",
                     DumpJson(token));
    }
    FIRTH_RETURN_IF_ERROR(places->Add(TextAt(token, "content"), token["id"]));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Model2vecTokens> ReadModel2vecTokens(const MappedFile& file,
                                                    uint64_t rows) {
  FIRTH_ASSIGN_OR_RETURN(Json tokenizer, ParseTokenizer(file));
  Json& model = tokenizer["model"];
  TokenPlaces places(file, rows);
  for (const auto& [token, id] : model["vocab"].items()) {
    FIRTH_RETURN_IF_ERROR(places.Add(token, id));
  }
  FIRTH_RETURN_IF_ERROR(AddAddedTokens(file, tokenizer, &places));
  Model2vecTokens read;
  FIRTH_ASSIGN_OR_RETURN(read.tokens, std::move(places).Take());
  const auto unknown = absl::c_find(read.tokens, TextAt(model, "unk_token"));
  if (unknown != read.tokens.end()) {
    read.unknown = static_cast<size_t>(unknown - read.tokens.begin());
  }
  model["vocab"] = Json::object();
  read.rest = DumpJson(tokenizer);
  return read;
}

absl::StatusOr<std::string> MakeModel2vecTokenizer(
    absl::Span<const absl::string_view> words, const std::string& rest) {
  Json tokenizer = ParseJson(rest, kMostDepth);
  if (!tokenizer.is_object() || !tokenizer.contains("model") ||
      !tokenizer["model"].is_object()) {
    tokenizer = ParseJson(kWhiteSpaceTokenizer);
  }
  Json& model = tokenizer["model"];
  std::string unknown = TextAt(model, "unk_token");
  if (unknown.empty()) unknown = std::string(kModel2vecUnknown);
  if (absl::c_find(words, unknown) != words.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the words must not contain ", Quote(unknown),
                     ", which is the token for unknown words"));
  }
  Json vocabulary = Json::object();
  for (size_t i = 0; i < words.size(); ++i) {
    vocabulary[std::string(words[i])] = i;
  }
  vocabulary[unknown] = words.size();
  Json added = Json::array();
  for (Json token : tokenizer.value("added_tokens", Json::array())) {
    const auto id = vocabulary.find(TextAt(token, "content"));
    if (id == vocabulary.end() || id.key() == unknown) continue;
    token["id"] = *id;
    added.push_back(std::move(token));
  }
  added.push_back({{"id", words.size()},
                   {"content", unknown},
                   {"single_word", false},
                   {"lstrip", false},
                   {"rstrip", false},
                   {"normalized", false},
                   {"special", true}});
  tokenizer["added_tokens"] = std::move(added);
  model["vocab"] = std::move(vocabulary);
  model["unk_token"] = unknown;
  return DumpJson(tokenizer);
}

}  // namespace firth

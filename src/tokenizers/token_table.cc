// Ids may come in any order but must have no gaps. Tokens are stored by id; an
// id that is missing or used twice is an error that names it.

#include "tokenizers/token_table.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/foreign_content.h"
#include "base/quote.h"
#include "firth/status_macros.h"
#include "nlohmann/json.hpp"
#include "tokenizers/json_options.h"
#include "tokenizers/piece_models.h"

namespace firth {
namespace {

// Normalizers in sequences, and the options of the innermost.
constexpr int kMostTokenizerDepth = 32;

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

bool HasModel(const Json& tokenizer) {
  return tokenizer.is_object() && tokenizer.contains("model") &&
         tokenizer["model"].is_object();
}

bool IsUnigram(const Json& model) { return TextAt(model, "type") == "Unigram"; }

absl::StatusOr<Json> ParseTokenizerFile(const MappedFile& file) {
  JsonFaults faults;
  Json json = ParseJson(file.bytes(), kMostTokenizerDepth, &faults);
  if (!HasModel(json)) {
    return Corrupt(file, "a JSON object with a \"model\"",
                   DescribeContent(file.bytes()));
  }
  if (faults.too_deep) {
    return Corrupt(file,
                   absl::StrCat("at most ", kMostTokenizerDepth,
                                " levels of objects and arrays"),
                   "more");
  }
  const Json& model = json["model"];
  const std::string type = TextAt(model, "type");
  constexpr absl::string_view kTypes[] = {"WordLevel", "WordPiece", "BPE",
                                          "Unigram"};
  if (!absl::c_linear_search(kTypes, type)) {
    return absl::InvalidArgumentError(absl::StrCat(
        file.path(),
        ": model.type: expected one of WordLevel, WordPiece, BPE, Unigram, "
        "found ",
        type.empty() ? "none" : Quote(type)));
  }
  const auto vocabulary = model.find("vocab");
  const char* const expected = IsUnigram(model)
                                   ? "an array \"vocab\" in \"model\""
                                   : "an object \"vocab\" in \"model\"";
  if (vocabulary == model.end() ||
      !(IsUnigram(model) ? vocabulary->is_array() : vocabulary->is_object())) {
    return Corrupt(
        file, expected,
        vocabulary == model.end() ? "none" : DescribeJson(*vocabulary));
  }
  return json;
}

// Stores tokens by their ids.
class TokenPlaces {
 public:
  TokenPlaces(const MappedFile& file, uint64_t rows)
      : file_(file), tokens_(rows) {}

  // Sets *is_new to whether no token had the id.
  absl::Status Add(const std::string& token, const Json& id, bool* is_new) {
    if (!id.is_number_unsigned() || id >= tokens_.size()) {
      return Corrupt(file_,
                     absl::StrCat("an id from 0 to ", tokens_.size() - 1,
                                  " for the token ", Quote(token)),
                     DescribeJson(id));
    }
    std::string& there = tokens_[id.get<uint64_t>()];
    if (token.empty() || (!there.empty() && there != token)) {
      return Corrupt(file_,
                     absl::StrCat("one token with the id ", DumpJson(id)),
                     absl::StrCat(Quote(there), " and ", Quote(token)));
    }
    *is_new = there.empty();
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

absl::Status AddVocabulary(const MappedFile& file, const Json& model,
                           TokenPlaces* places) {
  const Json& vocabulary = model["vocab"];
  bool is_new = false;
  if (vocabulary.is_object()) {
    for (const auto& [token, id] : vocabulary.items()) {
      FIRTH_RETURN_IF_ERROR(places->Add(token, id, &is_new));
    }
    return absl::OkStatus();
  }
  for (size_t id = 0; id < vocabulary.size(); ++id) {
    const Json& entry = vocabulary[id];
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() ||
        !entry[1].is_number()) {
      return Corrupt(
          file, absl::StrCat("a token and its score in model.vocab[", id, "]"),
          DescribeJson(entry));
    }
    FIRTH_RETURN_IF_ERROR(places->Add(entry[0].get_ref<const std::string&>(),
                                      Json(uint64_t{id}), &is_new));
  }
  return absl::OkStatus();
}

// Adds the tokens outside the vocabulary, most of which are also in it.
absl::Status AddAddedTokens(const MappedFile& file, Json* tokenizer,
                            TokenPlaces* places) {
  const auto added = tokenizer->find("added_tokens");
  if (added == tokenizer->end() || added->is_null()) return absl::OkStatus();
  if (!added->is_array()) {
    return Corrupt(file, "an array \"added_tokens\"", DescribeJson(*added));
  }
  for (Json& token : *added) {
    if (!token.is_object() || !token.contains("id")) {
      return Corrupt(file,
                     "objects with \"id\" and \"content\" as added tokens",
                     DescribeJson(token));
    }
    bool is_new = false;
    FIRTH_RETURN_IF_ERROR(
        places->Add(TextAt(token, "content"), token["id"], &is_new));
    if (is_new) token[kOutsideVocabulary] = true;
  }
  return absl::OkStatus();
}

// Returns the tokens of a merge and the merged token.
absl::StatusOr<std::array<std::string, 3>> MergeOf(const Json& model,
                                                   size_t index) {
  const JsonOptions merge(absl::StrCat("model.merges[", index, "]"),
                          model["merges"][index]);
  return TokensOfMerge(merge, TextAt(model, "continuing_subword_prefix"));
}

absl::Status CheckMerges(const MappedFile& file, const Json& model) {
  const auto merges = model.find("merges");
  if (TextAt(model, "type") != "BPE") return absl::OkStatus();
  if (merges == model.end() || !merges->is_array()) {
    return Corrupt(file, "an array \"merges\" in \"model\"",
                   merges == model.end() ? "none" : DescribeJson(*merges));
  }
  for (size_t i = 0; i < merges->size(); ++i) {
    if (IsMergesComment((*merges)[i])) continue;
    const auto merge = MergeOf(model, i);
    if (!merge.ok()) return At(file.path(), merge.status());
    for (const std::string& token : *merge) {
      if (model["vocab"].contains(token)) continue;
      return Corrupt(
          file,
          absl::StrCat("tokens of the vocabulary in model.merges[", i, "]"),
          Quote(token));
    }
  }
  return absl::OkStatus();
}

// Keeps the merges whose tokens are in the vocabulary.
void RemoveMerges(Json* model) {
  Json kept = Json::array();
  const Json& merges = (*model)["merges"];
  for (size_t i = 0; i < merges.size(); ++i) {
    if (IsMergesComment(merges[i])) continue;
    const auto merge = MergeOf(*model, i);
    if (merge.ok() && absl::c_all_of(*merge, [&](const std::string& token) {
          return (*model)["vocab"].contains(token);
        })) {
      kept.push_back(merges[i]);
    }
  }
  (*model)["merges"] = std::move(kept);
}

// Returns the vocabulary of Unigram with these words. A word that had no score
// gets the lowest one. *unknown is set to the index of the unknown token.
Json ScoredVocabulary(absl::Span<const absl::string_view> words,
                      const Json& old, Json* unknown) {
  absl::flat_hash_map<std::string, double> scores;
  double least = 0;
  for (const Json& entry : old) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() ||
        !entry[1].is_number()) {
      continue;
    }
    scores[entry[0].get<std::string>()] = entry[1].get<double>();
    least = std::min(least, entry[1].get<double>());
  }
  const std::string unknown_token =
      unknown->is_number_unsigned() && *unknown < old.size()
          ? TextAt({{"token", old[unknown->get<size_t>()][0]}}, "token")
          : "";
  *unknown = Json();
  Json vocabulary = Json::array();
  for (const absl::string_view word : words) {
    const auto score = scores.find(word);
    if (word == unknown_token) *unknown = vocabulary.size();
    vocabulary.push_back(
        {std::string(word), score == scores.end() ? least : score->second});
  }
  return vocabulary;
}

// Returns how many of the last words are added tokens outside the vocabulary,
// if all such tokens are among them, and otherwise 0.
size_t OutsideAtEnd(absl::Span<const absl::string_view> words,
                    const Json& added) {
  absl::flat_hash_set<std::string> outside;
  for (const Json& token : added) {
    if (token.is_object() && token.contains(kOutsideVocabulary)) {
      outside.insert(TextAt(token, "content"));
    }
  }
  size_t count = 0;
  while (count < words.size() &&
         outside.contains(words[words.size() - 1 - count])) {
    ++count;
  }
  const auto rest = words.subspan(0, words.size() - count);
  return absl::c_any_of(
             rest,
             [&](absl::string_view word) { return outside.contains(word); })
             ? 0
             : count;
}

Json AddedToken(const std::string& content, size_t id) {
  return {{"id", id},        {"content", content}, {"single_word", false},
          {"lstrip", false}, {"rstrip", false},    {"normalized", false},
          {"special", true}};
}

// Adds the token for unknown words to the added tokens if it was one of them,
// or if the tokenizer is new. Otherwise, its spelling is not found in a text.
void AddUnknown(const Json& old, const std::string& old_spelling,
                const std::string& spelling, size_t id, Json* added) {
  if (old_spelling.empty()) {
    added->push_back(AddedToken(spelling, id));
    return;
  }
  for (Json token : old) {
    if (!token.is_object() || TextAt(token, "content") != old_spelling) {
      continue;
    }
    token["id"] = id;
    token["content"] = spelling;
    added->push_back(std::move(token));
    return;
  }
}

// Returns the added tokens that are words, with their new ids.
Json AddedTokensOf(const Json& old,
                   const absl::flat_hash_map<absl::string_view, size_t>& ids) {
  Json added = Json::array();
  for (Json token : old) {
    if (!token.is_object()) continue;
    const auto id = ids.find(TextAt(token, "content"));
    if (id == ids.end()) continue;
    token["id"] = id->second;
    token.erase(kOutsideVocabulary);
    added.push_back(std::move(token));
  }
  return added;
}

}  // namespace

absl::StatusOr<TokenTable> ReadTokenTable(const MappedFile& file,
                                          uint64_t rows) {
  FIRTH_ASSIGN_OR_RETURN(Json tokenizer, ParseTokenizerFile(file));
  Json& model = tokenizer["model"];
  TokenPlaces places(file, rows);
  FIRTH_RETURN_IF_ERROR(AddVocabulary(file, model, &places));
  FIRTH_RETURN_IF_ERROR(AddAddedTokens(file, &tokenizer, &places));
  FIRTH_RETURN_IF_ERROR(CheckMerges(file, model));
  TokenTable read;
  FIRTH_ASSIGN_OR_RETURN(read.tokens, std::move(places).Take());
  const auto unknown = absl::c_find(read.tokens, UnknownTokenOf(tokenizer));
  if (unknown != read.tokens.end()) {
    read.unknown = static_cast<size_t>(unknown - read.tokens.begin());
  }
  if (!IsUnigram(model)) model["vocab"] = Json::object();
  read.rest = DumpJson(tokenizer);
  return read;
}

Json ParseTokenizer(absl::string_view rest) {
  return ParseJson(rest, kMostTokenizerDepth);
}

std::string UnknownTokenOf(const Json& tokenizer) {
  return HasModel(tokenizer) ? TextAt(tokenizer["model"], "unk_token") : "";
}

MadeTokenizer MakeTokenizer(absl::Span<const absl::string_view> words,
                            const std::string& rest, bool separates_unknown) {
  Json tokenizer = ParseTokenizer(rest);
  if (!HasModel(tokenizer)) tokenizer = ParseJson(kWhiteSpaceTokenizer);
  Json& model = tokenizer["model"];
  absl::flat_hash_map<absl::string_view, size_t> ids;
  for (size_t i = 0; i < words.size(); ++i) ids.emplace(words[i], i);
  const Json old = tokenizer.value("added_tokens", Json::array());
  MadeTokenizer made;
  const size_t outside = OutsideAtEnd(words, old);
  Json added = AddedTokensOf(old, ids);
  if (IsUnigram(model)) {
    Json unknown = model.value("unk_id", Json());
    model["vocab"] = ScoredVocabulary(words.subspan(0, words.size() - outside),
                                      model["vocab"], &unknown);
    model["unk_id"] = std::move(unknown);
    tokenizer["added_tokens"] = std::move(added);
    made.json = DumpJson(tokenizer);
    return made;
  }
  std::string unknown = UnknownTokenOf(tokenizer);
  const bool needs_unknown = TextAt(model, "type") != "BPE" || !unknown.empty();
  if (unknown.empty()) unknown = std::string(kUnknownToken);
  made.adds_unknown =
      needs_unknown && (separates_unknown || !ids.contains(unknown));
  while (made.adds_unknown && ids.contains(unknown)) {
    unknown = absl::StrCat("[", unknown, "]");
  }
  Json vocabulary = Json::object();
  const size_t inside =
      made.adds_unknown ? words.size() : words.size() - outside;
  for (size_t i = 0; i < inside; ++i) vocabulary[std::string(words[i])] = i;
  if (made.adds_unknown) {
    vocabulary[unknown] = words.size();
    AddUnknown(old, UnknownTokenOf(tokenizer), unknown, words.size(), &added);
  }
  tokenizer["added_tokens"] = std::move(added);
  model["vocab"] = std::move(vocabulary);
  if (needs_unknown) model["unk_token"] = unknown;
  if (TextAt(model, "type") == "BPE") RemoveMerges(&model);
  made.json = DumpJson(tokenizer);
  return made;
}

}  // namespace firth

#include "fuzz/fuzzed_tokenizers.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/json.h"
#include "firth/status_macros.h"
#include "firth/vocabulary.h"
#include "nlohmann/json.hpp"
#include "tokenizers/json_tokenizer.h"
#include "tokenizers/known_ids.h"
#include "tokenizers/token_table.h"

namespace firth {
namespace {

// Returns the tokens of the vocabulary in any order, and a few others.
std::vector<std::string> WordsIn(const Json& json) {
  std::vector<std::string> words = {"the", "##s", "a\n"};
  const auto model = json.is_object() ? json.find("model") : json.end();
  if (model == json.end() || !model->is_object()) return words;
  const auto vocabulary = model->find("vocab");
  if (vocabulary == model->end() || !vocabulary->is_object()) return words;
  for (const auto& [token, id] : vocabulary->items()) {
    if (token != "the" && token != "##s" && token != "a\n") {
      words.push_back(token);
    }
  }
  return words;
}

}  // namespace

absl::Status EncodeText(absl::string_view bytes) {
  const absl::string_view rest = bytes.substr(0, bytes.find('\0'));
  const absl::string_view text =
      bytes.substr(std::min(rest.size() + 1, bytes.size()));
  const Json json = ParseTokenizer(rest);
  const std::vector<std::string> names = WordsIn(json);
  const std::vector<absl::string_view> words(names.begin(), names.end());
  FIRTH_ASSIGN_OR_RETURN(
      const auto tokenizer,
      JsonTokenizer::Create(json, *Vocabulary::Create(words, {})));
  std::vector<uint32_t> ids, again;
  FIRTH_RETURN_IF_ERROR(tokenizer->Encode(text, &ids));
  FIRTH_CHECK(tokenizer->Encode(text, &again).ok() && ids == again);
  // A tokenizer that is written again can be read.
  for (const bool separates_unknown : {false, true}) {
    const MadeTokenizer made =
        MakeTokenizer(words, std::string(rest), separates_unknown);
    FIRTH_CHECK(JsonTokenizer::Create(ParseTokenizer(made.json),
                                      *Vocabulary::Create(words, {}))
                    .ok());
  }
  return absl::OkStatus();
}

std::vector<std::string> TokenizerSeeds() {
  std::vector<std::string> seeds;
  for (const KnownTokenizer& known : KnownTokenizers()) {
    seeds.push_back(absl::StrCat(known.json, absl::string_view("\0", 1),
                                 known.texts.front().text));
  }
  return seeds;
}

}  // namespace firth

// The tokens of a tokenizer.json and the rest of it. Only the assignment of ids
// to tokens is interpreted:
//
//   {"added_tokens": [{"id": 0, "content": "[PAD]", ...}, ...], ...,
//    "model": {"type": "WordPiece", "unk_token": "[UNK]",
//              "vocab": {"[PAD]": 0, "the": 2, ...}, ...}}
//
// The vocabularies of WordLevel, WordPiece and BPE are such objects. That of
// Unigram is an array of tokens with their scores, [["<unk>", 0], ["▁the",
// -3.2], ...], whose positions are the ids.

#ifndef FIRTH_TOKENIZERS_TOKEN_TABLE_H_
#define FIRTH_TOKENIZERS_TOKEN_TABLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/json.h"
#include "base/mapped_file.h"

namespace firth {

// The token for words that the vocabulary lacks, if the tokenizer names none.
inline constexpr absl::string_view kUnknownToken = "[UNK]";

// An option of an added token in TokenTable::rest: the model's vocabulary does
// not contain it.
inline constexpr char kOutsideVocabulary[] = "outside_vocabulary";

struct TokenTable {
  std::vector<std::string> tokens;  // [rows], by id. They are valid UTF-8.
  // The id of the model's unk_token. Unigram has none: its unknown token has a
  // score, and is a token like the others.
  std::optional<size_t> unknown;
  // The tokenizer without its vocabulary, as JSON. That of Unigram is kept,
  // because of the scores.
  std::string rest;
};

// Reads the tokens of `rows` rows. Errors: InvalidArgument, another kind of
// tokenizer; DataLoss, not JSON, not exactly one token per row, or a merge of
// tokens that the vocabulary lacks.
absl::StatusOr<TokenTable> ReadTokenTable(const MappedFile& file,
                                          uint64_t rows);

// Parses TokenTable::rest. Returns a discarded value if it is not JSON.
Json ParseTokenizer(absl::string_view rest);

// Returns the model's unk_token, or "".
std::string UnknownTokenOf(const Json& tokenizer);

struct MadeTokenizer {
  std::string json;
  // Whether a token for unknown words has the id after those of all words.
  bool adds_unknown = false;
};
// Makes a tokenizer.json in which word i has id i. `rest` comes from a
// tokenizer that was read, which is otherwise preserved; if it is empty, the
// tokenizer splits text at white space. A token for unknown words is added if
// the model needs one and the words do not contain it, or if
// `separates_unknown`. It is then spelled differently from all words.
MadeTokenizer MakeTokenizer(absl::Span<const absl::string_view> words,
                            const std::string& rest, bool separates_unknown);

}  // namespace firth

#endif  // FIRTH_TOKENIZERS_TOKEN_TABLE_H_

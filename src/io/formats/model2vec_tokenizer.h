// The tokenizer.json of a model2vec folder, in the form of Hugging Face's
// tokenizers, as far as it says which token has which row:
//
//   {"added_tokens": [{"id": 0, "content": "[PAD]", ...}, ...], ...,
//    "model": {"type": "WordPiece", "unk_token": "[UNK]",
//              "vocab": {"[PAD]": 0, "the": 2, ...}, ...}}
//
// A vocabulary of WordLevel is one of words; one of WordPiece has words and
// pieces of words, which begin with "##". Those of other models (BPE, Unigram)
// hold bytes or marks in place of spaces: their tokens are no words.

#ifndef FIRTH_IO_FORMATS_MODEL2VEC_TOKENIZER_H_
#define FIRTH_IO_FORMATS_MODEL2VEC_TOKENIZER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/mapped_file.h"

namespace firth {

// What stands for words that the vocabulary lacks, where nobody says.
inline constexpr absl::string_view kModel2vecUnknown = "[UNK]";

// The metadata that hold Model2vecTokens::rest, in this format and in those
// that such a file was converted to.
inline constexpr char kModel2vecTokenizer[] = "tokenizer";

struct Model2vecTokens {
  std::vector<std::string> tokens;  // [rows], by id
  std::optional<size_t> unknown;    // the id of unk_token, which is no word's
  std::string rest;  // the tokenizer without its vocabulary, as JSON
};

// The tokens of `rows` rows. Errors: InvalidArgument, another kind of
// tokenizer; DataLoss, no JSON, or not one token for each row.
absl::StatusOr<Model2vecTokens> ReadModel2vecTokens(const MappedFile& file,
                                                    uint64_t rows);

// A tokenizer.json in which word i has id i, and behind them all the token for
// unknown words. rest: of a tokenizer that was read, which stays what it is
// otherwise; empty: one that cuts a text at white space. Errors:
// InvalidArgument, a word that is spelled like that token.
absl::StatusOr<std::string> MakeModel2vecTokenizer(
    absl::Span<const absl::string_view> words, const std::string& rest);

}  // namespace firth

#endif  // FIRTH_IO_FORMATS_MODEL2VEC_TOKENIZER_H_

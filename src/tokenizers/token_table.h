// The tokenizer.json of a model2vec folder, in the form of Hugging Face's
// tokenizers. Only the assignment of rows to tokens is interpreted:
//
//   {"added_tokens": [{"id": 0, "content": "[PAD]", ...}, ...], ...,
//    "model": {"type": "WordPiece", "unk_token": "[UNK]",
//              "vocab": {"[PAD]": 0, "the": 2, ...}, ...}}
//
// A vocabulary of WordLevel has words; one of WordPiece has words and pieces of
// words, which begin with "##". The vocabularies of other models (BPE, Unigram)
// contain bytes, or marks in place of spaces, so their tokens are not words.

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

// The token for words that the vocabulary lacks, if the tokenizer names none.
inline constexpr absl::string_view kModel2vecUnknown = "[UNK]";

// Key of the metadata that contain Model2vecTokens::rest, in this format and in
// those to which such a file was converted.
inline constexpr char kModel2vecTokenizer[] = "tokenizer";

struct Model2vecTokens {
  std::vector<std::string> tokens;  // [rows], by id.
  std::optional<size_t> unknown;    // Id of unk_token, which is not a word.
  std::string rest;  // The tokenizer without its vocabulary, as JSON.
};

// Reads the tokens of `rows` rows. Errors: InvalidArgument, another kind of
// tokenizer; DataLoss, not JSON, or not exactly one token per row.
absl::StatusOr<Model2vecTokens> ReadModel2vecTokens(const MappedFile& file,
                                                    uint64_t rows);

// Returns a tokenizer.json in which word i has id i, and the token for unknown
// words has the last id. `rest` comes from a tokenizer that was read, which is
// otherwise preserved; if it is empty, the tokenizer splits text at white
// space. Errors: InvalidArgument, a word that is spelled like that token.
absl::StatusOr<std::string> MakeModel2vecTokenizer(
    absl::Span<const absl::string_view> words, const std::string& rest);

}  // namespace firth

#endif  // FIRTH_IO_FORMATS_MODEL2VEC_TOKENIZER_H_

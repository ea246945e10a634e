// Computes the vector of a text like model2vec: the mean of the vectors of the
// tokens that tokenizer.json finds in the text, normalized if config.json
// requires it. Tokens for unknown words have no vectors and do not count. These
// steps of Hugging Face's tokenizers are supported:
//
//   normalizer     BertNormalizer, Lowercase, NFD, StripAccents, Strip, Replace
//                  of a text, and a Sequence of these
//   pre_tokenizer  BertPreTokenizer, Whitespace, WhitespaceSplit, Punctuation,
//                  and a Sequence of these
//   model          WordPiece, WordLevel
//   added_tokens   found before the other steps, or after the normalizer

#ifndef FIRTH_IO_FORMATS_MODEL2VEC_TEXT_H_
#define FIRTH_IO_FORMATS_MODEL2VEC_TEXT_H_

#include <string>

#include "firth/vector_io.h"

namespace firth {

// If the metadata of the file contain a tokenizer (kModel2vecTokenizer), adds
// the encoder that uses it to the vectors. The Check() of the encoder returns
// an error for a step that is not supported; `place` is for its message.
void AddModel2vecTextEncoder(const std::string& place, VectorFile* file);

}  // namespace firth

#endif  // FIRTH_IO_FORMATS_MODEL2VEC_TEXT_H_

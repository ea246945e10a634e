// The vector of a text as model2vec makes it: the mean of the vectors of the
// tokens that tokenizer.json cuts the text into, 1 long where config.json says
// so. Tokens for unknown words have no vectors and do not count. Of what
// Hugging Face's tokenizers can do, these steps are supported:
//
//   normalizer     BertNormalizer, Lowercase, NFD, StripAccents, Strip, Replace
//                  of a text, and a Sequence of these
//   pre_tokenizer  BertPreTokenizer, Whitespace, WhitespaceSplit, Punctuation,
//                  and a Sequence of these
//   model          WordPiece, WordLevel
//   added_tokens   found before the other steps, or behind the normalizer

#ifndef FIRTH_IO_FORMATS_MODEL2VEC_TEXT_H_
#define FIRTH_IO_FORMATS_MODEL2VEC_TEXT_H_

#include <string>

#include "firth/vector_io.h"

namespace firth {

// Where the metadata of the file have a tokenizer (kModel2vecTokenizer), adds
// the encoder that cuts texts with it to its vectors. The Check() of the
// encoder names a step that is not supported; place: for its message.
void AddModel2vecTextEncoder(const std::string& place, VectorFile* file);

}  // namespace firth

#endif  // FIRTH_IO_FORMATS_MODEL2VEC_TEXT_H_

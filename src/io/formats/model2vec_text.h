// Computes the vector of a text like model2vec: the mean of the vectors of the
// tokens that tokenizer.json finds in the text (tokenizers/json_tokenizer.h),
// normalized if config.json requires it. Like model2vec's encode(), it reads
// only the first 512 tokens, and the first 512 * m characters, where m is the
// median length of all tokens. Tokens for unknown words have no vectors and do
// not count.
//
// The StaticEmbedding of sentence-transformers has the same files but reads
// whole texts, and has a vector for unknown words.

#ifndef FIRTH_IO_FORMATS_MODEL2VEC_TEXT_H_
#define FIRTH_IO_FORMATS_MODEL2VEC_TEXT_H_

#include <string>

#include "firth/vector_io.h"

namespace firth {

// Keys of the metadata of a model2vec folder, and of the files to which it was
// converted: TokenTable::rest, and the kind of model. The kind of other folders
// is not kStaticEmbedding, and usually "model2vec".
inline constexpr char kModel2vecTokenizer[] = "tokenizer";
inline constexpr char kModelType[] = "model_type";
inline constexpr char kStaticEmbedding[] = "StaticEmbedding";

// Returns whether the vectors are those of a StaticEmbedding.
bool IsStaticEmbedding(const VectorFile& file);

// If the metadata of the file contain a tokenizer, adds the encoder that uses
// it to the vectors. The tokenizer is created when it is needed. The Check() of
// the encoder returns an error for a tokenizer that is not supported. `path` is
// that of the file, for its message.
void AddModel2vecTextEncoder(const std::string& path, VectorFile* file);

}  // namespace firth

#endif  // FIRTH_IO_FORMATS_MODEL2VEC_TEXT_H_

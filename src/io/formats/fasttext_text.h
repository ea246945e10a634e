// Computes the vector of a text like a supervised fastText model: the mean of
// the rows of all features of the text.
//
//   words         separated by fastText's white space; "</s>" ends every text
//                 and is a feature too; labels are left out
//   characters    the n-grams of these words, if the model has any
//   word n-grams  of these words, including unknown ones, and the end

#ifndef FIRTH_IO_FORMATS_FASTTEXT_TEXT_H_
#define FIRTH_IO_FORMATS_FASTTEXT_TEXT_H_

#include <memory>

#include "firth/matrix.h"
#include "firth/sentence_vectors.h"
#include "firth/word_vectors.h"
#include "io/formats/fasttext_parts.h"

namespace firth {

// Returns the encoder of a supervised model. `vectors` has its words; `input`
// has all rows of its input matrix, [header.input_rows(), dim].
std::shared_ptr<const TextEncoder> MakeFasttextTextEncoder(
    const FasttextHeader& header, WordVectors vectors, FloatTable input);

}  // namespace firth

#endif  // FIRTH_IO_FORMATS_FASTTEXT_TEXT_H_

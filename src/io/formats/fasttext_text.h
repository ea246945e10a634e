// The vector of a text as a supervised model of fastText makes it: the mean of
// the rows of all that the model reads of the text.
//
//   words         those between fastText's white space, up to "</s>", which
//                 ends every text and is read, too; labels are left out
//   characters    the n-grams of these words, where the model has some
//   word n-grams  those of these words, unknown ones included, and the end

#ifndef FIRTH_IO_FORMATS_FASTTEXT_TEXT_H_
#define FIRTH_IO_FORMATS_FASTTEXT_TEXT_H_

#include <memory>

#include "firth/matrix.h"
#include "firth/sentence_vectors.h"
#include "firth/word_vectors.h"
#include "io/formats/fasttext_header.h"

namespace firth {

// Of a supervised model. vectors: its words; input: all rows of its input
// matrix, [header.input_rows(), dim].
std::shared_ptr<const TextEncoder> MakeFasttextTextEncoder(
    const FasttextHeader& header, WordVectors vectors, FloatTable input);

}  // namespace firth

#endif  // FIRTH_IO_FORMATS_FASTTEXT_TEXT_H_

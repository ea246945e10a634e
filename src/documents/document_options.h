// The training options of word vectors that those of documents amount to.

#ifndef FIRTH_DOCUMENTS_DOCUMENT_OPTIONS_H_
#define FIRTH_DOCUMENTS_DOCUMENT_OPTIONS_H_

#include "firth/documents.h"
#include "firth/train.h"

namespace firth {

// Returns the options with numbers in place of automatic values.
DocumentOptions Resolved(const DocumentOptions& options);

// Returns options for a training run whose sentences have rows, given resolved
// ones. Without word
// vectors, the window is 0, so that only these rows predict words.
TrainOptions TrainOptionsOf(const DocumentOptions& options);

// Returns the range of the starting values of input vectors, see ModelShape.
float InputRange(const DocumentOptions& options);

}  // namespace firth

#endif  // FIRTH_DOCUMENTS_DOCUMENT_OPTIONS_H_

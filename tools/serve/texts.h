// Texts as points of a map: each is the "word" of a vector.

#ifndef FIRTH_TOOLS_SERVE_TEXTS_H_
#define FIRTH_TOOLS_SERVE_TEXTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "firth/word_vectors.h"
#include "serve/word_labels.h"

namespace firth::tools {

// Reads a file of texts, one per line, at most `most` different ones. If the
// first line has a tab, the file is one of labels, with the texts in its first
// column. Prints how many texts were left out. Errors: those of
// ReadWordLabels(); InvalidArgument, no text.
absl::StatusOr<WordLabels> ReadTexts(const std::string& path, uint64_t most);

// Returns the vectors of the texts, the weighted means of the vectors of their
// words, or what the file's text encoder computes. A text without a known word
// has the zero vector, so that a map leaves it out. Prints how many these are.
// Errors: InvalidArgument, no text has a known word.
absl::StatusOr<WordVectors> VectorsOfTexts(
    const WordVectors& words, const std::vector<std::string>& texts);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_TEXTS_H_

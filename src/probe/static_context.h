// The features that static vectors give for an occurrence of a word: the
// surrounding words.

#ifndef FIRTH_PROBE_STATIC_CONTEXT_H_
#define FIRTH_PROBE_STATIC_CONTEXT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "firth/word_vectors.h"

namespace firth {

// Adds to `sum` [vectors.dim()] the vectors of the `reach` tokens before and
// after the `count` tokens that begin at `position`.
void AddStaticContext(const WordVectors& vectors,
                      const std::vector<std::string>& tokens, size_t position,
                      size_t count, size_t reach, float* sum);

}  // namespace firth

#endif  // FIRTH_PROBE_STATIC_CONTEXT_H_

// What static vectors know of an occurrence: the words around it.

#ifndef FIRTH_PROBE_STATIC_CONTEXT_H_
#define FIRTH_PROBE_STATIC_CONTEXT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "firth/word_vectors.h"

namespace firth {

// Adds to `sum` [vectors.dim()] the vectors of the `reach` tokens before and
// behind those from `position` on, of which there are `count`.
void AddStaticContext(const WordVectors& vectors,
                      const std::vector<std::string>& tokens, size_t position,
                      size_t count, size_t reach, float* sum);

}  // namespace firth

#endif  // FIRTH_PROBE_STATIC_CONTEXT_H_

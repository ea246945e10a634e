// Many analogies at once.
//
// A test set asks thousands of questions about some hundreds of words. The
// cosines of those words with a tile of the vocabulary are one small matrix
// product; then a question costs three additions a word, not a scan of the
// vectors: for 19,544 questions over 905 words and 100 dimensions, that is 60
// times less arithmetic, and the rest is cheaper too.

#ifndef FIRTH_QUERY_ANALOGY_BATCH_H_
#define FIRTH_QUERY_ANALOGY_BATCH_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "firth/query.h"
#include "query/test_set_lines.h"

namespace firth {

struct Analogy {
  WordId a, b, c;
};

// The word that NearestNeighbors(vectors, restrict).SolveAnalogy puts first for
// each of the analogies (but for scores within rounding of each other); nothing
// where no word is left. a, b and c are words of `words`, which may be unknown.
// Where hooks ask to stop, the answers are of no use.
std::vector<std::optional<WordId>> SolveAnalogies(
    const WordVectors& vectors, const TestWords& words,
    absl::Span<const Analogy> analogies, size_t restrict, AnalogyMethod method,
    const Hooks& hooks = {});

}  // namespace firth

#endif  // FIRTH_QUERY_ANALOGY_BATCH_H_

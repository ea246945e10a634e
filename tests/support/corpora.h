// Tiny corpora for tests.

#ifndef FIRTH_TESTS_SUPPORT_CORPORA_H_
#define FIRTH_TESTS_SUPPORT_CORPORA_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "firth/corpus.h"

namespace firth::testing {

// A corpus of these sentences of word ids; word i is called "w<i>", counts are
// counted. Ids run from 0 to vocab_size - 1.
Corpus MakeCorpus(const std::vector<std::vector<uint32_t>>& sentences,
                  size_t vocab_size);

// Two topics that share no word but "and": words 0..9 and 10..19 in sentences
// of their own, drawn uniformly, with word 20 in both.
Corpus TwoTopicCorpus(size_t num_sentences, uint64_t seed);

}  // namespace firth::testing

#endif  // FIRTH_TESTS_SUPPORT_CORPORA_H_

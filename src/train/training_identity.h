// What makes two trainings the same: options, text, initial vectors and what
// their models are measured on.

#ifndef FIRTH_TRAIN_TRAINING_IDENTITY_H_
#define FIRTH_TRAIN_TRAINING_IDENTITY_H_

#include <cstdint>
#include <string>

#include "corpus/token_stream.h"
#include "firth/corpus.h"
#include "firth/train.h"
#include "nlohmann/json.hpp"

namespace firth {

// Of words and counts, in their order.
uint64_t VocabularySum(const Vocabulary& vocabulary);

// Of the text that a training reads.
uint64_t TextSum(const TokenStream& text);

// Of a share of a text, so many words of which stand before it. The sums of all
// shares, added up, are the same however it is shared out.
uint64_t SumOfShare(const TokenStream& share, uint64_t words_before);

// Of the vectors, tables and words that a training starts from.
uint64_t InitialSum(const InitialVectors& initial);

// Checksums of the held-out text and of the test sets, each after what it is
// of; empty: nothing is measured.
std::string MeasuredOn(const Validation& validation);

// Options by the names that "firth train" has for them, and checksums. Not the
// number of threads, which may change on the way.
nlohmann::json TrainingIdentity(const TrainOptions& options,
                                const Vocabulary& vocabulary, uint64_t text_sum,
                                const InitialVectors& initial,
                                const Validation& validation);

}  // namespace firth

#endif  // FIRTH_TRAIN_TRAINING_IDENTITY_H_

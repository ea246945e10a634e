// The identity of a training run: its options, its text, its initial vectors
// and the data on which its models are measured.

#ifndef FIRTH_TRAIN_TRAINING_IDENTITY_H_
#define FIRTH_TRAIN_TRAINING_IDENTITY_H_

#include <cstdint>
#include <string>

#include "corpus/token_stream.h"
#include "firth/corpus.h"
#include "firth/train.h"
#include "nlohmann/json.hpp"

namespace firth {

// Returns a checksum of words and counts, in order.
uint64_t VocabularySum(const Vocabulary& vocabulary);

// Returns a checksum of the text that a training run reads.
uint64_t TextSum(const TokenStream& text);

// Returns a checksum of a share of a text that follows `words_before` words.
// The sums of all shares add up to the same value for any division of the text.
uint64_t SumOfShare(const TokenStream& share, uint64_t words_before);

// Returns a checksum of the vectors, tables and words that training starts
// from.
uint64_t InitialSum(const InitialVectors& initial);

// Returns checksums of the held-out text and of the test sets, each after the
// word "text" or "score"; empty if nothing is measured.
std::string MeasuredOn(const Validation& validation);

// Returns the options under their names in "firth train", and checksums. Omits
// the number of threads, which may change when training resumes.
nlohmann::json TrainingIdentity(const TrainOptions& options,
                                const Vocabulary& vocabulary, uint64_t text_sum,
                                const InitialVectors& initial,
                                const Validation& validation);

}  // namespace firth

#endif  // FIRTH_TRAIN_TRAINING_IDENTITY_H_

// Masked language models predict a word from the words on both sides, so it is
// hidden before the text is read (Devlin et al., "BERT: pre-training of deep
// bidirectional transformers for language understanding", 2019, section 3.1).
// The head reads the top layers of all directions, side by side.

#ifndef FIRTH_LM_READ_MASKED_H_
#define FIRTH_LM_READ_MASKED_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "firth/language_model.h"
#include "lm/model/language_model.h"
#include "lm/read/sentence_batch.h"

namespace firth {

// Positions in a text, in ascending order, and their original ids.
struct HiddenWords {
  std::vector<uint32_t> places;
  std::vector<uint32_t> ids;
};

// Chooses 15% of the words in *ids, by the key, or at least one if there is any
// and `at_least_one` is set. Of ten chosen words, eight become <MASK>, one
// becomes a word drawn from all of `words`, and one is unchanged. Marks are
// never chosen.
HiddenWords HideWords(const BiLanguageModel& model, const TextWords& words,
                      uint64_t key, bool at_least_one,
                      std::vector<uint32_t>* ids);

// Sets *tops to the top layers of all directions: [rows of the batch, all
// directions]. Errors: OutOfRange, a value that is not finite.
absl::Status ReadTops(BiLanguageModel& model, const SentenceBatch& batch,
                      int threads, Matrix<float>* tops);

// Like LanguageModel::Fill(). If there are given words, returns their
// probabilities instead of the most probable words. The model must be masked
// and have a softmax, for which PrepareAll() was called.
absl::StatusOr<std::vector<WordDistribution>> FillSentence(
    BiLanguageModel& model, const LanguageModel::Sentence& sentence,
    size_t count, const LanguageModel::Sentence& given = {});

}  // namespace firth

#endif  // FIRTH_LM_READ_MASKED_H_

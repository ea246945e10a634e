// Masked language models: what predicts a word sees those on both sides of it,
// so words are hidden before the text is read (Devlin et al., "BERT:
// pre-training of deep bidirectional transformers for language understanding",
// 2019, section 3.1). They are predicted by the tops of all directions, side by
// side.

#ifndef FIRTH_LM_MASKED_H_
#define FIRTH_LM_MASKED_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "firth/language_model.h"
#include "lm/language_model.h"
#include "lm/sentence_batch.h"

namespace firth {

// Places of a text, rising, and which ids stood there.
struct HiddenWords {
  std::vector<uint32_t> places;
  std::vector<uint32_t> ids;
};

// Chooses 15% of the words in *ids, by the key; at least one, if there is any,
// where `at_least_one`. Of ten chosen ones, eight become <MASK>, one becomes a
// word drawn from all of `words`, and one stays. Marks are never chosen.
HiddenWords HideWords(const BiLanguageModel& model, const TextWords& words,
                      uint64_t key, bool at_least_one,
                      std::vector<uint32_t>* ids);

// *tops: [rows of the batch, all directions]. Errors: OutOfRange, a value that
// is not finite.
absl::Status ReadTops(BiLanguageModel& model, const SentenceBatch& batch,
                      int threads, Matrix<float>* tops);

// As LanguageModel::Fill(). The model is masked and has a softmax, for which
// PrepareAll() was called.
absl::StatusOr<std::vector<std::vector<WordProbability>>> FillSentence(
    BiLanguageModel& model, const LanguageModel::Sentence& sentence,
    size_t count);

}  // namespace firth

#endif  // FIRTH_LM_MASKED_H_

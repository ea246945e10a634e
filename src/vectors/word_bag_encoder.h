// Sentence models: vectors of words whose mean is the vector of a text, and the
// form of the texts, which the model's file contains as metadata:
//
//   "sentences": {"lowercase": true, "split_punctuation": false,
//                 "nested": [32, 64]}

#ifndef FIRTH_VECTORS_WORD_BAG_ENCODER_H_
#define FIRTH_VECTORS_WORD_BAG_ENCODER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "firth/word_vectors.h"
#include "vectors/sentence_form.h"

namespace firth {

// Key of the metadata.
inline constexpr absl::string_view kSentencesKey = "sentences";

std::string DescribeSentences(const SentenceForm& form,
                              const std::vector<int>& nested);
// Reads a description. Errors: DataLoss, with `place`.
absl::StatusOr<SentenceForm> ReadSentenceForm(absl::string_view description,
                                              absl::string_view place);

// Returns the vectors with an encoder that reads texts in this form. Words that
// are not known are built from their n-grams.
WordVectors WithWordBags(WordVectors vectors, const SentenceForm& form);

}  // namespace firth

#endif  // FIRTH_VECTORS_WORD_BAG_ENCODER_H_

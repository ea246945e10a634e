// Supervised models of fastText (io/formats/fasttext_header.h) as classifiers
// with a deep part alone, and such classifiers as fastText's models.
//
// Of what fastText and ClassifierModel say in other ways,
//
//   labels       have the prefix "__label__" there
//   ova and ns   are one sigmoid for each label, there by a table
//   deep_scale   is multiplied into the output matrix
//   bias         becomes a dimension more, where it is not 0: 1 in each row of
//                the input, so that the mean has a 1 there, too
//
// What fastText prints is larger by 1e-5 than a probability, and under hs by up
// to 1e-5 for each node on the way, since it adds that before it takes
// logarithms.

#ifndef FIRTH_CLASSIFY_FASTTEXT_CLASSIFIER_H_
#define FIRTH_CLASSIFY_FASTTEXT_CLASSIFIER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mapped_file.h"
#include "classify/classifier_model.h"

namespace firth {

// The input matrix stays in the file where it is not quantized. Errors:
// InvalidArgument, a model of word vectors, or one of n-grams that are longer
// than ours; DataLoss, with the place.
absl::StatusOr<ClassifierModel> LoadFasttextClassifier(
    const MappedFilePtr& file);

// Writes a .bin: whole or not at all. Errors: InvalidArgument, with what
// fastText's format cannot say; those of writing.
absl::Status SaveFasttextClassifier(const ClassifierModel& model,
                                    const std::string& path);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_FASTTEXT_CLASSIFIER_H_

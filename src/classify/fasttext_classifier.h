// Reads supervised models of fastText (io/formats/fasttext_header.h) as
// classifiers with only a deep part, and writes such classifiers as fastText
// models.
//
// fastText and ClassifierModel represent some things differently:
//
//   labels       have the prefix "__label__" in fastText
//   ova and ns   are one sigmoid for each label, in fastText from a table
//   deep_scale   is multiplied into the output matrix
//   bias         becomes an additional dimension, unless it is 0: 1 in each row
//                of the input, so that the mean has a 1 there, too
//
// The numbers that fastText prints are larger by 1e-5 than a probability, and
// with hs by up to 1e-5 for each node on the path, because it adds that before
// it takes logarithms.

#ifndef FIRTH_CLASSIFY_FASTTEXT_CLASSIFIER_H_
#define FIRTH_CLASSIFY_FASTTEXT_CLASSIFIER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mapped_file.h"
#include "classify/classifier_model.h"

namespace firth {

// Reads a model. The input matrix stays in the file unless it is quantized.
// Errors: InvalidArgument, a model of word vectors, or one with longer
// n-grams than ClassifierModel supports; DataLoss, with the place.
absl::StatusOr<ClassifierModel> LoadFasttextClassifier(
    const MappedFilePtr& file);

// Writes a .bin file, whole or not at all. Errors: InvalidArgument, with what
// fastText's format cannot represent; those of writing.
absl::Status SaveFasttextClassifier(const ClassifierModel& model,
                                    const std::string& path);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_FASTTEXT_CLASSIFIER_H_

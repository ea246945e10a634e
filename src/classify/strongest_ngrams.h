// The n-grams that speak most for each label, found in one pass over the
// tables.

#ifndef FIRTH_CLASSIFY_STRONGEST_NGRAMS_H_
#define FIRTH_CLASSIFY_STRONGEST_NGRAMS_H_

#include <cstddef>
#include <vector>

#include "absl/functional/function_ref.h"
#include "classify/classifier_model.h"
#include "classify/label_tree.h"
#include "firth/classifier.h"

namespace firth {

// Calls visit() for each label from `first` to before `end`, in order, with
// what Classifier::Strongest() returns. tree: of LabelLink::kTree, else null.
void VisitStrongest(
    const ClassifierModel& model, const LabelTree* tree, size_t first,
    size_t end, size_t count,
    absl::FunctionRef<void(size_t label, std::vector<NgramWeight> ngrams)>
        visit);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_STRONGEST_NGRAMS_H_

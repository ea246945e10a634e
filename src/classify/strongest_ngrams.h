// The n-grams with the largest weights for each label, found in one pass over
// the tables.

#ifndef FIRTH_CLASSIFY_STRONGEST_NGRAMS_H_
#define FIRTH_CLASSIFY_STRONGEST_NGRAMS_H_

#include <cstddef>
#include <vector>

#include "absl/functional/function_ref.h"
#include "classify/classifier_model.h"
#include "classify/label_tree.h"
#include "firth/classifier.h"

namespace firth {

// Calls visit() for each label from `first` to before `end`, in order, with the
// result of Classifier::Strongest(). `tree` is null unless the link is
// LabelLink::kTree.
void VisitStrongest(
    const ClassifierModel& model, const LabelTree* tree, size_t first,
    size_t end, size_t count,
    absl::FunctionRef<void(size_t label, std::vector<NgramWeight> ngrams)>
        visit);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_STRONGEST_NGRAMS_H_

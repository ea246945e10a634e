// Contextualizers that are part of another file.

#ifndef FIRTH_LM_MAPPED_CONTEXTUALIZER_H_
#define FIRTH_LM_MAPPED_CONTEXTUALIZER_H_

#include "absl/status/statusor.h"
#include "base/mapped_file.h"
#include "firth/contextualizer.h"

namespace firth {

// Like Contextualizer::Load().
absl::StatusOr<Contextualizer> LoadContextualizer(const MappedFilePtr& file);

}  // namespace firth

#endif  // FIRTH_LM_MAPPED_CONTEXTUALIZER_H_

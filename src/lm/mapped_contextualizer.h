// Contextualizers for other models, which require layers.

#ifndef FIRTH_LM_MAPPED_CONTEXTUALIZER_H_
#define FIRTH_LM_MAPPED_CONTEXTUALIZER_H_

#include <string>

#include "absl/status/statusor.h"
#include "base/mapped_file.h"
#include "firth/contextualizer.h"

namespace firth {

// Like Contextualizer::Load(), but returns InvalidArgument for a language model
// without layers.
absl::StatusOr<Contextualizer> LoadContextualizer(const std::string& path);
absl::StatusOr<Contextualizer> LoadContextualizer(const MappedFilePtr& file);

}  // namespace firth

#endif  // FIRTH_LM_MAPPED_CONTEXTUALIZER_H_

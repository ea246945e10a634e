// The error for files whose format is newer than this program.

#ifndef FIRTH_BASE_NEWER_FILE_H_
#define FIRTH_BASE_NEWER_FILE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth {

// Returns FailedPrecondition, with the version found, the newest that Firth
// reads, and the way out. `place` is the path, and the byte if it is known.
// `what` is a noun phrase such as "an HNSW index". `program` defines the
// format.
absl::Status NewerFile(absl::string_view place, absl::string_view what,
                       uint64_t newest, uint64_t found,
                       absl::string_view program = "Firth");

}  // namespace firth

#endif  // FIRTH_BASE_NEWER_FILE_H_

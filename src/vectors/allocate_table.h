// Memory for a table that is about to be filled.

#ifndef FIRTH_VECTORS_ALLOCATE_TABLE_H_
#define FIRTH_VECTORS_ALLOCATE_TABLE_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/matrix.h"

namespace firth {

// Returns zeros of a size that comes from outside, such as a file's header or a
// user's option. Errors: ResourceExhausted if they do not fit into memory; the
// message starts with `place`.
absl::StatusOr<PaddedMatrix> AllocateTable(absl::string_view place, size_t rows,
                                           size_t cols);

}  // namespace firth

#endif  // FIRTH_VECTORS_ALLOCATE_TABLE_H_

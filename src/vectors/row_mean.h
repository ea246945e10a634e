// The vector of a word with n-grams, which is a mean of rows.

#ifndef FIRTH_VECTORS_ROW_MEAN_H_
#define FIRTH_VECTORS_ROW_MEAN_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "firth/matrix.h"

namespace firth {

// Sets `mean` to (mean + sum of the rows) / count. `mean` [cols] initially has
// zeros or a row that belongs to the mean. `count`, the number of all vectors,
// must be above 0.
void AverageRows(const FloatTable& table, absl::Span<const uint32_t> rows,
                 size_t count, absl::Span<float> mean);

}  // namespace firth

#endif  // FIRTH_VECTORS_ROW_MEAN_H_

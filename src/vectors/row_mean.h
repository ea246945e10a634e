// The vector of a word with n-grams: a mean of rows.

#ifndef FIRTH_VECTORS_ROW_MEAN_H_
#define FIRTH_VECTORS_ROW_MEAN_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "firth/matrix.h"

namespace firth {

// Makes a mean of `mean` and the rows: (mean + their sum) / count. `mean`:
// [cols], zeros or a row that belongs to it; `count`: of all vectors, above 0.
void AverageRows(const FloatTable& table, absl::Span<const uint32_t> rows,
                 size_t count, absl::Span<float> mean);

}  // namespace firth

#endif  // FIRTH_VECTORS_ROW_MEAN_H_

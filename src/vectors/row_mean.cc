#include "vectors/row_mean.h"

namespace firth {

void AverageRows(const FloatTable& table, absl::Span<const uint32_t> rows,
                 size_t count, absl::Span<float> mean) {
  for (const uint32_t row : rows) {
    const absl::Span<const float> values = table.Row(row);
    for (size_t i = 0; i < mean.size(); ++i) mean[i] += values[i];
  }
  for (float& value : mean) value /= static_cast<float>(count);
}

}  // namespace firth

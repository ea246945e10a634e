#include "lm/model/finite_layers.h"

#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "firth/status_macros.h"
#include "simd/stored_rows.h"

namespace firth {
namespace {

// A squared norm is summed in doubles, in which the squares of finite floats do
// not overflow, so it is finite exactly if the row is.
std::vector<double> NormsOf(ConstView<float> rows) {
  std::vector<double> norms(rows.rows());
  SquaredNorms(rows.data(), rows.rows(), rows.stride(), rows.cols(),
               norms.data());
  return norms;
}

float FirstNotFiniteOf(absl::Span<const float> row) {
  for (const float value : row) {
    if (!std::isfinite(value)) return value;
  }
  return 0;
}

// Checks the rows of a piece that begins at step `first`.
absl::Status CheckRows(absl::string_view place, const nn::ChunkShape& shape,
                       size_t first, ConstView<float> rows) {
  const std::vector<double> norms = NormsOf(rows);
  for (size_t r = 0; r < norms.size(); ++r) {
    if (std::isfinite(norms[r])) continue;
    const bool is_padding =
        first + r / shape.batch >= shape.length(r % shape.batch);
    if (is_padding) continue;
    return NotFinite(place, FirstNotFiniteOf({rows.Row(r), rows.cols()}));
  }
  return absl::OkStatus();
}

}  // namespace

float FirstNotFinite(ConstView<float> rows) {
  const std::vector<double> norms = NormsOf(rows);
  for (size_t r = 0; r < norms.size(); ++r) {
    if (std::isfinite(norms[r])) continue;
    return FirstNotFiniteOf({rows.Row(r), rows.cols()});
  }
  return 0;
}

absl::Status NotFinite(absl::string_view place, float found) {
  return absl::OutOfRangeError(
      absl::StrCat(place, ": expected finite values, found ",
                   std::isnan(found) ? "nan" : (found < 0 ? "-inf" : "inf"),
                   "; weights of the model are too large"));
}

absl::Status CheckLayers(BiLanguageModel& model, nn::Direction direction,
                         const nn::ChunkShape& shape, size_t first,
                         ConstView<float> tokens) {
  FIRTH_RETURN_IF_ERROR(
      CheckRows("layer 0, the token vectors", shape, first, tokens));
  const nn::SequenceLayers<float>& layers = model.layers()[direction];
  for (size_t layer = 0; layer < layers.num_layers(); ++layer) {
    FIRTH_RETURN_IF_ERROR(CheckRows(
        absl::StrCat("layer ", layer + 1, ", ", DirectionName(direction)),
        shape, first, layers.output(layer)));
  }
  return absl::OkStatus();
}

absl::Status CheckScores(ConstView<float> scores) {
  const float found = FirstNotFinite(scores);
  return found == 0 ? absl::OkStatus()
                    : NotFinite("the scores of words", found);
}

}  // namespace firth

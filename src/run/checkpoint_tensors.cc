#include "run/checkpoint_tensors.h"

#include <cmath>
#include <cstring>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "distributed/divided_table.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

absl::Status CheckFinite(absl::string_view name, const FloatTable& table) {
  for (size_t row = 0; row < table.rows(); ++row) {
    if (absl::c_all_of(table.Row(row),
                       [](float value) { return std::isfinite(value); })) {
      continue;
    }
    return absl::OutOfRangeError(
        absl::StrCat("the ", name, " table contains NaN or infinity"));
  }
  return absl::OkStatus();
}

// Reads the columns of this rank from a whole tensor.
absl::Status ReadColumns(const CheckedReader& reader, const std::string& name,
                         const NamedTensor& tensor) {
  FIRTH_ASSIGN_OR_RETURN(const FloatTable whole,
                         reader.ReadRows(name.c_str(), tensor.rows));
  if (whole.cols() != tensor.whole_cols) {
    return absl::DataLossError(absl::StrCat(reader.path(), ": ", name,
                                            ": expected ", tensor.whole_cols,
                                            " columns, found ", whole.cols()));
  }
  for (size_t row = 0; row < tensor.rows; ++row) {
    const auto own = whole.Row(row).subspan(tensor.first_col, tensor.cols);
    absl::c_copy(own, tensor.data + row * tensor.stride);
  }
  return absl::OkStatus();
}

size_t FloatsOf(const NamedTensor& tensor) {
  return tensor.rows * tensor.stride;
}

}  // namespace

absl::Status ReadTensors(const CheckedReader& reader, absl::string_view prefix,
                         const std::vector<NamedTensor>& tensors) {
  for (const NamedTensor& tensor : tensors) {
    const std::string name = absl::StrCat(prefix, tensor.name);
    const absl::Status status =
        tensor.whole_cols > 0 ? ReadColumns(reader, name, tensor)
                              : reader.ReadInto(name, tensor.rows, tensor.cols,
                                                tensor.stride, tensor.data);
    if (!status.ok()) return absl::DataLossError(status.message());
  }
  return absl::OkStatus();
}

absl::Status JoinTensors(Ranks* ranks, absl::string_view prefix,
                         const std::vector<NamedTensor>& tensors,
                         NamedTables* whole) {
  for (const NamedTensor& tensor : tensors) {
    FloatTable table(
        ConstView<float>(tensor.data, tensor.rows, tensor.cols, tensor.stride));
    if (tensor.whole_cols > 0) {
      FIRTH_ASSIGN_OR_RETURN(table,
                             JoinColumns(*ranks, table, tensor.whole_cols));
    }
    whole->emplace_back(absl::StrCat(prefix, tensor.name), std::move(table));
  }
  return absl::OkStatus();
}

absl::Status AddTables(const NamedTables& tables, CheckedWriter* writer) {
  for (const auto& [name, table] : tables) {
    FIRTH_RETURN_IF_ERROR(CheckFinite(name, table));
    writer->Add(name, table);
  }
  return absl::OkStatus();
}

void TensorCopies::CopyFrom(const std::vector<NamedTensor>& tensors) {
  memory_.resize(tensors.size());
  tensors_ = tensors;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const size_t floats = FloatsOf(tensors[i]);
    memory_[i].Resize(1, floats);
    tensors_[i].data = memory_[i].data();
  }
  CopyValues(tensors, tensors_);
}

void CopyValues(const std::vector<NamedTensor>& from,
                const std::vector<NamedTensor>& to) {
  FIRTH_CHECK(from.size() == to.size());
  for (size_t i = 0; i < from.size(); ++i) {
    const NamedTensor& source = from[i];
    const NamedTensor& target = to[i];
    FIRTH_CHECK(source.rows == target.rows && source.stride == target.stride);
#pragma omp parallel for schedule(static)
    for (size_t row = 0; row < source.rows; ++row) {
      std::memcpy(target.data + row * source.stride,
                  source.data + row * source.stride,
                  source.cols * sizeof(float));
    }
  }
}

uint64_t BytesOf(const std::vector<NamedTensor>& tensors) {
  uint64_t bytes = 0;
  for (const NamedTensor& tensor : tensors) {
    bytes += FloatsOf(tensor) * sizeof(float);
  }
  return bytes;
}

}  // namespace firth

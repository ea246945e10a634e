// Rows stay in the mapped file if they are floats without weights and the
// words' rows are the first ones, in order. Otherwise they are copied: for each
// word, the row that "mapping" assigns, multiplied by the word's weight.

#include "io/formats/model2vec_rows.h"

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/float16.h"
#include "base/matrix.h"
#include "firth/status_macros.h"
#include "io/codecs/vector_rows.h"

namespace firth {
namespace {

constexpr char kMapping[] = "mapping";
// Any scale is valid. With this one, values are between -1 and 1.
constexpr float kCodeScale = 1.0f / 127;

// Returns whether the tensor has one of these types and this shape.
bool IsOneOf(const TensorEntry* tensor,
             std::initializer_list<absl::string_view> types,
             absl::Span<const uint64_t> shape) {
  return absl::c_any_of(types, [&](absl::string_view type) {
    return IsOfShape(tensor, type, shape);
  });
}

// Returns value i of a tensor of numbers, which need not be aligned.
template <class Value>
Value ValueAt(const MappedFile& file, const TensorEntry& tensor, size_t i) {
  Value value;
  std::memcpy(&value, file.data() + tensor.begin + i * sizeof(value),
              sizeof(value));
  return value;
}

float FloatAt(const MappedFile& file, const TensorEntry& tensor, size_t i) {
  if (tensor.dtype == "F64") {
    return static_cast<float>(ValueAt<double>(file, tensor, i));
  }
  if (tensor.dtype == "F16") {
    return FromFloat16Bits(ValueAt<uint16_t>(file, tensor, i));
  }
  if (tensor.dtype == "I8") {
    return static_cast<float>(ValueAt<int8_t>(file, tensor, i));
  }
  return ValueAt<float>(file, tensor, i);
}

// A token: its number and its row.
struct Place {
  size_t token;
  size_t row;
};

absl::StatusOr<std::vector<Place>> PlacesOf(const MappedFile& file,
                                            const Model2vecTensors& tensors,
                                            const std::vector<size_t>& tokens) {
  std::vector<Place> places;
  const uint64_t most = tensors.embeddings->shape[0];
  for (const size_t token : tokens) {
    if (tensors.mapping == nullptr) {
      places.push_back({token, token});
      continue;
    }
    const int64_t row = tensors.mapping->dtype == "I64"
                            ? ValueAt<int64_t>(file, *tensors.mapping, token)
                            : ValueAt<int32_t>(file, *tensors.mapping, token);
    if (row < 0 || static_cast<uint64_t>(row) >= most) {
      return absl::DataLossError(absl::StrCat(
          file.path(), ": tensor \"", kMapping, "\", token ", token,
          ": expected a row from 0 to ", most - 1, ", found ", row));
    }
    places.push_back({token, static_cast<size_t>(row)});
  }
  return places;
}

// Copies rows of values unchanged from the file.
template <class Value>
Table<Value> Gather(const MappedFile& file, const Model2vecTensors& tensors,
                    const std::vector<Place>& places) {
  const size_t bytes = tensors.dim() * sizeof(Value);
  Matrix<Value> rows(places.size(), tensors.dim());
  for (size_t i = 0; i < places.size(); ++i) {
    std::memcpy(rows.Row(i),
                file.data() + tensors.embeddings->begin + places[i].row * bytes,
                bytes);
  }
  return rows;
}

absl::StatusOr<RowStore> ReadCodes(const MappedFile& file,
                                   const Model2vecTensors& tensors,
                                   const std::vector<Place>& places) {
  Int8Rows rows;
  rows.codes = Gather<int8_t>(file, tensors, places);
  Matrix<float> scales(places.size(), 1);
  for (size_t i = 0; i < places.size(); ++i) {
    const absl::Span<const int8_t> codes = rows.codes.Row(i);
    const float scale = tensors.weights == nullptr
                            ? kCodeScale
                            : FloatAt(file, *tensors.weights, places[i].token);
    if (!(scale >= 0 && std::isfinite(scale)) ||
        absl::c_linear_search(codes, std::numeric_limits<int8_t>::min())) {
      return absl::InvalidArgumentError(
          absl::StrCat(file.path(), ": token ", places[i].token,
                       ": expected codes from -127 to 127 and a finite weight "
                       "of 0 or more, found another value"));
    }
    scales.Row(i)[0] = scale;
  }
  rows.scales = std::move(scales);
  return rows;
}

absl::StatusOr<RowStore> ReadWeighted(const MappedFile& file,
                                      const Model2vecTensors& tensors,
                                      const std::vector<Place>& places) {
  const size_t dim = tensors.dim();
  FIRTH_ASSIGN_OR_RETURN(PaddedMatrix table,
                         AllocateTable(file.path(), places.size(), dim));
  for (size_t i = 0; i < places.size(); ++i) {
    const float weight = tensors.weights == nullptr
                             ? 1
                             : FloatAt(file, *tensors.weights, places[i].token);
    for (size_t d = 0; d < dim; ++d) {
      table.Row(i)[d] =
          weight * FloatAt(file, *tensors.embeddings, places[i].row * dim + d);
    }
  }
  return FloatTable(std::move(table));
}

// Returns whether the words have the first rows, in their order.
bool AreFirstRows(const std::vector<Place>& places) {
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].row != i) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<Model2vecTensors> FindModel2vecTensors(
    const MappedFile& file, const SafetensorsHeader& header) {
  Model2vecTensors tensors;
  tensors.embeddings = header.Find(kEmbeddings);
  tensors.weights = header.Find(kWeights);
  tensors.mapping = header.Find(kMapping);
  if (!IsOneOf(tensors.embeddings, {"F32", "F64", "F16", "I8"},
               {kAnySize, kAnySize}) ||
      tensors.dim() == 0) {
    return BadTensor(file, kEmbeddings, "F32, F64, F16 or I8 [rows, dim]",
                     tensors.embeddings);
  }
  if (tensors.mapping != nullptr &&
      !IsOneOf(tensors.mapping, {"I64", "I32"}, {kAnySize})) {
    return BadTensor(file, kMapping, "I64 or I32 [tokens]", tensors.mapping);
  }
  if (tensors.weights != nullptr &&
      !IsOneOf(tensors.weights, {"F32", "F64", "F16"}, {tensors.tokens()})) {
    return BadTensor(file, kWeights,
                     absl::StrCat("F32, F64 or F16 [", tensors.tokens(), "]"),
                     tensors.weights);
  }
  return tensors;
}

absl::StatusOr<RowStore> ReadModel2vecRows(const MappedFilePtr& file,
                                           const Model2vecTensors& tensors,
                                           const std::vector<size_t>& tokens) {
  FIRTH_ASSIGN_OR_RETURN(const std::vector<Place> places,
                         PlacesOf(*file, tensors, tokens));
  const std::string& type = tensors.embeddings->dtype;
  if (type == "I8") return ReadCodes(*file, tensors, places);
  if (tensors.weights != nullptr) return ReadWeighted(*file, tensors, places);
  if (type == "F16") {
    return Float16Rows{Gather<uint16_t>(*file, tensors, places)};
  }
  if (type == "F32" && AreFirstRows(places)) {
    return TableInFile(file, tensors.embeddings->begin, places.size(),
                       tensors.dim());
  }
  return ReadWeighted(*file, tensors, places);
}

}  // namespace firth

// The names and types of the tensors determine which of the four forms a file
// has. Shapes are compared with one another before a value is read. Values stay
// in the mapped file. Those that could lead outside a codebook or make every
// product NaN are searched for on reading: codes out of range, and factors that
// are negative or not finite.

#include "io/formats/safetensors_rows.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/matrix.h"
#include "base/quote.h"
#include "firth/status_macros.h"
#include "io/codecs/vector_rows.h"
#include "io/tensors/checked_tensors.h"
#include "vectors/product_quantizer.h"

namespace firth {
namespace {

constexpr char kInput[] = "input";
// Suffixes of the name of the rows.
constexpr char kScales[] = "_scales";
constexpr char kCodes[] = "_codes";
constexpr char kCodebooks[] = "_codebooks";
constexpr char kRotation[] = "_rotation";
constexpr char kNorms[] = "_norms";

using Shape = std::vector<uint64_t>;

bool IsMatrix(const TensorEntry& tensor, absl::string_view dtype) {
  return IsOfShape(&tensor, dtype, {kAnySize, kAnySize}) && tensor.shape[1] > 0;
}

// Checks that the tensor, if there is one, has this type and shape.
absl::Status CheckTensor(const MappedFile& file, absl::string_view name,
                         const TensorEntry* tensor, absl::string_view dtype,
                         const Shape& shape) {
  if (tensor == nullptr || IsOfShape(tensor, dtype, shape)) {
    return absl::OkStatus();
  }
  return BadTensor(file, name,
                   absl::StrCat(dtype, " [", absl::StrJoin(shape, ", "), "]"),
                   tensor);
}

// Returns the only table of a file without "input".
absl::StatusOr<const TensorEntry*> FindOnlyTable(
    const MappedFile& file, const SafetensorsHeader& header) {
  const TensorEntry* input = nullptr;
  for (const TensorEntry& tensor : header.tensors) {
    if (!IsTable(tensor)) continue;
    if (input != nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(
          file.path(), ": expected a tensor \"input\" or one F32 table, found ",
          Quote(input->name), " and ", Quote(tensor.name)));
    }
    input = &tensor;
  }
  if (input != nullptr) return input;
  return BadTensor(file, kInput, "F32 [words, dim]", nullptr);
}

absl::StatusOr<RowTensors> FindPq(const MappedFile& file,
                                  const SafetensorsHeader& header,
                                  absl::string_view name) {
  const auto named = [name](const char* part) {
    return absl::StrCat(name, part);
  };
  RowTensors tensors;
  tensors.rows = header.Find(named(kCodes));
  tensors.codebooks = header.Find(named(kCodebooks));
  tensors.rotation = header.Find(named(kRotation));
  tensors.norms = header.Find(named(kNorms));
  if (!IsMatrix(*tensors.rows, "U8")) {
    return BadTensor(file, named(kCodes), "U8 [words, parts]", tensors.rows);
  }
  const uint64_t parts = tensors.rows->shape[1];
  const TensorEntry* const books = tensors.codebooks;
  if (!IsOfShape(books, "F32", {parts, kAnySize, kAnySize}) ||
      books->shape[1] == 0 || books->shape[2] == 0) {
    return BadTensor(file, named(kCodebooks),
                     absl::StrCat("F32 [", parts, ", centroids, part's dim]"),
                     books);
  }
  const uint64_t dim = tensors.dim();
  FIRTH_RETURN_IF_ERROR(
      CheckTensor(file, named(kRotation), tensors.rotation, "F32", {dim, dim}));
  FIRTH_RETURN_IF_ERROR(CheckTensor(file, named(kNorms), tensors.norms, "F32",
                                    {tensors.words()}));
  return tensors;
}

// Returns the values of a tensor, in place if they are aligned, otherwise as a
// copy.
template <class Value>
Table<Value> ReadValues(const MappedFilePtr& file, const TensorEntry& tensor,
                        uint64_t rows, uint64_t cols) {
  const char* const begin = file->data() + tensor.begin;
  // A file inside another one may start at any address.
  if (reinterpret_cast<uintptr_t>(begin) % alignof(Value) == 0) {
    return Table<Value>({reinterpret_cast<const Value*>(begin), rows, cols},
                        file);
  }
  Matrix<Value> copy(rows, cols);
  std::memcpy(copy.data(), begin, copy.size() * sizeof(Value));
  return copy;
}

absl::Status BadValue(const MappedFile& file, absl::string_view name,
                      size_t row, absl::string_view expected,
                      absl::string_view found) {
  return absl::InvalidArgumentError(
      absl::StrCat(file.path(), ": tensor \"", name, "\", row ", row,
                   ": expected ", expected, ", found ", found));
}

// Checks scales or norms.
absl::Status CheckFactors(const MappedFile& file, absl::string_view name,
                          const FloatTable& factors) {
  for (size_t row = 0; row < factors.rows(); ++row) {
    const float value = factors.data()[row];
    if (value >= 0 && std::isfinite(value)) continue;
    return BadValue(file, name, row, "a finite number of 0 or more",
                    absl::StrCat(value));
  }
  return absl::OkStatus();
}

// Tests all codes at once whether any is out of range, and searches for the
// first such code only if there is one. is_bad(code) must vectorize.
template <class Code, class IsBad>
absl::Status CheckCodes(const MappedFile& file, absl::string_view name,
                        const Table<Code>& codes, absl::string_view expected,
                        IsBad is_bad) {
  int found = 0;
#pragma omp parallel for schedule(static) \
    reduction(|                           \
              : found) if (IsWorthThreads(codes.rows() * codes.cols()))
  for (size_t row = 0; row < codes.rows(); ++row) {
    int own = 0;
    for (const Code code : codes.Row(row)) own |= is_bad(code) ? 1 : 0;
    found |= own;
  }
  for (size_t row = 0; found != 0 && row < codes.rows(); ++row) {
    for (const Code code : codes.Row(row)) {
      if (!is_bad(code)) continue;
      return BadValue(file, name, row, expected, absl::StrCat(int{code}));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<RowStore> ReadInt8(const MappedFilePtr& file,
                                  const RowTensors& tensors) {
  Int8Rows rows;
  rows.codes =
      ReadValues<int8_t>(file, *tensors.rows, tensors.words(), tensors.dim());
  rows.scales = ReadValues<float>(file, *tensors.scales, tensors.words(), 1);
  FIRTH_RETURN_IF_ERROR(CheckFactors(*file, tensors.scales->name, rows.scales));
  constexpr int8_t kLeast = std::numeric_limits<int8_t>::min();
  FIRTH_RETURN_IF_ERROR(CheckCodes(*file, tensors.rows->name, rows.codes,
                                   "codes from -127 to 127",
                                   [](int8_t code) { return code == kLeast; }));
  return rows;
}

absl::StatusOr<RowStore> ReadPq(const MappedFilePtr& file,
                                const RowTensors& tensors) {
  const Shape& books = tensors.codebooks->shape;
  const uint64_t dim = tensors.dim();
  PqRows rows;
  rows.codes = ReadValues<uint8_t>(file, *tensors.rows, tensors.words(),
                                   tensors.rows->shape[1]);
  FloatTable rotation;
  if (tensors.rotation != nullptr) {
    rotation = ReadValues<float>(file, *tensors.rotation, dim, dim);
  }
  absl::StatusOr<ProductQuantizer> quantizer =
      ProductQuantizer::Create(ReadValues<float>(file, *tensors.codebooks,
                                                 books[0] * books[1], books[2]),
                               books[0], rotation);
  if (!quantizer.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(file->path(), ": ", quantizer.status().message()));
  }
  rows.quantizer =
      std::make_shared<const ProductQuantizer>(*std::move(quantizer));
  if (tensors.norms != nullptr) {
    rows.norms = ReadValues<float>(file, *tensors.norms, tensors.words(), 1);
    FIRTH_RETURN_IF_ERROR(CheckFactors(*file, tensors.norms->name, rows.norms));
  }
  const auto centroids = static_cast<int>(rows.quantizer->centroids());
  FIRTH_RETURN_IF_ERROR(
      CheckCodes(*file, tensors.rows->name, rows.codes,
                 absl::StrCat("codes below ", centroids),
                 [centroids](uint8_t code) { return code >= centroids; }));
  return rows;
}

template <class Writer>
void AddRows(const FloatTable& table, const std::string& name, Writer* writer) {
  writer->AddTable(name, "F32", table);
}

template <class Writer>
void AddRows(const Float16Rows& rows, const std::string& name, Writer* writer) {
  writer->AddTable(name, "F16", rows.values);
}

template <class Writer>
void AddRows(const Int8Rows& rows, const std::string& name, Writer* writer) {
  writer->AddTable(name + kScales, "F32", rows.scales, {rows.scales.rows()});
  writer->AddTable(name, "I8", rows.codes);
}

template <class Writer>
void AddRows(const PqRows& rows, const std::string& name, Writer* writer) {
  const ProductQuantizer& quantizer = *rows.quantizer;
  writer->AddTable(
      name + kCodebooks, "F32", quantizer.codebooks(),
      {quantizer.parts(), quantizer.centroids(), quantizer.part_dim()});
  if (!quantizer.rotation().empty()) {
    writer->AddTable(name + kRotation, "F32", quantizer.rotation());
  }
  if (!rows.norms.empty()) {
    writer->AddTable(name + kNorms, "F32", rows.norms, {rows.norms.rows()});
  }
  writer->AddTable(name + kCodes, "U8", rows.codes);
}

}  // namespace

uint64_t RowTensors::dim() const {
  return codebooks == nullptr
             ? rows->shape[1]
             : MultiplySaturated(codebooks->shape[0], codebooks->shape[2]);
}

std::string RowTensors::Form() const {
  if (codebooks != nullptr) {
    return absl::StrCat(PqRows::kName, ", ", rows->shape[1], " parts",
                        rotation != nullptr ? ", rotated" : "",
                        norms != nullptr ? ", separate norms" : "");
  }
  if (rows->dtype == "F16") return std::string(Float16Rows::kName);
  if (rows->dtype == "I8") return std::string(Int8Rows::kName);
  return "float32";
}

double RowTensors::BitsPerValue() const {
  uint64_t bytes = 0;
  for (const TensorEntry* tensor : {rows, scales, codebooks, rotation, norms}) {
    if (tensor != nullptr) bytes += tensor->end - tensor->begin;
  }
  const double values =
      static_cast<double>(words()) * static_cast<double>(dim());
  return values == 0 ? 0 : 8 * static_cast<double>(bytes) / values;
}

absl::StatusOr<RowTensors> FindRowTensors(const MappedFile& file,
                                          const SafetensorsHeader& header,
                                          absl::string_view name) {
  RowTensors tensors;
  tensors.rows = header.Find(name);
  if (tensors.rows == nullptr) {
    if (header.Find(absl::StrCat(name, kCodes)) != nullptr) {
      return FindPq(file, header, name);
    }
    return BadTensor(file, name, "F32, F16 or I8 [rows, dim]", nullptr);
  }
  const TensorEntry& rows = *tensors.rows;
  if (IsTable(rows) || IsMatrix(rows, "F16")) return tensors;
  if (!IsMatrix(rows, "I8")) {
    return BadTensor(file, name, "F32, F16 or I8 [words, dim]", &rows);
  }
  const std::string scales = absl::StrCat(name, kScales);
  tensors.scales = header.Find(scales);
  if (tensors.scales == nullptr) {
    return BadTensor(file, scales,
                     absl::StrCat("F32 [words] together with I8 ", Quote(name)),
                     nullptr);
  }
  FIRTH_RETURN_IF_ERROR(
      CheckTensor(file, scales, tensors.scales, "F32", {tensors.words()}));
  return tensors;
}

absl::StatusOr<RowTensors> FindWordRowTensors(const MappedFile& file,
                                              const SafetensorsHeader& header) {
  if (header.Find(kInput) != nullptr ||
      header.Find(absl::StrCat(kInput, kCodes)) != nullptr) {
    return FindRowTensors(file, header, kInput);
  }
  RowTensors tensors;
  FIRTH_ASSIGN_OR_RETURN(tensors.rows, FindOnlyTable(file, header));
  return tensors;
}

absl::StatusOr<RowStore> ReadRowTensors(const MappedFilePtr& file,
                                        const RowTensors& tensors) {
  const TensorEntry& rows = *tensors.rows;
  if (rows.dtype == "U8") return ReadPq(file, tensors);
  if (rows.dtype == "I8") return ReadInt8(file, tensors);
  if (rows.dtype == "F16") {
    return Float16Rows{
        ReadValues<uint16_t>(file, rows, tensors.words(), tensors.dim())};
  }
  return TableInFile(file, rows.begin, tensors.words(), tensors.dim());
}

template <class Writer>
void AddRowTensors(const RowStore& rows, const std::string& name,
                   Writer* writer) {
  std::visit([&](const auto& chosen) { AddRows(chosen, name, writer); }, rows);
}

template void AddRowTensors(const RowStore&, const std::string&,
                            SafetensorsWriter*);
template void AddRowTensors(const RowStore&, const std::string&,
                            CheckedWriter*);

}  // namespace firth

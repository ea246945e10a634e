// A plain array is used in place. A quantized one is converted to floats, since
// the vectors of unknown words are means of its rows. Its codes are compared
// with the number of centroids before any is decoded.

#include "io/formats/finalfusion_arrays.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/parallel_exceptions.h"
#include "firth/status_macros.h"
#include "io/codecs/vector_rows.h"
#include "vectors/product_quantizer.h"

namespace firth {
namespace {

constexpr uint64_t kFloatBytes = sizeof(float);
// Maximum number of values for one code, which limits the size of a decoded
// table in proportion to its file.
constexpr uint64_t kMostPartDim = 1024;

FifuShape ReadPlainShape(ByteReader& reader) {
  FifuShape shape;
  shape.rows = reader.Read<uint64_t>("the number of rows");
  shape.cols = reader.ReadRange<uint32_t>("the number of columns", 1);
  ReadFifuType(reader, kFifuFloat);
  return shape;
}

struct QuantizedHeader {
  bool projected = false;
  bool norms_apart = false;
  uint64_t parts = 0;
  uint64_t centroids = 0;  // Number of centroids of one part.
  FifuShape shape;

  uint64_t part_dim() const { return shape.cols / parts; }
};

absl::StatusOr<QuantizedHeader> ReadQuantizedHeader(ByteReader& reader) {
  QuantizedHeader header;
  const uint64_t at = reader.position();
  header.projected =
      reader.ReadRange<uint32_t>("the flag for a projection", 0, 1);
  header.norms_apart =
      reader.ReadRange<uint32_t>("the flag for separate norms", 0, 1);
  header.parts = reader.ReadRange<uint32_t>("the number of parts", 1);
  header.shape.cols = reader.ReadRange<uint32_t>("the number of columns", 1);
  header.centroids =
      reader.ReadRange<uint32_t>("the number of centroids", 1, 256);
  header.shape.rows = reader.Read<uint64_t>("the number of rows");
  ReadFifuType(reader, kFifuByte);
  ReadFifuType(reader, kFifuFloat);
  FIRTH_RETURN_IF_ERROR(reader.status());
  if (header.shape.cols % header.parts == 0 &&
      header.part_dim() <= kMostPartDim) {
    return header;
  }
  return reader.Fail(at,
                     absl::StrCat("parts of equal length of at most ",
                                  kMostPartDim, " values"),
                     absl::StrCat(header.parts, " of ", header.shape.cols));
}

struct Quantized {
  QuantizedHeader header;
  FloatTable transposed;  // The projection, by columns; empty if there is none.
  FloatTable centroids;   // [parts * centroids, part_dim]
  FloatTable norms;       // [rows, 1]; empty if there are no separate norms.
  absl::string_view codes;
};

absl::StatusOr<FloatTable> Transpose(const MappedFilePtr& file,
                                     const FloatTable& square) {
  FIRTH_ASSIGN_OR_RETURN(
      PaddedMatrix transposed,
      AllocateTable(file->path(), square.cols(), square.rows()));
  for (size_t row = 0; row < square.rows(); ++row) {
    for (size_t col = 0; col < square.cols(); ++col) {
      transposed.Row(col)[row] = square.Row(row)[col];
    }
  }
  return transposed;
}

// Checks that every code selects a centroid.
absl::Status CheckCodes(ByteReader& reader, const Quantized& quantized) {
  const absl::string_view codes = quantized.codes;
  for (size_t i = 0; i < codes.size(); ++i) {
    const auto code = static_cast<unsigned char>(codes[i]);
    if (code < quantized.header.centroids) continue;
    return reader.Fail(
        reader.position() - codes.size() + i,
        absl::StrCat("a code below ", quantized.header.centroids),
        absl::StrCat(code));
  }
  return reader.status();
}

absl::StatusOr<Quantized> ReadQuantized(const MappedFilePtr& file,
                                        ByteReader& reader) {
  Quantized quantized;
  FIRTH_ASSIGN_OR_RETURN(quantized.header, ReadQuantizedHeader(reader));
  SkipFifuPadding(reader);
  const QuantizedHeader& header = quantized.header;
  FloatTable projection;
  if (header.projected) {
    FIRTH_ASSIGN_OR_RETURN(
        projection, ReadFloats(file, header.shape.cols, header.shape.cols,
                               "a projection", reader));
    FIRTH_ASSIGN_OR_RETURN(quantized.transposed, Transpose(file, projection));
  }
  FIRTH_ASSIGN_OR_RETURN(
      quantized.centroids,
      ReadFloats(file, MultiplySaturated(header.parts, header.centroids),
                 header.part_dim(), "centroids", reader));
  if (header.norms_apart) {
    FIRTH_ASSIGN_OR_RETURN(quantized.norms, ReadFloats(file, header.shape.rows,
                                                       1, "norms", reader));
  }
  quantized.codes = reader.ReadBytes(
      MultiplySaturated(header.shape.rows, header.parts), "codes");
  FIRTH_RETURN_IF_ERROR(CheckCodes(reader, quantized));
  return quantized;
}

// Decodes a row to `values` [cols]. `scratch` [cols] is used if there is a
// projection.
void Decode(const Quantized& quantized, size_t row, float* values,
            std::vector<float>* scratch) {
  const QuantizedHeader& header = quantized.header;
  const size_t part_dim = header.part_dim();
  const size_t cols = header.shape.cols;
  float* const parts = quantized.transposed.empty() ? values : scratch->data();
  for (size_t part = 0; part < header.parts; ++part) {
    const auto code =
        static_cast<unsigned char>(quantized.codes[row * header.parts + part]);
    const auto centroid =
        quantized.centroids.Row(part * header.centroids + code);
    std::memcpy(parts + part * part_dim, centroid.data(),
                part_dim * kFloatBytes);
  }
  if (!quantized.transposed.empty()) {
    for (size_t i = 0; i < cols; ++i) {
      const float* const column = quantized.transposed.Row(i).data();
      for (size_t j = 0; j < cols; ++j) values[j] += parts[i] * column[j];
    }
  }
  if (quantized.norms.empty()) return;
  const float norm = quantized.norms.Row(row)[0];
  for (size_t i = 0; i < cols; ++i) values[i] *= norm;
}

absl::StatusOr<FloatTable> DecodeAll(const MappedFilePtr& file,
                                     const Quantized& quantized) {
  const FifuShape& shape = quantized.header.shape;
  FIRTH_ASSIGN_OR_RETURN(PaddedMatrix table,
                         AllocateTable(file->path(), shape.rows, shape.cols));
  ParallelExceptions exceptions;
#pragma omp parallel if (IsWorthThreads(shape.rows * shape.cols))
  {
    std::vector<float> scratch;
    exceptions.Catch([&] { scratch.resize(shape.cols); });
#pragma omp for schedule(static)
    for (size_t row = 0; row < shape.rows; ++row) {
      if (scratch.empty()) continue;
      Decode(quantized, row, table.Row(row), &scratch);
    }
  }
  exceptions.Rethrow();
  return table;
}

}  // namespace

absl::StatusOr<FloatTable> ReadFifuArray(const MappedFilePtr& file,
                                         const FifuChunk& chunk,
                                         ByteReader& reader) {
  reader.GoTo(chunk.begin);
  if (chunk.kind == FifuKind::kQuantizedArray) {
    FIRTH_ASSIGN_OR_RETURN(const Quantized quantized,
                           ReadQuantized(file, reader));
    FIRTH_RETURN_IF_ERROR(CheckFifuEnd(reader, chunk));
    return DecodeAll(file, quantized);
  }
  const FifuShape shape = ReadPlainShape(reader);
  SkipFifuPadding(reader);
  FIRTH_ASSIGN_OR_RETURN(
      FloatTable table,
      ReadFloats(file, shape.rows, shape.cols, "an array", reader));
  FIRTH_RETURN_IF_ERROR(CheckFifuEnd(reader, chunk));
  return table;
}

absl::StatusOr<FloatTable> ReadFifuNorms(const MappedFilePtr& file,
                                         const FifuChunk& chunk,
                                         ByteReader& reader) {
  reader.GoTo(chunk.begin);
  const auto count = reader.Read<uint64_t>("the number of norms");
  ReadFifuType(reader, kFifuFloat);
  SkipFifuPadding(reader);
  FIRTH_ASSIGN_OR_RETURN(FloatTable norms,
                         ReadFloats(file, count, 1, "norms", reader));
  FIRTH_RETURN_IF_ERROR(CheckFifuEnd(reader, chunk));
  return norms;
}

absl::StatusOr<FifuShape> ReadFifuShape(const FifuChunk& chunk,
                                        ByteReader& reader) {
  reader.GoTo(chunk.begin);
  if (chunk.kind == FifuKind::kQuantizedArray) {
    FIRTH_ASSIGN_OR_RETURN(const QuantizedHeader header,
                           ReadQuantizedHeader(reader));
    return header.shape;
  }
  const FifuShape shape = ReadPlainShape(reader);
  FIRTH_RETURN_IF_ERROR(reader.status());
  return shape;
}

absl::StatusOr<FloatTable> ScaleRows(const MappedFilePtr& file,
                                     const FloatTable& table,
                                     const FloatTable& norms) {
  FIRTH_ASSIGN_OR_RETURN(
      PaddedMatrix scaled,
      AllocateTable(file->path(), table.rows(), table.cols()));
#pragma omp parallel for schedule( \
    static) if (IsWorthThreads(table.rows() * table.cols()))
  for (size_t row = 0; row < table.rows(); ++row) {
    const float norm = norms.Row(row)[0];
    const absl::Span<const float> from = table.Row(row);
    float* const to = scaled.Row(row);
    for (size_t i = 0; i < from.size(); ++i) to[i] = from[i] * norm;
  }
  return scaled;
}

float FifuNorm(absl::Span<const float> vector) {
  double squares = 0;
  for (const float value : vector) squares += double{value} * value;
  if (squares == 0) return 0;
  const double norm = std::sqrt(squares);
  return norm >= std::numeric_limits<float>::min() &&
                 norm <= std::numeric_limits<float>::max()
             ? static_cast<float>(norm)
             : 1.0f;
}

absl::Status WriteFifuArray(const FloatTable& words,
                            absl::Span<const float> norms,
                            const SubwordTables* subwords, OutputFile& out) {
  uint64_t rows = words.rows();
  const BucketSubwords* buckets = nullptr;
  if (subwords != nullptr) {
    buckets = std::get_if<BucketSubwords>(&subwords->index.options());
    rows += buckets != nullptr ? buckets->buckets : subwords->n_grams.rows();
  }
  FIRTH_RETURN_IF_ERROR(StartAlignedFifuChunk(
      out, FifuKind::kArray, rows * words.cols() * kFloatBytes, rows,
      static_cast<uint32_t>(words.cols()), kFifuFloat));
  std::vector<float> unit(words.cols());
  for (size_t row = 0; row < words.rows(); ++row) {
    const absl::Span<const float> vector = words.Row(row);
    const float norm = norms[row] == 0 ? 1 : norms[row];
    for (size_t i = 0; i < unit.size(); ++i) unit[i] = vector[i] / norm;
    FIRTH_RETURN_IF_ERROR(out.Write(BytesOf(absl::MakeConstSpan(unit))));
  }
  if (subwords == nullptr) return absl::OkStatus();
  return buckets != nullptr ? WriteBucketRows(*subwords, buckets->buckets, out)
                            : WriteTable(subwords->n_grams, out);
}

absl::Status WriteFifuQuantized(const PqRows& words, OutputFile& out) {
  const ProductQuantizer& quantizer = *words.quantizer;
  const FloatTable& rotation = quantizer.rotation();
  const uint64_t rows = words.codes.rows();
  const uint64_t floats =
      rotation.rows() * rotation.cols() +
      quantizer.codebooks().rows() * quantizer.codebooks().cols() +
      words.norms.rows();
  FIRTH_RETURN_IF_ERROR(StartAlignedFifuChunk(
      out, FifuKind::kQuantizedArray,
      floats * kFloatBytes + rows * quantizer.parts(),
      uint32_t{!rotation.empty()}, uint32_t{!words.norms.empty()},
      static_cast<uint32_t>(quantizer.parts()),
      static_cast<uint32_t>(quantizer.dim()),
      static_cast<uint32_t>(quantizer.centroids()), rows, kFifuByte,
      kFifuFloat));
  // The file has P, where P y = R^T y, so a row of P is a column of R.
  std::vector<float> projected(rotation.cols());
  for (size_t row = 0; row < projected.size(); ++row) {
    for (size_t i = 0; i < projected.size(); ++i) {
      projected[i] = rotation.Row(i)[row];
    }
    FIRTH_RETURN_IF_ERROR(out.Write(BytesOf(absl::MakeConstSpan(projected))));
  }
  FIRTH_RETURN_IF_ERROR(WriteTable(quantizer.codebooks(), out));
  FIRTH_RETURN_IF_ERROR(WriteTable(words.norms, out));
  return WriteTable(words.codes, out);
}

absl::Status WriteFifuNorms(absl::Span<const float> norms, OutputFile& out) {
  FIRTH_RETURN_IF_ERROR(
      StartAlignedFifuChunk(out, FifuKind::kNorms, norms.size() * kFloatBytes,
                            uint64_t{norms.size()}, kFifuFloat));
  return out.Write(BytesOf(norms));
}

}  // namespace firth

// A dense matrix is used in place. A quantized one is converted to floats,
// since its rows are added to others.

#include "io/formats/fasttext_matrix.h"

#include <cstring>

#include "io/codecs/vector_rows.h"

namespace firth {
namespace {

constexpr uint64_t kCentroids = 256;

// A product quantizer, whose centroids stay in the file.
struct Quantizer {
  uint64_t dim = 0;
  uint64_t parts = 0;
  uint64_t part_dim = 0;
  uint64_t last_part_dim = 0;
  absl::string_view centroids;

  // Appends the centroids selected by `codes` [parts] to `row` [dim].
  void Decode(const char* codes, float* row) const {
    for (uint64_t part = 0; part < parts; ++part) {
      const auto code = static_cast<unsigned char>(codes[part]);
      const uint64_t size = part + 1 < parts ? part_dim : last_part_dim;
      const uint64_t begin = kCentroids * part * part_dim + code * size;
      std::memcpy(row + part * part_dim,
                  centroids.data() + begin * sizeof(float),
                  size * sizeof(float));
    }
  }
};

absl::StatusOr<Quantizer> ReadQuantizer(ByteReader& reader, uint64_t dim) {
  Quantizer quantizer;
  const uint64_t at = reader.position();
  int64_t numbers[4];
  for (int64_t& number : numbers) {
    number = reader.ReadRange<int32_t>("a number of the quantizer", 1);
  }
  const auto [all, parts, part_dim, last] = numbers;
  if (all != static_cast<int64_t>(dim) ||
      (parts - 1) * part_dim + last != all || last > part_dim) {
    return reader.Fail(at,
                       absl::StrCat("a quantizer of ", dim, " values in parts"),
                       absl::StrCat("one of ", all, " in ", parts, " of ",
                                    part_dim, ", the last of ", last));
  }
  quantizer.dim = dim;
  quantizer.parts = static_cast<uint64_t>(parts);
  quantizer.part_dim = static_cast<uint64_t>(part_dim);
  quantizer.last_part_dim = static_cast<uint64_t>(last);
  quantizer.centroids =
      reader.ReadBytes(dim * kCentroids * sizeof(float), "the centroids");
  FIRTH_RETURN_IF_ERROR(reader.status());
  return quantizer;
}

// The expected shape of a matrix.
struct Expected {
  uint64_t rows;
  uint64_t cols;
  bool may_lack;  // Whether 0 rows are also valid.
  absl::string_view name;
};

// Returns the number of rows.
absl::StatusOr<uint64_t> ReadShape(ByteReader& reader,
                                   const Expected& expected) {
  const uint64_t at = reader.position();
  const auto found_rows = reader.Read<int64_t>("the number of rows");
  const auto found_cols = reader.Read<int64_t>("the number of columns");
  FIRTH_RETURN_IF_ERROR(reader.status());
  const bool lacks = expected.may_lack && found_rows == 0;
  if ((lacks || found_rows == static_cast<int64_t>(expected.rows)) &&
      found_cols == static_cast<int64_t>(expected.cols)) {
    return static_cast<uint64_t>(found_rows);
  }
  return reader.Fail(at,
                     absl::StrCat(expected.name, " of [", expected.rows, ", ",
                                  expected.cols, "]"),
                     absl::StrCat("[", found_rows, ", ", found_cols, "]"));
}

absl::StatusOr<FloatTable> ReadDense(const MappedFilePtr& file,
                                     ByteReader& reader,
                                     const Expected& expected) {
  FIRTH_ASSIGN_OR_RETURN(const uint64_t rows, ReadShape(reader, expected));
  return ReadFloats(file, rows, expected.cols, expected.name, reader);
}

absl::StatusOr<FloatTable> ReadQuantized(const MappedFilePtr& file,
                                         ByteReader& reader,
                                         const Expected& expected) {
  const auto norms_apart =
      reader.ReadRange<uint8_t>("the flag for separate norms", 0, 1);
  FIRTH_ASSIGN_OR_RETURN(const uint64_t rows, ReadShape(reader, expected));
  const uint64_t cols = expected.cols;
  const uint64_t at = reader.position();
  const auto code_bytes =
      reader.ReadRange<int32_t>("the number of code bytes", 0);
  const absl::string_view codes =
      reader.ReadBytes(static_cast<uint64_t>(code_bytes), "the codes");
  FIRTH_ASSIGN_OR_RETURN(const Quantizer quantizer,
                         ReadQuantizer(reader, cols));
  if (MultiplySaturated(rows, quantizer.parts) != codes.size()) {
    return reader.Fail(at,
                       absl::StrCat("a code byte for each of ", quantizer.parts,
                                    " parts of ", rows, " rows"),
                       absl::StrCat(codes.size()));
  }
  absl::string_view norm_codes;
  Quantizer norms;
  if (norms_apart != 0) {
    norm_codes = reader.ReadBytes(rows, "codes of norms");
    FIRTH_ASSIGN_OR_RETURN(norms, ReadQuantizer(reader, 1));
  }
  FIRTH_ASSIGN_OR_RETURN(PaddedMatrix table,
                         AllocateTable(file->path(), rows, cols));
  for (uint64_t row = 0; row < rows; ++row) {
    float* values = table.Row(row);
    quantizer.Decode(codes.data() + row * quantizer.parts, values);
    if (norms_apart == 0) continue;
    float norm;
    norms.Decode(norm_codes.data() + row, &norm);
    for (uint64_t i = 0; i < cols; ++i) values[i] *= norm;
  }
  return table;
}

}  // namespace

absl::StatusOr<FloatTable> ReadFasttextMatrix(const MappedFilePtr& file,
                                              ByteReader& reader,
                                              const FasttextHeader& header,
                                              uint64_t rows, bool may_lack,
                                              absl::string_view name) {
  uint8_t quantized = 0;
  if (header.has_matrix_flags()) {
    quantized = reader.ReadRange<uint8_t>(
        absl::StrCat("the flag for a quantized matrix, of ", name), 0, 1);
  }
  const Expected expected{rows, static_cast<uint64_t>(header.dim), may_lack,
                          name};
  return quantized != 0 ? ReadQuantized(file, reader, expected)
                        : ReadDense(file, reader, expected);
}

}  // namespace firth

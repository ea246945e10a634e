// Checks that all formats need at the end. A vocabulary that can be built has
// no duplicate words, so duplicates are searched for only if this fails. Rows
// with a norm contain only finite values, so the pass over the table that
// computes the norms also finds NaNs.

#include "io/codecs/vector_rows.h"

#include <bit>
#include <cstring>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/matrix.h"
#include "base/quote.h"

namespace firth {
namespace {

// Tests bits instead of values, which is one vectorized pass without branches.
bool AllFinite(absl::Span<const float> values) {
  constexpr uint32_t kExponent = 0x7f800000;
  uint32_t found = 0;
  for (const float value : values) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    found |= (bits & kExponent) == kExponent ? 1u : 0u;
  }
  return found == 0;
}

// Checks only the rows without a norm; the others cannot contain infinities or
// NaNs.
absl::Status CheckFinite(const VectorRows& rows, const WordVectors& vectors) {
  const absl::Span<const float> inverse_norms = vectors.inverse_norms();
  for (size_t row = 0; row < vectors.size(); ++row) {
    if (inverse_norms[row] != 0) continue;
    const std::vector<float> values = vectors.CopyVector(ToWordId(row));
    for (size_t col = 0; col < values.size(); ++col) {
      if (AllFinite(absl::MakeConstSpan(values).subspan(col, 1))) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(rows.place, rows.NumberOf(row), ": value ", col + 1,
                       " of word ", Quote(rows.words[row]),
                       ": expected a finite number, found ", values[col]));
    }
  }
  return absl::OkStatus();
}

// Returns the rows whose word does not occur in an earlier row. If `duplicates`
// requires it, returns an error at the first duplicate.
absl::StatusOr<std::vector<size_t>> RowsToKeep(const VectorRows& rows,
                                               DuplicateWords duplicates) {
  absl::flat_hash_map<absl::string_view, size_t> first_rows;
  std::vector<size_t> kept;
  for (size_t row = 0; row < rows.words.size(); ++row) {
    const auto [entry, inserted] = first_rows.emplace(rows.words[row], row);
    if (inserted) {
      kept.push_back(row);
    } else if (duplicates == DuplicateWords::kError) {
      return absl::InvalidArgumentError(
          absl::StrCat(rows.place, rows.NumberOf(row), ": duplicate word ",
                       Quote(rows.words[row]), ", which is also at ",
                       rows.place, rows.NumberOf(entry->second),
                       "; \"duplicates\": \"first\" keeps the first one"));
    }
  }
  return kept;
}

absl::StatusOr<VectorRows> SelectRows(const VectorRows& rows,
                                      const std::vector<size_t>& kept) {
  FIRTH_ASSIGN_OR_RETURN(
      PaddedMatrix table,
      AllocateTable(rows.place, kept.size(), RowDim(rows.table)));
  VectorRows selected;
  for (size_t i = 0; i < kept.size(); ++i) {
    CopyRow(rows.table, kept[i], absl::MakeSpan(table.Row(i), table.cols()));
    selected.words.push_back(rows.words[kept[i]]);
    selected.numbers.push_back(rows.NumberOf(kept[i]));
    if (!rows.counts.empty()) selected.counts.push_back(rows.counts[kept[i]]);
  }
  selected.table = std::move(table);
  selected.place = rows.place;
  return selected;
}

}  // namespace

absl::Status CheckPromisedSize(absl::StatusCode code, absl::string_view place,
                               uint64_t rows, uint64_t cols,
                               uint64_t value_bytes, uint64_t row_bytes,
                               uint64_t available) {
  const uint64_t needed = MultiplySaturated(
      rows, AddSaturated(MultiplySaturated(cols, value_bytes), row_bytes));
  if (needed <= available) return absl::OkStatus();
  return absl::Status(
      code, absl::StrCat(place, ": the header promises ", rows, " rows of ",
                         cols, " values, which need at least ", needed,
                         " bytes, found ", available));
}

absl::StatusOr<FloatTable> TableInFile(const MappedFilePtr& file,
                                       uint64_t offset, size_t rows,
                                       size_t cols) {
  if (rows == 0) return Matrix<float>(0, cols);
  const char* begin = file->data() + offset;
  // A file inside another one may start at any address.
  if (reinterpret_cast<uintptr_t>(begin) % alignof(float) == 0) {
    return FloatTable({reinterpret_cast<const float*>(begin), rows, cols},
                      file);
  }
  FIRTH_ASSIGN_OR_RETURN(PaddedMatrix table,
                         AllocateTable(file->path(), rows, cols));
  for (size_t row = 0; row < rows; ++row) {
    std::memcpy(table.Row(row), begin + row * cols * sizeof(float),
                cols * sizeof(float));
  }
  return table;
}

absl::StatusOr<FloatTable> ReadFloats(const MappedFilePtr& file, uint64_t rows,
                                      uint64_t cols, absl::string_view what,
                                      ByteReader& reader) {
  const uint64_t begin = reader.position();
  reader.Skip(MultiplySaturated(MultiplySaturated(rows, cols), sizeof(float)),
              what);
  FIRTH_RETURN_IF_ERROR(reader.status());
  return TableInFile(file, begin, rows, cols);
}

std::string LeftOutWarning(absl::string_view place,
                           absl::Span<const uint64_t> numbers,
                           absl::string_view reason) {
  std::string warning = absl::StrCat(place, numbers.front(), ": ", reason);
  if (numbers.size() > 1) {
    absl::StrAppend(&warning, " (and ", numbers.size() - 1, " more)");
  }
  return warning;
}

void ReportWarnings(const VectorRows& rows, const Hooks& hooks) {
  if (hooks.progress == nullptr) return;
  for (const std::string& warning : rows.warnings) {
    hooks.progress->OnWarning(warning);
  }
}

bool IsWorthThreads(uint64_t values) { return values >= (uint64_t{1} << 17); }

absl::Status WriteBucketRows(const SubwordTables& subwords, uint64_t buckets,
                             OutputFile& out) {
  const std::vector<float> zeros(subwords.n_grams.cols());
  const absl::Span<const uint32_t> used = subwords.index.Buckets();
  size_t row = 0;
  for (uint64_t bucket = 0; bucket < buckets; ++bucket) {
    const bool has_row = row < used.size() && used[row] == bucket;
    FIRTH_RETURN_IF_ERROR(out.Write(BytesOf(
        has_row ? subwords.n_grams.Row(row) : absl::MakeConstSpan(zeros))));
    row += has_row ? 1 : 0;
  }
  return absl::OkStatus();
}

std::optional<TablePosition> FindNotFinite(const FloatTable& table) {
  size_t first_bad = table.rows();
#pragma omp parallel for schedule(static) \
    reduction(min                         \
              : first_bad) if (IsWorthThreads(table.rows() * table.cols()))
  for (size_t row = 0; row < table.rows(); ++row) {
    if (row < first_bad && !AllFinite(table.Row(row))) first_bad = row;
  }
  if (first_bad == table.rows()) return std::nullopt;
  const absl::Span<const float> values = table.Row(first_bad);
  size_t col = 0;
  while (AllFinite(values.subspan(col, 1))) ++col;
  return TablePosition{first_bad, col};
}

absl::Status CheckFinite(const FloatTable& table, absl::string_view place) {
  const std::optional<TablePosition> bad = FindNotFinite(table);
  if (!bad.has_value()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      place, ", row ", bad->row, ", value ", bad->col,
      ": expected a finite number, found ", table.Row(bad->row)[bad->col]));
}

absl::StatusOr<VectorFile> AssembleFile(VectorRows rows,
                                        DuplicateWords duplicates,
                                        bool lazily) {
  VectorFile file;
  if (lazily) {
    FIRTH_ASSIGN_OR_RETURN(
        Vocabulary words,
        Vocabulary::CreateLazily(rows.words, std::move(rows.counts)));
    FIRTH_ASSIGN_OR_RETURN(
        file.vectors,
        WordVectors::Create(std::move(words), std::move(rows.table),
                            std::move(rows.subwords)));
    return file;
  }
  // Nearly all files have no duplicates and are hashed only once.
  absl::StatusOr<Vocabulary> vocabulary =
      Vocabulary::Create(rows.words, rows.counts);
  if (!vocabulary.ok()) {
    FIRTH_ASSIGN_OR_RETURN(const std::vector<size_t> kept,
                           RowsToKeep(rows, duplicates));
    FIRTH_ASSIGN_OR_RETURN(rows, SelectRows(rows, kept));
    vocabulary = Vocabulary::Create(rows.words, rows.counts);
  }
  if (!vocabulary.ok()) return vocabulary.status();
  FIRTH_ASSIGN_OR_RETURN(file.vectors,
                         WordVectors::Create(*std::move(vocabulary), rows.table,
                                             std::move(rows.subwords)));
  // One pass over the table computes the norms and finds values that are not
  // finite.
  FIRTH_RETURN_IF_ERROR(CheckFinite(rows, file.vectors));
  return file;
}

}  // namespace firth

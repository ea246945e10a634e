// The writer computes a checksum of each tensor that is added, and the reader
// compares all of them before it returns the first tensor. Damage is thus found
// once, when the file is opened, and everything read afterwards is what was
// written.

#include "io/tensors/checked_tensors.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/foreign_content.h"
#include "base/json.h"
#include "base/matrix.h"
#include "base/output_file.h"
#include "base/quote.h"
#include "base/temporary_files.h"
#include "corpus/decompressor.h"
#include "firth/status_macros.h"
#include "io/tensors/safetensors_subwords.h"

namespace firth {
namespace {

constexpr char kChecksums[] = "checksums";
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION  // -fsanitize=fuzzer defines it
constexpr bool kFuzzing = true;
#else
constexpr bool kFuzzing = false;
#endif

std::string Hex(uint64_t checksum) {
  return absl::StrCat(absl::Hex(checksum, absl::kZeroPad16));
}

// Computes the checksum piece by piece, so that it is the same for the rows of
// a table with gaps.
std::string HexChecksum(absl::string_view bytes, size_t piece_bytes) {
  uint64_t sum = 0;
  for (; !bytes.empty(); bytes.remove_prefix(piece_bytes)) {
    piece_bytes = std::min(piece_bytes, bytes.size());
    sum = Checksum(bytes.substr(0, piece_bytes), sum);
  }
  return Hex(sum);
}

std::string HexChecksum(const FloatTable& table) {
  uint64_t sum = 0;
  for (size_t row = 0; row < table.rows(); ++row) {
    sum = Checksum(BytesOf(table.Row(row)), sum);
  }
  return Hex(sum);
}

}  // namespace

void CheckedWriter::Add(const char* name, const char* dtype,
                        absl::string_view bytes) {
  AddSum(name, bytes);
  writer_.Add(name, dtype, {bytes.size() / BytesPerValue(dtype)},
              [bytes](OutputFile& out) { return out.Write(bytes); });
}

void CheckedWriter::AddSum(const std::string& name, absl::string_view bytes) {
  checksums_[name] = HexChecksum(bytes, bytes.size());
}

void CheckedWriter::Add(const std::string& name, const FloatTable& table) {
  status_.Update(CheckFinite(table, absl::StrCat("tensor ", Quote(name))));
  checksums_[name] = HexChecksum(table);
  writer_.AddTable(name, "F32", table);
}

void CheckedWriter::AddWords(const char* name, const Vocabulary& words) {
  std::string& lines = texts_.emplace_back();
  for (const absl::string_view word : words.Words()) {
    absl::StrAppend(&lines, word, "\n");
  }
  Add(name, "U8", lines);
}

void CheckedWriter::Add(const SubwordTables& subwords) {
  AddSubwordTensors(subwords, &writer_);
  checksums_[kNGrams] = HexChecksum(subwords.n_grams);
}

absl::Status CheckedWriter::Seal(std::map<std::string, std::string> metadata,
                                 const char* kind, std::string content,
                                 const std::string& path) {
  if (!status_.ok()) {
    return absl::OutOfRangeError(
        absl::StrCat(path, ": not written: ", status_.message()));
  }
  checksums_[kind] = HexChecksum(content, content.size());
  std::map<std::string, std::string>& all = writer_.metadata();
  all.merge(metadata);
  MarkAsOwn("firth", &all);
  all[kind] = std::move(content);
  all[kChecksums] = DumpJson(checksums_);
  return absl::OkStatus();
}

absl::Status CheckedWriter::Write(std::map<std::string, std::string> metadata,
                                  const char* kind, std::string content,
                                  const std::string& path) && {
  FIRTH_RETURN_IF_ERROR(
      Seal(std::move(metadata), kind, std::move(content), path));
  return std::move(writer_).Write(path);
}

absl::StatusOr<MappedFilePtr> CheckedWriter::WriteUnnamed(
    std::map<std::string, std::string> metadata, const char* kind,
    std::string content, const std::string& path) && {
  FIRTH_RETURN_IF_ERROR(
      Seal(std::move(metadata), kind, std::move(content), path));
  const std::string folder = TemporaryFolder("");
  FIRTH_ASSIGN_OR_RETURN(const int fd, OpenUnnamed(folder));
  OutputFile out = OutputFile::OfDescriptor(
      fd, absl::StrCat(path, ", in a temporary file in ", folder));
  FIRTH_RETURN_IF_ERROR(std::move(writer_).WriteTo(out));
  return out.Map();
}

absl::StatusOr<CheckedReader> CheckedReader::Open(const std::string& path,
                                                  const char* kind,
                                                  absl::string_view what) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  return Open(file, kind, what);
}

absl::StatusOr<CheckedReader> CheckedReader::Open(const MappedFilePtr& file,
                                                  const char* kind,
                                                  absl::string_view what) {
  const std::string& path = file->path();
  const bool has_header = file->size() > sizeof(uint64_t);
  std::string found = FindForeignContent(file->bytes());
  if (!found.empty() || (has_header && !StartsLikeSafetensors(file->bytes()))) {
    const Compression compression =
        RecogniseCompression(file->bytes().substr(0, kMagicBytes));
    if (compression != Compression::kNone) {
      found = absl::StrCat(
          "a file compressed by ", NameOf(compression),
          "; unpack it first, since the file is mapped into memory");
    } else if (found.empty()) {
      found = "a file that is not .safetensors";
    }
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": expected ", what, ", found ", found));
  }
  FIRTH_ASSIGN_OR_RETURN(SafetensorsHeader header,
                         ReadSafetensorsHeader(*file));
  if (header.metadata.count(kind) == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": expected ", what,
                     ", found a .safetensors file with other content"));
  }
  CheckedReader reader(file, std::move(header), kind);
  FIRTH_RETURN_IF_ERROR(reader.CheckSums());
  return reader;
}

absl::StatusOr<std::optional<CheckedReader>> CheckedReader::OpenIfKind(
    const MappedFilePtr& file, const char* kind) {
  if (!StartsLikeSafetensors(file->bytes())) return std::nullopt;
  FIRTH_ASSIGN_OR_RETURN(SafetensorsHeader header,
                         ReadSafetensorsHeader(*file));
  if (header.metadata.count(kind) == 0) return std::nullopt;
  CheckedReader reader(file, std::move(header), kind);
  FIRTH_RETURN_IF_ERROR(reader.CheckSums());
  return reader;
}

bool CheckedReader::Has(absl::string_view name) const {
  return header_.Find(name) != nullptr;
}

Json CheckedReader::ContentJson() const {
  constexpr int kMostDepth = 16;
  return ParseJson(content(), kMostDepth);
}

uint64_t CheckedReader::num_floats() const {
  uint64_t bytes = 0;
  for (const TensorEntry& tensor : header_.tensors) {
    if (tensor.dtype == "F32") bytes += tensor.end - tensor.begin;
  }
  return bytes / sizeof(float);
}

std::map<std::string, std::string> CheckedReader::Metadata() const {
  std::map<std::string, std::string> metadata = header_.metadata;
  metadata.erase(kind_);
  metadata.erase(kChecksums);
  return metadata;
}

absl::StatusOr<MappedFilePtr> CheckedReader::ReadFile(
    absl::string_view name) const {
  const TensorEntry* const tensor = header_.Find(name);
  if (!IsOfShape(tensor, "U8", {kAnySize})) {
    return BadTensor(name, "U8 [bytes]", tensor);
  }
  return MappedFile::PartOf(file_, tensor->begin, tensor->end - tensor->begin,
                            absl::StrCat(path(), ": ", name));
}

absl::StatusOr<Vocabulary> CheckedReader::ReadWords(
    const char* name, const char* counts_name) const {
  const TensorEntry* tensor = header_.Find(name);
  if (tensor == nullptr) return Vocabulary();
  if (!IsOfShape(tensor, "U8", {kAnySize})) {
    return BadTensor(name, "U8 [bytes]", tensor);
  }
  const absl::string_view bytes = Bytes(*tensor);
  const auto lines =
      static_cast<uint64_t>(std::count(bytes.begin(), bytes.end(), '\n'));
  FIRTH_ASSIGN_OR_RETURN(const std::vector<absl::string_view> words,
                         ReadTexts(*file_, *tensor, lines, name));
  std::vector<uint64_t> counts;
  const TensorEntry* counted = header_.Find(counts_name);
  if (counted != nullptr) {
    if (!IsOfShape(counted, "I64", {words.size()})) {
      return BadTensor(counts_name, absl::StrCat("I64 [", words.size(), "]"),
                       counted);
    }
    counts = CopyValues<uint64_t>(*file_, *counted);
  }
  auto vocabulary = Vocabulary::Create(words, std::move(counts));
  if (vocabulary.ok()) return vocabulary;
  return DataLoss(name, vocabulary.status().message());
}

absl::StatusOr<FloatTable> CheckedReader::ReadRows(const char* name,
                                                   uint64_t rows) const {
  const TensorEntry* tensor = header_.Find(name);
  if (tensor == nullptr || !IsTable(*tensor) || tensor->shape[0] != rows) {
    return BadTensor(name, absl::StrCat("F32 [", rows, ", any]"), tensor);
  }
  return ReadTable(file_, *tensor, rows, tensor->shape[1],
                   /*all_finite=*/true);
}

absl::StatusOr<WordVectors> CheckedReader::ReadNGrams(uint64_t dim) const {
  FIRTH_ASSIGN_OR_RETURN(
      std::optional<SubwordTables> subwords,
      ReadSubwordTensors(file_, header_, 0, dim, /*all_finite=*/true));
  if (!subwords.has_value()) return WordVectors();
  return WordVectors::Create(Vocabulary(), Matrix<float>(0, dim),
                             std::move(subwords));
}

absl::Status CheckedReader::ReadInto(absl::string_view name, uint64_t rows,
                                     uint64_t cols, uint64_t stride,
                                     float* to) const {
  const TensorEntry* tensor = header_.Find(name);
  if (!IsOfShape(tensor, "F32", {rows, cols})) {
    return BadTensor(name, absl::StrCat("F32 [", rows, ", ", cols, "]"),
                     tensor);
  }
  FIRTH_ASSIGN_OR_RETURN(
      const FloatTable table,
      ReadTable(file_, *tensor, rows, cols, /*all_finite=*/true));
  for (size_t row = 0; row < table.rows() && cols > 0; ++row) {
    std::copy_n(table.Row(row).data(), cols, to + row * stride);
  }
  return absl::OkStatus();
}

absl::Status CheckedReader::BadTensor(absl::string_view name,
                                      absl::string_view expected,
                                      const TensorEntry* found) const {
  return firth::BadTensor(*file_, name, expected, found);
}

absl::string_view CheckedReader::Bytes(const TensorEntry& tensor) const {
  return file_->bytes().substr(tensor.begin, tensor.end - tensor.begin);
}

absl::Status CheckedReader::DataLoss(absl::string_view tensor,
                                     absl::string_view message) const {
  return absl::DataLossError(
      absl::StrCat(path(), ": tensor ", Quote(tensor), ": ", message));
}

absl::Status CheckedReader::CheckSums() const {
  const auto found = header_.metadata.find(kChecksums);
  const Json sums =
      found == header_.metadata.end() ? Json() : ParseJson(found->second);
  if (!sums.is_object()) {
    return absl::DataLossError(absl::StrCat(
        path(), ": expected a JSON object as metadata \"", kChecksums, "\""));
  }
  for (const auto& [name, sum] : sums.items()) {
    const TensorEntry* tensor = header_.Find(name);
    if (tensor == nullptr && name != kind_) {
      return DataLoss(name, "expected this tensor, since it has a checksum");
    }
    const absl::string_view bytes =
        tensor == nullptr ? content() : Bytes(*tensor);
    const std::string actual =
        HexChecksum(bytes, tensor != nullptr && IsTable(*tensor)
                               ? tensor->shape[1] * sizeof(float)
                               : bytes.size());
    // A fuzzer cannot guess checksums, and must reach the code after them.
    if (sum != actual && !kFuzzing) {
      return DataLoss(
          name, absl::StrCat("expected the checksum ", DumpJson(sum),
                             ", found \"", actual, "\"; the file was changed"));
    }
  }
  return kFuzzing ? absl::OkStatus() : CheckNoSumIsMissing(sums);
}

absl::Status CheckedReader::CheckNoSumIsMissing(const Json& sums) const {
  std::vector<absl::string_view> checked = {kind_};
  for (const TensorEntry& tensor : header_.tensors) {
    if (!IsOfSubwordIndex(tensor.name)) checked.push_back(tensor.name);
  }
  for (const absl::string_view name : checked) {
    if (!sums.contains(name)) {
      return DataLoss(name, "expected a checksum, found none");
    }
  }
  return absl::OkStatus();
}

}  // namespace firth

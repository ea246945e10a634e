// .safetensors, the native model: all that training learnt, in a file that is
// mapped into memory on load. Tensors, in this order:
//
//   counts       I64 [V]          occurrences of each word; if known
//   input        F32 [V, dim]     the word vectors
//   output       F32 [rows, dim]  prediction weights; may lack
//   output_bias  F32 [rows]       may lack
//   ...                           of words with n-grams: safetensors_subwords.h
//   vocabulary   U8  [bytes]      the words, each followed by '\n'
//
// so that every tensor is aligned as its type asks, without holes; `input`
// starts at a multiple of 64 bytes. Metadata are strings. Files of others are
// read if they have our vocabulary and one F32 table of two dimensions.
//
// The vocabulary is copied on load; tables stay in the file, and the system
// reads pages as they are asked for.

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/output_file.h"
#include "base/quote.h"
#include "base/status_macros.h"
#include "io/safetensors_header.h"
#include "io/safetensors_subwords.h"
#include "io/vector_format.h"
#include "io/vector_rows.h"

#ifndef FIRTH_VERSION
#error "the build defines FIRTH_VERSION"
#endif

namespace firth {
namespace {

constexpr char kCounts[] = "counts";
constexpr char kInput[] = "input";
constexpr char kOutput[] = "output";
constexpr char kOutputBias[] = "output_bias";
constexpr char kVocabulary[] = "vocabulary";

// The tensors of a model; null where it lacks what it may lack.
struct Model {
  const TensorEntry* input = nullptr;
  const TensorEntry* vocabulary = nullptr;
  const TensorEntry* counts = nullptr;
  const TensorEntry* output = nullptr;
  const TensorEntry* output_bias = nullptr;

  uint64_t words() const { return input->shape[0]; }
  uint64_t dim() const { return input->shape[1]; }
};

// The tensor called "input", or the only table of a file that has none.
absl::StatusOr<const TensorEntry*> FindInput(const MappedFile& file,
                                             const SafetensorsHeader& header) {
  const TensorEntry* input = header.Find(kInput);
  if (input != nullptr) {
    if (IsTable(*input)) return input;
    return BadTensor(file, kInput, "F32 [words, dim]", input);
  }
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

absl::Status CheckOutput(const MappedFile& file, const Model& model) {
  const TensorEntry* output = model.output;
  const TensorEntry* bias = model.output_bias;
  if (output != nullptr &&
      (!IsTable(*output) || output->shape[1] != model.dim())) {
    return BadTensor(file, kOutput,
                     absl::StrCat("F32 [rows, ", model.dim(), "]"), output);
  }
  if (bias == nullptr) return absl::OkStatus();
  if (output == nullptr) {
    return BadTensor(file, kOutput, "a table beside \"output_bias\"", nullptr);
  }
  if (bias->dtype != "F32" || bias->shape.size() != 1 ||
      bias->shape[0] != output->shape[0]) {
    return BadTensor(file, kOutputBias,
                     absl::StrCat("F32 [", output->shape[0], "]"), bias);
  }
  return absl::OkStatus();
}

absl::StatusOr<Model> FindModel(const MappedFile& file,
                                const SafetensorsHeader& header) {
  Model model;
  FIRTH_ASSIGN_OR_RETURN(model.input, FindInput(file, header));
  model.vocabulary = header.Find(kVocabulary);
  if (model.vocabulary == nullptr || model.vocabulary->dtype != "U8" ||
      model.vocabulary->shape.size() != 1) {
    return BadTensor(file, kVocabulary,
                     "U8 [bytes], the words with a line end each",
                     model.vocabulary);
  }
  const TensorEntry* counts = model.counts = header.Find(kCounts);
  if (counts != nullptr &&
      ((counts->dtype != "I64" && counts->dtype != "U64") ||
       counts->shape.size() != 1 || counts->shape[0] != model.words())) {
    return BadTensor(file, kCounts, absl::StrCat("I64 [", model.words(), "]"),
                     counts);
  }
  model.output = header.Find(kOutput);
  model.output_bias = header.Find(kOutputBias);
  FIRTH_RETURN_IF_ERROR(CheckOutput(file, model));
  return model;
}

absl::StatusOr<std::vector<uint64_t>> ReadCounts(const MappedFile& file,
                                                 const Model& model) {
  std::vector<uint64_t> counts;
  if (model.counts == nullptr) return counts;
  counts.resize(model.words());
  if (counts.empty()) return counts;
  std::memcpy(counts.data(), file.data() + model.counts->begin,
              counts.size() * sizeof(uint64_t));
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > std::numeric_limits<int64_t>::max()) {
      return absl::DataLossError(absl::StrCat(
          file.path(), ": row ", i, ": expected a count from 0 to 2^63 - 1, ",
          "found ", counts[i]));
    }
  }
  return counts;
}

absl::StatusOr<VectorRows> ReadRows(const MappedFilePtr& file,
                                    const Model& model) {
  VectorRows rows;
  rows.place = absl::StrCat(file->path(), ": row ");
  FIRTH_ASSIGN_OR_RETURN(
      rows.words,
      ReadTexts(*file, *model.vocabulary, model.words(), model.input->name));
  FIRTH_ASSIGN_OR_RETURN(rows.counts, ReadCounts(*file, model));
  FIRTH_ASSIGN_OR_RETURN(rows.table, TableInFile(file, model.input->begin,
                                                 model.words(), model.dim()));
  return rows;
}

SafetensorsHeader HeaderFor(const VectorFile& file) {
  const Vocabulary& vocabulary = file.vectors.vocabulary();
  SafetensorsHeader header;
  header.metadata = file.metadata;
  header.metadata["format"] = "firth";
  header.metadata["firth_version"] = FIRTH_VERSION;
  if (vocabulary.total_count() > 0) {
    header.Append(kCounts, "I64", {vocabulary.size()});
  }
  header.Append(kInput, "F32", {vocabulary.size(), file.vectors.dim()});
  if (!file.output.empty()) {
    header.Append(kOutput, "F32", {file.output.rows(), file.output.cols()});
  }
  if (!file.output_bias.empty()) {
    header.Append(kOutputBias, "F32", {file.output_bias.cols()});
  }
  if (file.vectors.subwords() != nullptr) {
    AddSubwordTensors(*file.vectors.subwords(), &header);
  }
  uint64_t word_bytes = 0;
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    word_bytes += vocabulary.Word(ToWordId(i)).size() + 1;
  }
  header.Append(kVocabulary, "U8", {word_bytes});
  return header;
}

absl::Status CheckCounts(const Vocabulary& vocabulary,
                         const std::string& path) {
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    const WordId word = ToWordId(i);
    if (vocabulary.Count(word) > std::numeric_limits<int64_t>::max()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": word ", Quote(vocabulary.Word(word)),
                       ": expected a count of at most 2^63 - 1, found ",
                       vocabulary.Count(word)));
    }
  }
  return absl::OkStatus();
}

absl::Status WriteData(const VectorFile& file, OutputFile& out) {
  const Vocabulary& vocabulary = file.vectors.vocabulary();
  if (vocabulary.total_count() > 0) {
    FIRTH_RETURN_IF_ERROR(
        out.Write({reinterpret_cast<const char*>(vocabulary.counts().data()),
                   vocabulary.size() * sizeof(uint64_t)}));
  }
  FIRTH_RETURN_IF_ERROR(WriteTable(file.vectors.table(), out));
  FIRTH_RETURN_IF_ERROR(WriteTable(file.output, out));
  FIRTH_RETURN_IF_ERROR(WriteTable(file.output_bias, out));
  if (file.vectors.subwords() != nullptr) {
    FIRTH_RETURN_IF_ERROR(WriteSubwordTensors(*file.vectors.subwords(), out));
  }
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    FIRTH_RETURN_IF_ERROR(out.Write(vocabulary.Word(ToWordId(i))));
    FIRTH_RETURN_IF_ERROR(out.Write("\n"));
  }
  return absl::OkStatus();
}

class Safetensors : public VectorFormat {
 public:
  const VectorFormatInfo& Info() const override { return info_; }

  bool Sniff(absl::string_view head, absl::string_view) const override {
    return StartsLikeSafetensors(head);
  }

  bool Holds(VectorPart, const VectorFile&) const override { return true; }
  bool HoldsSubwords(const SubwordOptions&) const override { return true; }

  const char* RefusedInWord(absl::string_view word) const override {
    return word.find('\n') == word.npos ? nullptr : "a line end in a word";
  }

  absl::StatusOr<VectorFile> Load(const MappedFilePtr& file,
                                  const LoadOptions& options) const override {
    FIRTH_ASSIGN_OR_RETURN(SafetensorsHeader header,
                           ReadSafetensorsHeader(*file));
    FIRTH_ASSIGN_OR_RETURN(const Model model, FindModel(*file, header));
    FIRTH_ASSIGN_OR_RETURN(VectorRows rows, ReadRows(file, model));
    FIRTH_ASSIGN_OR_RETURN(
        rows.subwords,
        ReadSubwordTensors(file, header, model.words(), model.dim(),
                           /*all_finite=*/!options.only_vectors));
    VectorFile loaded;
    // Rows of other tables belong to words: none can be dropped.
    const DuplicateWords duplicates =
        model.output != nullptr || rows.subwords.has_value()
            ? DuplicateWords::kError
            : options.duplicates;
    FIRTH_ASSIGN_OR_RETURN(loaded.vectors,
                           AssembleVectors(std::move(rows), duplicates));
    if (model.output != nullptr && !options.only_vectors) {
      FIRTH_ASSIGN_OR_RETURN(
          loaded.output,
          ReadTable(file, *model.output, model.output->shape[0], model.dim(),
                    /*all_finite=*/true));
    }
    if (model.output_bias != nullptr && model.output_bias->shape[0] > 0 &&
        !options.only_vectors) {
      FIRTH_ASSIGN_OR_RETURN(
          loaded.output_bias,
          ReadTable(file, *model.output_bias, 1, model.output_bias->shape[0],
                    /*all_finite=*/true));
    }
    loaded.metadata = std::move(header.metadata);
    return loaded;
  }

  absl::Status Save(const VectorFile& file,
                    const std::string& path) const override {
    FIRTH_RETURN_IF_ERROR(CheckCounts(file.vectors.vocabulary(), path));
    const SafetensorsHeader header = HeaderFor(file);
    FIRTH_ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(path));
    FIRTH_RETURN_IF_ERROR(
        out.Write(MakeSafetensorsHeader(header, header.Find(kInput)->begin)));
    FIRTH_RETURN_IF_ERROR(WriteData(file, out));
    return out.Commit();
  }

  absl::StatusOr<VectorFileInfo> Describe(
      const MappedFilePtr& file) const override {
    FIRTH_ASSIGN_OR_RETURN(SafetensorsHeader header,
                           ReadSafetensorsHeader(*file));
    FIRTH_ASSIGN_OR_RETURN(const Model model, FindModel(*file, header));
    VectorFileInfo info;
    info.words = model.words();
    info.dim = model.dim();
    info.has_counts = model.counts != nullptr;
    info.has_output = model.output != nullptr;
    info.has_subwords = header.Find("n_grams") != nullptr;
    info.metadata = std::move(header.metadata);
    return info;
  }

 private:
  const VectorFormatInfo info_ = {
      "safetensors", {".safetensors"}, "the native model: all that was learnt"};
};

}  // namespace

const VectorFormat& SafetensorsFormat() {
  static const Safetensors format;
  return format;
}

}  // namespace firth

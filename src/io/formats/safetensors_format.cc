// .safetensors, the native model: everything that training estimated, in a file
// that is mapped into memory on load:
//
//   +------------------------------------------------------------------+
//   | u64 bytes of the header | header: JSON, padded to 64 bytes       |
//   +------------------------------------------------------------------+
//   | the tensors' values, one after the other, little-endian, by rows |
//   +------------------------------------------------------------------+
//
// The header lists name, type, shape and position of each tensor
// (tensors/safetensors_header.h):
//
//   counts       I64 [V]          occurrences of each word; if known
//   input...                      the word vectors: safetensors_rows.h
//   output       F32 [rows, dim]  prediction weights; optional
//   output_bias  F32 [rows]       optional
//   ...                           if there are n-grams: safetensors_subwords.h
//   vocabulary   U8  [bytes]      the words, each followed by '\n'
//
// They are ordered by the size of their values, so that every tensor is aligned
// as its type requires, without holes. Metadata are strings. Files from other
// programs can be read if they have a Firth vocabulary and one F32 table of two
// dimensions.
//
// The vocabulary is copied on load. Tables stay in the file, and the system
// reads pages on demand.

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/quote.h"
#include "firth/status_macros.h"
#include "io/codecs/vector_rows.h"
#include "io/formats/safetensors_rows.h"
#include "io/formats/vector_format.h"
#include "io/tensors/safetensors_header.h"
#include "io/tensors/safetensors_subwords.h"
#include "vectors/word_bag_encoder.h"

namespace firth {
namespace {

constexpr absl::string_view kExtensions[] = {".safetensors"};
constexpr absl::string_view kQuantizedForms[] = {
    Float16Rows::kName, Int8Rows::kName, PqRows::kName};

constexpr char kCounts[] = "counts";
constexpr char kOutput[] = "output";
constexpr char kOutputBias[] = "output_bias";
constexpr char kVocabulary[] = "vocabulary";
// Metadata of a model of documents that describe its further tensors, which a
// copy of its vectors lacks (documents/document_model.h).
constexpr const char* kOfDocuments[] = {"documents", "checksums"};

// The tensors of a model; optional ones are null if they are missing.
struct Model {
  RowTensors input;
  const TensorEntry* vocabulary = nullptr;
  const TensorEntry* counts = nullptr;
  const TensorEntry* output = nullptr;
  const TensorEntry* output_bias = nullptr;

  uint64_t words() const { return input.words(); }
  uint64_t dim() const { return input.dim(); }
};

absl::Status CheckOutput(const MappedFile& file, const Model& model) {
  const TensorEntry* output = model.output;
  const TensorEntry* bias = model.output_bias;
  if (output != nullptr && !IsOfShape(output, "F32", {kAnySize, model.dim()})) {
    return BadTensor(file, kOutput,
                     absl::StrCat("F32 [rows, ", model.dim(), "]"), output);
  }
  if (bias == nullptr) return absl::OkStatus();
  if (output == nullptr) {
    return BadTensor(file, kOutput, "a table together with \"output_bias\"",
                     nullptr);
  }
  if (!IsOfShape(bias, "F32", {output->shape[0]})) {
    return BadTensor(file, kOutputBias,
                     absl::StrCat("F32 [", output->shape[0], "]"), bias);
  }
  return absl::OkStatus();
}

absl::StatusOr<Model> FindModel(const MappedFile& file,
                                const SafetensorsHeader& header) {
  Model model;
  FIRTH_ASSIGN_OR_RETURN(model.input, FindWordRowTensors(file, header));
  model.vocabulary = header.Find(kVocabulary);
  if (!IsOfShape(model.vocabulary, "U8", {kAnySize})) {
    return BadTensor(file, kVocabulary, "U8 [bytes] with one word per line",
                     model.vocabulary);
  }
  const TensorEntry* counts = model.counts = header.Find(kCounts);
  if (counts != nullptr && !IsOfShape(counts, "I64", {model.words()}) &&
      !IsOfShape(counts, "U64", {model.words()})) {
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
  if (model.counts == nullptr) return std::vector<uint64_t>();
  std::vector<uint64_t> counts = CopyValues<uint64_t>(file, *model.counts);
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
                                    const Model& model, bool keep_form) {
  VectorRows rows;
  rows.place = absl::StrCat(file->path(), ": row ");
  FIRTH_ASSIGN_OR_RETURN(rows.words,
                         ReadTexts(*file, *model.vocabulary, model.words(),
                                   model.input.rows->name));
  FIRTH_ASSIGN_OR_RETURN(rows.counts, ReadCounts(*file, model));
  FIRTH_ASSIGN_OR_RETURN(rows.table, ReadRowTensors(file, model.input));
  if (!keep_form) {
    FIRTH_ASSIGN_OR_RETURN(rows.table, ToFloatTable(rows.table));
  }
  return rows;
}

// Borrows the file.
SafetensorsWriter WriterFor(const VectorFile& file,
                            const SubwordTables* subwords) {
  const Vocabulary& vocabulary = file.vectors.vocabulary();
  SafetensorsWriter writer;
  writer.metadata() = file.metadata;
  MarkAsOwn("firth", &writer.metadata());
  if (vocabulary.total_count() > 0) {
    writer.AddNumbers(kCounts, "I64", vocabulary.counts());
  }
  AddRowTensors(file.vectors.rows(), "input", &writer);
  if (!file.output.empty()) writer.AddTable(kOutput, "F32", file.output);
  if (!file.output_bias.empty()) {
    writer.AddNumbers(kOutputBias, "F32", file.output_bias.Row(0));
  }
  if (subwords != nullptr) AddSubwordTensors(*subwords, &writer);
  writer.AddTexts(kVocabulary, vocabulary.Words());
  return writer;
}

absl::Status CheckCounts(const Vocabulary& vocabulary,
                         const std::string& path) {
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    const WordId word = ToWordId(i);
    if (vocabulary.Count(word) > std::numeric_limits<int64_t>::max()) {
      return absl::InvalidArgumentError(absl::StrCat(
          path, ": word ", Quote(vocabulary.Word(word)),
          ": counts must be at most 2^63 - 1, found ", vocabulary.Count(word)));
    }
  }
  return absl::OkStatus();
}

bool HoldsAnySubwords(const SubwordOptions&) { return true; }

bool Recognises(absl::string_view head, absl::string_view) {
  return StartsLikeSafetensors(head);
}

const char* RefusedInWord(absl::string_view word) {
  return word.find('\n') == word.npos ? nullptr : "a line end in a word";
}

absl::StatusOr<VectorFile> Load(const MappedFilePtr& file,
                                const LoadOptions& options) {
  FIRTH_ASSIGN_OR_RETURN(SafetensorsHeader header,
                         ReadSafetensorsHeader(*file));
  FIRTH_ASSIGN_OR_RETURN(const Model model, FindModel(*file, header));
  FIRTH_ASSIGN_OR_RETURN(VectorRows rows,
                         ReadRows(file, model, options.keep_form));
  // For the tables other than the rows.
  const bool all_finite = !options.lazily;
  FIRTH_ASSIGN_OR_RETURN(
      rows.subwords,
      ReadSubwordTensors(file, header, model.words(), model.dim(),
                         all_finite && !options.only_vectors));
  // Rows of other tables correspond to words, so none can be dropped.
  const DuplicateWords duplicates =
      model.output != nullptr || rows.subwords.has_value()
          ? DuplicateWords::kError
          : options.duplicates;
  FIRTH_ASSIGN_OR_RETURN(
      VectorFile loaded,
      AssembleFile(std::move(rows), duplicates, options.lazily));
  if (model.output != nullptr && !options.only_vectors) {
    FIRTH_ASSIGN_OR_RETURN(
        loaded.output, ReadTable(file, *model.output, model.output->shape[0],
                                 model.dim(), all_finite));
  }
  if (model.output_bias != nullptr && model.output_bias->shape[0] > 0 &&
      !options.only_vectors) {
    FIRTH_ASSIGN_OR_RETURN(loaded.output_bias,
                           ReadTable(file, *model.output_bias, 1,
                                     model.output_bias->shape[0], all_finite));
  }
  loaded.metadata = std::move(header.metadata);
  for (const char* const entry : kOfDocuments) loaded.metadata.erase(entry);
  const auto sentences = loaded.metadata.find(std::string(kSentencesKey));
  if (sentences != loaded.metadata.end()) {
    FIRTH_ASSIGN_OR_RETURN(const SentenceForm form,
                           ReadSentenceForm(sentences->second, file->path()));
    loaded.vectors = WithWordBags(std::move(loaded.vectors), form);
  }
  return loaded;
}

absl::Status Save(const VectorFile& file, const SubwordTables* subwords,
                  const std::string& path, const Hooks& hooks) {
  FIRTH_RETURN_IF_ERROR(CheckCounts(file.vectors.vocabulary(), path));
  return WriterFor(file, subwords).Write(path, hooks);
}

absl::StatusOr<VectorFileInfo> Describe(const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(SafetensorsHeader header,
                         ReadSafetensorsHeader(*file));
  FIRTH_ASSIGN_OR_RETURN(const Model model, FindModel(*file, header));
  VectorFileInfo info;
  info.words = model.words();
  info.dim = model.dim();
  info.form = model.input.Form();
  info.bits_per_value = model.input.BitsPerValue();
  info.has_counts = model.counts != nullptr;
  info.has_output = model.output != nullptr;
  info.has_subwords = header.Find("n_grams") != nullptr;
  info.metadata = std::move(header.metadata);
  return info;
}

}  // namespace

extern constinit const VectorFormat kSafetensorsFormat = {
    .name = "safetensors",
    .extensions = kExtensions,
    .summary = "the native model, which stores everything",
    .holds_counts = true,
    .holds_output = HeldOutput::kAny,
    .holds_output_bias = true,
    .holds_metadata = true,
    .holds_subwords = &HoldsAnySubwords,
    .quantized_forms = kQuantizedForms,
    .quantized_beside_n_grams = true,
    .refused_in_word = &RefusedInWord,
    .recognises = &Recognises,
    .load = &Load,
    .save = &Save,
    .describe = &Describe,
};

}  // namespace firth

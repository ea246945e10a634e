// A language model as word vectors: layer 0, the output of its token encoder
// for each word of its vocabulary, without context. This is a row of its table,
// the output of its character network, or a projection of both.
//
// The words are those with a row in the table or, for a model that reads only
// characters, those that it predicts. Marks are left out.

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "firth/status_macros.h"
#include "io/codecs/vector_rows.h"
#include "io/formats/vector_format.h"
#include "io/tensors/safetensors_header.h"
#include "lm/model/finite_layers.h"
#include "lm/model/language_model_file.h"
#include "lm/model/text_words.h"

namespace firth {
namespace {

// Words encoded together.
constexpr size_t kBlock = 1024;

const Vocabulary& WordsOf(const LanguageModelData& data) {
  return data.input_words.empty() ? data.words : data.input_words;
}

absl::Status NoWords(const std::string& path) {
  return absl::InvalidArgumentError(absl::StrCat(
      path,
      ": this language model reads only characters and has no words; \"firth "
      "distill\" makes vectors of the words of a text"));
}

// Returns the words after the marks, with their counts if these are known.
VectorRows RowsWithoutVectors(const BiLanguageModel& model,
                              const std::string& path) {
  const Vocabulary& words = WordsOf(model.data());
  const size_t marks = model.options().marks.size();
  VectorRows rows;
  rows.place = absl::StrCat(path, ": row ");
  rows.first = marks;
  const auto all = words.Words();
  rows.words.assign(all.begin() + static_cast<ptrdiff_t>(marks), all.end());
  const auto counts = words.counts();
  if (words.total_count() > 0) {
    rows.counts.assign(counts.begin() + static_cast<ptrdiff_t>(marks),
                       counts.end());
  }
  return rows;
}

absl::StatusOr<FloatTable> Encode(BiLanguageModel& model,
                                  const std::vector<absl::string_view>& words,
                                  const std::string& path, const Hooks& hooks) {
  FIRTH_ASSIGN_OR_RETURN(
      PaddedMatrix table,
      AllocateTable(path, words.size(), model.encoder().output_dim()));
  TextWords known(model);
  ChunkWords chunk(model, known);
  for (size_t first = 0; first < words.size(); first += kBlock) {
    if (hooks.StopRequested()) return absl::CancelledError("interrupted");
    const size_t end = std::min(first + kBlock, words.size());
    for (size_t i = first; i < end; ++i) chunk.Add(known.IdOf(words[i]));
    const ConstView<float> rows = model.encoder().Forward(chunk.batch());
    const float found = FirstNotFinite(rows);
    if (found != 0) {
      return NotFinite(absl::StrCat(path, ": layer 0, the token vectors"),
                       found);
    }
    for (size_t i = first; i < end; ++i) {
      std::copy_n(rows.Row(i - first), rows.cols(), table.Row(i));
    }
    chunk.Clear();
    hooks.ReportWork(end, words.size());
  }
  return table;
}

// The n-grams of a word give its row of the table. This row is the vector only
// if the encoder consists of nothing but the table.
std::optional<SubwordTables> SubwordsOf(const BiLanguageModel& model) {
  const nn::TokenEncoderOptions& encoder = model.options().encoder;
  const SubwordTables* const subwords = model.data().n_grams.subwords();
  const bool only_table = encoder.has_table() && !encoder.has_characters() &&
                          encoder.projection_dim == 0;
  if (subwords == nullptr || !only_table) return std::nullopt;
  return *subwords;
}

bool Recognises(absl::string_view head, absl::string_view) {
  return HasKey(head, kLanguageModelKind);
}

absl::StatusOr<VectorFile> Load(const MappedFilePtr& file,
                                const LoadOptions& options) {
  FIRTH_ASSIGN_OR_RETURN(const std::unique_ptr<BiLanguageModel> model,
                         LoadLanguageModel(file));
  if (WordsOf(model->data()).empty()) return NoWords(file->path());
  VectorRows rows = RowsWithoutVectors(*model, file->path());
  FIRTH_ASSIGN_OR_RETURN(
      rows.table, Encode(*model, rows.words, file->path(), options.hooks));
  rows.subwords = SubwordsOf(*model);
  FIRTH_ASSIGN_OR_RETURN(
      VectorFile loaded,
      AssembleFile(std::move(rows), options.duplicates, options.lazily));
  loaded.metadata = model->data().metadata;
  return loaded;
}

absl::StatusOr<VectorFileInfo> Describe(const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(const std::unique_ptr<BiLanguageModel> model,
                         LoadLanguageModel(file));
  const Vocabulary& words = WordsOf(model->data());
  if (words.empty()) return NoWords(file->path());
  VectorFileInfo info;
  info.words = words.size() - model->options().marks.size();
  info.dim = model->encoder().output_dim();
  info.has_counts = words.total_count() > 0;
  info.has_subwords = SubwordsOf(*model).has_value();
  info.metadata = model->data().metadata;
  return info;
}

constexpr VectorFormat kLanguageModelFormat = {
    .name = "language model",
    .extensions = {},
    .summary = "",
    .holds_counts = true,
    .holds_metadata = true,
    .recognises = &Recognises,
    .load = &Load,
    .save = nullptr,
    .describe = &Describe,
};

}  // namespace

const VectorFormat* NetworkFormat() { return &kLanguageModelFormat; }

}  // namespace firth

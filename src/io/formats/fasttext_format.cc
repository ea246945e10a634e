// fastText's model file, version 12 (.bin of fastText and of gensim's
// save_facebook_model; .ftz if it is quantized), in little-endian numbers
// without gaps:
//
//   +----------------+
//   | magic, version |  fasttext_parts.h: how the model was trained,
//   | arguments      |
//   | dictionary     |  its words, labels and kept n-grams
//   +----------------+
//   | u8 quantized   |  missing in files from before 2017
//   | input matrix   |  [words + n-gram rows, dim]: fasttext_parts.h
//   +----------------+
//   | u8 quantized   |  missing likewise
//   | output matrix  |  [words, dim], or [labels, dim] if supervised;
//   +----------------+  Firth writes [0, dim] if there is none
//
// A word's vector is the mean of its own row and those of its n-grams; n-gram g
// has row (words + hash(g) % buckets). The reader also accepts version 11 and
// earlier, supervised models (for their word vectors), and quantized and pruned
// models, in which a list assigns rows to buckets.
//
// A model trained by Firth has rows only for buckets that a word of the
// vocabulary uses. The others are written as zeros, which give unknown words
// the same vectors.

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/output_file.h"
#include "base/parallel_exceptions.h"
#include "firth/status_macros.h"
#include "io/codecs/byte_reader.h"
#include "io/codecs/vector_rows.h"
#include "io/formats/fasttext_parts.h"
#include "io/formats/fasttext_text.h"
#include "io/formats/vector_format.h"
#include "vectors/row_block.h"

namespace firth {
namespace {

constexpr absl::string_view kExtensions[] = {".ftbin"};

// Returns the rows of the kept n-grams in the order of their buckets.
absl::StatusOr<FloatTable> SortRows(const MappedFile& file,
                                    const FasttextHeader& header,
                                    const FloatTable& n_grams) {
  FIRTH_ASSIGN_OR_RETURN(
      PaddedMatrix sorted,
      AllocateTable(file.path(), n_grams.rows(), n_grams.cols()));
  for (size_t row = 0; row < n_grams.rows(); ++row) {
    const auto from = n_grams.Row(header.kept[row].second);
    std::copy(from.begin(), from.end(), sorted.Row(row));
  }
  return sorted;
}

absl::StatusOr<SubwordTables> MakeSubwords(const MappedFile& file,
                                           const FasttextHeader& header,
                                           const FloatTable& input) {
  const size_t words = header.words.size();
  SubwordTables subwords;
  subwords.words = input.Rows(0, words);
  subwords.n_grams = input.Rows(words, input.rows() - words);
  BucketSubwords options{header.min_n, header.max_n,
                         static_cast<uint32_t>(header.buckets)};
  // fastText treats a length of 0 like 1.
  options.min_n = std::max(options.min_n, 1);
  options.missing_count = !header.pruned;
  std::vector<uint32_t> buckets;
  if (header.pruned) {
    FIRTH_ASSIGN_OR_RETURN(subwords.n_grams,
                           SortRows(file, header, subwords.n_grams));
    for (const auto& [bucket, row] : header.kept) buckets.push_back(bucket);
  } else {
    buckets.resize(options.buckets);
    for (uint32_t i = 0; i < options.buckets; ++i) buckets[i] = i;
  }
  absl::StatusOr<SubwordIndex> index =
      SubwordIndex::OfBuckets(options, std::move(buckets));
  if (!index.ok()) {
    return absl::DataLossError(
        absl::StrCat(file.path(), ": n-grams: ", index.status().message()));
  }
  subwords.index = *std::move(index);
  return subwords;
}

// Returns the means of the rows of each word.
absl::StatusOr<FloatTable> Compose(const MappedFile& file,
                                   const FasttextHeader& header,
                                   const SubwordTables& subwords) {
  FIRTH_ASSIGN_OR_RETURN(
      PaddedMatrix vectors,
      AllocateTable(file.path(), header.words.size(), subwords.words.cols()));
  ParallelExceptions exceptions;
#pragma omp parallel for schedule( \
    static) if (IsWorthThreads(header.words.size() * vectors.cols()))
  for (size_t word = 0; word < header.words.size(); ++word) {
    exceptions.Catch([&] {
      std::vector<uint32_t> rows;
      const size_t count =
          1 + subwords.index.AppendRows(header.words[word], &rows);
      float* mean = vectors.Row(word);
      const auto own = subwords.words.Row(word);
      std::copy(own.begin(), own.end(), mean);
      AverageRows(subwords.n_grams, rows, count,
                  absl::MakeSpan(mean, own.size()));
    });
  }
  exceptions.Rethrow();
  return vectors;
}

bool AreFasttextBuckets(const SubwordOptions& options) {
  const auto* buckets = std::get_if<BucketSubwords>(&options);
  return buckets != nullptr && buckets->missing_count &&
         buckets->hash == BucketHash::kFasttext &&
         buckets->buckets <= std::numeric_limits<int32_t>::max();
}

// Writes the words' own rows. If the model lacks them, like one from a
// finalfusion file, writes the rows whose means with the n-grams are the words'
// vectors.
absl::Status WriteWordRows(const WordVectors& vectors,
                           const SubwordTables& subwords, OutputFile& out) {
  if (!subwords.words.empty()) return WriteTable(subwords.words, out);
  std::vector<double> own(vectors.dim());
  std::vector<float> written(vectors.dim());
  std::vector<uint32_t> rows;
  for (size_t i = 0; i < vectors.size(); ++i) {
    rows.clear();
    const auto count = static_cast<double>(
        1 + subwords.index.AppendRows(vectors.vocabulary().Word(ToWordId(i)),
                                      &rows));
    const absl::Span<const float> mean = vectors.Vector(ToWordId(i));
    for (size_t col = 0; col < own.size(); ++col) own[col] = count * mean[col];
    for (const uint32_t row : rows) {
      const absl::Span<const float> n_gram = subwords.n_grams.Row(row);
      for (size_t col = 0; col < own.size(); ++col) own[col] -= n_gram[col];
    }
    std::copy(own.begin(), own.end(), written.begin());
    FIRTH_RETURN_IF_ERROR(out.Write(BytesOf(absl::MakeConstSpan(written))));
  }
  return absl::OkStatus();
}

FasttextHeader HeaderFor(const VectorFile& file,
                         const SubwordTables* subwords) {
  const Vocabulary& vocabulary = file.vectors.vocabulary();
  FasttextHeader header;
  header.dim = static_cast<int32_t>(file.vectors.dim());
  ApplyMetadata(file.metadata, &header);
  if (subwords != nullptr) {
    const auto& options = std::get<BucketSubwords>(subwords->index.options());
    header.min_n = options.min_n;
    header.max_n = options.max_n;
    header.buckets = static_cast<int32_t>(options.buckets);
  }
  header.tokens = vocabulary.total_count();
  header.counts.assign(vocabulary.counts().begin(), vocabulary.counts().end());
  header.words = vocabulary.Words();
  return header;
}

absl::Status WriteShape(uint64_t rows, uint64_t cols, OutputFile& out) {
  return out.WriteNumbers(uint8_t{0}, rows, cols);  // 0 means not quantized.
}

absl::Status WriteInput(const WordVectors& vectors,
                        const SubwordTables* subwords,
                        const FasttextHeader& header, OutputFile& out) {
  FIRTH_RETURN_IF_ERROR(WriteShape(header.input_rows(), vectors.dim(), out));
  if (subwords == nullptr) return WriteTable(vectors.table(), out);
  FIRTH_RETURN_IF_ERROR(WriteWordRows(vectors, *subwords, out));
  return WriteBucketRows(*subwords, static_cast<uint64_t>(header.buckets), out);
}

// Returns whether the model has an output matrix. The reader must be after the
// header.
absl::StatusOr<bool> HasOutput(const FasttextHeader& header,
                               ByteReader& reader) {
  if (header.architecture == kFasttextSupervised) return false;
  if (!header.has_matrix_flags()) return true;
  const auto quantized =
      reader.ReadRange<uint8_t>("the flag for a quantized input", 0, 1);
  if (quantized != 0) return true;
  reader.Skip(AddSaturated(MultiplySaturated(header.input_rows(),
                                             static_cast<uint64_t>(header.dim) *
                                                 sizeof(float)),
                           2 * sizeof(int64_t) + 1),
              "the input matrix");
  const auto rows = reader.ReadRange<int64_t>(
      "the rows of the output matrix", 0, std::numeric_limits<int64_t>::max());
  const auto cols =
      reader.ReadRange<int64_t>("the columns of the output matrix", 0,
                                std::numeric_limits<int64_t>::max());
  reader.Skip(MultiplySaturated(static_cast<uint64_t>(rows),
                                MultiplySaturated(static_cast<uint64_t>(cols),
                                                  sizeof(float))),
              "the output matrix");
  FIRTH_RETURN_IF_ERROR(reader.status());
  return rows > 0;
}

// Returns an empty table for a supervised model, whose output matrix is for
// labels.
absl::StatusOr<FloatTable> ReadOutput(const MappedFilePtr& file,
                                      const FasttextHeader& header,
                                      bool all_finite, ByteReader& reader) {
  const bool supervised = header.architecture == kFasttextSupervised;
  FIRTH_ASSIGN_OR_RETURN(FloatTable output,
                         ReadFasttextMatrix(file, reader, header,
                                            supervised ? header.labels.size()
                                                       : header.words.size(),
                                            true, "the output matrix"));
  FIRTH_RETURN_IF_ERROR(reader.CheckEnd());
  if (supervised || output.empty()) return FloatTable();
  if (all_finite) {
    FIRTH_RETURN_IF_ERROR(
        CheckFinite(output, absl::StrCat(file->path(), ": the output matrix")));
  }
  return output;
}

bool Recognises(absl::string_view head, absl::string_view) {
  return StartsLikeFasttext(head);
}

const char* RefusedInWord(absl::string_view word) {
  return word.find_first_of(absl::string_view(" \n\r\t\v\f\0", 7)) == word.npos
             ? nullptr
             : "white space or a NUL byte in a word";
}

absl::StatusOr<VectorFile> Load(const MappedFilePtr& file,
                                const LoadOptions& options) {
  ByteReader reader(*file);
  FIRTH_ASSIGN_OR_RETURN(FasttextHeader header, ReadFasttextHeader(reader));
  FIRTH_ASSIGN_OR_RETURN(
      const FloatTable input,
      ReadFasttextMatrix(file, reader, header, header.input_rows(), false,
                         "the input matrix"));
  VectorRows rows;
  rows.place = absl::StrCat(file->path(), ": word ");
  rows.table = input.Rows(0, header.words.size());
  if (header.has_n_grams()) {
    FIRTH_ASSIGN_OR_RETURN(rows.subwords, MakeSubwords(*file, header, input));
    FIRTH_ASSIGN_OR_RETURN(rows.table, Compose(*file, header, *rows.subwords));
    if (!options.only_vectors && !options.lazily) {
      FIRTH_RETURN_IF_ERROR(CheckFinite(
          rows.subwords->n_grams, absl::StrCat(file->path(), ": n-grams")));
    }
  }
  const bool supervised = header.architecture == kFasttextSupervised;
  if (supervised && !options.only_vectors && !options.lazily) {
    // Checks the rows of word n-grams.
    FIRTH_RETURN_IF_ERROR(
        CheckFinite(input, absl::StrCat(file->path(), ": the input matrix")));
  }
  // If only the vectors are needed, the size of the output matrix is checked.
  const bool reads_output = !options.only_vectors;
  FIRTH_ASSIGN_OR_RETURN(
      FloatTable output,
      ReadOutput(file, header, reads_output && !options.lazily, reader));
  if (!reads_output) output = FloatTable();
  rows.words = std::move(header.words);
  rows.counts = std::move(header.counts);
  FIRTH_ASSIGN_OR_RETURN(
      VectorFile loaded,
      AssembleFile(std::move(rows), DuplicateWords::kError, options.lazily));
  if (supervised) {
    loaded.vectors = loaded.vectors.WithTextEncoder(
        MakeFasttextTextEncoder(header, loaded.vectors, input));
  }
  loaded.output = std::move(output);
  loaded.metadata = FasttextMetadata(header);
  return loaded;
}

absl::Status Save(const VectorFile& file, const SubwordTables* subwords,
                  const std::string& path, const Hooks& hooks) {
  if (file.vectors.size() > std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path,
        ": not written: a fastText file holds at most 2^31 - 1 words, found ",
        file.vectors.size()));
  }
  const FasttextHeader header = HeaderFor(file, subwords);
  FIRTH_ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(path, hooks));
  FIRTH_RETURN_IF_ERROR(WriteFasttextHeader(header, out));
  FIRTH_RETURN_IF_ERROR(WriteInput(file.vectors, subwords, header, out));
  FIRTH_RETURN_IF_ERROR(
      WriteShape(file.output.rows(), file.vectors.dim(), out));
  FIRTH_RETURN_IF_ERROR(WriteTable(file.output, out));
  return out.Commit();
}

absl::StatusOr<VectorFileInfo> Describe(const MappedFilePtr& file) {
  ByteReader reader(*file);
  FIRTH_ASSIGN_OR_RETURN(const FasttextHeader header,
                         ReadFasttextHeader(reader));
  VectorFileInfo info;
  info.words = header.words.size();
  info.dim = static_cast<uint64_t>(header.dim);
  info.has_counts = true;
  FIRTH_ASSIGN_OR_RETURN(info.has_output, HasOutput(header, reader));
  info.has_subwords = header.has_n_grams();
  info.metadata = FasttextMetadata(header);
  return info;
}

}  // namespace

extern constinit const VectorFormat kFasttextFormat = {
    .name = "fasttext",
    .extensions = kExtensions,
    .summary = "fastText's model, with its n-grams",
    .holds_counts = true,
    .holds_output = HeldOutput::kRowPerWord,
    .holds_subwords = &AreFasttextBuckets,
    .refused_in_word = &RefusedInWord,
    .recognises = &Recognises,
    .load = &Load,
    .save = &Save,
    .describe = &Describe,
};

}  // namespace firth

// The kinds of files: each reader looks at the content and describes the file,
// says that it is of another kind, or what is wrong with it. The first to know
// it is right.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <numeric>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/foreign_content.h"
#include "base/mapped_file.h"
#include "base/saturated.h"
#include "classify/model/classifier_file.h"
#include "classify/train/classifier_learner.h"
#include "documents/document_model.h"
#include "firth/embedding_file.h"
#include "firth/file_info.h"
#include "firth/status_macros.h"
#include "firth/vector_io.h"
#include "io/formats/vector_format.h"
#include "io/tensors/npy_header.h"
#include "lm/learn/language_model_learner.h"
#include "lm/read/embedding_file.h"
#include "lm/read/text_model.h"
#include "query/hnsw_file.h"
#include "run/checkpoints.h"
#include "sentences/sentence_learner.h"
#include "seq2seq/seq2seq_learner.h"
#include "seq2seq/seq2seq_model.h"
#include "tag/tag_learner.h"
#include "tag/tag_model.h"
#include "train/embedding_checkpoint.h"
#include "vocab/word_lines.h"

namespace firth {
namespace {

// No list has control characters at its start; binary files do, before they
// have a line end.
bool IsText(const MappedFile& file) {
  const absl::string_view head = file.bytes().substr(0, 4096);
  return !head.empty() && std::none_of(head.begin(), head.end(), [](char c) {
    return absl::ascii_iscntrl(static_cast<unsigned char>(c)) &&
           !absl::ascii_isspace(static_cast<unsigned char>(c));
  });
}

// The numbers at the end of a line of values that commas separate.
size_t CountCommaNumbers(absl::string_view line) {
  line = absl::StripTrailingAsciiWhitespace(line);
  size_t count = 0;
  size_t comma = line.rfind(',');
  for (float value; comma != line.npos; comma = line.rfind(',')) {
    if (!absl::SimpleAtof(line.substr(comma + 1), &value)) break;
    line = line.substr(0, comma);
    ++count;
  }
  return count;
}

bool IsPhraseLine(absl::string_view line) {
  const std::vector<absl::string_view> columns = absl::StrSplit(line, '\t');
  uint64_t count;
  double score;
  return columns.size() == 3 && !columns[0].empty() &&
         absl::SimpleAtoi(columns[1], &count) &&
         absl::SimpleAtod(columns[2], &score);
}

// Rows of a name and two numbers or more, separated by commas, which may come
// after a line of column names, as "firth export" writes them.
absl::StatusOr<std::optional<FileInfo>> DescribeCsv(const MappedFilePtr& file) {
  if (!IsText(*file)) return std::nullopt;
  uint64_t rows = 0;
  size_t numbers = 0;  // of each row
  bool is_first = true;
  absl::string_view rest = file->bytes();
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size() - 1);
    const size_t found = CountCommaNumbers(rest.substr(0, end + 1));
    rest.remove_prefix(end + 1);
    const bool is_heading = std::exchange(is_first, false) && found == 0;
    if (is_heading) continue;
    if (found < 2 || (rows > 0 && found != numbers)) return std::nullopt;
    numbers = found;
    ++rows;
  }
  if (rows == 0) return std::nullopt;
  FileInfo info;
  info.kind = "comma-separated values";
  info.facts = {{"rows", rows}, {"numbers", uint64_t{numbers}}};
  return info;
}

// A word a line, with counts or without, as "firth vocab" writes them.
absl::StatusOr<std::optional<FileInfo>> DescribeWordList(
    const MappedFilePtr& file) {
  if (!IsText(*file)) return std::nullopt;
  const absl::StatusOr<WordLines> lines = ParseWordLines(*file);
  if (!lines.ok() || lines->words.empty()) return std::nullopt;
  FileInfo info;
  info.kind = "vocabulary";
  info.facts = {{"words", uint64_t{lines->words.size()}},
                {"has_counts", !lines->counts.empty()}};
  if (!lines->counts.empty()) {
    info.facts.push_back(
        {"tokens", std::accumulate(lines->counts.begin(), lines->counts.end(),
                                   uint64_t{0}, &AddSaturated)});
  }
  return info;
}

// A phrase, its count and its score a line, with tabs between them, as "firth
// phrases --list" writes them.
absl::StatusOr<std::optional<FileInfo>> DescribePhraseList(
    const MappedFilePtr& file) {
  if (!IsText(*file)) return std::nullopt;
  uint64_t phrases = 0;
  absl::string_view rest = file->bytes();
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size() - 1);
    if (!IsPhraseLine(absl::StripSuffix(rest.substr(0, end + 1), "\n"))) {
      return std::nullopt;
    }
    ++phrases;
    rest.remove_prefix(end + 1);
  }
  FileInfo info;
  info.kind = "phrase list";
  info.facts = {{"phrases", phrases}};
  return info;
}

// An array that is neither vectors nor embeddings, as a file of offsets.
absl::StatusOr<std::optional<FileInfo>> DescribeArray(
    const MappedFilePtr& file) {
  if (!absl::StartsWith(file->bytes(), kNpyMagic)) return std::nullopt;
  FIRTH_ASSIGN_OR_RETURN(const NpyArray array, ReadNpyArray(*file));
  const bool may_be_vectors =
      array.shape.size() == 2 && (array.type == "<f4" || array.type == "<f8");
  if (may_be_vectors) return std::nullopt;
  FileInfo info;
  info.kind = "NumPy array";
  info.facts = {
      {"type", array.type},
      {"shape", absl::StrCat("[", absl::StrJoin(array.shape, ", "), "]")}};
  return info;
}

absl::StatusOr<std::optional<FileInfo>> DescribeVectors(
    const MappedFilePtr& file) {
  if (!MayBeVectors(*file)) return std::nullopt;
  FIRTH_ASSIGN_OR_RETURN(VectorFileInfo vectors,
                         DescribeVectorFile(file->path()));
  FileInfo info;
  info.kind = "vectors";
  info.facts = {{"format", vectors.format}};
  if (!vectors.compression.empty()) {
    info.facts.push_back({"compression", vectors.compression});
    info.facts.push_back({"unpacked_bytes", vectors.unpacked_bytes});
  }
  for (FileFact& fact :
       std::vector<FileFact>{{"words", vectors.words},
                             {"dim", vectors.dim},
                             {"has_counts", vectors.has_counts},
                             {"has_output", vectors.has_output},
                             {"has_subwords", vectors.has_subwords},
                             {"form", vectors.form},
                             {"bits_per_value", vectors.bits_per_value}}) {
    info.facts.push_back(std::move(fact));
  }
  info.metadata = std::move(vectors.metadata);
  info.warnings = std::move(vectors.warnings);
  return info;
}

struct FileKind {
  const char* name;
  absl::StatusOr<std::optional<FileInfo>> (*describe)(const MappedFilePtr&);
};

// Lists of text come before vectors: a word and its count also reads as a word
// and a vector of one dimension. Comma-separated values without spaces read as
// a list of words.
constexpr FileKind kKinds[] = {
    {"HNSW index", DescribeHnswIndex},
    {"language model", DescribeTextModel},
    {"tagger", DescribeTagModel},
    {"sequence-to-sequence model", DescribeSeq2SeqModel},
    {"classifier", DescribeClassifier},
    {"document vectors", DescribeDocumentModel},
    {"checkpoint of a training run", DescribeEmbeddingCheckpoint},
    {"checkpoint of document vectors", DescribeDocumentCheckpoint},
    {"checkpoint of a language model", DescribeLanguageModelCheckpoint},
    {"checkpoint of a tagger", DescribeTaggerCheckpoint},
    {"checkpoint of a sequence-to-sequence model", DescribeSeq2SeqCheckpoint},
    {"checkpoint of sentence vectors", DescribeSentenceCheckpoint},
    {"checkpoint of a classifier", DescribeClassifierCheckpoint},
    {"contextual vectors in HDF5", DescribeHdf5Embeddings},
    {"contextual vectors in .npy", DescribeNpyEmbeddings},
    {"contextual vectors in .safetensors", DescribeSafetensorsEmbeddings},
    {"NumPy array", DescribeArray},
    {"comma-separated values", DescribeCsv},
    {"vocabulary", DescribeWordList},
    {"phrase list", DescribePhraseList},
    {"vectors", DescribeVectors},
};

std::string ListKinds() {
  const std::string kinds =
      absl::StrJoin(kKinds, ", ", [](std::string* out, const FileKind& kind) {
        absl::StrAppend(out, kind.name);
      });
  return absl::StrCat(
      kinds, " (",
      absl::StrJoin(VectorFormats(), ", ",
                    [](std::string* out, const VectorFormatInfo& format) {
                      absl::StrAppend(out, format.name);
                    }),
      ")");
}

// To open a pipe would be to wait for its writer.
bool IsArray(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  const absl::StatusOr<MappedFilePtr> file = MappedFile::Open(path);
  return file.ok() && absl::StartsWith((*file)->bytes(), kNpyMagic);
}

}  // namespace

absl::StatusOr<FileInfo> DescribeFile(const std::string& path) {
  std::error_code ignored;
  std::string described = path;
  const bool is_folder = std::filesystem::is_directory(path, ignored);
  const bool is_folder_of_vectors = FileOfVectors(path) != path;
  if (is_folder_of_vectors) {
    described = FileOfVectors(path);
  } else if (is_folder) {
    FIRTH_ASSIGN_OR_RETURN(described, NewestCheckpoint(path));
  }
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(described));
  for (const FileKind& kind : kKinds) {
    FIRTH_ASSIGN_OR_RETURN(std::optional<FileInfo> info, kind.describe(file));
    if (!info.has_value()) continue;
    info->path = is_folder_of_vectors ? path : std::move(described);
    info->bytes = file->size();
    return *std::move(info);
  }
  const std::string foreign = FindForeignContent(file->bytes());
  if (!foreign.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": expected a file that Firth can read, found ", foreign));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": Firth does not recognize this file; expected one of ",
      ListKinds(), "; found ", DescribeContent(file->bytes())));
}

// The input may be several files under names that are made of one.
std::vector<std::string> FilesReadWith(const std::string& path) {
  std::vector<std::string> files = FilesBeside(path, "");
  if (IsArray(path)) {
    absl::c_copy(FilesBeside(path, EmbeddingFormat::kNpy),
                 std::back_inserter(files));
  }
  absl::string_view stem = path;
  if (absl::ConsumeSuffix(&stem, ".data.xml")) {
    files.push_back(absl::StrCat(stem, ".gold.key.txt"));
  }
  std::erase_if(files, [](const std::string& file) {
    std::error_code error;
    return !std::filesystem::exists(file, error);
  });
  return files;
}

}  // namespace firth

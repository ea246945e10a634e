// finalfusion (.fifu), in chunks of little-endian numbers and UTF-8:
//
//   +----------------------------------+
//   | "FiFu", u32 version, u32 n,      |  finalfusion_chunks.h
//   | n * u32 kind of chunk            |
//   +----------------------------------+
//   | u32 kind, u64 bytes | metadata   |  a text in TOML; optional
//   +----------------------------------+
//   | u32 kind, u64 bytes | vocabulary |  finalfusion_chunks.h
//   +----------------------------------+
//   | u32 kind, u64 bytes | array      |  finalfusion_arrays.h: rows of words,
//   +----------------------------------+  then those of n-grams
//   | u32 kind, u64 bytes | norms      |  norms of the words; optional
//   +----------------------------------+
//
// finalfusion stores the words' vectors at unit length and their norms
// separately. Firth multiplies them when it reads and divides when it writes,
// which changes a value by an ulp or two. A file without norms is used in
// place. Vectors whose norm is not a normal float are stored unchanged. The
// rows of n-grams are stored unchanged. The words' own rows, of which the
// vectors are means, are not stored. finalfusion represents unknown words by
// the sum of their n-grams at unit length, which has the same direction as the
// mean in Firth.
//
// Metadata from other programs are kept unchanged, under the key "finalfusion".
// All others are written after them, as a table of strings that can be read
// again: "[firth]", then lines such as: key = "value".
//
// Words must be valid UTF-8 and may contain any characters. With floret's
// n-grams there are no words.

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/output_file.h"
#include "base/unicode.h"
#include "firth/status_macros.h"
#include "io/codecs/byte_reader.h"
#include "io/codecs/vector_rows.h"
#include "io/formats/finalfusion_arrays.h"
#include "io/formats/finalfusion_chunks.h"
#include "io/formats/vector_format.h"

namespace firth {
namespace {

constexpr char kForeignKey[] = "finalfusion";
constexpr absl::string_view kOwnTable = "[firth]\n";

// Returns the text as a basic string of TOML.
std::string QuoteToml(absl::string_view text) {
  std::string valid;
  AppendReplacingInvalid(text, &valid);
  std::string quoted = "\"";
  for (const char c : valid) {
    if (c == '"' || c == '\\') {
      absl::StrAppend(&quoted, "\\", absl::string_view(&c, 1));
    } else if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) {
      absl::StrAppendFormat(&quoted, "\\u%04X", static_cast<unsigned char>(c));
    } else {
      quoted.push_back(c);
    }
  }
  quoted.push_back('"');
  return quoted;
}

// Removes a string written by QuoteToml() from the start of the line. Returns
// nothing for any other text.
std::optional<std::string> TakeQuoted(absl::string_view* line) {
  if (!absl::ConsumePrefix(line, "\"")) return std::nullopt;
  std::string text;
  while (!line->empty()) {
    const char c = line->front();
    line->remove_prefix(1);
    if (c == '"') return text;
    if (c != '\\') {
      text.push_back(c);
      continue;
    }
    uint32_t code_point;
    if (absl::ConsumePrefix(line, "u") && line->size() >= 4 &&
        absl::SimpleHexAtoi(line->substr(0, 4), &code_point)) {
      AppendUtf8(static_cast<int32_t>(code_point), &text);
      line->remove_prefix(4);
    } else if (!line->empty()) {
      text.push_back(line->front());
      line->remove_prefix(1);
    }
  }
  return std::nullopt;
}

std::optional<std::map<std::string, std::string>> ParseOwnTable(
    absl::string_view text) {
  std::map<std::string, std::string> own;
  while (!text.empty()) {
    absl::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    std::optional<std::string> key = TakeQuoted(&line);
    if (!key.has_value() || !absl::ConsumePrefix(&line, " = ")) {
      return std::nullopt;
    }
    std::optional<std::string> value = TakeQuoted(&line);
    if (!value.has_value() || !line.empty()) return std::nullopt;
    own[*std::move(key)] = *std::move(value);
  }
  return own;
}

// Returns the start of Firth's table, or npos.
size_t FindOwnTable(absl::string_view text) {
  if (absl::StartsWith(text, kOwnTable)) return 0;
  const size_t before = text.rfind(absl::StrCat("\n", kOwnTable));
  return before == text.npos ? text.npos : before + 1;
}

std::map<std::string, std::string> ParseFifuMetadata(absl::string_view text) {
  std::map<std::string, std::string> metadata;
  const size_t begin = FindOwnTable(text);
  if (begin != text.npos) {
    auto own = ParseOwnTable(text.substr(begin + kOwnTable.size()));
    if (own.has_value()) {
      metadata = *std::move(own);
      text = text.substr(0, begin);
    }
  }
  if (!text.empty()) metadata[kForeignKey] = std::string(text);
  return metadata;
}

// Replaces invalid UTF-8.
std::string MakeFifuMetadata(
    const std::map<std::string, std::string>& metadata) {
  std::string text;
  const auto foreign = metadata.find(kForeignKey);
  if (foreign != metadata.end()) AppendReplacingInvalid(foreign->second, &text);
  if (metadata.size() == (foreign == metadata.end() ? 0u : 1u)) return text;
  if (!text.empty() && text.back() != '\n') text.push_back('\n');
  text.append(kOwnTable.data(), kOwnTable.size());
  for (const auto& [key, value] : metadata) {
    if (key == kForeignKey) continue;
    absl::StrAppend(&text, QuoteToml(key), " = ", QuoteToml(value), "\n");
  }
  return text;
}

constexpr absl::string_view kExtensions[] = {".fifu"};

// Words and n-grams share an array, and n-grams are floats in Firth, so words
// cannot be quantized if there are n-grams.
constexpr absl::string_view kQuantizedForms[] = {PqRows::kName};

// Returns the words' part of the array, multiplied by the norms.
absl::StatusOr<FloatTable> ReadWordTable(const MappedFilePtr& file,
                                         const FifuChunks& chunks,
                                         const FloatTable& words,
                                         ByteReader& reader) {
  if (chunks.norms.begin == 0) return words;
  FIRTH_ASSIGN_OR_RETURN(const FloatTable norms,
                         ReadFifuNorms(file, chunks.norms, reader));
  if (norms.rows() == words.rows()) return ScaleRows(file, words, norms);
  return reader.Fail(chunks.norms.begin,
                     absl::StrCat("norms of ", words.rows(), " words"),
                     absl::StrCat(norms.rows()));
}

absl::StatusOr<VectorRows> ReadRows(const MappedFilePtr& file,
                                    const FifuChunks& chunks, bool all_finite,
                                    ByteReader& reader) {
  FIRTH_ASSIGN_OR_RETURN(FifuVocabulary vocabulary,
                         ReadFifuVocabulary(chunks.vocabulary, reader));
  FIRTH_ASSIGN_OR_RETURN(const FloatTable array,
                         ReadFifuArray(file, chunks.array, reader));
  const size_t words = vocabulary.words.size();
  if (array.rows() < words) {
    return reader.Fail(
        chunks.array.begin,
        absl::StrCat("an array with a row for each of ", words, " words"),
        absl::StrCat("one of ", array.rows()));
  }
  FIRTH_ASSIGN_OR_RETURN(SubwordIndex index,
                         MakeFifuIndex(vocabulary, array.rows() - words,
                                       chunks.vocabulary, reader));
  VectorRows rows;
  rows.place = absl::StrCat(file->path(), ": word ");
  FIRTH_ASSIGN_OR_RETURN(
      rows.table, ReadWordTable(file, chunks, array.Rows(0, words), reader));
  if (chunks.vocabulary.kind != FifuKind::kWords) {
    const FloatTable n_grams = array.Rows(words, array.rows() - words);
    if (all_finite) {
      FIRTH_RETURN_IF_ERROR(
          CheckFinite(n_grams, absl::StrCat(file->path(), ": n-grams")));
    }
    rows.subwords = SubwordTables{std::move(index), FloatTable(), n_grams};
  }
  rows.words = std::move(vocabulary.words);
  return rows;
}

absl::StatusOr<std::map<std::string, std::string>> ReadMetadata(
    const FifuChunks& chunks, ByteReader& reader) {
  if (chunks.metadata.begin == 0) return std::map<std::string, std::string>();
  reader.GoTo(chunks.metadata.begin);
  const absl::string_view text =
      reader.ReadBytes(chunks.metadata.bytes, "metadata");
  FIRTH_RETURN_IF_ERROR(reader.status());
  return ParseFifuMetadata(text);
}

// Writes the array, and the norms of the words if there are any.
absl::Status WriteFloats(const FloatTable& words, const SubwordTables* subwords,
                         bool has_words, OutputFile& out) {
  std::vector<float> norms;
  norms.reserve(words.rows());
  for (size_t i = 0; i < words.rows(); ++i) {
    norms.push_back(FifuNorm(words.Row(i)));
  }
  FIRTH_RETURN_IF_ERROR(WriteFifuArray(words, norms, subwords, out));
  return has_words ? WriteFifuNorms(norms, out) : absl::OkStatus();
}

bool Recognises(absl::string_view head, absl::string_view) {
  return absl::StartsWith(head, kFifuMagic);
}

const char* RefusedInWord(absl::string_view word) {
  return FindInvalidUtf8(word) == word.npos ? nullptr
                                            : "bytes that are not valid UTF-8";
}

absl::StatusOr<VectorFile> Load(const MappedFilePtr& file,
                                const LoadOptions& options) {
  ByteReader reader(*file);
  FIRTH_ASSIGN_OR_RETURN(const FifuChunks chunks, ReadFifuChunks(reader));
  FIRTH_ASSIGN_OR_RETURN(
      VectorRows rows,
      ReadRows(file, chunks,
               /*all_finite=*/!options.only_vectors && !options.lazily,
               reader));
  // The rows of n-grams belong to all words, so none can be dropped.
  const DuplicateWords duplicates =
      rows.subwords.has_value() ? DuplicateWords::kError : options.duplicates;
  FIRTH_ASSIGN_OR_RETURN(
      VectorFile loaded,
      AssembleFile(std::move(rows), duplicates, options.lazily));
  FIRTH_ASSIGN_OR_RETURN(loaded.metadata, ReadMetadata(chunks, reader));
  return loaded;
}

absl::Status Save(const VectorFile& file, const SubwordTables* subwords,
                  const std::string& path, const Hooks& hooks) {
  const auto* quantized = std::get_if<PqRows>(&file.vectors.rows());
  const SubwordOptions options = subwords == nullptr
                                     ? SubwordOptions(NoSubwords())
                                     : subwords->index.options();
  const bool has_words = !std::holds_alternative<FloretSubwords>(options);
  const std::string metadata = MakeFifuMetadata(file.metadata);
  std::vector<FifuKind> kinds = {
      FifuVocabularyKind(options),
      quantized != nullptr ? FifuKind::kQuantizedArray : FifuKind::kArray};
  if (!metadata.empty()) kinds.insert(kinds.begin(), FifuKind::kMetadata);
  if (has_words && quantized == nullptr) kinds.push_back(FifuKind::kNorms);

  FIRTH_ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(path, hooks));
  FIRTH_RETURN_IF_ERROR(WriteFifuHeader(kinds, out));
  if (!metadata.empty()) {
    FIRTH_RETURN_IF_ERROR(
        StartFifuChunk(out, FifuKind::kMetadata, metadata.size()));
    FIRTH_RETURN_IF_ERROR(out.Write(metadata));
  }
  const Vocabulary vocabulary =
      has_words ? file.vectors.vocabulary() : Vocabulary();
  FIRTH_RETURN_IF_ERROR(WriteFifuVocabulary(
      vocabulary, subwords == nullptr ? nullptr : &subwords->index, out));
  FIRTH_RETURN_IF_ERROR(
      quantized != nullptr
          ? WriteFifuQuantized(*quantized, out)
          : WriteFloats(file.vectors.table().Rows(0, vocabulary.size()),
                        subwords, has_words, out));
  return out.Commit();
}

absl::StatusOr<VectorFileInfo> Describe(const MappedFilePtr& file) {
  ByteReader reader(*file);
  FIRTH_ASSIGN_OR_RETURN(const FifuChunks chunks, ReadFifuChunks(reader));
  VectorFileInfo info;
  FIRTH_ASSIGN_OR_RETURN(info.words, CountFifuWords(chunks.vocabulary, reader));
  FIRTH_ASSIGN_OR_RETURN(const FifuShape shape,
                         ReadFifuShape(chunks.array, reader));
  info.dim = shape.cols;
  info.has_subwords = chunks.vocabulary.kind != FifuKind::kWords;
  FIRTH_ASSIGN_OR_RETURN(info.metadata, ReadMetadata(chunks, reader));
  return info;
}

}  // namespace

extern constinit const VectorFormat kFinalfusionFormat = {
    .name = "finalfusion",
    .extensions = kExtensions,
    .summary = "finalfusion, with its n-grams",
    .holds_metadata = true,
    .holds_subwords = &FifuHoldsSubwords,
    .holds_words_beside_floret = false,
    .quantized_forms = kQuantizedForms,
    .refused_in_word = &RefusedInWord,
    .recognises = &Recognises,
    .load = &Load,
    .save = &Save,
    .describe = &Describe,
};

}  // namespace firth

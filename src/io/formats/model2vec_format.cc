// A folder of model2vec (Tulkens and van Dongen, "Model2Vec: fast
// state-of-the-art static embeddings", 2024): static vectors of tokens, with
// the tokenizer that finds them in a text, as sentence-transformers reads them.
//
//   model.safetensors  embeddings  F32, F64, F16 or I8  [rows, dim]
//                      weights     F32, F64 or F16 [tokens]: the factor of each
//                                  token's row; optional
//                      mapping     I64 or I32 [tokens]: the row of each token;
//                                  optional, by default token i has row i
//   tokenizer.json     the number of each token: tokenizers/token_table.h
//   config.json        options, such as {"normalize": true, "hidden_dim": 256,
//                      "embedding_dtype": "float32", ...}
//   modules.json       modules of sentence-transformers; optional
//
// Without weights, the scale of I8 codes is not stored, as only directions
// matter. With weights, they store Firth's int8: the scale of a row is its
// weight. The token for unknown words (unk_token) is not a word and is left
// out; when written, it is the last row, of zeros.
//
// The module StaticEmbedding of sentence-transformers has the same files, but
// its tensor is "embedding.weight", config.json may be missing, and the token
// for unknown words is a word. Texts are normalized if modules.json has a
// module Normalize. The files may be in a subfolder that modules.json names,
// such as "0_StaticEmbedding". The metadata contain "model_type":
// "StaticEmbedding", by which such a folder is written again.
//
// The metadata are the content of config.json and, as "tokenizer", the content
// of tokenizer.json except the vocabulary, so that a file that is written again
// tokenizes text as before. "vocabulary_quantization" (the rows that tokens
// share) is dropped, as each word is written with a row of its own.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/errno_status.h"
#include "base/float16.h"
#include "base/foreign_content.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/matrix.h"
#include "base/output_file.h"
#include "base/unicode.h"
#include "firth/row_store.h"
#include "firth/status_macros.h"
#include "io/codecs/vector_rows.h"
#include "io/formats/model2vec_text.h"
#include "io/formats/vector_format.h"
#include "io/tensors/safetensors_header.h"
#include "nlohmann/json.hpp"
#include "tokenizers/token_table.h"
#include "vectors/sentence_form.h"
#include "vectors/word_bag_encoder.h"

namespace firth {
namespace {

constexpr char kEmbeddings[] = "embeddings";
constexpr char kEmbeddingWeight[] = "embedding.weight";
constexpr char kWeights[] = "weights";

struct Model2vecTensors {
  const TensorEntry* embeddings = nullptr;
  const TensorEntry* weights = nullptr;  // Null if all are 1.
  const TensorEntry* mapping = nullptr;  // Null if token i has row i.

  bool is_static() const { return embeddings->name == kEmbeddingWeight; }
  uint64_t dim() const { return embeddings->shape[1]; }
  uint64_t tokens() const {
    return mapping != nullptr ? mapping->shape[0] : embeddings->shape[0];
  }
};

constexpr char kMapping[] = "mapping";
// A word, with points and apostrophes between its letters or digits, or any
// other character.
constexpr char kWordPattern[] =
    R"([\p{L}\p{M}\p{N}_@]+(?:(?:(?<=[\p{L}\p{M}@])[.'’·](?=[\p{L}@])|)"
    R"((?<=\p{N})[.,;'’](?=\p{N}))[\p{L}\p{M}\p{N}_@]+)*|\S)";
// Any scale is valid. With this one, values are between -1 and 1.
constexpr float kCodeScale = 1.0f / 127;

// Returns whether the tensor has one of these types and this shape.
bool IsOneOf(const TensorEntry* tensor,
             std::initializer_list<absl::string_view> types,
             absl::Span<const uint64_t> shape) {
  return absl::c_any_of(types, [&](absl::string_view type) {
    return IsOfShape(tensor, type, shape);
  });
}

// Returns value i of a tensor of numbers, which need not be aligned.
template <class Value>
Value ValueAt(const MappedFile& file, const TensorEntry& tensor, size_t i) {
  Value value;
  std::memcpy(&value, file.data() + tensor.begin + i * sizeof(value),
              sizeof(value));
  return value;
}

float FloatAt(const MappedFile& file, const TensorEntry& tensor, size_t i) {
  if (tensor.dtype == "F64") {
    return static_cast<float>(ValueAt<double>(file, tensor, i));
  }
  if (tensor.dtype == "F16") {
    return FromFloat16Bits(ValueAt<uint16_t>(file, tensor, i));
  }
  if (tensor.dtype == "I8") {
    return static_cast<float>(ValueAt<int8_t>(file, tensor, i));
  }
  return ValueAt<float>(file, tensor, i);
}

// A token: its number and its row.
struct Place {
  size_t token;
  size_t row;
};

absl::StatusOr<std::vector<Place>> PlacesOf(const MappedFile& file,
                                            const Model2vecTensors& tensors,
                                            const std::vector<size_t>& tokens) {
  std::vector<Place> places;
  const uint64_t most = tensors.embeddings->shape[0];
  for (const size_t token : tokens) {
    if (tensors.mapping == nullptr) {
      places.push_back({token, token});
      continue;
    }
    const int64_t row = tensors.mapping->dtype == "I64"
                            ? ValueAt<int64_t>(file, *tensors.mapping, token)
                            : ValueAt<int32_t>(file, *tensors.mapping, token);
    if (row < 0 || static_cast<uint64_t>(row) >= most) {
      return absl::DataLossError(absl::StrCat(
          file.path(), ": tensor \"", kMapping, "\", token ", token,
          ": expected a row from 0 to ", most - 1, ", found ", row));
    }
    places.push_back({token, static_cast<size_t>(row)});
  }
  return places;
}

// Copies rows of values unchanged from the file.
template <class Value>
Table<Value> Gather(const MappedFile& file, const Model2vecTensors& tensors,
                    const std::vector<Place>& places) {
  const size_t bytes = tensors.dim() * sizeof(Value);
  Matrix<Value> rows(places.size(), tensors.dim());
  for (size_t i = 0; i < places.size(); ++i) {
    std::memcpy(rows.Row(i),
                file.data() + tensors.embeddings->begin + places[i].row * bytes,
                bytes);
  }
  return rows;
}

absl::StatusOr<RowStore> ReadCodes(const MappedFile& file,
                                   const Model2vecTensors& tensors,
                                   const std::vector<Place>& places) {
  Int8Rows rows;
  rows.codes = Gather<int8_t>(file, tensors, places);
  Matrix<float> scales(places.size(), 1);
  for (size_t i = 0; i < places.size(); ++i) {
    const absl::Span<const int8_t> codes = rows.codes.Row(i);
    const float scale = tensors.weights == nullptr
                            ? kCodeScale
                            : FloatAt(file, *tensors.weights, places[i].token);
    if (!(scale >= 0 && std::isfinite(scale)) ||
        absl::c_linear_search(codes, std::numeric_limits<int8_t>::min())) {
      return absl::InvalidArgumentError(
          absl::StrCat(file.path(), ": token ", places[i].token,
                       ": expected codes from -127 to 127 and a finite weight "
                       "of 0 or more, found another value"));
    }
    scales.Row(i)[0] = scale;
  }
  rows.scales = std::move(scales);
  return rows;
}

absl::StatusOr<RowStore> ReadWeighted(const MappedFile& file,
                                      const Model2vecTensors& tensors,
                                      const std::vector<Place>& places) {
  const size_t dim = tensors.dim();
  FIRTH_ASSIGN_OR_RETURN(PaddedMatrix table,
                         AllocateTable(file.path(), places.size(), dim));
  for (size_t i = 0; i < places.size(); ++i) {
    const float weight = tensors.weights == nullptr
                             ? 1
                             : FloatAt(file, *tensors.weights, places[i].token);
    for (size_t d = 0; d < dim; ++d) {
      table.Row(i)[d] =
          weight * FloatAt(file, *tensors.embeddings, places[i].row * dim + d);
    }
  }
  return FloatTable(std::move(table));
}

// Returns whether the words have the first rows, in their order.
bool AreFirstRows(const std::vector<Place>& places) {
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].row != i) return false;
  }
  return true;
}

// Finds the tensors and checks types and shapes. Errors: InvalidArgument.
absl::StatusOr<Model2vecTensors> FindModel2vecTensors(
    const MappedFile& file, const SafetensorsHeader& header) {
  Model2vecTensors tensors;
  tensors.embeddings = header.Find(kEmbeddings);
  if (tensors.embeddings == nullptr) {
    tensors.embeddings = header.Find(kEmbeddingWeight);
  }
  tensors.weights = header.Find(kWeights);
  tensors.mapping = header.Find(kMapping);
  if (!IsOneOf(tensors.embeddings, {"F32", "F64", "F16", "I8"},
               {kAnySize, kAnySize}) ||
      tensors.dim() == 0) {
    return BadTensor(file,
                     tensors.embeddings != nullptr
                         ? tensors.embeddings->name.c_str()
                         : kEmbeddings,
                     "F32, F64, F16 or I8 [rows, dim]", tensors.embeddings);
  }
  if (tensors.mapping != nullptr &&
      !IsOneOf(tensors.mapping, {"I64", "I32"}, {kAnySize})) {
    return BadTensor(file, kMapping, "I64 or I32 [tokens]", tensors.mapping);
  }
  if (tensors.weights != nullptr &&
      !IsOneOf(tensors.weights, {"F32", "F64", "F16"}, {tensors.tokens()})) {
    return BadTensor(file, kWeights,
                     absl::StrCat("F32, F64 or F16 [", tensors.tokens(), "]"),
                     tensors.weights);
  }
  return tensors;
}

// Returns the rows of these tokens, in the file if they are consecutive floats.
// Errors: DataLoss, a mapping out of range; InvalidArgument, an invalid code or
// weight.
absl::StatusOr<RowStore> ReadModel2vecRows(const MappedFilePtr& file,
                                           const Model2vecTensors& tensors,
                                           const std::vector<size_t>& tokens) {
  FIRTH_ASSIGN_OR_RETURN(const std::vector<Place> places,
                         PlacesOf(*file, tensors, tokens));
  const std::string& type = tensors.embeddings->dtype;
  if (type == "I8") return ReadCodes(*file, tensors, places);
  if (tensors.weights != nullptr) return ReadWeighted(*file, tensors, places);
  if (type == "F16") {
    return Float16Rows{Gather<uint16_t>(*file, tensors, places)};
  }
  if (type == "F32" && AreFirstRows(places)) {
    return TableInFile(file, tensors.embeddings->begin, places.size(),
                       tensors.dim());
  }
  return ReadWeighted(*file, tensors, places);
}

}  // namespace

extern const VectorFormat kModel2vecFormat;

namespace {

constexpr absl::string_view kExtensions[] = {"/"};
constexpr absl::string_view kQuantizedForms[] = {Float16Rows::kName,
                                                 Int8Rows::kName};
constexpr absl::string_view kFolderFiles[] = {"model.safetensors",
                                              "tokenizer.json", "config.json"};
constexpr absl::string_view kModules = "modules.json";

std::string FolderOf(const MappedFile& file) {
  const auto folder = std::filesystem::path(file.path()).parent_path();
  return folder.empty() ? "." : folder.string();
}

std::string FileIn(const std::string& folder, absl::string_view name) {
  return (std::filesystem::path(folder) / std::string(name)).string();
}

// Reads numbers, flags and lists as JSON, and strings as they are.
absl::StatusOr<std::map<std::string, std::string>> ReadConfig(
    const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  const Json config = ParseJson(file->bytes());
  if (!config.is_object()) {
    return absl::DataLossError(absl::StrCat(path,
                                            ": expected a JSON object, found ",
                                            DescribeContent(file->bytes())));
  }
  std::map<std::string, std::string> metadata;
  for (const auto& [key, value] : config.items()) {
    metadata[key] =
        value.is_string() ? value.get<std::string>() : DumpJson(value);
  }
  return metadata;
}

// Returns the modules of sentence-transformers, or null if there is no such
// file. Errors: DataLoss, not an array, such as a truncated file.
absl::StatusOr<Json> ReadModules(const std::string& folder) {
  const std::string path = FileIn(folder, kModules);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return Json();
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  Json modules = ParseJson(file->bytes());
  if (modules.is_array()) return modules;
  return absl::DataLossError(absl::StrCat(
      path, ": expected a JSON array, found ", DescribeContent(file->bytes())));
}

std::string TextOf(const Json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>()
                                                     : std::string();
}

// Returns whether the module is of this class, in whichever package.
bool IsModule(const Json& module, absl::string_view name) {
  return absl::EndsWith(TextOf(module, "type"), absl::StrCat(".", name));
}

// Returns the subfolder of the StaticEmbedding, or "" if there is none.
std::string SubfolderOf(const Json& modules) {
  for (const Json& module : modules) {
    std::string path = TextOf(module, "path");
    const bool is_name =
        !path.empty() && path[0] != '.' && !absl::StrContains(path, '/');
    if (is_name && IsModule(module, kStaticEmbedding)) return path;
  }
  return "";
}

// Returns the modules in the folder, or if there is no such file, those in the
// folder above it, if they name this subfolder.
absl::StatusOr<Json> ModulesOf(const std::string& folder) {
  FIRTH_ASSIGN_OR_RETURN(Json modules, ReadModules(folder));
  if (!modules.is_null()) return modules;
  std::error_code error;
  const auto whole = std::filesystem::absolute(folder, error);
  FIRTH_ASSIGN_OR_RETURN(modules, ReadModules(whole.parent_path().string()));
  return SubfolderOf(modules) == whole.filename() ? modules : Json();
}

// Reads config.json and modules.json.
absl::StatusOr<std::map<std::string, std::string>> ReadMetadata(
    const std::string& folder, bool is_static) {
  std::map<std::string, std::string> metadata;
  const std::string config = FileIn(folder, kFolderFiles[2]);
  std::error_code error;
  if (!is_static || std::filesystem::exists(config, error)) {
    FIRTH_ASSIGN_OR_RETURN(metadata, ReadConfig(config));
  }
  FIRTH_ASSIGN_OR_RETURN(const Json modules, ModulesOf(folder));
  if (is_static) {
    metadata[kModelType] = kStaticEmbedding;
    const bool normalizes = absl::c_any_of(modules, [](const Json& module) {
      return IsModule(module, "Normalize");
    });
    metadata["normalize"] = normalizes ? "true" : "false";
  }
  return metadata;
}

// Returns numpy's name of the type of the embeddings.
const char* TypeNameOf(const RowStore& rows) {
  if (std::holds_alternative<Float16Rows>(rows)) return "float16";
  return std::holds_alternative<Int8Rows>(rows) ? "int8" : "float32";
}

// Returns the rest of a tokenizer (tokenizers/token_table.h) that divides texts
// into words in this form, or "" for words that are separated by white space.
// The pattern is that of Unicode's word boundaries (Unicode Standard Annex 29),
// except that it knows no dictionaries and no sequences of emoji.
std::string TokenizerOf(const SentenceForm& form) {
  if (!form.lowercase && !form.split_punctuation) return "";
  Json tokenizer = {{"version", "1.0"},
                    {"added_tokens", Json::array()},
                    {"pre_tokenizer", {{"type", "WhitespaceSplit"}}},
                    {"model", {{"type", "WordLevel"}}}};
  if (form.lowercase) tokenizer["normalizer"] = {{"type", "Lowercase"}};
  if (form.split_punctuation) {
    const Json split = {{"type", "Split"},
                        {"pattern", {{"Regex", kWordPattern}}},
                        {"behavior", "Isolated"},
                        {"invert", false}};
    tokenizer["pre_tokenizer"] = {
        {"type", "Sequence"},
        {"pretokenizers", {tokenizer["pre_tokenizer"], split}}};
  }
  return DumpJson(tokenizer);
}

// Returns the rest of the tokenizer of a file, or "".
absl::StatusOr<std::string> TokenizerOf(const VectorFile& file,
                                        const std::string& path) {
  const auto tokenizer = file.metadata.find(kModel2vecTokenizer);
  if (tokenizer != file.metadata.end()) return tokenizer->second;
  const auto sentences = file.metadata.find(std::string(kSentencesKey));
  if (sentences == file.metadata.end()) return "";
  FIRTH_ASSIGN_OR_RETURN(const SentenceForm form,
                         ReadSentenceForm(sentences->second, path));
  return TokenizerOf(form);
}

Json MakeConfig(const std::map<std::string, std::string>& metadata,
                const WordVectors& vectors, bool is_static) {
  Json config = {{"normalize", true}, {"seq_length", 1000000}};
  for (const auto& [key, value] : metadata) {
    // The tokenizer contains the form of sentences.
    if (key == kModel2vecTokenizer || key == kSentencesKey ||
        key == "vocabulary_quantization") {
      continue;
    }
    const Json parsed = ParseJson(value);
    // model2vec's option is a boolean. Training has another of the same name.
    if (key == "normalize" && !parsed.is_boolean()) continue;
    config[key] = parsed.is_discarded() ? Json(value) : parsed;
  }
  if (!is_static) {
    config[kModelType] = "model2vec";
    config["architectures"] = {"StaticModel"};
  }
  config["hidden_dim"] = vectors.dim();
  config["embedding_dtype"] = TypeNameOf(vectors.rows());
  return config;
}

// A text is the mean of its tokens, normalized if the config requires it.
Json MakeModules(const Json& config) {
  const auto module = [](size_t number, const char* path, const char* type) {
    return Json{{"idx", number},
                {"name", absl::StrCat(number)},
                {"path", path},
                {"type", absl::StrCat("sentence_transformers.models.", type)}};
  };
  Json modules = Json::array({module(0, ".", "StaticEmbedding")});
  if (config["normalize"] == true) {
    modules.push_back(module(1, "1_Normalize", "Normalize"));
  }
  return modules;
}

// Many models have a tensor "embedding.weight".
bool Recognises(absl::string_view head, absl::string_view path) {
  if (HasKey(head, "offsets") || HasKey(head, "vocabulary")) return false;
  if (HasKey(head, kEmbeddings)) return true;
  if (!HasKey(head, kEmbeddingWeight)) return false;
  const std::filesystem::path file = FileOfVectors(std::string(path));
  std::error_code error;
  return std::filesystem::exists(
      file.parent_path() / std::string(kFolderFiles[1]), error);
}

const char* RefusedInWord(absl::string_view word) {
  return FindInvalidUtf8(word) == word.npos ? nullptr
                                            : "bytes that are not valid UTF-8";
}

absl::StatusOr<VectorFile> Load(const MappedFilePtr& file,
                                const LoadOptions& options) {
  FIRTH_ASSIGN_OR_RETURN(const SafetensorsHeader header,
                         ReadSafetensorsHeader(*file));
  FIRTH_ASSIGN_OR_RETURN(const Model2vecTensors tensors,
                         FindModel2vecTensors(*file, header));
  const std::string folder = FolderOf(*file);
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr tokenizer,
                         MappedFile::Open(FileIn(folder, kFolderFiles[1])));
  FIRTH_ASSIGN_OR_RETURN(const TokenTable tokens,
                         ReadTokenTable(*tokenizer, tensors.tokens()));
  FIRTH_ASSIGN_OR_RETURN(auto metadata,
                         ReadMetadata(folder, tensors.is_static()));
  metadata[kModel2vecTokenizer] = tokens.rest;
  VectorRows rows;
  rows.place = absl::StrCat(file->path(), ": row ");
  std::vector<size_t> kept;
  for (size_t token = 0; token < tokens.tokens.size(); ++token) {
    if (token == tokens.unknown && !tensors.is_static()) continue;
    kept.push_back(token);
    rows.words.push_back(tokens.tokens[token]);
  }
  FIRTH_ASSIGN_OR_RETURN(rows.table, ReadModel2vecRows(file, tensors, kept));
  if (!options.keep_form) {
    FIRTH_ASSIGN_OR_RETURN(rows.table, ToFloatTable(rows.table));
  }
  FIRTH_ASSIGN_OR_RETURN(
      VectorFile loaded,
      AssembleFile(std::move(rows), options.duplicates, options.lazily));
  loaded.metadata = std::move(metadata);
  return loaded;
}

// How the rows are written.
struct EmbeddingsOptions {
  const char* tensor;
  size_t zeros;  // Number of rows of zeros after the others: 0 or 1.
};

template <class Value>
void AddEmbeddings(const EmbeddingsOptions& options, const char* type,
                   const Table<Value>& rows, SafetensorsWriter* writer) {
  const size_t zeros = options.zeros;
  writer->Add(options.tensor, type, {rows.rows() + zeros, rows.cols()},
              [rows, zeros](OutputFile& out) {
                FIRTH_RETURN_IF_ERROR(WriteTable(rows, out));
                const std::vector<Value> last(zeros * rows.cols());
                return out.Write(BytesOf(absl::MakeConstSpan(last)));
              });
}

// Borrows the rows.
SafetensorsWriter WriterFor(const EmbeddingsOptions& options,
                            const RowStore& rows) {
  SafetensorsWriter writer;
  if (const auto* halves = std::get_if<Float16Rows>(&rows)) {
    AddEmbeddings(options, "F16", halves->values, &writer);
  } else if (const auto* codes = std::get_if<Int8Rows>(&rows)) {
    AddEmbeddings(options, "I8", codes->codes, &writer);
    const FloatTable& scales = codes->scales;
    const size_t zeros = options.zeros;
    writer.Add(kWeights, "F32", {scales.rows() + zeros},
               [&scales, zeros](OutputFile& out) {
                 FIRTH_RETURN_IF_ERROR(WriteTable(scales, out));
                 const std::vector<float> last(zeros);
                 return out.Write(BytesOf(absl::MakeConstSpan(last)));
               });
  } else {
    AddEmbeddings(options, "F32", std::get<FloatTable>(rows), &writer);
  }
  return writer;
}

absl::Status SaveFiles(const VectorFile& file, const std::string& folder,
                       const Hooks& hooks) {
  FIRTH_ASSIGN_OR_RETURN(const std::string tokenizer,
                         TokenizerOf(file, folder));
  const bool is_static = IsStaticEmbedding(file);
  const MadeTokenizer made =
      MakeTokenizer(file.vectors.vocabulary().Words(), tokenizer,
                    /*separates_unknown=*/!is_static);
  const EmbeddingsOptions options = {is_static ? kEmbeddingWeight : kEmbeddings,
                                     made.adds_unknown ? size_t{1} : size_t{0}};
  std::vector<OutputFile> out;
  for (const absl::string_view name :
       {kFolderFiles[0], kFolderFiles[1], kFolderFiles[2], kModules}) {
    FIRTH_ASSIGN_OR_RETURN(OutputFile created,
                           OutputFile::Create(FileIn(folder, name), hooks));
    out.push_back(std::move(created));
  }
  FIRTH_RETURN_IF_ERROR(
      WriterFor(options, file.vectors.rows()).WriteTo(out[0]));
  FIRTH_RETURN_IF_ERROR(out[1].Write(made.json));
  const Json config = MakeConfig(file.metadata, file.vectors, is_static);
  FIRTH_RETURN_IF_ERROR(out[2].Write(DumpJson(config)));
  FIRTH_RETURN_IF_ERROR(out[3].Write(DumpJson(MakeModules(config))));
  return OutputFile::CommitAll({&out[1], &out[2], &out[3], &out[0]});
}

absl::Status Save(const VectorFile& file, const SubwordTables*,
                  const std::string& path, const Hooks& hooks) {
  const std::string folder = FolderToWrite(kModel2vecFormat, path);
  std::error_code error;
  const bool made = std::filesystem::create_directory(folder, error);
  if (error) {
    return ErrnoStatus(error.value(), folder, "cannot create the folder");
  }
  absl::Status status = SaveFiles(file, folder, hooks);
  // Removes only an empty folder.
  if (!status.ok() && made) std::filesystem::remove(folder, error);
  return status;
}

std::string FormOfType(const std::string& type) {
  if (type == "F16") return std::string(Float16Rows::kName);
  return type == "I8" ? std::string(Int8Rows::kName) : "float32";
}

absl::StatusOr<VectorFileInfo> Describe(const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(const SafetensorsHeader header,
                         ReadSafetensorsHeader(*file));
  FIRTH_ASSIGN_OR_RETURN(const Model2vecTensors tensors,
                         FindModel2vecTensors(*file, header));
  const std::string folder = FolderOf(*file);
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr tokenizer,
                         MappedFile::Open(FileIn(folder, kFolderFiles[1])));
  FIRTH_ASSIGN_OR_RETURN(const TokenTable tokens,
                         ReadTokenTable(*tokenizer, tensors.tokens()));
  const bool leaves_out = tokens.unknown.has_value() && !tensors.is_static();
  VectorFileInfo info;
  info.words = tokens.tokens.size() - (leaves_out ? 1 : 0);
  info.dim = tensors.dim();
  info.form = FormOfType(tensors.embeddings->dtype);
  info.bits_per_value =
      8 * static_cast<double>(BytesPerValue(tensors.embeddings->dtype));
  FIRTH_ASSIGN_OR_RETURN(info.metadata,
                         ReadMetadata(folder, tensors.is_static()));
  return info;
}

}  // namespace

std::string StaticEmbeddingFolder(const std::string& folder) {
  const absl::StatusOr<Json> modules = ReadModules(folder);
  const std::string name = modules.ok() ? SubfolderOf(*modules) : "";
  return name.empty() ? "" : FileIn(folder, name);
}

extern constinit const VectorFormat kModel2vecFormat = {
    .name = "model2vec",
    .extensions = kExtensions,
    .summary = "a model2vec folder, for sentence-transformers",
    .holds_metadata = true,
    .quantized_forms = kQuantizedForms,
    .refused_in_word = &RefusedInWord,
    .folder_files = kFolderFiles,
    .recognises = &Recognises,
    .load = &Load,
    .save = &Save,
    .describe = &Describe,
};

}  // namespace firth

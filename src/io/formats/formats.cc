// The list of vector file formats, and the public functions that use them.

#include <bit>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/foreign_content.h"
#include "base/quote.h"
#include "firth/quantize.h"
#include "firth/status_macros.h"
#include "firth/vector_io.h"
#include "io/codecs/vector_rows.h"
#include "io/formats/model2vec_text.h"
#include "io/formats/vector_format.h"

static_assert(std::endian::native == std::endian::little,
              "the formats store numbers as they are in memory");

namespace firth {

// A new format needs a line here and one in the table. Content is checked in
// this order.
extern const VectorFormat kModel2vecFormat;
extern const VectorFormat kSafetensorsFormat;
extern const VectorFormat kNpyFormat;
extern const VectorFormat kFinalfusionFormat;
extern const VectorFormat kFasttextFormat;
extern const VectorFormat kFloretFormat;
extern const VectorFormat kWord2vecBinaryFormat;
extern const VectorFormat kWord2vecTextFormat;
extern const VectorFormat kGloveFormat;

namespace {

// A file without words can claim any number of dimensions, and vectors of that
// size would be allocated.
constexpr size_t kMostDimensions = size_t{1} << 24;

constexpr const VectorFormat* kFormats[] = {
    &kModel2vecFormat,      &kSafetensorsFormat,  &kNpyFormat,
    &kFinalfusionFormat,    &kFasttextFormat,     &kFloretFormat,
    &kWord2vecBinaryFormat, &kWord2vecTextFormat, &kGloveFormat};

// Finds a format by its name, but not that of networks.
const VectorFormat* FindByName(absl::string_view name) {
  for (const VectorFormat* format : kFormats) {
    if (format->name == name) return format;
  }
  return nullptr;
}

const VectorFormat* FindByExtension(absl::string_view path) {
  for (const VectorFormat* format : kFormats) {
    for (const absl::string_view extension : format->extensions) {
      if (absl::EndsWithIgnoreCase(path, extension)) return format;
    }
  }
  return nullptr;
}

// Checks for a model of a network first, since those are also stored in
// .safetensors files.
const VectorFormat* FindByContent(absl::string_view head,
                                  absl::string_view path) {
  const VectorFormat* const network = NetworkFormat();
  if (network != nullptr && network->recognises(head, path)) return network;
  for (const VectorFormat* format : kFormats) {
    if (format->recognises(head, path)) return format;
  }
  return nullptr;
}

// Returns "bin (.bin), text (.txt .vec)".
std::string ListFormats() {
  return absl::StrJoin(
      kFormats, ", ", [](std::string* out, const VectorFormat* format) {
        absl::StrAppend(out, format->name, " (",
                        absl::StrJoin(format->extensions, " "), ")");
      });
}

absl::StatusOr<const VectorFormat*> FormatToWrite(absl::string_view path,
                                                  absl::string_view name) {
  const VectorFormat* format =
      name.empty() ? FindByExtension(path) : FindByName(name);
  if (format != nullptr) return format;
  if (!name.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no vector format ", Quote(name),
                     "; the formats are ", ListFormats()));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(path,
                   ": the name does not determine the vector format; give a "
                   "format or an extension of ",
                   ListFormats()));
}

// Finds the format by the content. If the content is ambiguous, the name
// decides, and the reader of that format can then report what is wrong. `head`:
// the first bytes of the file, at most kHeadBytes.
absl::StatusOr<const VectorFormat*> FormatToRead(absl::string_view head,
                                                 const std::string& path,
                                                 absl::string_view name) {
  if (std::string foreign = FindForeignContent(head); !foreign.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": expected a vector file, found ", foreign));
  }
  const absl::string_view plain = PlainName(path);
  if (!name.empty()) return FormatToWrite(plain, name);
  if (const VectorFormat* format = FindByContent(head, plain)) return format;
  if (const VectorFormat* format = FindByExtension(plain)) return format;
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": not a vector file of a known format (",
                   ListFormats(), "); found ", DescribeContent(head)));
}

// Returns the error of a file that was read in the format that the caller
// named, and adds the format that its content has.
absl::Status WithFormatFound(const absl::Status& status,
                             const VectorFormat& named,
                             const MappedFile& file) {
  const VectorFormat* const found =
      FindByContent(file.bytes().substr(0, kHeadBytes), PlainName(file.path()));
  if (found == nullptr || found == &named) return status;
  return absl::InvalidArgumentError(absl::StrCat(
      file.path(), ": the file has the format \"", found->name, "\", not \"",
      named.name, "\"; omit the format to have it detected"));
}

bool IsOneFile(const VectorFormat& format) {
  return format.words_extension.empty() && format.folder_files.empty();
}

// A file, and the format in which to read it.
struct OpenedVectors {
  UnpackedFile opened;
  const VectorFormat* format = nullptr;
};

// Returns the fault of a compressed file, judging by the start of its content.
absl::Status CheckPacked(absl::string_view head, const std::string& path,
                         absl::string_view name) {
  FIRTH_ASSIGN_OR_RETURN(const VectorFormat* format,
                         FormatToRead(head, path, name));
  if (IsOneFile(*format)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": format ", format->name,
                   " consists of two files and cannot be read compressed; "
                   "unpack them first, as with gunzip"));
}

absl::StatusOr<OpenedVectors> OpenVectors(const std::string& path,
                                          absl::string_view name,
                                          const Hooks& hooks = {}) {
  const auto check = [&](absl::string_view head) {
    return CheckPacked(head, path, name);
  };
  FIRTH_ASSIGN_OR_RETURN(UnpackedFile opened,
                         OpenUnpacked(FileOfVectors(path), check, hooks));
  if (opened.file->size() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": expected a vector file, found an empty file"));
  }
  FIRTH_ASSIGN_OR_RETURN(
      const VectorFormat* format,
      FormatToRead(opened.file->bytes().substr(0, kHeadBytes), path, name));
  return OpenedVectors{std::move(opened), format};
}

absl::StatusOr<VectorFile> LoadIn(const VectorFormat& format,
                                  const MappedFilePtr& file,
                                  const LoadOptions& options) {
  absl::StatusOr<VectorFile> loaded = format.load(file, options);
  if (options.hooks.StopRequested()) return absl::CancelledError("interrupted");
  if (!loaded.ok()) return loaded;
  if (loaded->vectors.dim() > kMostDimensions) {
    return absl::InvalidArgumentError(absl::StrCat(
        file->path(), ": vectors must have at most ", kMostDimensions,
        " dimensions, found ", loaded->vectors.dim()));
  }
  AddModel2vecTextEncoder(file->path(), &*loaded);
  return loaded;
}

absl::Status CheckAllFinite(const VectorFile& file, const std::string& path) {
  const auto check = [&](absl::string_view name, const FloatTable& table) {
    return CheckFinite(table,
                       absl::StrCat(path, ": not written: ", name, " table"));
  };
  // Quantize() returns only finite values.
  if (file.vectors.is_float()) {
    FIRTH_RETURN_IF_ERROR(check("input", file.vectors.table()));
  }
  if (const SubwordTables* subwords = file.vectors.subwords()) {
    FIRTH_RETURN_IF_ERROR(check("n-gram", subwords->n_grams));
    FIRTH_RETURN_IF_ERROR(check("word row", subwords->words));
  }
  FIRTH_RETURN_IF_ERROR(check("output", file.output));
  return check("output bias", file.output_bias);
}

absl::Status CheckShapes(const VectorFile& file, const std::string& path) {
  const FloatTable& output = file.output;
  const FloatTable& bias = file.output_bias;
  if (file.vectors.dim() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": not written: there are no vectors"));
  }
  if (!output.empty() && output.cols() != file.vectors.dim()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": not written: the output table must have ",
                     file.vectors.dim(), " columns, found ", output.cols()));
  }
  if (!bias.empty() && (bias.rows() != 1 || bias.cols() != output.rows())) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": not written: the output bias must have the shape [1, ",
        output.rows(), "], found [", bias.rows(), ", ", bias.cols(), "]"));
  }
  return absl::OkStatus();
}

SubwordOptions SubwordsOf(const VectorFile& file) {
  const SubwordTables* subwords = file.vectors.subwords();
  return subwords == nullptr ? SubwordOptions(NoSubwords())
                             : subwords->index.options();
}

// Returns whether the format can store words with their vectors together with
// such n-grams.
bool HoldsWords(const VectorFormat& format, const SubwordOptions& subwords) {
  return format.holds_words &&
         (format.holds_words_beside_floret ||
          !std::holds_alternative<FloretSubwords>(subwords));
}

bool HoldsSubwords(const VectorFormat& format, const SubwordOptions& options) {
  return format.holds_subwords != nullptr && format.holds_subwords(options);
}

// Returns whether it can store these n-grams: their kind, and their texts.
bool HoldsSubwords(const VectorFormat& format, const SubwordIndex& index) {
  return HoldsSubwords(format, index.options()) &&
         absl::c_none_of(index.RowNGrams(), [&format](absl::string_view text) {
           return format.refused_in_word(text) != nullptr;
         });
}

bool HoldsForm(const VectorFormat& format, absl::string_view form,
               bool has_subwords) {
  return form == kFloatForm ||
         (absl::c_linear_search(format.quantized_forms, form) &&
          (!has_subwords || format.quantized_beside_n_grams));
}

bool HoldsOutput(const VectorFormat& format, const VectorFile& file) {
  return format.holds_output == HeldOutput::kAny ||
         (format.holds_output == HeldOutput::kRowPerWord &&
          file.output.rows() == file.vectors.size());
}

// Returns whether the format can store this part of `file`.
bool Holds(const VectorFormat& format, VectorPart part,
           const VectorFile& file) {
  switch (part) {
    case VectorPart::kWords:
      return HoldsWords(format, SubwordsOf(file));
    case VectorPart::kCounts:
      return format.holds_counts;
    case VectorPart::kSubwords:
      return file.vectors.subwords() != nullptr &&
             HoldsSubwords(format, file.vectors.subwords()->index);
    case VectorPart::kOutput:
      return HoldsOutput(format, file);
    case VectorPart::kOutputBias:
      return format.holds_output_bias;
    case VectorPart::kMetadata:
      return format.holds_metadata;
  }
  return false;
}

absl::Status SaveHeldParts(const VectorFormat& format, const VectorFile& file,
                           const std::string& path, const Hooks& hooks) {
  VectorFile held = file;
  if (!HoldsOutput(format, file)) held.output = FloatTable();
  const bool has_n_grams = Holds(format, VectorPart::kSubwords, file);
  return format.save(held, has_n_grams ? file.vectors.subwords() : nullptr,
                     path, hooks);
}

// Returns the words that the format cannot store, if it stores any.
std::vector<LostWord> FindLostWords(const VectorFormat& format,
                                    const Vocabulary& words,
                                    const SubwordOptions& subwords) {
  std::vector<LostWord> lost;
  if (!HoldsWords(format, subwords)) return lost;
  for (size_t i = 0; i < words.size(); ++i) {
    const absl::string_view word = words.Word(ToWordId(i));
    const char* const why =
        word.empty() ? "an empty word" : format.refused_in_word(word);
    if (why != nullptr) lost.push_back({ToWordId(i), why});
  }
  return lost;
}

absl::Status CheckWords(const VectorFormat& format, const Vocabulary& words,
                        const SubwordOptions& subwords,
                        const std::string& path) {
  const absl::Status distinct = words.CheckDistinct();
  if (!distinct.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": not written: ", distinct.message()));
  }
  const std::vector<LostWord> lost = FindLostWords(format, words, subwords);
  if (lost.empty()) return absl::OkStatus();
  const auto& [word, why] = lost.front();
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": not written: word ", Index(word), ", ", Quote(words.Word(word)),
      ": ", format.name, " cannot hold ", why));
}

// Returns the name of a part for messages.
absl::string_view NameOf(VectorPart part) {
  switch (part) {
    case VectorPart::kWords:
      return "words";
    case VectorPart::kCounts:
      return "counts";
    case VectorPart::kSubwords:
      return "n-grams";
    case VectorPart::kOutput:
      return "the output table";
    case VectorPart::kOutputBias:
      return "the output bias";
    case VectorPart::kMetadata:
      return "metadata";
  }
  return "";
}

}  // namespace

std::string FileOfVectors(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return path;
  for (const std::string& folder : {path, StaticEmbeddingFolder(path)}) {
    for (const VectorFormat* format : kFormats) {
      if (folder.empty() || format->folder_files.empty()) continue;
      const auto file = std::filesystem::path(folder) /
                        std::string(format->folder_files.front());
      if (std::filesystem::exists(file, error)) return file.string();
    }
  }
  return path;
}

std::vector<VectorFormatInfo> VectorFormats() {
  std::vector<VectorFormatInfo> infos;
  for (const VectorFormat* format : kFormats) {
    infos.push_back(
        {format->name,
         {format->extensions.begin(), format->extensions.end()},
         format->summary,
         format->holds_words,
         {format->folder_files.begin(), format->folder_files.end()}});
  }
  return infos;
}

absl::StatusOr<std::string> ChooseVectorFormat(const std::string& path,
                                               absl::string_view format) {
  FIRTH_ASSIGN_OR_RETURN(const VectorFormat* chosen,
                         FormatToWrite(path, format));
  return absl::StrCat(chosen->name);
}

std::vector<std::string> FilesBeside(const std::string& path,
                                     absl::string_view format) {
  const VectorFormat* chosen = FindByName(format);
  std::error_code error;  // Opening a pipe would wait for a writer.
  const std::string main = FileOfVectors(path);
  if (format.empty() && std::filesystem::is_regular_file(main, error)) {
    const absl::StatusOr<MappedFilePtr> file = MappedFile::Open(main);
    if (file.ok()) {
      chosen = FindByContent((*file)->bytes().substr(0, kHeadBytes), main);
    }
  }
  if (chosen == nullptr) return {};
  std::vector<std::string> beside;
  // A folder that is read may keep its files in a subfolder.
  const std::string& near = format.empty() ? main : path;
  for (const absl::string_view name : chosen->folder_files) {
    beside.push_back(absl::StrCat(FolderToWrite(*chosen, near), "/", name));
    if (beside.back() == path) beside.pop_back();
  }
  if (beside.empty()) beside.push_back(FileBeside(*chosen, path));
  if (beside.back().empty()) return {};
  return beside;
}

absl::StatusOr<VectorFile> LoadVectorFile(const std::string& path,
                                          const LoadOptions& options) {
  FIRTH_ASSIGN_OR_RETURN(const OpenedVectors vectors,
                         OpenVectors(path, options.format, options.hooks));
  absl::StatusOr<VectorFile> loaded =
      LoadIn(*vectors.format, vectors.opened.file, options);
  const bool may_be_another =
      !options.format.empty() && (absl::IsInvalidArgument(loaded.status()) ||
                                  absl::IsDataLoss(loaded.status()));
  if (!may_be_another) return loaded;
  return WithFormatFound(loaded.status(), *vectors.format,
                         *vectors.opened.file);
}

absl::StatusOr<WholeVectors> MapWholeVectors(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const OpenedVectors vectors, OpenVectors(path, ""));
  if (IsOneFile(*vectors.format)) {
    return WholeVectors{vectors.opened.file, std::string(vectors.format->name)};
  }
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": the vectors must be in one file, but their words are in ",
      FilesBeside(path, "").front(), "; \"firth convert\" writes one file"));
}

absl::StatusOr<VectorFile> LoadWholeVectors(const WholeVectors& vectors,
                                            const LoadOptions& options) {
  const VectorFormat* const network = NetworkFormat();
  const bool is_network = network != nullptr && network->name == vectors.format;
  const VectorFormat* const format =
      is_network ? network : FindByName(vectors.format);
  const std::string& path = vectors.file->path();
  if (format != nullptr && IsOneFile(*format) && vectors.file->size() > 0) {
    return LoadIn(*format, vectors.file, options);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": expected vectors in a single-file format, found ",
      vectors.file->size(), " bytes of format ", Quote(vectors.format)));
}

absl::Status SaveVectorFile(const VectorFile& file, const std::string& path,
                            absl::string_view format, const Hooks& hooks) {
  FIRTH_ASSIGN_OR_RETURN(const VectorFormat* chosen,
                         FormatToWrite(path, format));
  FIRTH_RETURN_IF_ERROR(CheckShapes(file, path));
  FIRTH_RETURN_IF_ERROR(
      CheckWords(*chosen, file.vectors.vocabulary(), SubwordsOf(file), path));
  if (!HoldsForm(*chosen, FormOf(file.vectors.rows()),
                 file.vectors.subwords() != nullptr)) {
    VectorFile floats = file;
    FIRTH_ASSIGN_OR_RETURN(floats.vectors, Dequantize(file.vectors));
    return SaveVectorFile(floats, path, format, hooks);
  }
  FIRTH_RETURN_IF_ERROR(CheckAllFinite(file, path));
  return SaveHeldParts(*chosen, file, path, hooks);
}

std::string NamesOf(const std::vector<VectorPart>& parts) {
  return absl::StrJoin(parts, ", ", [](std::string* out, VectorPart part) {
    absl::StrAppend(out, NameOf(part));
  });
}

absl::StatusOr<std::vector<VectorPart>> LostParts(const VectorFile& file,
                                                  absl::string_view format) {
  FIRTH_ASSIGN_OR_RETURN(const VectorFormat* chosen, FormatToWrite("", format));
  std::vector<VectorPart> lost;
  for (const auto& [part, there] :
       {std::pair(VectorPart::kWords, file.vectors.size() > 0),
        {VectorPart::kCounts, file.vectors.vocabulary().total_count() > 0},
        {VectorPart::kSubwords, file.vectors.subwords() != nullptr},
        {VectorPart::kOutput, !file.output.empty()},
        {VectorPart::kOutputBias, !file.output_bias.empty()},
        {VectorPart::kMetadata, !file.metadata.empty()}}) {
    if (there && !Holds(*chosen, part, file)) lost.push_back(part);
  }
  return lost;
}

absl::StatusOr<std::vector<LostWord>> LostWords(const VectorFile& file,
                                                absl::string_view format) {
  FIRTH_ASSIGN_OR_RETURN(const VectorFormat* chosen, FormatToWrite("", format));
  return FindLostWords(*chosen, file.vectors.vocabulary(), SubwordsOf(file));
}

absl::Status CheckWords(const Vocabulary& words, const SubwordOptions& subwords,
                        const std::string& path, absl::string_view format) {
  FIRTH_ASSIGN_OR_RETURN(const VectorFormat* chosen,
                         FormatToWrite(path, format));
  return CheckWords(*chosen, words, subwords, path);
}

absl::StatusOr<bool> HoldsWords(absl::string_view format,
                                const SubwordOptions& options) {
  FIRTH_ASSIGN_OR_RETURN(const VectorFormat* chosen, FormatToWrite("", format));
  return HoldsWords(*chosen, options);
}

absl::StatusOr<bool> HoldsSubwords(absl::string_view format,
                                   const SubwordOptions& options) {
  FIRTH_ASSIGN_OR_RETURN(const VectorFormat* chosen, FormatToWrite("", format));
  return HoldsSubwords(*chosen, options);
}

absl::StatusOr<bool> HoldsForm(absl::string_view format, absl::string_view form,
                               bool has_subwords) {
  FIRTH_ASSIGN_OR_RETURN(const VectorFormat* chosen, FormatToWrite("", format));
  return HoldsForm(*chosen, form, has_subwords);
}

bool MayBeVectors(const MappedFile& file) {
  const absl::string_view head = file.bytes().substr(0, kHeadBytes);
  return RecogniseCompression(head.substr(0, kMagicBytes)) !=
             Compression::kNone ||
         FormatToRead(head, file.path(), "").ok();
}

absl::StatusOr<VectorFileInfo> DescribeVectorFile(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const OpenedVectors vectors, OpenVectors(path, ""));
  const UnpackedFile& opened = vectors.opened;
  FIRTH_ASSIGN_OR_RETURN(VectorFileInfo info,
                         vectors.format->describe(opened.file));
  info.format = absl::StrCat(vectors.format->name);
  info.bytes = opened.packed_bytes;
  info.compression = absl::StrCat(NameOf(opened.compression));
  info.unpacked_bytes = opened.file->size();
  return info;
}

}  // namespace firth

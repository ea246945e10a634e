// A vector file is rewritten in four steps: it is read, changed, fitted to the
// new format (FitToFormat()) and written.

#include "cli/vector_files.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "cli/console.h"
#include "cli/foreign_names.h"
#include "cli/human.h"
#include "firth/file_info.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

constexpr char kWayOut[] = "--lossy writes the file without them";

class WarningPrinter : public ProgressSink {
 public:
  void OnWarning(absl::string_view message) override {
    PrintMessage(absl::StrCat("warning: ", message));
  }
};

absl::StatusOr<WordVectors> Load(const std::string& path,
                                 const LoadOptions& options) {
  FIRTH_ASSIGN_OR_RETURN(VectorFile file, LoadAndWarn(path, options));
  return std::move(file.vectors);
}

SubwordOptions SubwordsOf(const WordVectors& vectors) {
  const SubwordTables* subwords = vectors.subwords();
  return subwords == nullptr ? SubwordOptions(NoSubwords())
                             : subwords->index.options();
}

bool IsFolder(absl::string_view format) {
  return absl::c_any_of(VectorFormats(), [format](const auto& info) {
    return info.name == format && !info.folder_files.empty();
  });
}

void TellWritten(const VectorFile& file, const Rewriting& files) {
  const WordVectors& vectors = file.vectors;
  const std::string form =
      vectors.is_float() ? "" : absl::StrCat(" (", FormOf(vectors.rows()), ")");
  PrintMessage(absl::StrCat("wrote ", files.out, ": ",
                            SizeOfWritten(vectors, files.format), ", ",
                            files.format, form));
}

}  // namespace

void DeclareFormat(OptionSet* options, absl::string_view name,
                   std::string* target, absl::string_view help) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const VectorFormatInfo& format : VectorFormats()) {
    names.emplace_back(format.name, format.name);
  }
  std::vector<std::string> all;
  all.reserve(names.size());
  for (const auto& [format, value] : names) all.push_back(format);
  Option& option = options->Choice(
      name, target, names, absl::StrCat(help, ": ", absl::StrJoin(all, ", ")));
  // The names of all formats would not fit on one line.
  option.value_name = "FORMAT";
  option.As(FieldRole::kWork);
}

FileUse WritesVectors(const std::string* format) {
  FileUse use = Writes();
  use.beside = [format](const std::string& path) {
    return FilesBeside(path, *format);
  };
  use.is_folder = [format](const std::string&) { return IsFolder(*format); };
  use.owns_beside = [](const std::string& path) {
    return LoadVectorFile(path, {.only_vectors = true}).ok();
  };
  return use;
}

absl::StatusOr<VectorFile> LoadAndWarn(const std::string& path,
                                       LoadOptions options) {
  WarningPrinter printer;
  if (options.hooks.progress == nullptr) options.hooks.progress = &printer;
  absl::StatusOr<VectorFile> file = LoadVectorFile(path, options);
  if (file.ok()) return file;
  // The library's message names the option as in the C interface.
  return absl::Status(
      file.status().code(),
      absl::StrReplaceAll(file.status().message(),
                          {{"\"duplicates\": \"first\" keeps",
                            "firth convert --duplicates first keeps"}}));
}

absl::StatusOr<WordVectors> LoadVectors(const std::string& path) {
  return Load(path, {.only_vectors = true});
}

absl::StatusOr<WordVectors> LoadVectorsToAsk(const std::string& path) {
  return Load(path, {.only_vectors = true, .keep_form = true});
}

absl::StatusOr<std::string> ChooseTextFormat(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(std::string format, ChooseVectorFormat(path, ""));
  for (const VectorFormatInfo& info : VectorFormats()) {
    if (info.name != format || info.holds_words) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": the ", format,
                     " format holds only n-grams; choose a name that ends with "
                     ".safetensors"));
  }
  return format;
}

bool HoldsDocuments(const std::string& path) {
  // Describing a text takes as long as reading it.
  if (!absl::EndsWith(path, ".safetensors")) return false;
  const absl::StatusOr<FileInfo> info = DescribeFile(path);
  return info.ok() && info->kind == "document vectors";
}

absl::StatusOr<WordVectors> LoadVectorsOfTexts(const std::string& path) {
  if (HoldsDocuments(path)) {
    PrintMessage(absl::StrCat(
        "warning: ", path,
        " is a model of documents, whose words are their tags; \"firth "
        "documents infer\" computes vectors of texts"));
  }
  return LoadVectorsToAsk(path);
}

absl::StatusOr<WordVectors> LoadVectorsOfWords(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(
      WordVectors vectors,
      Load(path, {.only_vectors = true, .keep_form = true, .lazily = true}));
  const absl::Status distinct = vectors.vocabulary().CheckDistinct();
  if (distinct.ok()) return vectors;
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": ", distinct.message()));
}

void DeclareLossy(OptionSet* options, bool* target) {
  options->Switch(
      "lossy", target,
      "drop words and n-grams that the format of OUT cannot store. Counts, the "
      "output table and metadata are dropped even without --lossy");
}

absl::StatusOr<std::string> NamesOfLost(const VectorFile& file,
                                        const std::string& format) {
  FIRTH_ASSIGN_OR_RETURN(const std::vector<VectorPart> lost,
                         LostParts(file, format));
  return NamesOf(lost);
}

std::string SizeOfWritten(const WordVectors& vectors,
                          absl::string_view format) {
  const absl::StatusOr<bool> has_words =
      HoldsWords(format, SubwordsOf(vectors));
  return absl::StrCat(has_words.ok() && !*has_words
                          ? "only n-grams"
                          : Counted(vectors.size(), "word"),
                      " of ", Counted(vectors.dim(), "dimension"));
}

absl::Status Rewrite(const Rewriting& files, const LoadOptions& load,
                     absl::FunctionRef<absl::Status(VectorFile*)> change) {
  FIRTH_ASSIGN_OR_RETURN(VectorFile file, LoadAndWarn(files.in, load));
  FIRTH_RETURN_IF_ERROR(change(&file));
  FIRTH_ASSIGN_OR_RETURN(
      const FitReport fitted,
      FitToFormat(
          files.format,
          {.source = files.in, .lossy = files.lossy, .way_out = kWayOut},
          &file));
  if (!fitted.note.empty()) PrintMessage(fitted.note);
  if (!fitted.warning.empty()) {
    PrintMessage(absl::StrCat("warning: ", fitted.warning));
  }
  FIRTH_RETURN_IF_ERROR(SaveVectorFile(file, files.out, files.format));
  TellWritten(file, files);
  return absl::OkStatus();
}

absl::Status CheckNoWordIsLost(const Rewriting& files, const VectorFile& file) {
  if (files.lossy) return absl::OkStatus();
  FIRTH_ASSIGN_OR_RETURN(const std::vector<LostWord> lost,
                         LostWords(file, files.format));
  if (lost.empty()) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat(files.format, " cannot hold ",
                   DescribeLostWords(lost, files.in, file), "; ", kWayOut));
}

absl::Status CheckWordsOf(const WordVectors& vectors, const std::string& path,
                          absl::string_view format) {
  return CheckWords(vectors.vocabulary(), SubwordsOf(vectors), path, format);
}

absl::StatusOr<WordId> FindWord(const Vocabulary& vocabulary,
                                absl::string_view word) {
  const std::optional<WordId> found = vocabulary.Find(word);
  if (found.has_value()) return *found;
  return absl::NotFoundError(absl::StrCat(
      "\"", word, "\" is not in the vocabulary", DidYouMean(vocabulary, word)));
}

}  // namespace firth::tools

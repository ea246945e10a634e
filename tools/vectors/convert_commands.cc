// The commands that write vectors in another form: firth convert, export and
// postprocess.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/used_files.h"
#include "cli/vector_files.h"
#include "command.h"
#include "firth/export_vectors.h"
#include "firth/postprocess.h"
#include "firth/quantize.h"
#include "firth/status_macros.h"
#include "firth/vector_io.h"

namespace firth::tools {
namespace {

class ConvertCommand : public Command {
 public:
  ConvertCommand() {
    text_ = {"convert", "convert a vector file to another format",
             "IN OUT [OPTION...]", description_};
  }

  void Declare(OptionSet* options) override {
    DeclareFormat(
        options, "from", &from_,
        "set the format of IN; by default it is detected from the content");
    DeclareFormat(
        options, "to", &to_,
        "set the format of OUT; by default the extension determines it");
    options->Choice<DuplicateWords>(
        "duplicates", &load_.duplicates,
        {{"error", DuplicateWords::kError},
         {"first", DuplicateWords::kKeepFirst}},
        "choose what to do if IN contains a word twice: fail (error), or keep "
        "its first vector (first)");
    DeclareLossy(options, &lossy_);
    options->Arguments("IN and OUT", 2, 2, &paths_,
                       {{"IN", Reads()}, {"OUT", WritesVectors(&to_)}});
  }

  absl::Status Check(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(to_, ChooseVectorFormat(paths_[1], to_));
    load_.format = from_;
    return absl::OkStatus();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_RETURN_IF_ERROR(
        Rewrite({paths_[0], paths_[1], to_, lossy_}, load_,
                [](VectorFile*) { return absl::OkStatus(); }));
    return ExitCode::kDone;
  }

 private:
  static std::string Description() {
    std::string text = "Reads any of these formats and writes any of them:\n\n";
    std::vector<std::string> lines;
    for (const VectorFormatInfo& format : VectorFormats()) {
      lines.push_back(absl::StrCat("  ", format.name, " (",
                                   absl::StrJoin(format.extensions, " "),
                                   "): ", format.summary));
    }
    return absl::StrCat(text, absl::StrJoin(lines, "\n"));
  }

  std::string description_ = Description();
  LoadOptions load_;
  std::string from_;
  std::string to_;
  bool lossy_ = false;
  std::vector<std::string> paths_;
};

class ExportCommand : public Command {
 public:
  ExportCommand() {
    text_ = {"export", "export vectors to tables, databases and TensorBoard",
             "VECTORS --to FILE [OPTION...]", description_};
  }

  void Declare(OptionSet* options) override {
    options->Path("to", "FILE", &to_, NoFile(),
                  "path to the file or folder to write");
    // Only files are checked, because a folder need not exist.
    options->AlsoUses("--to", Writes(), [this]() -> std::string {
      return FolderFiles().empty() ? to_ : "";
    });
    std::vector<std::pair<std::string, std::string>> names;
    for (const ExportFormatInfo& format : ExportFormats()) {
      names.emplace_back(format.name, format.name);
    }
    options->Choice("format", &format_, std::move(names),
                    "set the format; by default the extension determines it");
    options->Switch("lossy", &lossy_,
                    "drop words that the format cannot store");
    options->Arguments("VECTORS", 1, 1, &paths_, {{"VECTORS", Reads()}});
  }

  absl::Status Check(const OptionSet&) override {
    if (to_.empty())
      return absl::InvalidArgumentError(
          "give the file to write with --to FILE");
    FIRTH_ASSIGN_OR_RETURN(format_, ChooseExportFormat(to_, format_));
    std::vector<UsedFile> files = {{"VECTORS", paths_[0], Reads()}};
    for (const absl::string_view file : FolderFiles()) {
      files.push_back({"--to", absl::StrCat(to_, "/", file), Writes()});
    }
    return CheckNoneIsReadAndWritten(files);
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(const WordVectors vectors,
                           LoadVectorsToAsk(paths_[0]));
    const absl::StatusOr<ExportReport> exported =
        ExportVectors(vectors, to_, format_, lossy_);
    if (absl::IsUnimplemented(exported.status())) {
      return absl::UnimplementedError(
          absl::StrCat(exported.status().message(),
                       "; --lossy writes the file without them"));
    }
    FIRTH_RETURN_IF_ERROR(exported.status());
    const ExportReport& report = *exported;
    if (report.left_out > 0) {
      PrintMessage(absl::StrCat("warning: ", format_, " cannot hold ",
                                Counted(report.left_out, "word"), " of ",
                                paths_[0], "; they are left out"));
    }
    if (vectors.subwords() != nullptr) {
      PrintMessage(absl::StrCat(
          to_, " contains words and their vectors but not the n-grams of ",
          paths_[0], ", which ", format_, " cannot hold"));
    }
    PrintMessage(
        absl::StrCat("wrote ", to_, ": ", Counted(report.words, "word"), " of ",
                     Counted(vectors.dim(), "dimension"), ", ", format_));
    return ExitCode::kDone;
  }

 private:
  // Returns the files in the folder, or none if no folder is written.
  absl::Span<const absl::string_view> FolderFiles() const {
    for (const ExportFormatInfo& format : ExportFormats()) {
      if (format.name == format_) return format.files;
    }
    return {};
  }

  static std::string Description() {
    std::string text =
        "Writes words, counts and vectors in a format for another tool:\n\n";
    for (const ExportFormatInfo& format : ExportFormats()) {
      absl::StrAppend(&text, "  ", format.name,
                      format.extension.empty()
                          ? ""
                          : absl::StrCat(" (", format.extension, ")"),
                      ": ", format.summary, "\n");
    }
    return absl::StrCat(
        text,
        "\n"
        "  firth export model.safetensors --to words.csv\n"
        "  firth export model.safetensors --to logs --format projector\n"
        "  firth export model.safetensors --to words.sqlite.sql\n\n"
        "Firth does not read these formats. \"firth convert\" writes formats "
        "that it can read.");
  }

  std::string description_ = Description();
  std::string to_;
  std::string format_;
  bool lossy_ = false;
  std::vector<std::string> paths_;
};

constexpr CommandText kPostprocessText = {
    "postprocess", "center, normalize, prune or quantize vectors",
    "IN OUT [OPTION...]",
    "Applies the given options in this order: keep only some words; subtract "
    "the mean vector; remove the first principal components, along which the "
    "vectors vary most and which carry little meaning (Mu and Viswanath 2018); "
    "keep only the next principal components; reduce the weight of frequent "
    "words; scale to length 1; quantize. The output table is dropped, since it "
    "fits only the original vectors.\n\n"
    "  firth postprocess vectors.bin better.bin --center --remove-components "
    "2\n"
    "  firth postprocess model.safetensors small.safetensors \\\n"
    "    --max-vocab 100000 --quantize pq --pq-parts 50"};

class PostprocessCommand : public CommandWith<kPostprocessText> {
 public:
  void Declare(OptionSet* options) override {
    options->Path("vocab", "FILE", &vocabulary_, Reads(),
                  "path to a list of words, one per line; only these are kept");
    options->Fields(&options_);
    options->At("quantize").help +=
        ". OUT must be a .safetensors model, or for pq without n-grams a .fifu "
        "file; \"firth convert\" turns it back into floats";
    DeclareFormat(
        options, "to", &to_,
        "set the format of OUT; by default the extension determines it");
    DeclareLossy(options, &lossy_);
    for (const absl::string_view name :
         {"max-vocab", "center", "remove-components", "keep-components",
          "normalize", "drop-ngrams", "quantize", "pq-parts", "to", "lossy"}) {
      options->At(name).Everyday();
    }
    options->Arguments("IN and OUT", 2, 2, &paths_,
                       {{"IN", Reads()}, {"OUT", WritesVectors(&to_)}});
  }

  absl::Status Check(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(to_, ChooseVectorFormat(paths_[1], to_));
    if (quantizes()) {
      FIRTH_RETURN_IF_ERROR(CheckForm(/*has_subwords=*/false));
    }
    if (vocabulary_.empty() && !quantizes() && options_.max_vocab == 0 &&
        !options_.center && options_.remove_components == 0 &&
        options_.keep_components == 0 && options_.sif == 0 &&
        !options_.normalize && !options_.drop_subwords) {
      return absl::InvalidArgumentError(
          "give at least one step, such as --center; \"firth convert\" writes "
          "vectors unchanged");
    }
    return options_.Validate();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_RETURN_IF_ERROR(Rewrite(
        Files(), {}, [this](VectorFile* file) { return Change(file); }));
    return ExitCode::kDone;
  }

 private:
  Rewriting Files() const { return {paths_[0], paths_[1], to_, lossy_}; }

  bool quantizes() const {
    return !std::holds_alternative<ToFloat32>(options_.form);
  }

  // Checks that the format of the output can hold the requested form.
  absl::Status CheckForm(bool has_subwords) const {
    // Their names are those of FormOf().
    const absl::string_view form = std::visit(
        [](const auto& chosen) { return chosen.kName; }, options_.form);
    FIRTH_ASSIGN_OR_RETURN(const bool holds,
                           HoldsForm(to_, form, has_subwords));
    if (holds) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "--quantize ", form, ": ", paths_[1], " has the format ", to_,
        ", which cannot hold such vectors; write a .safetensors file",
        has_subwords ? ", or use --drop-ngrams" : ""));
  }

  absl::Status Change(VectorFile* file) const {
    const bool had_subwords = file->vectors.subwords() != nullptr;
    WordVectors& vectors = file->vectors;
    if (!vocabulary_.empty()) {
      FIRTH_ASSIGN_OR_RETURN(const Vocabulary kept,
                             LoadVocabulary(vocabulary_));
      FIRTH_ASSIGN_OR_RETURN(vectors, SelectWords(vectors, kept));
    }
    FIRTH_ASSIGN_OR_RETURN(vectors, Postprocess(vectors, Leaving()));
    // Check the words before the long computation.
    FIRTH_RETURN_IF_ERROR(CheckNoWordIsLost(Files(), *file));
    if (quantizes()) {
      FIRTH_RETURN_IF_ERROR(
          CheckForm(vectors.subwords() != nullptr && !options_.normalize));
    }
    FIRTH_ASSIGN_OR_RETURN(vectors, Postprocess(vectors, options_));
    if (!file->output.empty()) {
      PrintMessage(
          "the output table is left out, since it belongs to the original "
          "vectors");
      file->output = file->output_bias = FloatTable();
    }
    const SubwordTables* subwords = vectors.subwords();
    if (had_subwords && subwords == nullptr && !options_.drop_subwords) {
      PrintMessage(
          "n-grams are left out, since weights and lengths apply to words");
    } else if (subwords != nullptr && quantizes()) {
      PrintMessage(absl::StrCat("n-grams are kept as floats: ",
                                Counted(subwords->n_grams.rows(), "row")));
    }
    return absl::OkStatus();
  }

  // Returns only the options that remove words or n-grams.
  PostprocessOptions Leaving() const {
    return {.max_vocab = options_.max_vocab,
            .drop_subwords = options_.drop_subwords};
  }

  PostprocessOptions options_;
  std::string vocabulary_;
  std::string to_;
  bool lossy_ = false;
  std::vector<std::string> paths_;
};

}  // namespace

CommandPtr MakeConvert() { return std::make_unique<ConvertCommand>(); }

CommandPtr MakeExport() { return std::make_unique<ExportCommand>(); }

CommandPtr MakePostprocess() { return std::make_unique<PostprocessCommand>(); }

}  // namespace firth::tools

// firth distill: vectors in context in, a vector a word out.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/console.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/progress_printer.h"
#include "cli/vector_files.h"
#include "command.h"
#include "firth/distill.h"
#include "firth/file_info.h"
#include "firth/postprocess.h"
#include "firth/status_macros.h"
#include "firth/vector_io.h"
#include "lm/layer_choice.h"
#include "train/checkpoint_options.h"
#include "train/reading_options.h"

namespace firth::tools {
namespace {

constexpr CommandText kDistillText = {
    "distill", "turn contextual vectors into word vectors",
    "MODEL --text FILE... --output FILE [OPTION...]",
    "Gives each word of a text one vector, computed from the contextual "
    "vectors of its occurrences. All commands that read word vectors accept "
    "the result. The text is read once, and memory depends only on the size of "
    "the vocabulary.\n\n"
    "MODEL is a language model, or a file of contextual vectors for the tokens "
    "of this text (.npy or .safetensors), as \"firth embed\" or another "
    "program writes it.\n\n"
    "  firth distill lm.safetensors --text corpus.txt -o words.safetensors\n"
    "  firth distill lm.safetensors --text corpus.txt --method cbow \\\n"
    "    --layers 1 --center --remove-components 2 -o words.bin\n"
    "  firth distill tokens.npy --text corpus.txt -o words.safetensors"};

class DistillCommand : public CommandWith<kDistillText> {
 public:
  void Declare(OptionSet* options) override {
    options->Section("Text");
    options
        ->Paths(
            "text", "FILE", &reading_.corpus.inputs, Reads(),
            "path to the text whose words get vectors, one sentence per line")
        .Everyday();
    reading_.DeclareText(options);
    reading_.DeclareVocabulary(options);
    options->Fields(&distill_);
    layers_.Declare(/*all=*/false, options);
    options->Section("Postprocessing");
    options->Fields(&postprocess_, {"center", "remove-components",
                                    "keep-components", "sif", "normalize"});
    options->Section("Output");
    options
        ->Path("output", "FILE", &output_, WritesVectors(&to_),
               "path to the vector file to write")
        .Everyday();
    DeclareFormat(
        options, "to", &to_,
        "set the format of the output; by default the extension determines it");
    options->Switch("quiet", &quiet_, "print only warnings and errors")
        .As(FieldRole::kWork);
    reading_.DeclareThreads(options);
    options->Arguments("MODEL", 1, 1, &model_, {{"MODEL", Reads()}});
  }

  absl::Status Check(const OptionSet& options) override {
    if (reading_.corpus.inputs.empty()) {
      return absl::InvalidArgumentError("give the text with --text FILE");
    }
    if (output_.empty()) {
      return absl::InvalidArgumentError(
          "give the output file with --output FILE");
    }
    FIRTH_ASSIGN_OR_RETURN(to_, ChooseVectorFormat(output_, to_));
    FIRTH_RETURN_IF_ERROR(layers_.Check());
    FIRTH_RETURN_IF_ERROR(reading_.Check(options));
    distill_.vocabulary = reading_.vocabulary;
    FIRTH_RETURN_IF_ERROR(distill_.Validate());
    return postprocess_.Validate();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet& options) override {
    FIRTH_ASSIGN_OR_RETURN(TokenTeacher teacher, OpenTeacher());
    FIRTH_ASSIGN_OR_RETURN(
        const std::optional<MixWeights> mix,
        layers_.Choose(teacher.num_layers(), model_.front()));
    distill_.layers = *mix;
    const InterruptGuard interrupt;
    ProgressPrinter progress(quiet_, 1);
    absl::StatusOr<WordVectors> words =
        Distilled(teacher, {&progress, interrupt.flag()}, &progress);
    progress.Clear();
    if (!words.ok()) return EndWithNothing(words.status(), interrupt.flag());
    VectorFile file;
    FIRTH_ASSIGN_OR_RETURN(file.vectors, Postprocess(*words, postprocess_));
    file.metadata["distilled"] = OneLine(SettingsOf(options));
    FIRTH_RETURN_IF_ERROR(SaveVectorFile(file, output_, to_));
    if (!quiet_) {
      PrintNote(absl::StrCat("  wrote    ", output_, ": ",
                             SizeOfWritten(file.vectors, to_), "\n"));
    }
    return ExitCode::kDone;
  }

 private:
  absl::StatusOr<TokenTeacher> OpenTeacher() const {
    const std::string& path = model_.front();
    FIRTH_ASSIGN_OR_RETURN(const FileInfo info, DescribeFile(path));
    if (info.kind == "contextual vectors") return TokenTeacher::OfArrays(path);
    return TokenTeacher::OfModel(path, reading_.corpus.threads);
  }

  absl::StatusOr<WordVectors> Distilled(TokenTeacher& teacher,
                                        const Hooks& hooks,
                                        ProgressPrinter* progress) const {
    // The teacher reads all words.
    FIRTH_ASSIGN_OR_RETURN(
        const Corpus text,
        ReadCorpus(reading_.corpus, VocabularyOptions{.min_count = 1}, hooks));
    progress->Clear();
    if (!quiet_) PrintNote(Account(text.report));
    // Before the work, of all words that may come to stand in the file.
    FIRTH_RETURN_IF_ERROR(
        CheckWords(text.vocabulary, NoSubwords(), output_, to_));
    return Distill(text, teacher, distill_, hooks);
  }

  // Returns what the vectors depend on, without the names of files.
  static Json SettingsOf(const OptionSet& options) {
    Json settings = options.UsedValues();
    for (const std::string& name : options.NamesNotInModels()) {
      settings.erase(name);
    }
    return settings;
  }

  ReadingOptions reading_;
  DistillOptions distill_;
  LayerChoice layers_{"average"};
  PostprocessOptions postprocess_;
  std::string output_;
  std::string to_;
  bool quiet_ = false;
  std::vector<std::string> model_;
};

}  // namespace

CommandPtr MakeDistill() { return std::make_unique<DistillCommand>(); }

}  // namespace firth::tools

// firth documents: trains vectors of documents, infers those of new documents,
// and finds the documents near a tag, a word or a text.

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/progress_printer.h"
#include "cli/vector_files.h"
#include "command.h"
#include "firth/documents.h"
#include "firth/fields.h"
#include "firth/query.h"
#include "firth/status_macros.h"
#include "firth/text_file.h"
#include "firth/vector_io.h"
#include "firth/vector_training.h"
#include "train/checkpoint_options.h"
#include "train/reading_options.h"

namespace firth::tools {
namespace {

constexpr CommandText kTrainText = {
    "documents train", "train vectors of documents",
    "--input FILE... --output MODEL [OPTION...]",
    "Trains a vector for each document, together with the weights that predict "
    "its words (paragraph vectors; Le and Mikolov 2014). Each line is a "
    "document of at most 1 MiB. Its tag is the number of the line, or with "
    "--tags column, the words before the first tab:\n\n"
    "  firth documents train --input texts.txt -o docs.safetensors\n"
    "  firth documents train --input tagged.tsv --tags column \\\n"
    "    -o docs.safetensors\n\n"
    "MODEL is a vector file whose words are the tags, so \"firth nn\", "
    "\"firth index\" and all other commands for vectors accept it. It also "
    "contains what \"firth documents infer\" needs for new documents.\n\n"
    "Ctrl-C ends training early and writes the vectors so far. With "
    "--checkpoint, training can be resumed."};

constexpr CommandText kInferText = {
    "documents infer", "compute the vectors of new documents",
    "MODEL [OPTION...] <TEXTS",
    "Reads documents, one per line, and writes a vector for each: a line of "
    "numbers, or with --output a row of a NumPy array. Words are prepared as "
    "in training. A document has the same vector each time, with any number of "
    "threads and regardless of the other documents. A line without a known "
    "word gives zeros, with a warning.\n\n"
    "  firth documents infer docs.safetensors <new.txt >new.vec\n"
    "  firth documents infer docs.safetensors --output new.npy <new.txt"};

constexpr CommandText kNnText = {
    "documents nn", "find the documents nearest to a tag, word or text",
    "MODEL (--tag TAG | --word WORD | --text TEXT) [OPTION...]",
    "Finds the tags whose vectors have the highest cosine with the vector of "
    "a tag, of a word, or of a new text, which is inferred. The vectors of "
    "words are in the same space as those of documents if they were trained: "
    "with --arch dm, or with --train-words.\n\n"
    "  firth documents nn docs.safetensors --text \"cheap flights to Rome\"\n"
    "  firth documents nn docs.safetensors --word insurance --top 3"};

class DocumentsTrainCommand : public CommandWith<kTrainText> {
 public:
  void Declare(OptionSet* options) override {
    reading_.DeclareInput(options);
    options
        ->Choice(
            "tags", &tags_,
            {{"line", DocumentTags::kLine}, {"column", DocumentTags::kColumn}},
            "choose the tags of a document: the number of its line (line), "
            "or the words in the first column, before a tab (column). "
            "Several documents may have the same tag")
        .Everyday();
    reading_.DeclareVocabulary(options);
    std::vector<std::string> names = fields_.names();
    std::erase(names, "threads");
    options->Fields(&fields_, names);
    reading_.DeclareThreads(options);
    checkpoints_.Declare(options);
    options->Section("Output");
    options
        ->Path("output", "MODEL", &output_, Writes(),
               "path to the model file to write")
        .Everyday();
    options->Path("report", "FILE", &report_, Writes(),
                  "path to a JSON report with options, counts and losses");
    options->Switch("quiet", &quiet_, "print only warnings and errors")
        .As(FieldRole::kWork);
    options->Arguments("FILE", 0, SIZE_MAX, &reading_.corpus.inputs, {});
  }

  absl::Status Complete(OptionSet* options) override {
    return checkpoints_.TakeSaved(options, &reading_.corpus.inputs);
  }

  absl::Status Check(const OptionSet& options) override {
    if (reading_.corpus.inputs.empty()) {
      return absl::InvalidArgumentError("give the documents with --input FILE");
    }
    if (output_.empty()) {
      return absl::InvalidArgumentError(
          "give the model file with --output MODEL");
    }
    FIRTH_ASSIGN_OR_RETURN(const std::string format,
                           ChooseVectorFormat(output_, ""));
    if (format != "safetensors") {
      return absl::InvalidArgumentError(absl::StrCat(
          output_,
          ": expected a name that ends with .safetensors, the only "
          "format of document models; \"firth convert\" writes the "
          "vectors of the tags in other formats"));
    }
    FIRTH_RETURN_IF_ERROR(reading_.Check(options));
    training_.threads = reading_.corpus.threads;
    FIRTH_RETURN_IF_ERROR(training_.Validate());
    return checkpoints_.Finish(options, reading_.corpus.inputs);
  }

  absl::StatusOr<ExitCode> Run(const OptionSet& options) override {
    FIRTH_RETURN_IF_ERROR(checkpoints_.Reserve());
    const InterruptGuard interrupt;
    ProgressPrinter progress(quiet_, training_.epochs);
    const Hooks hooks{&progress, interrupt.flag()};
    const absl::StatusOr<Documents> documents =
        ReadDocuments({reading_.corpus, reading_.vocabulary, tags_}, hooks);
    progress.Clear();
    if (!documents.ok()) {
      return EndWithNothing(documents.status(), interrupt.flag());
    }
    if (!quiet_) SayRead(*documents);
    TrainReport report;
    absl::StatusOr<DocumentModel> model = DocumentModel::Train(
        *documents, training_, hooks, &report, checkpoints_.checkpointing());
    progress.Clear();
    if (!model.ok()) return model.status();
    if (report.interrupted) {
      checkpoints_.PrintInterrupted("what has been learned so far");
    }
    FIRTH_RETURN_IF_ERROR(
        model->With(reading_.corpus, Metadata(options)).Save(output_));
    if (!report_.empty()) {
      FIRTH_RETURN_IF_ERROR(WriteTextFile(
          report_, Indented(ReportOf(options, *documents, report))));
    }
    if (!quiet_) SayResult(*model, report);
    return interrupt.Interrupted() ? ExitCode::kInterrupted : ExitCode::kDone;
  }

 private:
  // Returns the options as the metadata of the model.
  std::map<std::string, std::string> Metadata(const OptionSet& options) const {
    std::map<std::string, std::string> metadata;
    const std::vector<std::string> left_out = options.NamesNotInModels();
    const Json used = options.UsedValues();
    for (const auto& [name, value] : used.items()) {
      if (std::find(left_out.begin(), left_out.end(), name) != left_out.end()) {
        continue;
      }
      metadata[name] =
          value.is_string() ? value.get<std::string>() : OneLine(value);
    }
    return metadata;
  }

  static Json ReportOf(const OptionSet& options, const Documents& documents,
                       const TrainReport& report) {
    Json epochs = Json::array();
    for (const EpochReport& epoch : report.epochs) {
      epochs.push_back({{"loss", epoch.loss}, {"seconds", epoch.seconds}});
    }
    return {{"program", "firth"},
            {"version", FIRTH_VERSION},
            {"interrupted", report.interrupted},
            {"options", options.UsedValues()},
            {"corpus", AccountJson(documents.corpus.report)},
            {"documents", documents.size()},
            {"tags", documents.tags.size()},
            {"words_trained", report.words},
            {"seconds", report.seconds},
            {"epochs", std::move(epochs)}};
  }

  static void SayRead(const Documents& documents) {
    PrintNote(Account(documents.corpus.report));
    PrintNote(absl::StrCat("  tagged   ", Counted(documents.size(), "document"),
                           " with ", Counted(documents.tags.size(), "tag"),
                           "\n"));
  }

  void SayResult(const DocumentModel& model, const TrainReport& report) const {
    std::string trained = absl::StrCat(
        "  trained  ", Counted(report.words - report.resumed_words, "word"),
        " in ", HumanSeconds(report.seconds), " (",
        Thousands(static_cast<uint64_t>(report.words_per_second)), " words/s)");
    if (!report.epochs.empty()) {
      absl::StrAppendFormat(&trained, ", loss %.4f", report.epochs.back().loss);
    }
    PrintNote(trained + "\n");
    PrintNote(absl::StrCat(
        "  wrote    ", output_, ": ", Counted(model.documents().size(), "tag"),
        " and ", Counted(model.vocabulary().size(), "word"), " of ",
        Counted(model.documents().dim(), "dimension"), "\n"));
  }

  ReadingOptions reading_;
  DocumentTags tags_ = DocumentTags::kLine;
  DocumentOptions training_;
  FieldEditor fields_{&training_};
  CheckpointOptions checkpoints_{"documents train"};
  std::string output_;
  std::string report_;
  bool quiet_ = false;
};

// Warns about lines whose words are all unknown.
void WarnOfUnknown(absl::Span<const uint64_t> known) {
  uint64_t lines = 0;
  size_t first = 0;
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i] == 0 && lines++ == 0) first = i;
  }
  if (lines == 0) return;
  PrintMessage(absl::StrCat(
      "warning: standard input:", first + 1,
      ": no word of this document is in the model, so its vector is zero",
      lines > 1 ? absl::StrCat("; this holds for ", Counted(lines, "document"))
                : ""));
}

class DocumentsInferCommand : public CommandWith<kInferText> {
 public:
  void Declare(OptionSet* options) override {
    options->Path(
        "output", "FILE", &output_, Writes(),
        "path to a .npy file to write, a NumPy array [documents, dimensions]");
    options->Fields(&options_);
    options->Arguments("MODEL", 1, 1, &arguments_, {{"MODEL", Reads()}});
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    FIRTH_ASSIGN_OR_RETURN(const DocumentModel model,
                           DocumentModel::Load(arguments_[0]));
    const InterruptGuard interrupt;
    const Hooks hooks{nullptr, interrupt.flag()};
    CorpusOptions reading = model.reading();
    reading.inputs = {"-"};
    reading.threads = options_.threads;
    const absl::StatusOr<Corpus> corpus =
        ReadDocumentCorpus(reading, model.vocabulary(), hooks);
    if (!corpus.ok()) return EndWithNothing(corpus.status(), interrupt.flag());
    const size_t dim = model.documents().dim();
    std::vector<uint64_t> known(corpus->report.lines);
    std::vector<float> rows(known.size() * dim);
    const absl::Status inferred = model.Infer(
        *corpus, options_, hooks, rows.data(), absl::MakeSpan(known));
    if (!inferred.ok()) return EndWithNothing(inferred, interrupt.flag());
    WarnOfUnknown(known);
    if (!output_.empty()) {
      FIRTH_RETURN_IF_ERROR(
          SaveNpyArray(FloatTable(std::move(rows), dim), output_));
      return ExitCode::kDone;
    }
    for (size_t i = 0; i < known.size(); ++i) {
      Print(LineOf(absl::MakeConstSpan(rows).subspan(i * dim, dim)));
    }
    return ExitCode::kDone;
  }

 private:
  static std::string LineOf(absl::Span<const float> row) {
    std::string line;
    for (const float value : row) {
      absl::StrAppendFormat(&line, "%s%.9g", line.empty() ? "" : " ", value);
    }
    return line + "\n";
  }

  InferOptions options_;
  std::string output_;
  std::vector<std::string> arguments_;
};

class DocumentsNnCommand : public CommandWith<kNnText> {
 public:
  void Declare(OptionSet* options) override {
    options->Text("tag", "TAG", &tag_, "find the neighbors of this tag");
    options->Text("word", "WORD", &word_,
                  "find the documents nearest to this word");
    options->Text("text", "TEXT", &text_,
                  "find the documents nearest to this text, whose vector is "
                  "inferred");
    options->Integer("top", &top_, uint64_t{1}, uint64_t{1000000},
                     "number of answers");
    options->Fields(&options_);
    options->Switch("json", &json_, "print one JSON object");
    options->Arguments("MODEL", 1, 1, &arguments_, {{"MODEL", Reads()}});
  }

  absl::Status Check(const OptionSet& options) override {
    const int given =
        options.Given("tag") + options.Given("word") + options.Given("text");
    if (given == 1) return absl::OkStatus();
    return absl::InvalidArgumentError("give one of --tag, --word and --text");
  }

  absl::StatusOr<ExitCode> Run(const OptionSet& options) override {
    FIRTH_ASSIGN_OR_RETURN(const DocumentModel model,
                           DocumentModel::Load(arguments_[0]));
    const NearestNeighbors neighbors(model.documents());
    std::vector<Neighbor> found;
    if (options.Given("tag")) {
      FIRTH_ASSIGN_OR_RETURN(
          const WordId tag,
          At("--tag", FindWord(model.documents().vocabulary(), tag_)));
      found = neighbors.FindWord(tag, top_);
    } else {
      FIRTH_ASSIGN_OR_RETURN(
          const std::vector<float> query,
          options.Given("word") ? VectorOfWord(model) : VectorOfText(model));
      found = neighbors.Find(query, top_);
    }
    const Vocabulary& tags = model.documents().vocabulary();
    json_ ? PrintJson(tags, found) : PrintTable(tags, found);
    return ExitCode::kDone;
  }

 private:
  static void PrintTable(const Vocabulary& tags,
                         const std::vector<Neighbor>& found) {
    TextTable table("ls");
    for (const Neighbor& neighbor : found) {
      table.AddRow({std::string(tags.Word(neighbor.word)),
                    absl::StrFormat("%.4f", neighbor.score)});
    }
    PrintStyled(table.ToString());
  }

  static void PrintJson(const Vocabulary& tags,
                        const std::vector<Neighbor>& found) {
    Json neighbors = Json::array();
    for (const Neighbor& neighbor : found) {
      neighbors.push_back({{"tag", std::string(tags.Word(neighbor.word))},
                           {"score", Rounded(neighbor.score)}});
    }
    Print(JsonLine({{"neighbors", std::move(neighbors)}}));
  }

  absl::StatusOr<std::vector<float>> VectorOfWord(
      const DocumentModel& model) const {
    if (!model.options().has_word_vectors()) {
      return absl::FailedPreconditionError(absl::StrCat(
          arguments_[0],
          ": the model has no word vectors; train it with --train-words or "
          "--arch dm"));
    }
    FIRTH_ASSIGN_OR_RETURN(
        const WordId word,
        At("--word", FindWord(model.words().vocabulary(), word_)));
    return model.words().CopyVector(word);
  }

  absl::StatusOr<std::vector<float>> VectorOfText(
      const DocumentModel& model) const {
    CorpusOptions reading = model.reading();
    std::string line = text_;
    std::replace(line.begin(), line.end(), '\n', ' ');
    reading.text = line;
    absl::StatusOr<Corpus> corpus =
        ReadDocumentCorpus(reading, model.vocabulary());
    if (!corpus.ok()) return At("--text", std::move(corpus)).status();
    std::vector<float> vector(model.documents().dim());
    uint64_t known = 0;
    FIRTH_RETURN_IF_ERROR(model.Infer(*corpus, options_, {}, vector.data(),
                                      absl::MakeSpan(&known, 1)));
    if (known > 0) return vector;
    return absl::NotFoundError("--text: no word of the text is in the model");
  }

  std::string tag_;
  std::string word_;
  std::string text_;
  uint64_t top_ = 10;
  bool json_ = false;
  InferOptions options_;
  std::vector<std::string> arguments_;
};

}  // namespace

CommandPtr MakeDocumentsTrain() {
  return std::make_unique<DocumentsTrainCommand>();
}
CommandPtr MakeDocumentsInfer() {
  return std::make_unique<DocumentsInferCommand>();
}
CommandPtr MakeDocumentsNn() { return std::make_unique<DocumentsNnCommand>(); }

}  // namespace firth::tools

// firth lm train trains a bidirectional language model on a text. firth lm
// import converts weights of other programs to such a model.

#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/progress_printer.h"
#include "cli/vector_files.h"
#include "command.h"
#include "firth/contextualizer.h"
#include "firth/fields.h"
#include "firth/language_model.h"
#include "firth/status_macros.h"
#include "firth/text_file.h"
#include "firth/vector_io.h"
#include "lm/counting_training.h"
#include "train/checkpoint_options.h"
#include "train/reading_options.h"

namespace firth::tools {
namespace {

// Options that determine the words of a model, in addition to its shape.
constexpr absl::string_view kWordOptions[] = {"min-count", "max-vocab"};

std::vector<std::string> NamesIn(const Json& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.items()) names.push_back(name);
  return names;
}

bool IsOfModel(const Option& option) {
  return option.role == FieldRole::kShape ||
         absl::c_linear_search(kWordOptions, option.name);
}

constexpr CommandText kLmTrainText = {
    "lm train", "train a language model for contextual vectors",
    "--input FILE... --output MODEL [OPTION...]",
    "Trains a network to predict each word from the words before it and from "
    "the words after it. The states of its layers are the contextual vectors "
    "that \"firth embed\" prints. The text is read once. Words below "
    "--min-count or beyond --max-vocab are predicted as <UNK>; as input they "
    "are represented by their characters, by the n-grams of --vectors, or by "
    "<UNK>. With --ngram, counts n-grams instead, which takes seconds but "
    "gives "
    "no vectors.\n\n"
    "  firth lm train --input corpus.txt -o lm.safetensors\n"
    "  firth lm train --input corpus.txt --ngram 5 -o lm.arpa\n"
    "  firth lm train --input corpus.txt --vectors vectors.bin --char-cnn \\\n"
    "    --valid held-out.txt --checkpoint saved -o lm.safetensors\n"
    "  firth lm train --resume saved\n\n"
    "Ctrl-C ends training early and writes the model so far, and a checkpoint "
    "if --checkpoint is given. --resume continues from there and produces "
    "exactly the same model as an uninterrupted run."};

class LmTrainCommand : public CommandWith<kLmTrainText> {
 public:
  void Declare(OptionSet* options) override;
  absl::Status Complete(OptionSet* options) override;
  absl::Status Check(const OptionSet& options) override;
  absl::StatusOr<ExitCode> Run(const OptionSet& options) override;

 private:
  absl::StatusOr<Corpus> Read(const std::vector<std::string>& inputs,
                              const Hooks& hooks) const;
  absl::StatusOr<TrainedLanguageModel> Train(const OptionSet& options,
                                             const Hooks& hooks,
                                             ProgressPrinter* progress);
  void ChooseValues(const OptionSet& options, const Corpus& text);
  absl::Status Write(const OptionSet& options, TrainedLanguageModel* trained);
  void SayResult(const LanguageModelReport& report) const;
  bool updates() const { return !update_.empty(); }
  void DeclareTraining(OptionSet* options);
  std::vector<std::string> NetworkOptions() const;
  absl::Status CheckTraining(const OptionSet& options) const;
  absl::Status TakeModelOptions(OptionSet* options);
  absl::Status LoadStart();
  absl::StatusOr<ExitCode> RunCounting(const OptionSet& options);
  // Returns the values without options that have no effect on this training.
  Json UsedOf(Json used, const OptionSet& options) const;

  ReadingOptions reading_;
  CountingOptions counting_;
  LanguageModelTraining training_;
  FieldEditor fields_{&training_};
  CheckpointOptions checkpoints_{"lm train"};
  std::string vectors_path_;
  std::optional<WordVectors> vectors_;
  std::string update_;
  std::optional<LanguageModel> start_;
  Json shape_;  // Its IsOfModel() options that its file contains.
  std::vector<std::string> valid_;
  std::optional<Corpus> validation_;
  CorpusReport read_;
  std::string output_;
  std::string report_;
  bool quiet_ = false;
};

void LmTrainCommand::Declare(OptionSet* options) {
  reading_.DeclareInput(options);
  reading_.DeclareVocabulary(options);
  counting_.Declare(options);
  options->Section("Words");
  options
      ->Path("vectors", "FILE", &vectors_path_, Reads(),
             "path to a vector file in any format; its word vectors are the "
             "input to the network")
      .Everyday();
  options
      ->Path("update", "MODEL", &update_, Reads(),
             "path to a model that \"firth lm train\" wrote, to continue its "
             "training on new text")
      .Everyday()
      .details =
      "Its words and layers stay the same. Training on the text of a task "
      "improves the contextual vectors for that task; 1 to 3 epochs and a "
      "lower learning rate than before are usual";
  DeclareTraining(options);
  options
      ->Paths("valid", "FILE", &valid_, Reads(),
              "path to held-out text on which perplexity is measured; the "
              "model with the lowest perplexity is written")
      .Everyday();
  options->Section("Output");
  options
      ->Path("output", "MODEL", &output_, Writes(),
             "path to the model file to write")
      .Everyday();
  options->Path("report", "FILE", &report_, Writes(),
                "path to a JSON report with options, counts, times and losses");
  options->Switch("quiet", &quiet_, "print only warnings and errors")
      .As(FieldRole::kWork);
  options->Fields(&fields_, {"threads"});
  checkpoints_.Declare(options);
  options->Arguments("FILE", 0, SIZE_MAX, &reading_.corpus.inputs, {});
}

void LmTrainCommand::DeclareTraining(OptionSet* options) {
  std::vector<std::string> names;
  for (const std::string& name : fields_.names()) {
    const std::string& section = fields_.Find(name)->section;
    // ReadingOptions declares the vocabulary.
    if (section != "Output" && section != "Vocabulary") names.push_back(name);
  }
  options->Fields(&fields_, names);
  options->At("tune-vectors").GoesWith({"vectors"});
  options->At("samples").GoesWith({"head"}, {"sampled", "nce"});
  options->At("char-output").GoesWith({"head"}, {"softmax", "sampled"});
  options->At("valid-every").GoesWith({"valid"});
  options->At("patience").GoesWith({"valid"});
}

absl::Status LmTrainCommand::Complete(OptionSet* options) {
  FIRTH_RETURN_IF_ERROR(
      checkpoints_.TakeSaved(options, &reading_.corpus.inputs));
  return updates() ? TakeModelOptions(options) : absl::OkStatus();
}

// Takes the model options from the file. Imported models have none.
absl::Status LmTrainCommand::TakeModelOptions(OptionSet* options) {
  if (!vectors_path_.empty()) {
    return absl::InvalidArgumentError(
        "--vectors cannot be combined with --update, which keeps the model's "
        "vectors");
  }
  FIRTH_RETURN_IF_ERROR(LoadStart());
  const auto& metadata = start_->metadata();
  const auto found = metadata.find("training");
  Json training = ParseJson(found == metadata.end() ? "{}" : found->second);
  if (!training.is_object()) training = Json::object();
  shape_ = Json::object();
  for (const auto& [name, value] : training.items()) {
    const Option* const option = options->Find(name);
    if (option != nullptr && IsOfModel(*option)) shape_[name] = value;
  }
  absl::Status status = options->TakeSaved(
      shape_, [](const Option& option) { return !IsOfModel(option); });
  if (status.ok()) return status;
  return absl::InvalidArgumentError(
      absl::StrCat(update_, ": ", status.message()));
}

absl::Status LmTrainCommand::LoadStart() {
  absl::StatusOr<LanguageModel> start = LanguageModel::Load(update_);
  // The file is wrong, not the command line.
  if (!start.ok()) {
    return absl::FailedPreconditionError(start.status().message());
  }
  start_ = *std::move(start);
  training_.start = &*start_;
  return absl::OkStatus();
}

absl::Status LmTrainCommand::Check(const OptionSet& options) {
  if (reading_.corpus.inputs.empty()) {
    return absl::InvalidArgumentError("give the text with --input FILE");
  }
  if (output_.empty()) {
    return absl::InvalidArgumentError(
        "give the model file with --output MODEL");
  }
  reading_.corpus.threads = training_.threads;
  training_.vocabulary = reading_.vocabulary;
  FIRTH_RETURN_IF_ERROR(reading_.Check(options));
  if (counting_.chosen()) {
    return counting_.Check(options, reading_, NetworkOptions());
  }
  if (training_.next_sentence && reading_.corpus.split_punctuation) {
    return absl::InvalidArgumentError(
        "--next-sentence cannot be combined with --split-punctuation");
  }
  FIRTH_RETURN_IF_ERROR(CheckTraining(options));
  return checkpoints_.Finish(options, reading_.corpus.inputs);
}

absl::Status LmTrainCommand::CheckTraining(const OptionSet& options) const {
  const bool has_vectors = !vectors_path_.empty();
  if (options.Given("dim") && has_vectors) {
    return absl::InvalidArgumentError(
        "--dim cannot be combined with --vectors, which determine the "
        "dimensions");
  }
  if (training_.head == HeadKind::kContinuous && !has_vectors && !updates()) {
    return absl::InvalidArgumentError(
        "--head continuous requires --vectors FILE");
  }
  LanguageModelTraining checked = training_;
  // The vectors are not loaded yet.
  if (has_vectors) checked.head = HeadKind::kSampled;
  return checked.Validate();
}

// Reads all words, because words that are not predicted may be input.
absl::StatusOr<Corpus> LmTrainCommand::Read(
    const std::vector<std::string>& inputs, const Hooks& hooks) const {
  CorpusOptions corpus = reading_.corpus;
  corpus.inputs = inputs;
  if (training_.next_sentence) {
    FIRTH_ASSIGN_OR_RETURN(corpus.sentences, DocumentSentences(inputs, hooks));
  }
  return ReadCorpus(corpus, {.min_count = 1}, hooks);
}

// Chooses the values of options that were not given. The report, the model and
// the checkpoints contain them.
void LmTrainCommand::ChooseValues(const OptionSet& options,
                                  const Corpus& text) {
  const std::vector<std::string> names = ChooseOptions(text, &training_);
  checkpoints_.StoreChosen(options, names);
  if (quiet_ || names.empty()) return;
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    shown.push_back(
        absl::StrCat(name, " ", OneLine(options.Find(name)->value())));
  }
  PrintNote(absl::StrCat("  chosen   ", absl::StrJoin(shown, ", "), "\n"));
}

absl::StatusOr<TrainedLanguageModel> LmTrainCommand::Train(
    const OptionSet& options, const Hooks& hooks, ProgressPrinter* progress) {
  if (!valid_.empty()) {
    FIRTH_ASSIGN_OR_RETURN(validation_, Read(valid_, hooks));
    training_.validation = &*validation_;
  }
  const absl::StatusOr<Corpus> text = Read(reading_.corpus.inputs, hooks);
  progress->Clear();
  if (!text.ok()) return text.status();
  read_ = text->report;
  if (!quiet_) PrintNote(Account(read_));
  ChooseValues(options, *text);
  return TrainLanguageModel(*text, training_, hooks,
                            checkpoints_.checkpointing());
}

Json LmTrainCommand::UsedOf(Json used, const OptionSet& options) const {
  if (!options.Given("max-word-bytes")) used.erase("max-word-bytes");
  if (counting_.chosen()) {
    for (const std::string& name : NetworkOptions()) used.erase(name);
    return used;
  }
  used.erase("ngram");
  for (const std::string& name : fields_.names()) {
    if (!fields_.Applies(name)) used.erase(name);
  }
  if (training_.reads == Reading::kBoth) used.erase("reads");
  if (training_.network == NetworkKind::kRecurrent) used.erase("network");
  if (!updates()) return used;
  used.erase("tune-vectors");
  for (const std::string& name : NamesIn(used)) {
    const Option* const option = options.Find(name);
    const bool is_told = shape_.contains(name);
    if (option != nullptr && IsOfModel(*option) && !is_told) used.erase(name);
  }
  return used;
}

absl::Status LmTrainCommand::Write(const OptionSet& options,
                                   TrainedLanguageModel* trained) {
  Json training = UsedOf(options.Values(), options);
  for (const std::string& name : options.NamesNotInModels()) {
    training.erase(name);
  }
  auto& metadata = trained->model.metadata();
  metadata["training"] = OneLine(training);
  metadata[updates() ? "updated-tokens" : "trained-tokens"] =
      absl::StrCat(trained->report.tokens);
  absl::Status status = trained->model.Save(output_);
  if (status.ok() && !report_.empty()) {
    const LanguageModelFacts facts = {
        OneLine(UsedOf(options.UsedValues(), options)), read_, trained->report};
    status = WriteTextFile(report_, Indented(Json::parse(ReportJson(facts))));
  }
  return status;
}

void LmTrainCommand::SayResult(const LanguageModelReport& report) const {
  if (quiet_) return;
  if (report.stopped_early) {
    PrintNote(
        "  stopped  no better result in the last --patience validations\n");
  }
  std::string trained = absl::StrCat(
      "  trained  ", Counted(report.tokens, "token"), " in ",
      HumanSeconds(report.seconds), " (",
      Thousands(static_cast<uint64_t>(report.tokens_per_second)), " tokens/s)");
  if (!report.losses.empty()) {
    absl::StrAppendFormat(&trained, ", loss %.4f", report.losses.back());
  }
  PrintNote(trained + "\n");
  PrintNote(absl::StrCat("  wrote    ", output_, ": ",
                         Thousands(report.parameters), " parameters, ",
                         Thousands(report.vocab_size), " words, ",
                         Percent(report.unknown_tokens, read_.tokens),
                         " of the tokens are <UNK>\n"));
}

// Returns the names of options that a counting model does not have.
std::vector<std::string> LmTrainCommand::NetworkOptions() const {
  std::vector<std::string> names = {"vectors",    "update", "valid",
                                    "checkpoint", "resume", "checkpoint-every"};
  for (const std::string& name : fields_.names()) {
    const std::string& section = fields_.Find(name)->section;
    if (section != "Output" && section != "Vocabulary") names.push_back(name);
  }
  return names;
}

absl::StatusOr<ExitCode> LmTrainCommand::RunCounting(const OptionSet& options) {
  const Json used = UsedOf(options.UsedValues(), options);
  Json training = used;
  for (const std::string& name : options.NamesNotInModels()) {
    training.erase(name);
  }
  return counting_.Run(reading_, {output_, report_, quiet_, training, used});
}

absl::StatusOr<ExitCode> LmTrainCommand::Run(const OptionSet& options) {
  if (counting_.chosen()) return RunCounting(options);
  FIRTH_RETURN_IF_ERROR(checkpoints_.Reserve());
  if (!vectors_path_.empty()) {
    FIRTH_ASSIGN_OR_RETURN(WordVectors vectors, LoadVectors(vectors_path_));
    // The words of the vectors become words of the model.
    FIRTH_RETURN_IF_ERROR(
        CheckWords(vectors.vocabulary(), NoSubwords(), output_, "safetensors"));
    vectors_ = std::move(vectors);
    training_.vectors = &*vectors_;
  }
  const InterruptGuard interrupt;
  ProgressPrinter progress(quiet_,
                           static_cast<int>(std::ceil(training_.epochs)));
  absl::StatusOr<TrainedLanguageModel> trained =
      Train(options, {&progress, interrupt.flag()}, &progress);
  progress.Clear();
  if (!trained.ok()) return EndWithNothing(trained.status(), interrupt.flag());
  if (trained->report.interrupted) {
    checkpoints_.PrintInterrupted("what has been learned so far");
  }
  FIRTH_RETURN_IF_ERROR(Write(options, &*trained));
  SayResult(trained->report);
  return interrupt.Interrupted() ? ExitCode::kInterrupted : ExitCode::kDone;
}

constexpr CommandText kLmImportText = {
    "lm import", "convert a BERT, GPT-2, ELMo or ARPA model for use with Firth",
    "(PATH | --options FILE --weights FILE) --output MODEL",
    "Reads a folder in which Hugging Face libraries saved a BERT or GPT-2 "
    "model: config.json, model.safetensors (or several files with "
    "model.safetensors.index.json), vocab.txt (BERT) or vocab.json and "
    "merges.txt (GPT-2), and tokenizer_config.json if there is one. The "
    "converted model splits words into the same pieces as the original, and "
    "every command that reads a language model accepts it. A folder that has "
    "only pickles (pytorch_model.bin) is rejected; load it with the original "
    "library and save it with safe_serialization=True.\n\n"
    "With --options and --weights, reads the options.json and the HDF5 file of "
    "an ELMo model with a character CNN instead, in the form in which bilm-tf "
    "and AllenNLP published them. Such a model computes contextual vectors but "
    "cannot predict words, since these files lack the output layer.\n\n"
    "With a FILE, reads a counting model: an ARPA file, which may be "
    "compressed, or a model of \"firth lm train --ngram\". It is written as "
    "ARPA if the name of the output ends in .arpa, or in .arpa.gz, .bz2, .xz "
    "or "
    ".zst for a compressed file, and otherwise as .safetensors, which opens "
    "much faster.\n\n"
    "  firth lm import bert-base-cased --output bert.safetensors\n"
    "  firth lm import --options options.json --weights weights.hdf5 -o "
    "m.safetensors\n"
    "  firth lm import lm.arpa.gz --output lm.safetensors\n"
    "  firth embed bert.safetensors --input text.txt"};

class LmImportCommand : public CommandWith<kLmImportText> {
 public:
  void Declare(OptionSet* options) override {
    options->Path("options", "FILE", &options_, Reads(),
                  "path to the options.json file of an ELMo model");
    options->Path("weights", "FILE", &weights_, Reads(),
                  "path to the HDF5 file with the weights of an ELMo model");
    options->Path("output", "FILE", &output_, Writes(),
                  "path to the model file to write");
    options->Arguments("PATH", 0, 1, &folder_, {{"PATH", Reads()}});
  }

  absl::Status Check(const OptionSet&) override {
    if (!folder_.empty() && !(options_.empty() && weights_.empty())) {
      return absl::InvalidArgumentError(
          "--options and --weights import an ELMo model and cannot be combined "
          "with PATH");
    }
    if (folder_.empty() && options_.empty() && weights_.empty()) {
      return absl::InvalidArgumentError(
          "give PATH, or --options FILE and --weights FILE");
    }
    for (const auto& [name, path] : {std::pair("--options", &options_),
                                     {"--weights", &weights_},
                                     {"--output", &output_}}) {
      const bool of_elmo = path != &output_;
      if (!path->empty() || (of_elmo && !folder_.empty())) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("missing ", name, " FILE"));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    if (!folder_.empty() && std::filesystem::is_regular_file(folder_[0])) {
      FIRTH_RETURN_IF_ERROR(ConvertCountingModel(folder_[0], output_));
      PrintMessage(absl::StrCat("wrote ", output_));
      return ExitCode::kDone;
    }
    ProgressPrinter progress(/*quiet=*/false, 1);
    FIRTH_RETURN_IF_ERROR(
        folder_.empty()
            ? ImportElmo(options_, weights_, output_)
            : ImportPretrained(folder_[0], output_, {&progress, nullptr}));
    FIRTH_ASSIGN_OR_RETURN(const Contextualizer model,
                           Contextualizer::Load(output_));
    PrintMessage(absl::StrCat("wrote ", output_, ": ", model.num_layers(),
                              " layers of ", model.dim(), " dimensions"));
    return ExitCode::kDone;
  }

 private:
  std::vector<std::string> folder_;
  std::string options_;
  std::string weights_;
  std::string output_;
};

}  // namespace

CommandPtr MakeLmTrain() { return std::make_unique<LmTrainCommand>(); }

CommandPtr MakeLmImport() { return std::make_unique<LmImportCommand>(); }

}  // namespace firth::tools

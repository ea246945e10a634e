// Commands that use contextual vectors. firth probe measures how well vectors
// represent tags and word senses, and firth distill turns vectors of tokens
// into word vectors.

#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/progress_printer.h"
#include "cli/vector_files.h"
#include "command.h"
#include "firth/distill.h"
#include "firth/file_info.h"
#include "firth/postprocess.h"
#include "firth/probe.h"
#include "firth/status_macros.h"
#include "firth/vector_io.h"
#include "lm/layer_choice.h"
#include "tag/tagging.h"
#include "train/checkpoint_options.h"
#include "train/reading_options.h"

namespace firth::tools {
namespace {

constexpr size_t kMostColumns = 200;

Json ScoresJson(const std::vector<ProbeScore>& scores) {
  Json json = Json::array();
  for (const ProbeScore& score : scores) {
    Json entry = {{"features", score.features}, {"accuracy", score.accuracy}};
    if (!score.mix.shares.empty()) entry["mix"] = MixesJson({score.mix})[0];
    json.push_back(std::move(entry));
  }
  return json;
}

constexpr CommandText kProbeText = {
    "probe", "measure how well vectors predict tags and word senses",
    "--train FILE... --test FILE... | --senses FILE...",
    "With --train and --test, trains logistic regressions that predict tags "
    "from static vectors, from each layer of a contextualizer, from a mix of "
    "its layers, and from static vectors combined with a layer. The vectors "
    "are not changed. Prints the accuracy on the tokens of the test "
    "sentences.\n\n"
    "With --senses, each file has the occurrences of one ambiguous word. A "
    "line has the sense, the position of the word in the sentence, counted "
    "from 1, and the sentence; Senseval-2 files are also accepted. A fifth of "
    "the occurrences is used for testing. Each of these gets the sense of its "
    "nearest neighbor among the other occurrences.\n\n"
    "With --known and --senses, the texts of --senses are tested: each word "
    "gets the sense whose known occurrences have the nearest mean vector or, "
    "if the word is not known, its first sense in --first-senses. Prints F1. "
    "Texts are files of SemCor, or X.data.xml of the unified evaluation "
    "framework with X.gold.key.txt in the same folder.\n\n"
    "  firth probe --contextualizer model.safetensors --labels 10000 \\\n"
    "    --train train.txt --test test.txt\n"
    "  firth probe --contextualizer model.safetensors --senses line.pos "
    "serve.pos\n"
    "  firth probe --contextualizer model.safetensors \\\n"
    "    --known semcor/brown*/tagfiles/* --senses senseval3.data.xml \\\n"
    "    --first-senses index.sense"};

class ProbeCommand : public CommandWith<kProbeText> {
 public:
  void Declare(OptionSet* options) override {
    DeclareTaggerInputs(&inputs_, options);
    options->Section("Tags");
    options
        ->Paths("train", "FILE", &train_, Reads(),
                "path to tagged sentences for training")
        .Everyday();
    options
        ->Paths("test", "FILE", &test_, Reads(),
                "path to tagged sentences for testing")
        .Everyday();
    form_.Declare(/*plain_text=*/false, options);
    options->Fields(&tags_, {"labels", "learning-rate", "cache"});
    options->Section("Senses");
    options
        ->Paths("senses", "FILE", &senses_, Reads(),
                "path to files that each contain the occurrences of one word, "
                "or with --known, to test texts")
        .Everyday();
    options
        ->Paths("known", "FILE", &known_, Reads(),
                "path to texts with sense annotations for training")
        .Everyday()
        .GoesWith({"senses"});
    options
        ->Path("first-senses", "FILE", &first_senses_, Reads(),
               "path to WordNet's index.sense, from which unknown words get "
               "their first sense")
        .GoesWith({"known"});
    options->Fields(&sense_options_, {"most", "reach"});
    options->Fields(&tags_, {"seed", "threads"});
    options->Switch("json", &json_, "print one JSON object").Everyday();
  }

  absl::Status Check(const OptionSet&) override {
    if (inputs_.vectors.empty() && inputs_.contextualizer.empty()) {
      return absl::InvalidArgumentError(
          "give --vectors FILE or --contextualizer MODEL");
    }
    const bool tags = !train_.empty() && !test_.empty();
    if (train_.empty() != test_.empty() || tags == !senses_.empty()) {
      return absl::InvalidArgumentError(
          "give --train FILE and --test FILE, or --senses FILE");
    }
    sense_options_.seed = tags_.seed;
    sense_options_.threads = tags_.threads;
    return tags_.Validate();
  }

  absl::StatusOr<ExitCode> Run(const OptionSet&) override {
    const InterruptGuard interrupt;
    const absl::Status status = senses_.empty()  ? ProbeAllTags(interrupt)
                                : known_.empty() ? ProbeWords(interrupt)
                                                 : ProbeTexts(interrupt);
    if (interrupt.Interrupted()) return EndInterrupted("interrupted");
    FIRTH_RETURN_IF_ERROR(status);
    return ExitCode::kDone;
  }

 private:
  absl::Status ProbeAllTags(const InterruptGuard& interrupt) const {
    PassedOverLines passed_over;
    FIRTH_ASSIGN_OR_RETURN(
        auto train,
        ReadTaggedText(form_.Of(train_, true), interrupt.flag(), &passed_over));
    FIRTH_ASSIGN_OR_RETURN(
        auto test,
        ReadTaggedText(form_.Of(test_, true), interrupt.flag(), &passed_over));
    PrintPassedOver(passed_over);
    FIRTH_ASSIGN_OR_RETURN(
        const TagProbeReport report,
        ProbeTags(train, test, inputs_, tags_, {nullptr, interrupt.flag()}));
    if (json_) {
      Print(JsonLine({{"train_tokens", report.train_tokens},
                      {"test_tokens", report.test_tokens},
                      {"scores", ScoresJson(report.scores)}}));
      return absl::OkStatus();
    }
    TextTable table("lrl");
    table.AddRow({absl::StrCat("learned from ", Thousands(report.train_tokens)),
                  "accuracy",
                  absl::StrCat("of ", Thousands(report.test_tokens))});
    for (const ProbeScore& score : report.scores) {
      table.AddRow({score.features, ShareText(score.accuracy),
                    score.mix.shares.empty() ? "" : MixText(score.mix)});
    }
    Print(table.ToString());
    return absl::OkStatus();
  }

  static absl::StatusOr<std::vector<SensedSentence>> ReadTexts(
      const std::vector<std::string>& paths) {
    std::vector<SensedSentence> all;
    for (const std::string& path : paths) {
      FIRTH_ASSIGN_OR_RETURN(std::vector<SensedSentence> text,
                             ReadSensedText(path));
      all.insert(all.end(), std::make_move_iterator(text.begin()),
                 std::make_move_iterator(text.end()));
    }
    return all;
  }

  absl::Status ProbeTexts(const InterruptGuard& interrupt) const {
    FIRTH_ASSIGN_OR_RETURN(const std::vector<SensedSentence> known,
                           ReadTexts(known_));
    std::vector<std::vector<SensedSentence>> asked;
    for (const std::string& path : senses_) {
      FIRTH_ASSIGN_OR_RETURN(asked.emplace_back(), ReadTexts({path}));
    }
    std::map<std::string, std::string> first;
    if (!first_senses_.empty()) {
      FIRTH_ASSIGN_OR_RETURN(first, ReadFirstSenses(first_senses_));
    }
    FIRTH_ASSIGN_OR_RETURN(
        const AllSensesReport report,
        ProbeAllSenses(known, asked, first, inputs_, sense_options_,
                       {nullptr, interrupt.flag()}));
    PrintTexts(report);
    return absl::OkStatus();
  }

  void PrintTexts(const AllSensesReport& report) const {
    Json texts = Json::array();
    TextTable table("l" + std::string(kMostColumns, 'r'));
    for (size_t i = 0; i < senses_.size(); ++i) {
      std::vector<std::string> names = {"F1", "asked"};
      std::vector<std::string> cells = {senses_[i],
                                        Thousands(report.texts[i].asked)};
      Json scores = Json::array();
      for (const SenseScore& score : report.texts[i].scores) {
        names.push_back(score.features);
        cells.push_back(ShareText(score.f1));
        scores.push_back({{"features", score.features},
                          {"precision", score.precision},
                          {"recall", score.recall},
                          {"f1", score.f1}});
      }
      if (table.empty()) table.AddRow(std::move(names));
      table.AddRow(std::move(cells));
      texts.push_back({{"file", senses_[i]},
                       {"asked", report.texts[i].asked},
                       {"scores", std::move(scores)}});
    }
    Print(json_ ? JsonLine({{"known", report.known},
                            {"senses", report.senses},
                            {"texts", std::move(texts)}})
                : table.ToString());
  }

  absl::Status ProbeWords(const InterruptGuard& interrupt) const {
    Json files = Json::array();
    TextTable table("l" + std::string(kMostColumns, 'r'));
    for (const std::string& path : senses_) {
      FIRTH_ASSIGN_OR_RETURN(const auto instances, ReadSenses(path));
      FIRTH_ASSIGN_OR_RETURN(
          const SenseProbeReport report,
          At(path, ProbeSenses(instances, inputs_, sense_options_,
                               {nullptr, interrupt.flag()})));
      files.push_back({{"file", path},
                       {"senses", report.senses},
                       {"train", report.train},
                       {"test", report.test},
                       {"scores", ScoresJson(report.scores)}});
      AddRows(path, report, &table);
    }
    Print(json_ ? JsonLine({{"files", files}}) : table.ToString());
    return absl::OkStatus();
  }

  static void AddRows(const std::string& path, const SenseProbeReport& report,
                      TextTable* table) {
    std::vector<std::string> names = {"", "senses", "asked"};
    std::vector<std::string> cells = {path, absl::StrCat(report.senses),
                                      Thousands(report.test)};
    for (const ProbeScore& score : report.scores) {
      names.push_back(score.features);
      cells.push_back(ShareText(score.accuracy));
    }
    if (table->empty()) table->AddRow(std::move(names));
    table->AddRow(std::move(cells));
  }

  TaggerInputs inputs_;
  std::vector<std::string> train_;
  std::vector<std::string> test_;
  TaggedForm form_;
  ProbeOptions tags_;
  std::vector<std::string> senses_;
  std::vector<std::string> known_;
  std::string first_senses_;
  SenseProbeOptions sense_options_;
  bool json_ = false;
};

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
    // The teacher needs all words, including rare ones.
    FIRTH_ASSIGN_OR_RETURN(
        const Corpus text,
        ReadCorpus(reading_.corpus, VocabularyOptions{.min_count = 1}, hooks));
    progress->Clear();
    if (!quiet_) PrintNote(Account(text.report));
    // Check all possible words of the file before the long computation.
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

CommandPtr MakeProbe() { return std::make_unique<ProbeCommand>(); }

CommandPtr MakeDistill() { return std::make_unique<DistillCommand>(); }

}  // namespace firth::tools

// What the commands that answer questions about words share: the vector files,
// questions from the command line or line by line from standard input, and
// answers as text or as JSON, one object a line. Several vector files are asked
// the same, and their answers stand side by side.

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/closest_name.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/interrupt.h"
#include "cli/line_reader.h"
#include "cli/percent_sink.h"
#include "cli/vector_files.h"
#include "command.h"
#include "firth/all_neighbors.h"
#include "firth/complete_word.h"
#include "firth/evaluate.h"
#include "firth/status_macros.h"
#include "query/asked_words.h"
#include "query/find_question.h"
#include "query/kept_vectors.h"
#include "query/ranking.h"
#include "query/word_questions.h"

namespace firth::tools {
namespace {

// Questions that came together and are answered together: as many as a batch
// wants, and few enough that answers do not keep anyone waiting.
constexpr size_t kMostQuestions = 256;
std::vector<std::string> Words(const std::string& line) {
  return absl::StrSplit(line, absl::ByAnyChar(" \t\v\f\r"), absl::SkipEmpty());
}

// Whether an argument may be another file of vectors rather than a word.
bool IsFile(const std::string& argument) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(argument, ignored);
}

// Texts of lines as columns beside each other.
std::string SideBySide(const std::vector<std::string>& texts) {
  TextTable table(std::string(texts.size(), 'l'));
  std::vector<std::vector<std::string>> columns;
  size_t lines = 0;
  for (const std::string& text : texts) {
    columns.push_back(absl::StrSplit(absl::StripSuffix(text, "\n"), '\n'));
    lines = std::max(lines, columns.back().size());
  }
  for (size_t line = 0; line < lines; ++line) {
    std::vector<std::string> cells;
    for (const std::vector<std::string>& column : columns) {
      cells.push_back(line < column.size() ? column[line] : "");
    }
    table.AddRow(std::move(cells));
  }
  return table.ToString();
}

class QueryCommand : public Command {
 public:
  explicit QueryCommand(const QuestionKind& kind) : kind_(kind) {}

  absl::string_view name() const override { return kind_.command; }
  absl::string_view summary() const override { return kind_.summary; }
  absl::string_view synopsis() const override { return kind_.synopsis; }
  absl::string_view description() const override { return kind_.description; }
  void Declare(OptionSet* options) override;
  absl::Status Check(const OptionSet& options) override;
  absl::StatusOr<ExitCode> Run(const OptionSet& options) override;

 private:
  bool ranks() const { return kind_.asks == Asks::kNeighbors; }
  void DeclareSums(OptionSet* options);
  absl::Status CheckRanking(const OptionSet& options) const;
  absl::Status CheckWords() const;
  void SplitArguments();
  absl::Status OpenSources();
  absl::StatusOr<Source> OpenSource(const std::string& path) const;
  absl::StatusOr<ExitCode> AnswerAllWords();
  absl::StatusOr<ExitCode> AnswerLines();
  // The answer to a line that could not be read.
  void PrintUnread(const std::string& place, const absl::Status& status) const;
  PromptOptions PromptForQuestions() const;
  // Adds the questions that a line is; false if it cannot be understood.
  bool AddQuestions(const std::string& line, uint64_t number,
                    const std::string& place,
                    std::vector<Asked>* questions) const;
  std::vector<Asked> QuestionsOfWords(const std::vector<std::string>& words,
                                      const std::string& place) const;
  // Answers and returns whether all went well.
  bool AnswerAll(absl::Span<const Asked> questions, bool labelled);
  // The answers of one source, or what is wrong with a question.
  std::vector<absl::StatusOr<WordsAnswer>> AnswersOf(
      const Source& source, absl::Span<const Asked> questions,
      bool labelled) const;
  // The answers of all sources to one question.
  void PrintAnswers(const Asked& asked,
                    absl::Span<const absl::StatusOr<WordsAnswer>> answers);
  void PrintJson(const Asked& asked,
                 absl::Span<const absl::StatusOr<WordsAnswer>> answers) const;
  // Whether a question that failed so is passed over in silence.
  bool IsSkipped(const absl::Status& status) const;

  const QuestionKind& kind_;
  uint64_t digits_ = kCosineDigits;
  bool json_ = false;
  bool by_vector_ = false;
  bool n_grams_ = false;
  std::string positive_, negative_;
  std::string all_;     // the file of the neighbours of all words
  std::string output_;  // the file of vectors
  std::string format_;
  EvaluateOptions asking_{.unknown = UnknownWords::kSubword};
  RankingOptions ranking_;
  std::vector<std::string> arguments_;  // vector files, then words
  std::vector<std::string> paths_;      // of them, the files
  std::vector<std::string> words_;      // and the words
  std::vector<Source> sources_;         // a path each
  KeptVectors kept_;                    // for the output
};

void QueryCommand::Declare(OptionSet* options) {
  if (ranks()) ranking_.Declare(options);
  if (kind_.by_method) options->Fields(&asking_, {"method"});
  if (kind_.sums) options->TakeDashedWords();
  options->AlsoUses("--index", Reads(), [this]() -> std::string {
    const bool is_read =
        !all_.empty() && std::holds_alternative<HnswSearch>(ranking_.search);
    return is_read && !arguments_.empty() ? HnswPath(arguments_[0]) : "";
  });
  if (kind_.sums && kind_.high == 1) DeclareSums(options);
  if (kind_.asks == Asks::kVectors) {
    options->Switch("ngrams", &n_grams_,
                    "print the vectors of each word's n-grams instead of the "
                    "vector of the word");
    options->Path("output", "FILE", &output_, WritesVectors(&format_),
                  "path to a vector file to write; each word is written only "
                  "once. The extension determines the format");
  }
  if (kind_.asks != Asks::kNGrams) {
    options->Fields(&asking_, {"oov"});
    options->At("oov").default_text = "subword";
  }
  if (kind_.decimals) {
    options->Integer(
        "digits", &digits_, 1, 9,
        "number of decimals to print; JSON always has full precision");
  }
  options->Switch("json", &json_,
                  "print one line with a JSON object per question");
  options->Arguments("VECTORS", 1, std::numeric_limits<size_t>::max(),
                     &arguments_, {{"VECTORS", Reads()}, {"WORD", NoFile()}});
}

void QueryCommand::DeclareSums(OptionSet* options) {
  options->Text("positive", "WORD,WORD...", &positive_,
                "add the vectors of these words; the answers are near the sum");
  options->Text("negative", "WORD,WORD...", &negative_,
                "subtract the vectors of these words from the sum");
  options->Switch(
      "by-vector", &by_vector_,
      "read vectors from standard input instead of words; each line has the "
      "numbers of one vector, optionally after a label");
  options->Path("all", "FILE", &all_, Writes(),
                "path to a file for the neighbors of all words; each line has "
                "a word, a neighbor and their cosine, separated by tabs");
}

absl::Status QueryCommand::CheckRanking(const OptionSet& options) const {
  if (!ranks()) return absl::OkStatus();
  if (asking_.method == AnalogyMethod::kMul && options.Given("index")) {
    return absl::InvalidArgumentError(
        "--index cannot be combined with --method mul, which must compare all "
        "vectors");
  }
  return ranking_.Check();
}

absl::Status QueryCommand::Check(const OptionSet& options) {
  FIRTH_RETURN_IF_ERROR(CheckRanking(options));
  if (!output_.empty()) {
    FIRTH_ASSIGN_OR_RETURN(format_, ChooseVectorFormat(output_, ""));
    if (json_) {
      return absl::InvalidArgumentError(
          "--json cannot be combined with --output");
    }
  }
  if (options.Given("digits") && (json_ || !all_.empty())) {
    return absl::InvalidArgumentError(
        absl::StrCat("--digits cannot be combined with ",
                     json_ ? "--json, which prints all digits"
                           : "--all, which writes six digits"));
  }
  const int ways =
      by_vector_ + !all_.empty() + (!positive_.empty() || !negative_.empty());
  if (ways > 1) {
    return absl::InvalidArgumentError(
        "give only one of --by-vector, --all, and --positive with --negative");
  }
  if (!all_.empty() && json_) {
    return absl::InvalidArgumentError(
        "--json cannot be combined with --all, which writes lines of three "
        "columns");
  }
  SplitArguments();
  if (paths_.size() > 1 && (!output_.empty() || !all_.empty())) {
    return absl::InvalidArgumentError(absl::StrCat(
        output_.empty() ? "--all" : "--output",
        " requires exactly one file of vectors, found ", paths_.size()));
  }
  if (ways == 0) return CheckWords();
  if (words_.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the word \"", words_[0], "\" cannot be combined with ",
                   by_vector_     ? "--by-vector"
                   : all_.empty() ? "--positive or --negative"
                                  : "--all"));
}

void QueryCommand::SplitArguments() {
  auto word = arguments_.begin() + 1;
  while (word != arguments_.end() && IsFile(*word)) ++word;
  paths_.assign(arguments_.begin(), word);
  words_.assign(word, arguments_.end());
}

absl::Status QueryCommand::CheckWords() const {
  if (words_.empty() || kind_.high == 1) return absl::OkStatus();
  const bool may_be_sum = kind_.sums && AskWords(words_, [](absl::string_view) {
                                          return false;
                                        }).is_sum;
  if (may_be_sum) return absl::OkStatus();
  const absl::Status count = CheckCount(kind_, words_.size());
  if (count.ok() || !absl::c_any_of(words_, HoldsWhiteSpace)) return count;
  return absl::InvalidArgumentError(absl::StrCat(
      count.message(), "; write each as a separate argument, without quotes"));
}

absl::StatusOr<Source> QueryCommand::OpenSource(const std::string& path) const {
  Source source;
  source.path = path;
  const bool answers_words = ranks() || kind_.asks == Asks::kOrder;
  FIRTH_ASSIGN_OR_RETURN(source.vectors, answers_words
                                             ? LoadVectorsToAsk(path)
                                             : LoadVectorsOfWords(path));
  const bool of_ngrams = kind_.asks == Asks::kNGrams || n_grams_;
  if (of_ngrams && source.vectors.subwords() == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": the model has no n-grams"));
  }
  if (answers_words && source.vectors.vocabulary().empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": the model has no words, so there are no answers"));
  }
  if (ranks()) {
    FIRTH_ASSIGN_OR_RETURN(source.neighbors,
                           ranking_.Open(source.vectors, path));
  } else if (kind_.asks == Asks::kOrder) {
    source.neighbors.emplace(source.vectors);
  }
  source.top = ranking_.top;
  source.digits = digits_;
  source.method = asking_.method;
  source.n_grams = n_grams_;
  return source;
}

// What is the name of a file and a word of the first model is a word.
absl::Status QueryCommand::OpenSources() {
  FIRTH_ASSIGN_OR_RETURN(sources_.emplace_back(), OpenSource(paths_[0]));
  const Vocabulary& vocabulary = sources_[0].vectors.vocabulary();
  const auto word = std::find_if(paths_.begin() + 1, paths_.end(),
                                 [&](const std::string& path) {
                                   return vocabulary.Find(path).has_value();
                                 });
  words_.insert(words_.begin(), word, paths_.end());
  paths_.erase(word, paths_.end());
  FIRTH_RETURN_IF_ERROR(CheckWords());
  if (paths_.size() > 1 && (!output_.empty() || !all_.empty())) {
    return absl::InvalidArgumentError(absl::StrCat(
        output_.empty() ? "--all" : "--output",
        " requires exactly one file of vectors, found ", paths_.size()));
  }
  const std::vector<std::string> others(paths_.begin() + 1, paths_.end());
  for (const std::string& path : others) {
    FIRTH_ASSIGN_OR_RETURN(Source source, OpenSource(path));
    sources_.push_back(std::move(source));
  }
  return absl::OkStatus();
}

absl::StatusOr<ExitCode> QueryCommand::Run(const OptionSet&) {
  FIRTH_RETURN_IF_ERROR(OpenSources());
  if (!all_.empty()) return AnswerAllWords();
  std::vector<Asked> questions = QuestionsOfWords(words_, "");
  if (!positive_.empty() || !negative_.empty()) {
    FIRTH_ASSIGN_OR_RETURN(questions.emplace_back(),
                           AskLists(positive_, negative_));
  }
  ExitCode code = ExitCode::kFailed;
  if (questions.empty()) {
    FIRTH_ASSIGN_OR_RETURN(code, AnswerLines());
  } else if (AnswerAll(questions, questions.size() > 1)) {
    code = ExitCode::kDone;
  }
  if (output_.empty()) return code;
  if (code != ExitCode::kDone) {
    PrintMessage("nothing was written; --oov skip omits such words");
    return code;
  }
  FIRTH_RETURN_IF_ERROR(
      kept_.Save(sources_[0].vectors.dim(), output_, format_));
  return code;
}

absl::StatusOr<ExitCode> QueryCommand::AnswerAllWords() {
  const InterruptGuard interrupt;
  PercentSink progress;
  const absl::Status status = SaveAllNeighbors(
      sources_[0].vectors, *sources_[0].neighbors, sources_[0].top, all_,
      {.progress = &progress, .stop = interrupt.flag()});
  if (absl::IsCancelled(status)) {
    PrintMessage("interrupted; nothing was written");
    return ExitCode::kInterrupted;
  }
  FIRTH_RETURN_IF_ERROR(status);
  return ExitCode::kDone;
}

absl::StatusOr<ExitCode> QueryCommand::AnswerLines() {
  LineReader reader(PromptForQuestions());
  if (reader.interactive()) {
    const WordVectors& vectors = sources_[0].vectors;
    PrintMessage(absl::StrCat(
        Counted(vectors.size(), "word"), " of ",
        Counted(vectors.dim(), "dimension"),
        "; write one question per line, \"help\" explains more, Ctrl-D ends"));
  }
  bool good = true;
  uint64_t number = 0;  // of the line
  for (;;) {
    FIRTH_ASSIGN_OR_RETURN(const std::vector<LineReader::Line> lines,
                           reader.Next(kMostQuestions));
    if (lines.empty()) break;
    std::vector<Asked> questions;
    for (const LineReader::Line& line : lines) {
      ++number;
      const std::string place =
          reader.interactive() ? ""
                               : absl::StrCat("standard input:", number, ": ");
      if (line.ok()) {
        good = AddQuestions(*line, number, place, &questions) && good;
        continue;
      }
      // Answers come in the order of the lines.
      AnswerAll(std::exchange(questions, {}), /*labelled=*/true);
      PrintUnread(place, line.status());
      good = false;
    }
    good =
        AnswerAll(questions, !reader.interactive() ||
                                 (kind_.high == 1 && questions.size() > 1)) &&
        good;
    // Nobody to answer: what went wrong is said at the end of the program.
    if (!FlushResults().ok()) break;
  }
  return good ? ExitCode::kDone : ExitCode::kFailed;
}

void QueryCommand::PrintUnread(const std::string& place,
                               const absl::Status& status) const {
  if (json_) {
    Print(OneLine({{"query", Json::array()},
                   {"error", std::string(status.message())}}) +
          "\n");
  } else {
    PrintError(absl::StrCat(place, status.message()));
  }
}

PromptOptions QueryCommand::PromptForQuestions() const {
  const std::string words =
      kind_.high == 1 ? "words, each of which is a question"
                      : Counted(kind_.low, "word") +
                            (kind_.high > kind_.low ? " or more" : "");
  return {.text = std::string(kind_.prompt),
          .help = absl::StrCat(
              kind_.command, ": ", kind_.summary, "\nA line contains ", words,
              kind_.sums ? ", or a sum of words with signs." : "."),
          .command_for_help =
              absl::StrCat("firth ", kind_.command, " ", arguments_[0], " help",
                           kind_.high == 1 ? "" : " ..."),
          .complete = [this](absl::string_view typed, size_t most) {
            return CompleteWord(sources_[0].vectors.vocabulary(), typed, most);
          }};
}

bool QueryCommand::AddQuestions(const std::string& line, uint64_t number,
                                const std::string& place,
                                std::vector<Asked>* questions) const {
  const std::vector<std::string> words = Words(line);
  if (!by_vector_ || words.empty()) {
    absl::c_move(QuestionsOfWords(words, place),
                 std::back_inserter(*questions));
    return true;
  }
  absl::StatusOr<Asked> asked = AskNumbers(words, sources_[0].vectors.dim(),
                                           absl::StrCat("line ", number));
  if (!asked.ok()) {
    PrintError(absl::StrCat(place, asked.status().message()));
    return false;
  }
  asked->place = place;
  questions->push_back(*std::move(asked));
  return true;
}

std::vector<Asked> QueryCommand::QuestionsOfWords(
    const std::vector<std::string>& words, const std::string& place) const {
  if (words.empty()) return {};
  Asked asked;
  if (kind_.sums) {
    const Vocabulary& vocabulary = sources_[0].vectors.vocabulary();
    asked = AskWords(words, [&](absl::string_view word) {
      return vocabulary.Find(word).has_value();
    });
  } else {
    for (const std::string& word : words) asked.words.push_back({word});
  }
  asked.place = place;
  if (asked.is_sum || kind_.high > 1) return {std::move(asked)};
  std::vector<Asked> questions;
  for (AskedWord& word : asked.words) {
    Asked& one = questions.emplace_back();
    one.words = {std::move(word)};
    one.place = place;
  }
  return questions;
}

std::vector<absl::StatusOr<WordsAnswer>> QueryCommand::AnswersOf(
    const Source& source, absl::Span<const Asked> questions,
    bool labelled) const {
  std::vector<absl::StatusOr<WordsAnswer>> answers;
  std::vector<Question> good;  // those of them with all words known
  for (const Asked& asked : questions) {
    absl::StatusOr<Question> found =
        FindQuestion(kind_, source, asked, asking_.unknown);
    answers.push_back(found.ok() ? WordsAnswer()
                                 : absl::StatusOr<WordsAnswer>(found.status()));
    if (found.ok()) good.push_back(*std::move(found));
  }
  std::vector<WordsAnswer> given = kind_.answer(source, good, labelled);
  auto next = given.begin();
  for (absl::StatusOr<WordsAnswer>& answer : answers) {
    if (answer.ok()) answer = *std::move(next++);
  }
  return answers;
}

bool QueryCommand::AnswerAll(absl::Span<const Asked> questions, bool labelled) {
  std::vector<std::vector<absl::StatusOr<WordsAnswer>>> by_source;
  for (const Source& source : sources_) {
    by_source.push_back(AnswersOf(source, questions, labelled));
  }
  bool good = true;
  for (size_t i = 0; i < questions.size(); ++i) {
    std::vector<absl::StatusOr<WordsAnswer>> answers;
    for (auto& of_source : by_source) {
      answers.push_back(std::move(of_source[i]));
    }
    const auto failed = absl::c_find_if(
        answers, [](const auto& answer) { return !answer.ok(); });
    if (failed != answers.end()) {
      if (IsSkipped(failed->status())) continue;
      good = false;
    }
    if (!output_.empty() && answers[0].ok()) {
      kept_.Add(*answers[0]);
    } else {
      PrintAnswers(questions[i], answers);
    }
  }
  return good;
}

bool QueryCommand::IsSkipped(const absl::Status& status) const {
  return asking_.unknown == UnknownWords::kSkip && absl::IsNotFound(status);
}

void QueryCommand::PrintAnswers(
    const Asked& asked, absl::Span<const absl::StatusOr<WordsAnswer>> answers) {
  if (json_) return PrintJson(asked, answers);
  std::vector<std::string> texts;
  for (const absl::StatusOr<WordsAnswer>& answer : answers) {
    if (answer.ok()) {
      texts.push_back(answer->text);
    } else {
      const std::string model =
          sources_.size() > 1 ? absl::StrCat(sources_[texts.size()].path, ": ")
                              : "";
      PrintError(absl::StrCat(asked.place, model, answer.status().message()));
      texts.emplace_back("-\n");
    }
  }
  if (answers.size() > 1) {
    for (size_t i = 0; i < texts.size(); ++i) {
      texts[i] = absl::StrCat(sources_[i].path, "\n", texts[i]);
    }
    PrintStyled(SideBySide(texts));
  } else if (answers[0].ok()) {
    PrintStyled(texts[0]);
  }
}

void QueryCommand::PrintJson(
    const Asked& asked,
    absl::Span<const absl::StatusOr<WordsAnswer>> answers) const {
  Json object;
  if (kind_.high == 1 || asked.is_sum) {
    object["query"] = asked.Label();
  } else {
    Json& words = object["query"] = Json::array();
    for (const AskedWord& word : asked.words) words.push_back(word.text);
  }
  for (size_t i = 0; i < answers.size(); ++i) {
    Json& part = answers.size() == 1 ? object : object["models"].emplace_back();
    if (answers.size() > 1) part["file"] = sources_[i].path;
    if (answers[i].ok()) {
      part.update(answers[i]->json);
    } else {
      part["error"] = std::string(answers[i].status().message());
    }
  }
  Print(OneLine(object) + "\n");
}

}  // namespace

std::unique_ptr<Command> MakeQuery(const QuestionKind& kind) {
  return std::make_unique<QueryCommand>(kind);
}

}  // namespace firth::tools

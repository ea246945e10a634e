// What the commands that answer questions about words share: the vector file,
// questions from the command line or line by line from standard input, and
// answers as text or as JSON, one object a line.

#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/closest_name.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/line_reader.h"
#include "cli/vector_files.h"
#include "command.h"
#include "firth/complete_word.h"
#include "firth/status_macros.h"
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
  absl::Status CheckRanking(const OptionSet& options) const;
  absl::Status CheckCount(size_t words) const;
  absl::Status OpenSource();
  absl::StatusOr<ExitCode> AnswerLines();
  PromptOptions PromptForQuestions() const;
  // What was asked, as it was written.
  struct Asked {
    std::vector<std::string> words;
    std::string place;  // starts a message
  };
  // Adds the questions that `words` are.
  void AddQuestions(std::vector<std::string> words, const std::string& place,
                    std::vector<Asked>* questions) const;
  // Answers and returns whether all went well.
  bool AnswerAll(absl::Span<const Asked> questions, bool labelled);
  void PrintAnswer(const Asked& asked, const absl::StatusOr<Answer>& answer);
  // Whether a question that failed so is passed over in silence.
  bool IsSkipped(const absl::Status& status) const;
  absl::StatusOr<Question> FindWords(absl::Span<const std::string> words) const;
  absl::StatusOr<QuestionWord> FindOne(const std::string& word) const;

  const QuestionKind& kind_;
  bool json_ = false;
  EvaluateOptions asking_{.unknown = UnknownWords::kSubword};
  RankingOptions ranking_;
  std::vector<std::string> arguments_;  // the vector file, then words
  Source source_;
};

void QueryCommand::Declare(OptionSet* options) {
  if (kind_.ranks) ranking_.Declare(options);
  if (kind_.by_method) {
    options->Choice<AnalogyMethod>(
        "method", &source_.method,
        {{"add", AnalogyMethod::kAdd}, {"mul", AnalogyMethod::kMul}},
        "3CosAdd, cos(x, b - a + c), or 3CosMul, cos(x,b) cos(x,c) / cos(x,a)");
  }
  options->Fields(&asking_, {"oov"});
  options->At("oov").default_text = "subword";
  options->Switch("json", &json_, "print one JSON object a question, a line");
  options->Arguments("VECTORS", 1, std::numeric_limits<size_t>::max(),
                     &arguments_,
                     {{"VECTORS", ReadsVectors()}, {"WORD", NoFile()}});
}

absl::Status QueryCommand::CheckRanking(const OptionSet& options) const {
  if (!kind_.ranks) return absl::OkStatus();
  if (source_.method == AnalogyMethod::kMul && options.Given("index")) {
    return absl::InvalidArgumentError(
        "--index does not go with --method mul, which looks at all vectors");
  }
  return ranking_.Check();
}

absl::Status QueryCommand::CheckCount(size_t words) const {
  if (words >= kind_.low && words <= kind_.high) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "expected ", Counted(kind_.low, "word"),
      kind_.high > kind_.low ? " or more" : "", ", found ", words));
}

absl::Status QueryCommand::Check(const OptionSet& options) {
  FIRTH_RETURN_IF_ERROR(CheckRanking(options));
  const size_t words = arguments_.size() - 1;
  if (words == 0 || kind_.high == 1) return absl::OkStatus();
  const absl::Status count = CheckCount(words);
  if (count.ok() || !absl::c_any_of(arguments_, HoldsWhiteSpace)) return count;
  return absl::InvalidArgumentError(absl::StrCat(
      count.message(), "; each is an argument of its own, without quotes"));
}

absl::Status QueryCommand::OpenSource() {
  const std::string& path = arguments_[0];
  FIRTH_ASSIGN_OR_RETURN(source_.vectors, LoadVectorsToAsk(path));
  if (kind_.of_ngrams && source_.vectors.subwords() == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": expected a model with n-grams, found none"));
  }
  if (!kind_.ranks) return absl::OkStatus();
  FIRTH_ASSIGN_OR_RETURN(source_.neighbors,
                         ranking_.Open(source_.vectors, path));
  source_.top = ranking_.top;
  return absl::OkStatus();
}

absl::StatusOr<ExitCode> QueryCommand::Run(const OptionSet&) {
  FIRTH_RETURN_IF_ERROR(OpenSource());
  std::vector<Asked> questions;
  AddQuestions({arguments_.begin() + 1, arguments_.end()}, "", &questions);
  if (questions.empty()) return AnswerLines();
  return AnswerAll(questions, questions.size() > 1) ? ExitCode::kDone
                                                    : ExitCode::kFailed;
}

absl::StatusOr<ExitCode> QueryCommand::AnswerLines() {
  LineReader reader(PromptForQuestions());
  if (reader.interactive()) {
    PrintMessage(
        absl::StrCat(Counted(source_.vectors.size(), "word"), " of ",
                     Counted(source_.vectors.dim(), "dimension"),
                     "; one question a line, \"help\" says more, Ctrl-D ends"));
  }
  bool good = true;
  uint64_t number = 0;  // of the line
  for (;;) {
    FIRTH_ASSIGN_OR_RETURN(const std::vector<std::string> lines,
                           reader.Next(kMostQuestions));
    if (lines.empty()) break;
    std::vector<Asked> questions;
    for (const std::string& line : lines) {
      const std::string place =
          reader.interactive()
              ? ""
              : absl::StrCat("standard input:", ++number, ": ");
      AddQuestions(Words(line), place, &questions);
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

PromptOptions QueryCommand::PromptForQuestions() const {
  const std::string words =
      kind_.high == 1 ? "words, each a question"
                      : Counted(kind_.low, "word") +
                            (kind_.high > kind_.low ? " or more" : "");
  return {.text = std::string(kind_.prompt),
          .help = absl::StrCat(kind_.command, ": ", kind_.summary,
                               "\nA line has ", words, "."),
          .command_for_help =
              absl::StrCat("firth ", kind_.command, " ", arguments_[0], " help",
                           kind_.high == 1 ? "" : " ..."),
          .complete = [this](absl::string_view typed, size_t most) {
            return CompleteWord(source_.vectors.vocabulary(), typed, most);
          }};
}

void QueryCommand::AddQuestions(std::vector<std::string> words,
                                const std::string& place,
                                std::vector<Asked>* questions) const {
  if (words.empty()) return;
  if (kind_.high > 1) {
    questions->push_back({std::move(words), place});
    return;
  }
  for (std::string& word : words) {
    questions->push_back({{std::move(word)}, place});
  }
}

bool QueryCommand::AnswerAll(absl::Span<const Asked> questions, bool labelled) {
  std::vector<absl::StatusOr<Question>> found;
  std::vector<Question> good;  // those of them with all words known
  for (const Asked& asked : questions) {
    found.push_back(FindWords(asked.words));
    if (found.back().ok()) good.push_back(*found.back());
  }
  const std::vector<Answer> answers = kind_.answer(source_, good, labelled);
  auto answer = answers.begin();
  size_t skipped = 0;
  for (size_t i = 0; i < questions.size(); ++i) {
    if (found[i].ok()) {
      PrintAnswer(questions[i], *answer++);
    } else if (IsSkipped(found[i].status())) {
      ++skipped;
    } else {
      PrintAnswer(questions[i], found[i].status());
    }
  }
  return good.size() + skipped == questions.size();
}

bool QueryCommand::IsSkipped(const absl::Status& status) const {
  return asking_.unknown == UnknownWords::kSkip && absl::IsNotFound(status);
}

void QueryCommand::PrintAnswer(const Asked& asked,
                               const absl::StatusOr<Answer>& answer) {
  if (!json_) {
    if (answer.ok()) {
      PrintStyled(answer->text);
    } else {
      PrintError(absl::StrCat(asked.place, answer.status().message()));
    }
    return;
  }
  Json object;
  if (kind_.high == 1) {
    object["query"] = asked.words[0];
  } else {
    object["query"] = asked.words;
  }
  if (answer.ok()) {
    object.update(answer->json);
  } else {
    object["error"] = std::string(answer.status().message());
  }
  Print(OneLine(object) + "\n");
}

absl::StatusOr<Question> QueryCommand::FindWords(
    absl::Span<const std::string> words) const {
  FIRTH_RETURN_IF_ERROR(CheckCount(words.size()));
  Question question;
  for (const std::string& word : words) {
    FIRTH_ASSIGN_OR_RETURN(question.emplace_back(), FindOne(word));
  }
  return question;
}

absl::StatusOr<QuestionWord> QueryCommand::FindOne(
    const std::string& word) const {
  const std::optional<WordId> known = source_.vectors.vocabulary().Find(word);
  if (known.has_value()) {
    return QuestionWord{word, known, source_.vectors.CopyVector(*known)};
  }
  // No word of a text has a space inside, so that its n-grams mean nothing.
  if (asking_.unknown == UnknownWords::kSubword && !HoldsWhiteSpace(word)) {
    std::optional<std::vector<float>> made = source_.vectors.FromNGrams(word);
    if (made.has_value()) {
      return QuestionWord{word, std::nullopt, *std::move(made)};
    }
  }
  return FindWord(source_.vectors.vocabulary(), word).status();
}

}  // namespace

std::unique_ptr<Command> MakeQuery(const QuestionKind& kind) {
  return std::make_unique<QueryCommand>(kind);
}

}  // namespace firth::tools

#include "query/query_command.h"

#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/closest_name.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/line_reader.h"
#include "cli/vector_files.h"

namespace firth::tools {
namespace {

// Questions that came together and are answered together: as many as a batch
// wants, and few enough that answers do not keep anyone waiting.
constexpr size_t kMostLines = 256;

std::vector<std::string> Words(const std::string& line) {
  return absl::StrSplit(line, absl::ByAnyChar(" \t\v\f\r"), absl::SkipEmpty());
}

// The words of a question and a line end, above its answer.
std::string Label(const Question& question) {
  return absl::StrCat(
      absl::StrJoin(question, " ",
                    [](std::string* out, const QuestionWord& word) {
                      absl::StrAppend(out, word.text);
                    }),
      "\n");
}

Json NeighborJson(const Vocabulary& vocabulary,
                  const std::vector<Neighbor>& neighbors) {
  Json list = Json::array();
  for (const Neighbor& neighbor : neighbors) {
    list.push_back({{"word", std::string(vocabulary.Word(neighbor.word))},
                    {"score", Rounded(neighbor.score)}});
  }
  return list;
}

}  // namespace

std::vector<WordId> KnownWords(const Question& question) {
  std::vector<WordId> known;
  for (const QuestionWord& word : question) {
    if (word.id.has_value()) known.push_back(*word.id);
  }
  return known;
}

void QueryCommand::Declare(OptionSet* options) {
  DeclareOwn(options);
  DeclareUnknownWords(options, &unknown_);
  options->Switch("json", &json_, "print one JSON object a question, a line");
  options->Arguments("VECTORS", 1, std::numeric_limits<size_t>::max(),
                     &arguments_,
                     {{"VECTORS", ReadsVectors()}, {"WORD", NoFile()}});
}

absl::Status QueryCommand::CheckCount(size_t words) const {
  if (words >= low_ && words <= high_) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("expected ", Counted(low_, "word"),
                   high_ > low_ ? " or more" : "", ", found ", words));
}

absl::Status QueryCommand::Check(const OptionSet& options) {
  absl::Status own = CheckOwn(options);
  if (!own.ok()) return own;
  const size_t words = arguments_.size() - 1;
  if (words == 0 || high_ == 1) return absl::OkStatus();
  const absl::Status count = CheckCount(words);
  if (count.ok() || !absl::c_any_of(arguments_, HoldsWhiteSpace)) return count;
  return absl::InvalidArgumentError(absl::StrCat(
      count.message(), "; each is an argument of its own, without quotes"));
}

absl::StatusOr<ExitCode> QueryCommand::Run(const OptionSet&) {
  absl::StatusOr<WordVectors> loaded = LoadVectorsToAsk(arguments_[0]);
  if (!loaded.ok()) return loaded.status();
  vectors_ = *std::move(loaded);
  absl::Status opened = Open(vectors_, arguments_[0]);
  if (!opened.ok()) return opened;
  std::vector<Asked> questions;
  AddQuestions({arguments_.begin() + 1, arguments_.end()}, "", &questions);
  if (questions.empty()) return AnswerLines();
  return AnswerAll(questions, questions.size() > 1) ? ExitCode::kDone
                                                    : ExitCode::kFailed;
}

absl::StatusOr<ExitCode> QueryCommand::AnswerLines() {
  LineReader reader{std::string(prompt_)};
  if (reader.interactive()) {
    Say(absl::StrCat(Counted(vectors_.size(), "word"), " of ",
                     Counted(vectors_.dim(), "dimension"),
                     "; one question a line, Ctrl-D ends"));
  }
  bool good = true;
  uint64_t number = 0;  // of the line
  for (;;) {
    const absl::StatusOr<std::vector<std::string>> lines =
        reader.Next(kMostLines);
    if (!lines.ok()) return lines.status();
    if (lines->empty()) break;
    std::vector<Asked> questions;
    for (const std::string& line : *lines) {
      const std::string place =
          reader.interactive()
              ? ""
              : absl::StrCat("standard input:", ++number, ": ");
      AddQuestions(Words(line), place, &questions);
    }
    good = AnswerAll(questions, !reader.interactive() ||
                                    (high_ == 1 && questions.size() > 1)) &&
           good;
    // Nobody to answer: what went wrong is said at the end of the program.
    if (!FlushResults().ok()) break;
  }
  if (reader.interactive()) Print("\n");
  return good ? ExitCode::kDone : ExitCode::kFailed;
}

void QueryCommand::AddQuestions(std::vector<std::string> words,
                                const std::string& place,
                                std::vector<Asked>* questions) const {
  if (words.empty()) return;
  if (high_ > 1) {
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
  const std::vector<Answer> answers = Ask(good, labelled);
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
  return unknown_ == UnknownWords::kSkip && absl::IsNotFound(status);
}

void QueryCommand::PrintAnswer(const Asked& asked,
                               const absl::StatusOr<Answer>& answer) {
  if (!json_) {
    if (answer.ok()) {
      Print(answer->text);
    } else {
      Say(absl::StrCat(asked.place, answer.status().message()));
    }
    return;
  }
  Json object;
  if (high_ == 1) {
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
  absl::Status count = CheckCount(words.size());
  if (!count.ok()) return count;
  Question question;
  for (const std::string& word : words) {
    absl::StatusOr<QuestionWord> found = FindOne(word);
    if (!found.ok()) return found.status();
    question.push_back(*std::move(found));
  }
  return question;
}

absl::StatusOr<QuestionWord> QueryCommand::FindOne(
    const std::string& word) const {
  const std::optional<WordId> known = vectors_.vocabulary().Find(word);
  if (known.has_value()) {
    return QuestionWord{word, known, vectors_.CopyVector(*known)};
  }
  // No word of a text has a space inside, so that its n-grams mean nothing.
  if (unknown_ == UnknownWords::kSubword && !HoldsWhiteSpace(word)) {
    std::optional<std::vector<float>> made = vectors_.FromNGrams(word);
    if (made.has_value()) {
      return QuestionWord{word, std::nullopt, *std::move(made)};
    }
  }
  return FindWord(vectors_.vocabulary(), word).status();
}

std::string NeighborText(const Vocabulary& vocabulary,
                         const std::vector<Neighbor>& neighbors,
                         bool indented) {
  TextTable table("lr");
  for (const Neighbor& neighbor : neighbors) {
    table.AddRow(
        {absl::StrCat(indented ? "  " : "", vocabulary.Word(neighbor.word)),
         absl::StrFormat("%.4f", neighbor.score)});
  }
  return table.ToString();
}

std::vector<Answer> QueryCommand::Ask(absl::Span<const Question> questions,
                                      bool labelled) const {
  std::vector<Answer> answers;
  answers.reserve(questions.size());
  for (const Question& question : questions) {
    answers.push_back(AskOne(question, labelled));
  }
  return answers;
}

absl::Status NeighborCommand::Open(const WordVectors& vectors,
                                   const std::string& path) {
  absl::StatusOr<NearestNeighbors> opened = ranking_.Open(vectors, path);
  if (!opened.ok()) return opened.status();
  neighbors_ = *std::move(opened);
  return absl::OkStatus();
}

Answer NeighborCommand::RankedAnswer(const Question& question,
                                     const std::vector<Neighbor>& found,
                                     absl::string_view key,
                                     bool labelled) const {
  const Vocabulary& vocabulary = vectors().vocabulary();
  Json json;
  json[std::string(key)] = NeighborJson(vocabulary, found);
  return {(labelled ? Label(question) : "") +
              NeighborText(vocabulary, found, labelled),
          std::move(json)};
}

void RankingOptions::Declare(OptionSet* options) {
  options->Integer("top", &top, 1, 1000000, "answers to print");
  options
      ->Integer("restrict", & restrict, 0, std::numeric_limits<uint64_t>::max(),
                "look for answers among this many words only, the most "
                "frequent ones; 0: all")
      .range.clear();
  options->Choice<Method>(
      "index", &method,
      {{"exact", Method::kExact},
       {"int8", Method::kInt8},
       {"hnsw", Method::kHnsw}},
      "how to look: at all vectors; first at the vectors rounded to bytes, "
      "faster one question at a time; through the graph "
      "that \"firth index\" built, which may miss some");
  options->Integer("breadth", &breadth, 1, 1000000,
                   "words that --index hnsw looks at last: more of them take "
                   "longer and miss fewer");
}

absl::Status RankingOptions::Check(const OptionSet& options) const {
  if (method == Method::kHnsw&& restrict > 0) {
    return absl::InvalidArgumentError(
        "--restrict does not go with --index hnsw, whose graph holds all "
        "words");
  }
  if (method != Method::kHnsw && options.Given("breadth")) {
    return absl::InvalidArgumentError("--breadth is for --index hnsw");
  }
  return absl::OkStatus();
}

absl::StatusOr<NearestNeighbors> RankingOptions::Open(
    WordVectors vectors, const std::string& path) const {
  SearchOptions search;
  if (method == Method::kInt8) search = Int8Search();
  if (method == Method::kHnsw) search = HnswSearch{HnswPath(path), breadth};
  absl::StatusOr<NearestNeighbors> neighbors =
      NearestNeighbors::Create(std::move(vectors), search, restrict);
  if (neighbors.ok() || method != Method::kHnsw) return neighbors;
  return absl::Status(neighbors.status().code(),
                      absl::StrCat(neighbors.status().message(),
                                   " (\"firth index ", path, "\" builds it)"));
}

std::string HnswPath(const std::string& vectors_path) {
  return vectors_path + ".hnsw";
}

}  // namespace firth::tools

#include "query_command.h"

#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "console.h"
#include "human.h"
#include "line_reader.h"
#include "vector_files.h"

namespace firth::tools {
namespace {

std::vector<std::string> Words(const std::string& line) {
  return absl::StrSplit(line, absl::ByAnyChar(" \t\v\f\r"), absl::SkipEmpty());
}

}  // namespace

void QueryCommand::Declare(OptionSet* options) {
  DeclareOwn(options);
  options->Switch("json", &json_, "print one JSON object a question, a line");
  options->Arguments("VECTORS", 1, std::numeric_limits<size_t>::max(),
                     &arguments_);
}

absl::Status QueryCommand::CheckCount(size_t words) const {
  if (words >= low_ && words <= high_) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("expected ", Counted(low_, "word"),
                   high_ > low_ ? " or more" : "", ", found ", words));
}

absl::Status QueryCommand::Check(const OptionSet&) {
  const size_t words = arguments_.size() - 1;
  if (words == 0 || high_ == 1) return absl::OkStatus();
  return CheckCount(words);
}

absl::StatusOr<ExitCode> QueryCommand::Run(const OptionSet&) {
  absl::StatusOr<WordVectors> loaded = LoadVectors(arguments_[0]);
  if (!loaded.ok()) return loaded.status();
  vectors_ = *std::move(loaded);
  Open(vectors_);
  const std::vector<std::string> words(arguments_.begin() + 1,
                                       arguments_.end());
  if (words.empty()) return AnswerLines();
  const bool labelled = high_ == 1 && words.size() > 1;
  return AnswerAll(words, labelled, "") ? ExitCode::kDone : ExitCode::kFailed;
}

ExitCode QueryCommand::AnswerLines() {
  LineReader reader{std::string(prompt_)};
  if (reader.interactive()) {
    Say(absl::StrCat(Counted(vectors_.size(), "word"), " of ",
                     Counted(vectors_.dim(), "dimension"),
                     "; one question a line, Ctrl-D ends"));
  }
  bool good = true;
  for (uint64_t number = 1;; ++number) {
    const std::optional<std::string> line = reader.Next();
    if (!line.has_value()) break;
    const std::string place =
        reader.interactive() ? ""
                             : absl::StrCat("standard input:", number, ": ");
    good = AnswerAll(Words(*line), !reader.interactive(), place) && good;
    // Nobody to answer: what went wrong is said at the end of the program.
    if (!FlushResults().ok()) break;
  }
  if (reader.interactive()) Print("\n");
  return good ? ExitCode::kDone : ExitCode::kFailed;
}

bool QueryCommand::AnswerAll(const std::vector<std::string>& words,
                             bool labelled, absl::string_view place) {
  if (words.empty()) return true;
  if (high_ > 1) return AnswerOne(words, labelled, place);
  bool good = true;
  for (const std::string& word : words) {
    good = AnswerOne({&word, 1}, labelled, place) && good;
  }
  return good;
}

bool QueryCommand::AnswerOne(absl::Span<const std::string> words, bool labelled,
                             absl::string_view place) {
  const absl::StatusOr<Answer> answer = Solve(words, labelled);
  if (!json_) {
    if (answer.ok()) {
      Print(answer->text);
    } else {
      Say(absl::StrCat(place, answer.status().message()));
    }
    return answer.ok();
  }
  Json object;
  if (high_ == 1) {
    object["query"] = words[0];
  } else {
    object["query"] = std::vector<std::string>(words.begin(), words.end());
  }
  if (answer.ok()) {
    object.update(answer->json);
  } else {
    object["error"] = std::string(answer.status().message());
  }
  Print(OneLine(object) + "\n");
  return answer.ok();
}

absl::StatusOr<Answer> QueryCommand::Solve(absl::Span<const std::string> words,
                                           bool labelled) {
  const absl::Status count = CheckCount(words.size());
  if (!count.ok()) return count;
  std::vector<WordId> ids;
  for (const std::string& word : words) {
    const absl::StatusOr<WordId> id = FindWord(vectors_.vocabulary(), word);
    if (!id.ok()) return id.status();
    ids.push_back(*id);
  }
  return Ask(ids, labelled);
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

Json NeighborJson(const Vocabulary& vocabulary,
                  const std::vector<Neighbor>& neighbors) {
  Json list = Json::array();
  for (const Neighbor& neighbor : neighbors) {
    list.push_back({{"word", std::string(vocabulary.Word(neighbor.word))},
                    {"score", Rounded(neighbor.score)}});
  }
  return list;
}

void RankingOptions::Declare(OptionSet* options) {
  options->Integer("top", &top, 1, 1000000, "answers to print");
  options
      ->Integer("restrict", & restrict, 0, std::numeric_limits<uint64_t>::max(),
                "look for answers among this many words only, the most "
                "frequent ones; 0: all")
      .range.clear();
}

}  // namespace firth::tools

// Evaluates a file of analogies. Reads and looks up the questions, solves all
// that can be asked at once, and counts the correct answers per section.

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "firth/evaluate.h"
#include "firth/fields.h"
#include "firth/query.h"
#include "firth/status_macros.h"
#include "query/analogy_batch.h"
#include "query/test_set_lines.h"
#include "query/unit_rows.h"

namespace firth {
namespace {

// The questions that can be asked, in parallel arrays.
struct AskedQuestions {
  std::vector<Analogy> analogies;
  std::vector<WordId> expected;
  std::vector<size_t> sections;   // index in AnalogyResult::sections
  std::vector<size_t> questions;  // index among all questions of the file
  std::vector<std::array<std::string, 4>> words;
};

// Returns the ids of the four words if all have vectors and are within the
// restriction, and the last, which is the answer, is in the vocabulary.
absl::StatusOr<std::optional<std::array<WordId, 4>>> FindWords(
    const TestSetLines& lines, const std::vector<absl::string_view>& columns,
    size_t restrict, TestWords* words) {
  std::array<WordId, 4> ids;
  for (size_t i = 0; i < ids.size(); ++i) {
    FIRTH_ASSIGN_OR_RETURN(const std::optional<WordId> id,
                           lines.InLine(words->Find(columns[i])));
    if (!id.has_value()) return std::nullopt;
    if (restrict > 0 && Index(*id) >= restrict) return std::nullopt;
    ids[i] = *id;
  }
  if (!words->IsKnown(ids[3])) return std::nullopt;
  return ids;
}

// Reads all questions. Sets the names and totals of the sections, and *asked.
absl::Status ReadQuestions(TestSetLines& lines, size_t restrict,
                           TestWords* words,
                           std::vector<AnalogySection>* sections,
                           AskedQuestions* asked) {
  size_t questions = 0;
  absl::string_view line;
  while (lines.Next(&line)) {
    if (line[0] == ':') {
      line.remove_prefix(1);
      sections->push_back({std::string(absl::StripAsciiWhitespace(line))});
      continue;
    }
    const std::vector<absl::string_view> columns =
        absl::StrSplit(line, absl::ByAnyChar(" \t\v\f\r"), absl::SkipEmpty());
    if (columns.size() != 4) {
      return lines.Error("4 words", absl::StrCat(columns.size()));
    }
    if (sections->empty()) sections->emplace_back();
    ++sections->back().total;
    const size_t question = questions++;
    FIRTH_ASSIGN_OR_RETURN(const auto ids,
                           FindWords(lines, columns, restrict, words));
    if (ids.has_value()) {
      asked->analogies.push_back({(*ids)[0], (*ids)[1], (*ids)[2]});
      asked->expected.push_back((*ids)[3]);
      asked->sections.push_back(sections->size() - 1);
      asked->questions.push_back(question);
      asked->words.push_back({words->Fold(columns[0]), words->Fold(columns[1]),
                              words->Fold(columns[2]),
                              words->Fold(columns[3])});
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<AnalogyResult> Evaluate(const WordVectors& vectors,
                                       TestSetLines lines,
                                       const EvaluateOptions& options,
                                       const Hooks& hooks) {
  AnalogyResult result;
  result.file = lines.name();
  AskedQuestions asked;
  const WordVectors normal = WithNormalRows(vectors);
  TestWords words(normal, options);
  FIRTH_RETURN_IF_ERROR(
      ReadQuestions(lines, options.restrict, &words, &result.sections, &asked));
  result.folded = words.folded();
  const std::vector<std::optional<WordId>> answers = SolveAnalogies(
      normal, words, asked.analogies, options.restrict, options.method, hooks);
  if (hooks.StopRequested()) return absl::CancelledError("interrupted");
  for (const AnalogySection& section : result.sections) {
    result.total += section.total;
  }
  result.outcomes.resize(result.total, AnalogyOutcome::kNotAsked);
  for (size_t i = 0; i < answers.size(); ++i) {
    AnalogySection& section = result.sections[asked.sections[i]];
    const bool right = answers[i] == asked.expected[i];
    result.outcomes[asked.questions[i]] =
        right ? AnalogyOutcome::kRight : AnalogyOutcome::kWrong;
    if (!right) result.wrong.push_back(std::move(asked.words[i]));
    ++section.asked;
    section.correct += right;
  }
  for (const AnalogySection& section : result.sections) {
    result.correct += section.correct;
    result.asked += section.asked;
  }
  if (result.total == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(lines.name(), ": the file contains no lines of 4 words"));
  }
  return result;
}

}  // namespace

FieldTable EvaluateOptions::Fields() {
  FieldsOf<EvaluateOptions> fields;
  fields.Add("restrict", &EvaluateOptions::restrict,
             "allow only this many of the most frequent words as answers; "
             "questions with other words are skipped. 0 means all");
  fields.Add("lowercase", &EvaluateOptions::lowercase,
             "convert the words of the test sets to lower case; this is "
             "automatic for a vocabulary without capital letters");
  fields.Choice("method", &EvaluateOptions::method, {"add", "mul"},
                "choose how analogies are solved: add is 3CosAdd, cos(x, b - a "
                "+ c); mul is 3CosMul, cos(x,b) cos(x,c) / cos(x,a)");
  fields.Choice(
      "oov", &EvaluateOptions::unknown, {"skip", "subword", "error"},
      "choose what to do with words that are not in the vocabulary: skip the "
      "questions that contain them (skip), build their vectors from n-grams if "
      "the model has n-grams (subword), or fail (error)");
  return fields;
}

absl::StatusOr<AnalogyResult> EvaluateAnalogies(const WordVectors& vectors,
                                                const std::string& path,
                                                const EvaluateOptions& options,
                                                const Hooks& hooks) {
  FIRTH_ASSIGN_OR_RETURN(TestSetLines lines, TestSetLines::Open(path));
  return Evaluate(vectors, std::move(lines), options, hooks);
}

absl::StatusOr<AnalogyResult> EvaluateAnalogyText(
    const WordVectors& vectors, absl::string_view questions,
    const EvaluateOptions& options) {
  return Evaluate(vectors, TestSetLines("questions", questions), options, {});
}

}  // namespace firth

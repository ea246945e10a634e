// Evaluation on a file of analogies: read and look up the questions, solve
// those that can be asked all at once, count the right answers by section.

#include <array>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "firth/query.h"
#include "query/analogy_batch.h"
#include "query/test_set_lines.h"

namespace firth {
namespace {

// The questions that can be asked, side by side.
struct AskedQuestions {
  std::vector<Analogy> analogies;
  std::vector<WordId> expected;
  std::vector<size_t> sections;  // in AnalogyResult::sections
};

// The four words' ids, if all are known and within the restriction.
std::optional<std::array<WordId, 4>> FindWords(
    const Vocabulary& vocabulary, const std::vector<absl::string_view>& words,
    const EvaluateOptions& options) {
  std::array<WordId, 4> ids;
  for (size_t i = 0; i < ids.size(); ++i) {
    const std::optional<WordId> id =
        FindTestWord(vocabulary, words[i], options);
    if (!id.has_value()) return std::nullopt;
    if (options.restrict > 0 && Index(*id) >= options.restrict) {
      return std::nullopt;
    }
    ids[i] = *id;
  }
  return ids;
}

// Reads all questions; fills the sections' names and totals, and *asked.
absl::Status ReadQuestions(const Vocabulary& vocabulary, TestSetLines& lines,
                           const EvaluateOptions& options,
                           std::vector<AnalogySection>* sections,
                           AskedQuestions* asked) {
  absl::string_view line;
  while (lines.Next(&line)) {
    if (line[0] == ':') {
      line.remove_prefix(1);
      sections->push_back({std::string(absl::StripAsciiWhitespace(line))});
      continue;
    }
    const std::vector<absl::string_view> words =
        absl::StrSplit(line, absl::ByAnyChar(" \t\v\f\r"), absl::SkipEmpty());
    if (words.size() != 4) {
      return lines.Error("4 words", absl::StrCat(words.size()));
    }
    if (sections->empty()) sections->emplace_back();
    ++sections->back().total;
    if (const auto ids = FindWords(vocabulary, words, options)) {
      asked->analogies.push_back({(*ids)[0], (*ids)[1], (*ids)[2]});
      asked->expected.push_back((*ids)[3]);
      asked->sections.push_back(sections->size() - 1);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<AnalogyResult> EvaluateAnalogies(
    const WordVectors& vectors, const std::string& path,
    const EvaluateOptions& options) {
  FIRTH_ASSIGN_OR_RETURN(TestSetLines lines, TestSetLines::Open(path));
  AnalogyResult result;
  result.file = path;
  AskedQuestions asked;
  FIRTH_RETURN_IF_ERROR(ReadQuestions(vectors.vocabulary(), lines, options,
                                      &result.sections, &asked));
  const std::vector<std::optional<WordId>> answers = SolveAnalogies(
      vectors, asked.analogies, options.restrict, options.method);
  for (size_t i = 0; i < answers.size(); ++i) {
    AnalogySection& section = result.sections[asked.sections[i]];
    ++section.asked;
    section.correct += answers[i] == asked.expected[i];
  }
  for (const AnalogySection& section : result.sections) {
    result.correct += section.correct;
    result.asked += section.asked;
    result.total += section.total;
  }
  if (result.total == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": expected lines of 4 words, found none"));
  }
  return result;
}

}  // namespace firth

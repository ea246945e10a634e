// A text is placed by its sentence vector: the mean of the vectors of its
// words, in which frequent words count less.

#include "serve/texts.h"

#include <cstddef>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/json.h"
#include "cli/used_files.h"
#include "firth/matrix.h"
#include "firth/sentence_vectors.h"
#include "firth/status_macros.h"
#include "firth/text_file.h"
#include "firth/vocabulary.h"

namespace firth::tools {
namespace {

// Weights of words as in Arora et al. 2017.
constexpr double kSif = 1e-3;

// Returns the different lines that are not empty, at most `most`.
absl::StatusOr<WordLabels> LinesOf(absl::string_view text,
                                   const std::string& path, uint64_t most,
                                   uint64_t* repeated, uint64_t* left_out) {
  WordLabels texts;
  absl::flat_hash_set<absl::string_view> seen;
  size_t number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripSuffix(line, "\r");
    if (line.empty()) continue;
    if (!IsUtf8(std::string(line))) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ":", number, ": the line is not valid UTF-8"));
    }
    if (seen.contains(line)) {
      ++*repeated;
    } else if (seen.size() == most) {
      ++*left_out;
    } else {
      seen.insert(line);
      texts.words.emplace_back(line);
    }
  }
  if (!texts.words.empty()) return texts;
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": expected one text per line, found no line with a text"));
}

void Shorten(uint64_t most, WordLabels* texts, uint64_t* left_out) {
  if (texts->words.size() <= most) return;
  *left_out = texts->words.size() - most;
  texts->words.resize(most);
  for (LabelColumn& column : texts->columns) column.values.resize(most);
}

}  // namespace

absl::StatusOr<WordLabels> ReadTexts(const std::string& path, uint64_t most) {
  FIRTH_RETURN_IF_ERROR(CheckIsRegularFile(path));
  FIRTH_ASSIGN_OR_RETURN(const std::string text, ReadText(path));
  const bool has_columns =
      absl::StrContains(text.substr(0, text.find('\n')), '\t');
  uint64_t repeated = 0;
  uint64_t left_out = 0;
  FIRTH_ASSIGN_OR_RETURN(WordLabels texts,
                         has_columns
                             ? ParseWordLabels(text, path, &repeated)
                             : LinesOf(text, path, most, &repeated, &left_out));
  for (const std::string& notice : texts.notices) PrintMessage(notice);
  Shorten(most, &texts, &left_out);
  if (repeated > 0) {
    PrintMessage(absl::StrCat(path, ": left out ", Counted(repeated, "text"),
                              " that occurred before"));
  }
  if (left_out > 0) {
    PrintMessage(absl::StrCat(path, ": left out ", Counted(left_out, "text"),
                              " beyond the first ", Thousands(most)));
  }
  return texts;
}

absl::StatusOr<WordVectors> VectorsOfTexts(
    const WordVectors& words, const std::vector<std::string>& texts) {
  SentenceOptions options;
  if (words.text_encoder() == nullptr && words.vocabulary().total_count() > 0) {
    options.sif = kSif;
  }
  FIRTH_ASSIGN_OR_RETURN(const SentenceEncoder encoder,
                         SentenceEncoder::Create(words, options));
  const size_t dim = encoder.dim();
  std::vector<float> rows(texts.size() * dim);
  size_t without_words = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    FIRTH_ASSIGN_OR_RETURN(
        const size_t words,
        encoder.Encode(texts[i], absl::MakeSpan(&rows[i * dim], dim)));
    without_words += words == 0;
  }
  if (without_words == texts.size()) {
    return absl::InvalidArgumentError(
        "--texts: no text contains a word that has a vector");
  }
  if (without_words > 0) {
    PrintMessage(absl::StrCat("--texts: ", Thousands(without_words), " of ",
                              Counted(texts.size(), "text"),
                              without_words == 1 ? " contains" : " contain",
                              " no word that has a vector, and ",
                              without_words == 1 ? "is" : "are", " not shown"));
  }
  const std::vector<absl::string_view> names(texts.begin(), texts.end());
  FIRTH_ASSIGN_OR_RETURN(Vocabulary vocabulary, Vocabulary::Create(names, {}));
  return WordVectors::Create(std::move(vocabulary),
                             FloatTable(std::move(rows), dim));
}

}  // namespace firth::tools

#include "serve/texts.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/json.h"
#include "firth/matrix.h"
#include "firth/sentence_vectors.h"
#include "firth/status_macros.h"
#include "firth/vocabulary.h"

namespace firth::tools {
namespace {

// Weights of words as in Arora et al. 2017.
constexpr double kSif = 1e-3;

}  // namespace

absl::StatusOr<WordLabels> ReadTexts(const std::string& path, uint64_t most) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  if (!std::getline(file, line)) {
    return absl::InvalidArgumentError(
        file.is_open()
            ? absl::StrCat(path, ": expected a text, found nothing")
            : absl::StrCat(path, ": cannot read: ", std::strerror(errno)));
  }
  WordLabels texts;
  if (absl::StrContains(line, '\t')) {
    FIRTH_ASSIGN_OR_RETURN(texts, ReadWordLabels(path));
  }
  absl::flat_hash_set<std::string> seen;
  uint64_t repeated = 0;
  uint64_t left_out = 0;
  if (texts.words.empty()) {
    size_t number = 0;
    do {
      ++number;
      const std::string text(absl::StripSuffix(line, "\r"));
      if (text.empty()) continue;
      if (!IsUtf8(text)) {
        return absl::InvalidArgumentError(
            absl::StrCat(path, ":", number, ": the line is not valid UTF-8"));
      }
      if (seen.size() == most) {
        ++left_out;
      } else if (seen.insert(text).second) {
        texts.words.push_back(text);
      } else {
        ++repeated;
      }
    } while (std::getline(file, line));
  }
  if (texts.words.size() > most) {
    left_out = texts.words.size() - most;
    texts.words.resize(most);
    for (LabelColumn& column : texts.columns) column.values.resize(most);
  }
  if (repeated + left_out > 0) {
    PrintMessage(absl::StrCat(
        path, ": left out ", Thousands(left_out), " texts beyond the first ",
        Thousands(most), ", and ", Thousands(repeated), " that occur again"));
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
  for (size_t i = 0; i < texts.size(); ++i) {
    encoder.Encode(texts[i], absl::MakeSpan(&rows[i * dim], dim));
  }
  const std::vector<absl::string_view> names(texts.begin(), texts.end());
  FIRTH_ASSIGN_OR_RETURN(Vocabulary vocabulary, Vocabulary::Create(names, {}));
  return WordVectors::Create(std::move(vocabulary),
                             FloatTable(std::move(rows), dim));
}

}  // namespace firth::tools

#include "train/validation_options.h"

#include <cmath>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cli/console.h"
#include "cli/human.h"
#include "firth/evaluate.h"
#include "firth/query.h"
#include "query/evaluation_table.h"

namespace firth::tools {
namespace {

// A line has rank correlation 1 or -1 through any two points.
constexpr uint64_t kLeastPairs = 3;

absl::Status TooFewKnown(absl::string_view option, const std::string& path,
                         absl::string_view expected, uint64_t found,
                         uint64_t total) {
  return absl::InvalidArgumentError(
      absl::StrCat(option, ": ", path, ": expected ", expected,
                   " of words of the vocabulary, found ", Thousands(found),
                   " of ", Thousands(total)));
}

}  // namespace

void ValidationOptions::Declare(OptionSet* options) {
  options->Section("Validation");
  options->Paths("valid", "FILE", &texts_, Reads(),
                 "held-out text: its loss is told after each epoch");
  options->Paths("eval-analogies", "FILE", &analogies_, Reads(),
                 "question files, as questions-words.txt, that are answered "
                 "after each epoch");
  options->Paths(
      "eval-similarity", "FILE", &similarities_, Reads(),
      "and files of word pairs, as WordSim-353. The vectors written "
      "are those of the best epoch: by the mean of all these scores, "
      "or by the loss of --valid if there is none");
  options
      ->Integer("patience", &patience_, 0, 10000,
                "stop after so many epochs without a better one; 0: go on")
      .GoesWith({"valid", "eval-analogies", "eval-similarity"});
}

absl::Status ValidationOptions::Read(const CorpusOptions& reading,
                                     const Corpus& corpus, const Hooks& hooks) {
  // Not after the first epoch.
  const absl::Status status = CheckQuestions(corpus.vocabulary);
  if (!status.ok()) return status;
  if (texts_.empty()) return absl::OkStatus();
  CorpusOptions options = reading;
  options.inputs = texts_;
  absl::StatusOr<Corpus> text = ReadCorpus(options, corpus.vocabulary, hooks);
  if (!text.ok()) {
    return absl::Status(text.status().code(),
                        absl::StrCat("--valid: ", text.status().message()));
  }
  held_out_ = *std::move(text);
  return absl::OkStatus();
}

absl::Status ValidationOptions::CheckQuestions(
    const Vocabulary& vocabulary) const {
  if (analogies_.empty() && similarities_.empty()) return absl::OkStatus();
  FloatTable zeros(std::vector<float>(vocabulary.size()), 1);
  const absl::StatusOr<WordVectors> vectors =
      WordVectors::Create(vocabulary, std::move(zeros));
  return vectors.ok() ? Score(*vectors).status() : vectors.status();
}

absl::StatusOr<double> ValidationOptions::Score(
    const WordVectors& vectors) const {
  double sum = 0;
  for (const std::string& path : analogies_) {
    const absl::StatusOr<AnalogyResult> result =
        EvaluateAnalogies(vectors, path, EvaluateOptions());
    if (!result.ok()) return result.status();
    if (result->asked == 0) {
      return TooFewKnown("--eval-analogies", path, "at least 1 question",
                         result->asked, result->total);
    }
    sum += 100 * static_cast<double>(result->correct) /
           static_cast<double>(result->asked);
  }
  for (const std::string& path : similarities_) {
    const absl::StatusOr<SimilarityResult> result =
        EvaluateSimilarity(vectors, path, EvaluateOptions());
    if (!result.ok()) return result.status();
    if (result->asked < kLeastPairs) {
      return TooFewKnown("--eval-similarity", path,
                         absl::StrCat("at least ", kLeastPairs, " pairs"),
                         result->asked, result->total);
    }
    if (std::isfinite(result->spearman)) sum += 100 * result->spearman;
  }
  return sum / static_cast<double>(analogies_.size() + similarities_.size());
}

void ValidationOptions::SayFolding(const Vocabulary& vocabulary) const {
  const bool has_sets = !analogies_.empty() || !similarities_.empty();
  if (has_sets && IsLowercase(vocabulary)) PrintMessage(kFoldedNote);
}

Validation ValidationOptions::validation() const {
  Validation validation;
  if (held_out_.has_value()) validation.text = &*held_out_;
  if (!analogies_.empty() || !similarities_.empty()) {
    validation.score = [this](const WordVectors& vectors) {
      return Score(vectors);
    };
  }
  validation.score_files = analogies_;
  validation.score_files.insert(validation.score_files.end(),
                                similarities_.begin(), similarities_.end());
  validation.patience = patience_;
  return validation;
}

}  // namespace firth::tools

// Test sets and held-out texts that measure the model after each epoch. To find
// out before training whether they can, all questions are asked of zero
// vectors.

#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "firth/evaluate.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "firth/thousands.h"
#include "firth/vector_training.h"

namespace firth {
namespace {

// Any two points lie on a line, so their rank correlation is 1 or -1.
constexpr uint64_t kLeastPairs = 3;

absl::Status TooFewKnown(absl::string_view option, const std::string& path,
                         absl::string_view expected, uint64_t found,
                         uint64_t total) {
  return absl::InvalidArgumentError(
      absl::StrCat(option, ": ", path, ": needs ", expected,
                   " whose words are all in the vocabulary, found ",
                   Thousands(found), " of ", Thousands(total)));
}

absl::StatusOr<double> Score(const ValidationFiles& files,
                             const WordVectors& vectors) {
  double sum = 0;
  for (const std::string& path : files.analogies) {
    FIRTH_ASSIGN_OR_RETURN(const AnalogyResult result,
                           EvaluateAnalogies(vectors, path, {}));
    if (result.asked == 0) {
      return TooFewKnown("eval-analogies", path, "at least 1 question",
                         result.asked, result.total);
    }
    sum += 100 * static_cast<double>(result.correct) /
           static_cast<double>(result.asked);
  }
  for (const std::string& path : files.similarities) {
    FIRTH_ASSIGN_OR_RETURN(const SimilarityResult result,
                           EvaluateSimilarity(vectors, path, {}));
    if (result.asked < kLeastPairs) {
      return TooFewKnown("eval-similarity", path,
                         absl::StrCat("at least ", kLeastPairs, " pairs"),
                         result.asked, result.total);
    }
    if (std::isfinite(result.spearman)) sum += 100 * result.spearman;
  }
  return sum / static_cast<double>(files.analogies.size() +
                                   files.similarities.size());
}

absl::Status CheckSets(const ValidationFiles& files,
                       const Vocabulary& vocabulary) {
  FloatTable zeros(std::vector<float>(vocabulary.size()), 1);
  FIRTH_ASSIGN_OR_RETURN(const WordVectors vectors,
                         WordVectors::Create(vocabulary, std::move(zeros)));
  return Score(files, vectors).status();
}

}  // namespace

FieldTable ValidationFiles::Fields() {
  FieldsOf<ValidationFiles> fields;
  fields.Section("Validation");
  fields.Add("valid", &ValidationFiles::texts,
             "path to held-out text on which the loss is measured after each "
             "epoch",
             Field().ValueName("FILE"));
  fields.Add("eval-analogies", &ValidationFiles::analogies,
             "path to analogy questions, such as questions-words.txt, that are "
             "answered after each epoch",
             Field().ValueName("FILE"));
  fields.Add(
      "eval-similarity", &ValidationFiles::similarities,
      "path to scored word pairs, such as WordSim-353, on which the "
      "vectors are tested after each epoch. The vectors of the best epoch "
      "are written. The best epoch is the one with the highest mean of "
      "all analogy and similarity scores or, without such files, the "
      "lowest loss on --valid",
      Field().ValueName("FILE"));
  fields.Add("patience", &ValidationFiles::patience,
             "stop after this many epochs without improvement; 0 means never",
             Field().Range(0, 10000).Needs(
                 {"valid", "eval-analogies", "eval-similarity"}));
  return fields;
}

absl::StatusOr<LoadedValidation> LoadValidation(const ValidationFiles& files,
                                                const CorpusOptions& reading,
                                                const Corpus& corpus,
                                                const Hooks& hooks) {
  LoadedValidation loaded;
  Validation& validation = loaded.validation;
  validation.patience = files.patience;
  if (files.has_sets()) {
    FIRTH_RETURN_IF_ERROR(CheckSets(files, corpus.vocabulary));
    validation.score = [files](const WordVectors& vectors) {
      return Score(files, vectors);
    };
    validation.score_files = files.analogies;
    validation.score_files.insert(validation.score_files.end(),
                                  files.similarities.begin(),
                                  files.similarities.end());
  }
  if (files.texts.empty()) return loaded;
  CorpusOptions options = reading;
  options.inputs = files.texts;
  options.text.reset();
  options.sentences = nullptr;
  absl::StatusOr<Corpus> text = ReadCorpus(options, corpus.vocabulary, hooks);
  if (!text.ok()) {
    return absl::Status(text.status().code(),
                        absl::StrCat("valid: ", text.status().message()));
  }
  loaded.text = std::make_shared<const Corpus>(*std::move(text));
  validation.text = loaded.text.get();
  return loaded;
}

}  // namespace firth

// The public calls of firth/corpus.h.

#include "firth/corpus.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "vocab/corpus_reader.h"

namespace firth {

absl::Status CorpusOptions::Validate() const {
  constexpr int kMostThreads = 1024;
  constexpr uint64_t kMostWordBytes = uint64_t{1} << 28;
  if (inputs.empty() && !text.has_value()) {
    return absl::InvalidArgumentError(
        "inputs: expected at least one file, folder or \"-\", found none");
  }
  if (threads < 0 || threads > kMostThreads) {
    return absl::InvalidArgumentError(absl::StrCat(
        "threads: expected 0 to ", kMostThreads, ", found ", threads));
  }
  if (max_word_bytes < 1 || max_word_bytes > kMostWordBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("max-word-bytes: expected 1 to ", kMostWordBytes,
                     ", found ", max_word_bytes));
  }
  return absl::OkStatus();
}

absl::Status VocabularyOptions::Validate() const {
  if (min_count >= 1) return absl::OkStatus();
  return absl::InvalidArgumentError("min_count: expected at least 1, found 0");
}

absl::StatusOr<Corpus> ReadCorpus(const CorpusOptions& options,
                                  const VocabularyOptions& vocabulary_options,
                                  const Hooks& hooks) {
  ReadPlan plan;
  plan.options = options;
  plan.vocabulary_options = vocabulary_options;
  return ReadAsPlanned(plan, hooks);
}

absl::StatusOr<Corpus> ReadCorpus(const CorpusOptions& options,
                                  const Vocabulary& vocabulary,
                                  const Hooks& hooks) {
  ReadPlan plan;
  plan.options = options;
  plan.vocabulary = &vocabulary;
  return ReadAsPlanned(plan, hooks);
}

absl::StatusOr<Corpus> ReadCorpus(const CorpusOptions& options,
                                  const KnownWords& known,
                                  const VocabularyOptions& vocabulary_options,
                                  const Hooks& hooks) {
  ReadPlan plan;
  plan.options = options;
  plan.vocabulary_options = vocabulary_options;
  plan.known = known;
  return ReadAsPlanned(plan, hooks);
}

absl::StatusOr<Corpus> CountWords(const CorpusOptions& options,
                                  const VocabularyOptions& vocabulary_options,
                                  const Hooks& hooks) {
  ReadPlan plan;
  plan.options = options;
  plan.vocabulary_options = vocabulary_options;
  plan.keep_ids = false;
  return ReadAsPlanned(plan, hooks);
}

}  // namespace firth

// The options of what is measured on the way of a training.

#ifndef FIRTH_TOOLS_TRAIN_VALIDATION_OPTIONS_H_
#define FIRTH_TOOLS_TRAIN_VALIDATION_OPTIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/option_set.h"
#include "firth/corpus.h"
#include "firth/train.h"

namespace firth::tools {

class ValidationOptions {
 public:
  void Declare(OptionSet* options);
  bool has_text() const { return !texts_.empty(); }

  // Reads the held-out text, as the corpus was read, if there is one.
  absl::Status Read(const CorpusOptions& reading, const Corpus& corpus,
                    const Hooks& hooks);
  // Tells that test sets are looked up in lower case, where they are.
  void SayFolding(const Vocabulary& vocabulary) const;
  Validation validation() const;

 private:
  // Whether all questions and pairs can be read and enough of them have words
  // of the vocabulary.
  absl::Status CheckQuestions(const Vocabulary& vocabulary) const;
  absl::StatusOr<double> Score(const WordVectors& vectors) const;

  std::vector<std::string> texts_;
  std::vector<std::string> analogies_;
  std::vector<std::string> similarities_;
  int patience_ = 0;
  std::optional<Corpus> held_out_;
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_TRAIN_VALIDATION_OPTIONS_H_

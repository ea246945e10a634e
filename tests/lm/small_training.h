// The smallest trainings of language models that learn something.

#ifndef FIRTH_TESTS_LM_SMALL_TRAINING_H_
#define FIRTH_TESTS_LM_SMALL_TRAINING_H_

#include <atomic>
#include <cmath>
#include <string>

#include "absl/strings/string_view.h"
#include "firth/corpus.h"
#include "firth/language_model.h"
#include "gtest/gtest.h"
#include "support/run_program.h"
#include "support/temp_files.h"

namespace firth {

// 130 tokens.
constexpr char kText[] =
    "in the old house by the sea there lived a man who had a dog\n"
    "the dog was called sam and the man was called john\n"
    "every day the man and the dog went down to the sea\n"
    "they looked for shells and for wood that the sea had left\n"
    "when the rain came they stayed in the old house\n"
    "the man made a fire and the dog slept beside it\n"
    "one day a boat came to the shore by the old house\n"
    "a woman sat in the boat and she had a cat\n"
    "the dog looked at the cat and the cat looked at the dog\n"
    "the man asked the woman to come in and to sit by the fire\n"
    "so the cat and the dog slept beside it\n";

inline Corpus ReadText(absl::string_view text) {
  CorpusOptions options;
  options.text = text;
  options.threads = 1;
  return *ReadCorpus(options, VocabularyOptions{.min_count = 1});
}

inline LanguageModelTraining TinyTraining() {
  LanguageModelTraining training;
  training.vocabulary.min_count = 1;
  training.units = 16;
  training.projection = 8;
  training.dropout = 0;
  training.samples = 30;
  training.batch = 3;
  training.unroll = 5;
  training.epochs = 50;
  training.learning_rate = 0.02;
  training.threads = 1;
  training.characters.filters = {{1, 8}, {2, 8}, {3, 16}};
  training.characters.dim = 4;
  return training;
}

inline double PerplexityOf(LanguageModel& model, const Corpus& text) {
  const auto measured = model.Measure(text, {.threads = 1});
  EXPECT_EQ(measured.status(), absl::OkStatus());
  EXPECT_EQ(measured->forward.tokens, 130u + 11);
  return std::exp(measured->loss());
}

inline std::string ModelBytes(LanguageModel& model) {
  const std::string path = MakeTestFolder() + "/m.safetensors";
  EXPECT_EQ(model.Save(path), absl::OkStatus());
  return ReadWholeFile(path);
}

// As much as a validation needs.
inline std::string ManyTimes(const std::string& line) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += line;
  return text;
}

// Asks to stop at the n-th validation.
class StopAtValidation : public ProgressSink {
 public:
  explicit StopAtValidation(int n) : left_(n) {}
  void OnMilestone(absl::string_view) override { stop = --left_ <= 0; }
  std::atomic<bool> stop{false};

 private:
  int left_;
};

}  // namespace firth

#endif  // FIRTH_TESTS_LM_SMALL_TRAINING_H_

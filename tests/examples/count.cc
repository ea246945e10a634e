// Trains a counting model on a text in memory, and shows that a sentence is
// more probable than the same words in another order.

#include <iostream>
#include <utility>
#include <vector>

#include "firth/counting_model.h"
#include "firth/status_macros.h"

namespace {

// Prints ln p of two sentences.
absl::Status Run() {
  firth::CorpusOptions reading;
  reading.text =
      "the cat sat on the mat\nthe dog sat on the rug\nthe cat ran\n";
  FIRTH_ASSIGN_OR_RETURN(const firth::Corpus corpus,
                         firth::ReadCorpus(reading, {.min_count = 1}));
  firth::CountingTraining training;
  training.order = 3;
  training.vocabulary.min_count = 1;
  training.discount_fallback = true;  // since the text is tiny
  FIRTH_ASSIGN_OR_RETURN(firth::TrainedCountingModel trained,
                         firth::TrainCountingModel(corpus, training));
  const std::vector<firth::LanguageModel::Sentence> sentences = {
      {"the", "dog", "ran"}, {"ran", "dog", "the"}};
  FIRTH_ASSIGN_OR_RETURN(const std::vector<firth::SentenceScore> scores,
                         trained.model.Score(sentences));
  for (const firth::SentenceScore& score : scores) {
    std::cout << score.log_probability << "\n";
  }
  if (scores[0].log_probability > scores[1].log_probability) {
    return absl::OkStatus();
  }
  return absl::InternalError("the order of the words makes no difference");
}

}  // namespace

int main() {
  const absl::Status status = Run();
  if (status.ok()) return 0;
  std::cerr << status << "\n";
  return 1;
}

// Trains vectors on sentences in memory, saves them, and prints the neighbors
// of a word from the saved file: train model.safetensors

#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "firth/corpus.h"
#include "firth/query.h"
#include "firth/status_macros.h"
#include "firth/train.h"
#include "firth/vector_io.h"

namespace {

// Returns sentences about food and about ships.
std::vector<std::vector<std::string>> MakeSentences() {
  const std::vector<std::string> topics[] = {
      {"bread", "soup", "cheese", "apple pie", "salad"},
      {"ship", "harbour", "sailor", "anchor", "life boat"}};
  std::mt19937 random(1);
  std::vector<std::vector<std::string>> sentences(4000);
  for (size_t i = 0; i < sentences.size(); ++i) {
    for (int word = 0; word < 6; ++word) {
      sentences[i].push_back(topics[i % 2][random() % 5]);
    }
  }
  return sentences;
}

absl::Status TrainAndSave(
    const std::vector<std::vector<std::string>>& sentences,
    const std::string& path) {
  firth::CorpusOptions reading;
  reading.sentences = firth::SentencesIn(sentences);
  reading.lowercase = true;
  FIRTH_ASSIGN_OR_RETURN(const firth::Corpus corpus,
                         firth::ReadCorpus(reading, {.min_count = 5}));

  firth::TrainOptions training;
  training.architecture = firth::SkipGramOptions{};
  training.objective = firth::NegativeSamplingOptions{.negatives = 3};
  training.dim = 20;
  training.sample = 0;   // keep all tokens: each of the few words is frequent
  training.threads = 1;  // give the same vectors each time
  FIRTH_ASSIGN_OR_RETURN(const firth::TrainedModel model,
                         firth::Train(corpus, training));
  return firth::SaveVectorFile({.vectors = model.vectors,
                                .output = {},
                                .output_bias = {},
                                .metadata = {}},
                               path, "safetensors");
}

absl::Status Ask(const std::string& path, const std::string& question) {
  FIRTH_ASSIGN_OR_RETURN(const firth::VectorFile file,
                         firth::LoadVectorFile(path));
  const firth::Vocabulary& vocabulary = file.vectors.vocabulary();
  const auto word = vocabulary.Find(question);
  if (!word.has_value()) return absl::NotFoundError("unknown word");
  const firth::NearestNeighbors neighbors(file.vectors);
  for (const auto& [neighbor, cosine] : neighbors.FindWord(*word, 4)) {
    std::cout << vocabulary.Word(neighbor) << " " << cosine << "\n";
  }
  return absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: train FILE\n";
    return 2;
  }
  absl::Status status = TrainAndSave(MakeSentences(), argv[1]);
  if (status.ok()) status = Ask(argv[1], "ship");
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}

// Trains a language model on sentences from a function, and shows that the
// vector of "bank" next to coins differs from the one next to a river.

#include <cmath>
#include <iostream>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "firth/contextualizer.h"
#include "firth/corpus.h"
#include "firth/language_model.h"
#include "firth/status_macros.h"

namespace {

using Sentence = std::vector<absl::string_view>;

// Yields `count` sentences about money or rivers. Each contains "bank".
firth::SentenceSource MakeSource(int count) {
  return [count, random = std::mt19937(1), sentence = Sentence()]() mutable
         -> absl::StatusOr<std::optional<absl::Span<const absl::string_view>>> {
    if (count-- == 0) return std::nullopt;
    const Sentence money = {"coins", "loan", "clerk", "account"};
    const Sentence river = {"water", "reeds", "boat", "fish"};
    const Sentence& topic = count % 2 == 0 ? money : river;
    sentence.clear();
    for (int i = 0; i < 3; ++i) sentence.push_back(topic[random() % 4]);
    sentence.push_back("bank");
    sentence.push_back(topic[random() % 4]);
    return absl::MakeConstSpan(sentence);
  };
}

absl::StatusOr<firth::Contextualizer> TrainContextualizer() {
  firth::CorpusOptions reading;
  reading.sentences = MakeSource(2000);
  FIRTH_ASSIGN_OR_RETURN(const firth::Corpus corpus,
                         firth::ReadCorpus(reading, {.min_count = 1}));
  firth::LanguageModelTraining training;
  training.units = 16;
  training.projection = 0;
  training.layers = 1;
  training.epochs = 4;
  training.learning_rate = 0.01;
  training.head = firth::HeadKind::kSoftmax;
  FIRTH_ASSIGN_OR_RETURN(firth::TrainedLanguageModel trained,
                         firth::TrainLanguageModel(corpus, training));
  return firth::Contextualizer(std::move(trained.model));
}

double Cosine(absl::Span<const float> a, absl::Span<const float> b) {
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    ab += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return ab / std::sqrt(aa * bb);
}

absl::Status CompareBanks(firth::Contextualizer& contextualizer) {
  const std::vector<Sentence> sentences = {
      {"loan", "coins", "clerk", "bank", "account"},
      {"coins", "account", "loan", "bank", "clerk"},
      {"water", "reeds", "fish", "bank", "boat"}};
  FIRTH_ASSIGN_OR_RETURN(const auto vectors, contextualizer.Embed(sentences));
  const size_t top = contextualizer.num_layers() - 1;
  const auto bank = [&](size_t sentence) {
    return vectors[sentence].Vector(top, /*token=*/3);
  };
  const double alike = Cosine(bank(0), bank(1));
  const double unlike = Cosine(bank(0), bank(2));
  std::cout << "among coins twice: " << alike
            << "\namong coins and at a river: " << unlike << "\n";
  return alike > unlike ? absl::OkStatus()
                        : absl::InternalError("the contexts were not told");
}

}  // namespace

int main() {
  auto contextualizer = TrainContextualizer();
  const absl::Status status = contextualizer.ok()
                                  ? CompareBanks(*contextualizer)
                                  : contextualizer.status();
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}

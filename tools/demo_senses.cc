#include "demo_senses.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "console.h"
#include "firth/contextualizer.h"
#include "firth/corpus.h"
#include "firth/language_model.h"
#include "human.h"
#include "progress_printer.h"

namespace firth::tools {
namespace {

// Enough to tell the senses apart, in some seconds.
constexpr size_t kCorpusBytes = 1'200'000;
constexpr absl::string_view kWord = "bank";
constexpr absl::string_view kSentences[] = {
    "sushi costs one yen at the bank near kyoto",
    "the rate of the dollar fell when the bank left toronto",
    "this river has its bridge and its bank",
    "there are many rivers by the current and the bank",
};

LanguageModelTraining SmallModel(const WordVectors& vectors, uint64_t seed,
                                 int threads) {
  LanguageModelTraining training;
  training.vectors = &vectors;
  training.head = "softmax";
  training.units = 64;
  training.projection = 0;
  training.layers = 1;
  training.epochs = 1;
  training.batch = 16;
  training.learning_rate = 0.01;
  training.seed = seed;
  training.threads = threads;
  return training;
}

double Cosine(absl::Span<const float> a, absl::Span<const float> b) {
  double dot = 0;
  double norms[2] = {};
  for (size_t i = 0; i < a.size(); ++i) {
    dot += static_cast<double>(a[i]) * b[i];
    norms[0] += static_cast<double>(a[i]) * a[i];
    norms[1] += static_cast<double>(b[i]) * b[i];
  }
  return dot / std::sqrt(norms[0] * norms[1]);
}

// Whole lines.
absl::string_view Beginning(absl::string_view corpus) {
  if (corpus.size() <= kCorpusBytes) return corpus;
  return corpus.substr(0, corpus.find('\n', kCorpusBytes) + 1);
}

absl::StatusOr<TrainedLanguageModel> TrainSmallModel(
    absl::string_view corpus, const LanguageModelTraining& training,
    const Hooks& hooks) {
  CorpusOptions reading;
  reading.text = Beginning(corpus);
  reading.threads = training.threads;
  VocabularyOptions all;
  all.min_count = 1;
  const absl::StatusOr<Corpus> text = ReadCorpus(reading, all, hooks);
  if (!text.ok()) return text.status();
  return TrainLanguageModel(*text, training, hooks);
}

void AddTo(absl::Span<const float> values, float factor,
           std::vector<float>* sum) {
  sum->resize(values.size());
  for (size_t i = 0; i < values.size(); ++i) (*sum)[i] += factor * values[i];
}

// The vectors of kWord in the sentences, of the top layer, less the mean of all
// their tokens: what all vectors share tells nothing.
absl::StatusOr<std::vector<std::vector<float>>> VectorsInContext(
    LanguageModel model) {
  std::vector<Contextualizer::Sentence> sentences;
  for (const absl::string_view sentence : kSentences) {
    sentences.push_back(absl::StrSplit(sentence, ' '));
  }
  Contextualizer contextualizer(std::move(model));
  const absl::StatusOr<std::vector<TokenVectors>> tokens =
      contextualizer.Embed(sentences);
  if (!tokens.ok()) return tokens.status();
  const size_t top = contextualizer.num_layers() - 1;
  std::vector<std::vector<float>> vectors;
  std::vector<float> sum;
  float count = 0;
  for (size_t i = 0; i < sentences.size(); ++i) {
    for (size_t token = 0; token < sentences[i].size(); ++token, ++count) {
      AddTo((*tokens)[i].Vector(top, token), 1, &sum);
    }
    const auto place =
        std::find(sentences[i].begin(), sentences[i].end(), kWord);
    AddTo((*tokens)[i].Vector(
              top, static_cast<size_t>(place - sentences[i].begin())),
          1, &vectors.emplace_back());
  }
  for (std::vector<float>& vector : vectors) AddTo(sum, -1 / count, &vector);
  return vectors;
}

}  // namespace

absl::Status ShowSenses(absl::string_view corpus, const WordVectors& vectors,
                        uint64_t seed, int threads,
                        const std::atomic<bool>* stop) {
  const LanguageModelTraining training = SmallModel(vectors, seed, threads);
  ProgressPrinter progress(/*quiet=*/false, training.epochs);
  absl::StatusOr<TrainedLanguageModel> trained =
      TrainSmallModel(corpus, training, {&progress, stop});
  progress.Clear();
  if (!trained.ok()) return trained.status();
  if (trained->report.interrupted) return absl::CancelledError();
  const absl::StatusOr<std::vector<std::vector<float>>> in_context =
      VectorsInContext(std::move(trained->model));
  if (!in_context.ok()) return in_context.status();

  Print(absl::StrFormat(
      "\nA language model above these vectors gives a word a vector in its "
      "context\n(trained on %s words in %s). How alike \"%s\" is in four "
      "sentences:\n\n",
      Thousands(trained->report.tokens), HumanSeconds(trained->report.seconds),
      kWord));
  for (size_t i = 0; i < in_context->size(); ++i) {
    std::string cosines;
    for (const std::vector<float>& other : *in_context) {
      absl::StrAppendFormat(&cosines, " %5.2f",
                            Cosine((*in_context)[i], other));
    }
    Print(absl::StrFormat("  %d %-55s%s\n", i + 1, kSentences[i], cosines));
  }
  return absl::OkStatus();
}

}  // namespace firth::tools

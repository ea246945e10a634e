// A language model of one small layer is trained on the beginning of the
// corpus. Then the word that has two senses stands in four sentences, two of
// each sense, and the cosines between its four vectors are shown as a table.

#include "demo/demo_senses.h"

#include <algorithm>
#include <array>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "cli/console.h"
#include "cli/human.h"
#include "cli/progress_printer.h"
#include "firth/contextualizer.h"
#include "firth/corpus.h"
#include "firth/language_model.h"
#include "firth/query.h"
#include "firth/status_macros.h"

namespace firth::tools {
namespace {

// So much text is enough to tell the senses apart, and read in some seconds.
constexpr size_t kCorpusBytes = 1'200'000;
constexpr absl::string_view kWord = "bank";
// Two of each sense.
constexpr absl::string_view kSentences[] = {
    "sushi costs one yen at the bank near kyoto",
    "hockey costs one dollar at the bank near toronto",
    "this river has its bridge and its bank",
    "there are many rivers by the current and the bank",
};

LanguageModelTraining SmallModel(const WordVectors& vectors, uint64_t seed,
                                 int threads) {
  LanguageModelTraining training;
  training.vectors = &vectors;
  training.head = HeadKind::kSoftmax;
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

using Cosines = std::array<std::array<double, 4>, 4>;

Cosines AllCosines(const std::vector<std::vector<float>>& vectors) {
  Cosines cosines;
  for (size_t i = 0; i < cosines.size(); ++i) {
    for (size_t j = 0; j < cosines.size(); ++j) {
      cosines[i][j] = Similarity(vectors[i], vectors[j]);
    }
  }
  return cosines;
}

std::string Table(const Cosines& cosines) {
  TextTable table("llrrrr");
  table.AddRow({"", "", "1", "2", "3", "4"});
  for (size_t i = 0; i < cosines.size(); ++i) {
    std::vector<std::string> row = {absl::StrFormat("  %d", i + 1),
                                    std::string(kSentences[i])};
    for (const double cosine : cosines[i]) {
      row.push_back(absl::StrFormat("%.2f", cosine));
    }
    table.AddRow(row);
  }
  return table.ToString();
}

// Tells whether the cosines put the sentences of one sense together.
std::string Verdict(const Cosines& c) {
  const double within = std::min(c[0][1], c[2][3]);
  const double across = std::max({c[0][2], c[0][3], c[1][2], c[1][3]});
  if (within > across) {
    return absl::StrFormat(
        "Sentences 1 and 2 are similar (%.2f): the %s that holds money. So are "
        "3 and 4\n(%.2f): that of a river. No pair of different senses is "
        "above %.2f.\n",
        c[0][1], kWord, c[2][3], across);
  }
  return absl::StrFormat(
      "The pairs of the same sense, 1 and 2 (%.2f) and 3 and 4 (%.2f), are not "
      "clearly\nabove pairs of different senses (up to %.2f); this model has "
      "learned too little.\n",
      c[0][1], c[2][3], across);
}

// The first lines of the corpus, about kCorpusBytes of them.
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
  FIRTH_ASSIGN_OR_RETURN(const Corpus text, ReadCorpus(reading, all, hooks));
  return TrainLanguageModel(text, training, hooks);
}

void AddTo(absl::Span<const float> values, float factor,
           std::vector<float>* sum) {
  sum->resize(values.size());
  for (size_t i = 0; i < values.size(); ++i) (*sum)[i] += factor * values[i];
}

// The top layer's vectors of kWord in the sentences. The mean over all tokens
// is taken off, as what all vectors share says nothing about senses.
absl::StatusOr<std::vector<std::vector<float>>> VectorsInContext(
    LanguageModel model) {
  std::vector<Contextualizer::Sentence> sentences;
  for (const absl::string_view sentence : kSentences) {
    sentences.push_back(absl::StrSplit(sentence, ' '));
  }
  Contextualizer contextualizer(std::move(model));
  FIRTH_ASSIGN_OR_RETURN(const std::vector<TokenVectors> tokens,
                         contextualizer.Embed(sentences));
  const size_t top = contextualizer.num_layers() - 1;
  std::vector<std::vector<float>> vectors;
  std::vector<float> sum;
  float count = 0;
  for (size_t i = 0; i < sentences.size(); ++i) {
    for (size_t token = 0; token < sentences[i].size(); ++token, ++count) {
      AddTo(tokens[i].Vector(top, token), 1, &sum);
    }
    const auto place =
        std::find(sentences[i].begin(), sentences[i].end(), kWord);
    AddTo(tokens[i].Vector(top,
                           static_cast<size_t>(place - sentences[i].begin())),
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
  FIRTH_ASSIGN_OR_RETURN(const std::vector<std::vector<float>> in_context,
                         VectorsInContext(std::move(trained->model)));

  Print(absl::StrFormat(
      "\nThese vectors have only one vector for \"%s\". A language model on "
      "top of them\ngives each occurrence a vector (trained on %s words in "
      "%s). These are the\ncosines of \"%s\" in each of four sentences with "
      "\"%s\" in the others:\n\n",
      kWord, Thousands(trained->report.tokens),
      HumanSeconds(trained->report.seconds), kWord, kWord));
  const Cosines cosines = AllCosines(in_context);
  Print(absl::StrCat(Table(cosines), "\n", Verdict(cosines)));
  return absl::OkStatus();
}

}  // namespace firth::tools

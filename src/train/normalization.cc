// NCE fixes the normalizer Z(h) = sum_w exp(score(w)) of each hidden vector to
// 1 and never computes it. This file computes it for the windows of a held-out
// piece of the text. Hidden vectors are formed as in training, and one matrix
// product per batch gives their scores against all words. The mean and the
// spread of ln Z show how close the scores are to log probabilities. The
// perplexity shows how good they are once they are normalized.

#include "train/normalization.h"

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "base/matrix.h"
#include "base/rng.h"
#include "simd/gemm.h"
#include "simd/softmax_kernel.h"

namespace firth {
namespace {

constexpr uint64_t kMaxHeldOut = 20000;
constexpr size_t kMaxWindows = 500;
constexpr size_t kBatch = 64;
// Memory that OpenBLAS takes for its first product: the pages of its code that
// run and the blocks that it copies, 2 to 5 MB depending on the processor.
constexpr uint64_t kBlasBytes = uint64_t{4} << 20;

// Hidden vectors, each with the word that it has to predict.
struct Examples {
  std::vector<float> hidden;  // [targets.size(), padded dim]
  std::vector<WordId> targets;
};

void AddExample(const std::vector<float>& hidden, WordId target,
                Examples* examples) {
  examples->hidden.insert(examples->hidden.end(), hidden.begin(), hidden.end());
  examples->targets.push_back(target);
}

// Adds each word of the context as an example.
void AddSkipGram(const Window& window, const EmbeddingModel& model,
                 Examples* examples) {
  std::vector<float> hidden(model.stride());
  for (size_t pos = window.begin; pos < window.end; ++pos) {
    if (pos == window.center) continue;
    model.CopyInput(window.words[pos], hidden.data());
    AddExample(hidden, window.words[window.center], examples);
  }
}

// Adds the mean of the context, with the weights of its positions.
void AddCbow(const Window& window, const EmbeddingModel& model,
             Examples* examples) {
  std::vector<float> mean(model.stride());
  std::vector<float> row(model.stride());
  const std::vector<float> ones(model.stride(), 1.0f);
  const PaddedMatrix& weights = model.position_weights().Quiet();
  const float share = 1.0f / static_cast<float>(window.context_size());
  for (size_t pos = window.begin; pos < window.end; ++pos) {
    if (pos == window.center) continue;
    model.CopyInput(window.words[pos], row.data());
    const float* const weight =
        weights.rows() == 0 ? ones.data()
                            : weights.Row(ContextPosition(pos, window.center,
                                                          weights.rows() / 2));
    for (size_t i = 0; i < mean.size(); ++i) {
      mean[i] += share * weight[i] * row[i];
    }
  }
  AddExample(mean, window.words[window.center], examples);
}

Examples CollectExamples(SentenceReader reader, const TrainOptions& options,
                         const EmbeddingModel& model, uint64_t* windows) {
  const bool cbow = std::holds_alternative<CbowOptions>(options.architecture);
  const auto reach = static_cast<size_t>(options.window);
  Examples examples;
  WordRun run;
  while (*windows < kMaxWindows && reader.Next(&run)) {
    for (size_t center = run.first_center;
         center < run.end_center && *windows < kMaxWindows; ++center) {
      const Window window =
          WindowAt(run, center, reach, options.dynamic_window);
      if (window.context_size() == 0) continue;
      (cbow ? AddCbow : AddSkipGram)(window, model, &examples);
      ++*windows;
    }
  }
  return examples;
}

struct Sums {
  double ln_z = 0;
  double squares = 0;
  double loss = 0;
};

// Adds the values of `count` examples, starting at `first`, to *sums.
void AddBatch(const Examples& examples, size_t first, size_t count,
              const EmbeddingModel& model, std::vector<float>* scores,
              Sums* sums) {
  const PaddedMatrix& output = model.output().Quiet();
  const float* bias = model.output_bias().Quiet().Row(0);
  const size_t vocab_size = output.rows();
  scores->resize(count * vocab_size);
  Gemm(Transpose::kNo, Transpose::kYes, count, vocab_size, output.cols(), 1,
       examples.hidden.data() + first * output.stride(), output.stride(),
       output.data(), output.stride(), 0, scores->data(), vocab_size);
  for (size_t i = 0; i < count; ++i) {
    float* row = scores->data() + i * vocab_size;
    for (size_t word = 0; word < vocab_size; ++word) row[word] += bias[word];
    const double ln_z = LogSumExp(row, vocab_size);
    sums->ln_z += ln_z;
    sums->squares += ln_z * ln_z;
    sums->loss += ln_z - row[Index(examples.targets[first + i])];
  }
}

}  // namespace

StreamPiece HeldOutPiece(const TokenStream& stream) {
  const auto tokens = stream.tokens();
  const uint64_t size = tokens.size();
  const uint64_t length = std::min(size / 100, kMaxHeldOut);
  const uint64_t cut = size - length;
  for (uint64_t begin = cut; begin > cut - std::min(cut, length); --begin) {
    if (tokens[begin - 1] == TokenStream::kSentenceEnd) return {begin, size};
  }
  return {cut, size};
}

NormalizationReport MeasureNormalization(const TokenStream& stream,
                                         const Subsampler& subsampler,
                                         StreamPiece piece,
                                         const TrainOptions& options,
                                         const EmbeddingModel& model) {
  NormalizationReport report;
  const Examples examples = CollectExamples(
      SentenceReader(stream, subsampler, piece, Mix64(options.seed),
                     static_cast<size_t>(options.window)),
      options, model, &report.windows);
  const size_t total = examples.targets.size();
  if (total == 0) return report;
  Sums sums;
  std::vector<float> scores;
  for (size_t first = 0; first < total; first += kBatch) {
    AddBatch(examples, first, std::min(kBatch, total - first), model, &scores,
             &sums);
  }
  const auto count = static_cast<double>(total);
  report.mean_ln_z = sums.ln_z / count;
  report.stddev_ln_z = std::sqrt(std::max(
      0.0, sums.squares / count - report.mean_ln_z * report.mean_ln_z));
  report.perplexity = std::exp(sums.loss / count);
  return report;
}

uint64_t NormalizationBytes(const TrainOptions& options,
                            const ModelShape& shape) {
  const bool cbow = std::holds_alternative<CbowOptions>(options.architecture);
  const uint64_t examples =
      kMaxWindows * (cbow ? 1 : 2 * static_cast<uint64_t>(options.window));
  return examples * PaddedStride<float>(shape.dim) * sizeof(float) +
         std::min<uint64_t>(kBatch, examples) * shape.vocab_size *
             sizeof(float) +
         kBlasBytes;
}

}  // namespace firth

// How many tokens a second a bidirectional language model trains and embeds on
// one core: everything that a chunk takes, from the token vectors to the
// optimizer. A token counts once, though both directions are trained on it. The
// counter GFLOP/s counts the multiply-adds of the matrix products only.

#include <algorithm>
#include <string>
#include <vector>

#include "base/rng.h"
#include "benchmark/benchmark.h"
#include "nn/head.h"
#include "nn/log_uniform.h"
#include "nn/optimizer.h"
#include "nn/recurrent.h"
#include "nn/token_encoder.h"

namespace firth::nn {
namespace {

constexpr size_t kVocab = 20000;
constexpr ChunkShape kShape{20, 32, {}};
constexpr size_t kSamples = 2048;

struct Setting {
  const char* name;
  size_t embedding_dim;
  size_t units;
  size_t projection_dim;
  size_t layers;
};

constexpr Setting kSettings[] = {
    {"emb100-lstm256", 100, 256, 0, 1}, {"emb128-2x512p128", 128, 512, 128, 2},
    {"emb100-2x100", 100, 100, 0, 2},   {"emb256-2x256", 256, 256, 0, 2},
    {"emb512-2x512", 512, 512, 0, 2},
};

RecurrentLayers LayersFor(const Setting& setting) {
  RecurrentLayers options;
  options.recurrent.units = setting.units;
  options.recurrent.projection_dim = setting.projection_dim;
  options.layers = setting.layers;
  options.residual = setting.layers > 1;
  return options;
}

class Model {
 public:
  Model(const Setting& setting, bool sampled)
      : setting_(setting),
        encoder_({.vocab_size = kVocab, .embedding_dim = setting.embedding_dim},
                 "encoder", 1),
        forward_(MakeLayers<float>(
            LayersFor(setting), {setting.embedding_dim, false, "forward", 2})),
        backward_(MakeLayers<float>(
            LayersFor(setting), {setting.embedding_dim, true, "backward", 3})),
        head_(sampled ? MakeSampledSoftmaxHead(Rows(GradientKind::kSparse),
                                               kSamples)
                      : MakeFullSoftmaxHead(Rows(GradientKind::kDense))),
        optimizer_(AdagradOptions{.first_sum = 1}, Parameters()),
        forward_state_(forward_->MakeState(kShape.batch)),
        backward_state_(backward_->MakeState(kShape.batch)) {
    const LogUniform words(kVocab);
    Rng rng(5);
    for (size_t row = 0; row < kShape.rows(); ++row) {
      tokens_.push_back(words.Sample(rng));
    }
  }

  void Embed() {
    GatherTokens();
    forward_->Forward(inputs_.view(), kShape, &forward_state_);
    backward_->Forward(inputs_.view(), kShape, &backward_state_);
  }

  void Train() {
    GatherTokens();
    head_->Prepare(tokens_, ++step_);
    TrainDirection(*forward_, &forward_state_, &works_[0], &d_inputs_);
    TrainDirection(*backward_, &backward_state_, &works_[1], &d_backward_);
    head_->GatherGradients(absl::MakeSpan(works_));
    Add<float>(d_backward_.view(), d_inputs_.view());
    d_words_.Resize(words_.size(), inputs_.cols());
    d_words_.Fill(0);
    for (size_t row = 0; row < tokens_.size(); ++row) {
      AddScaled(inputs_.cols(), 1.0f, d_inputs_.Row(row),
                d_words_.Row(Place(tokens_[row])));
    }
    encoder_.Backward({words_, {}}, d_words_.view());
    ClipGlobalNorm(10.0, Parameters());
    optimizer_.Step(0.01);
  }

  // Of the products, forward, a token.
  double EmbedFlops() const {
    double flops = 0;
    size_t input = setting_.embedding_dim;
    const size_t output = forward_->output_dim();
    for (size_t l = 0; l < setting_.layers; ++l) {
      flops +=
          2.0 * static_cast<double>((input + output) * 4 * setting_.units +
                                    setting_.units * setting_.projection_dim);
      input = output;
    }
    return 2 * flops;
  }
  double TrainFlops(bool sampled) const {
    return 3 * (EmbedFlops() +
                4.0 * static_cast<double>(forward_->output_dim() *
                                          (sampled ? kSamples : kVocab)));
  }

 private:
  std::unique_ptr<OutputRows<float>> Rows(GradientKind kind) const {
    return MakeTableRows<float>(kVocab, forward_->output_dim(), kind, 0,
                                "softmax", 4);
  }

  ParameterList<float> Parameters() {
    ParameterList<float> list;
    encoder_.AppendParameters(&list);
    forward_->AppendParameters(&list);
    backward_->AppendParameters(&list);
    head_->AppendParameters(&list);
    return list;
  }

  size_t Place(uint32_t word) const {
    return static_cast<size_t>(
        std::lower_bound(words_.begin(), words_.end(), word) - words_.begin());
  }

  void GatherTokens() {
    words_ = tokens_;
    std::sort(words_.begin(), words_.end());
    words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
    const ConstView<float> vectors = encoder_.Forward({words_, {}});
    inputs_.Resize(tokens_.size(), vectors.cols());
    for (size_t row = 0; row < tokens_.size(); ++row) {
      std::copy_n(vectors.Row(Place(tokens_[row])), vectors.cols(),
                  inputs_.Row(row));
    }
  }

  void TrainDirection(SequenceLayers<float>& stack, LayerState<float>* state,
                      HeadWork<float>* work, Matrix<float>* d_input) {
    const ConstView<float> top = stack.Forward(inputs_.view(), kShape, state);
    benchmark::DoNotOptimize(head_->Step(
        top, tokens_, 1.0f / static_cast<float>(tokens_.size()), work));
    d_input->Resize(inputs_.rows(), inputs_.cols());
    stack.Backward(work->d_hidden.view(), {}, d_input->view());
  }

  Setting setting_;
  TokenEncoder<float> encoder_;
  std::unique_ptr<SequenceLayers<float>> forward_;
  std::unique_ptr<SequenceLayers<float>> backward_;
  std::unique_ptr<Head<float>> head_;
  Optimizer<float> optimizer_;
  LayerState<float> forward_state_;
  LayerState<float> backward_state_;
  std::vector<uint32_t> tokens_;
  std::vector<uint32_t> words_;
  Matrix<float> inputs_, d_inputs_, d_backward_, d_words_;
  HeadWork<float> works_[2];
  uint64_t step_ = 0;
};

void Report(benchmark::State& state, double flops) {
  const auto tokens = static_cast<double>(state.iterations() * kShape.rows());
  state.SetItemsProcessed(static_cast<int64_t>(tokens));
  state.counters["GFLOP/s"] =
      benchmark::Counter(1e-9 * flops * tokens, benchmark::Counter::kIsRate);
}

// Arguments: index of the setting; 1 for sampled softmax, 0 for full.
void TrainChunks(benchmark::State& state) {
  const Setting& setting = kSettings[state.range(0)];
  const bool sampled = state.range(1) == 1;
  state.SetLabel(std::string(setting.name) + (sampled ? " sampled" : " full"));
  Model model(setting, sampled);
  for (auto _ : state) model.Train();
  Report(state, model.TrainFlops(sampled));
}
BENCHMARK(TrainChunks)
    ->ArgsProduct({benchmark::CreateDenseRange(0, 4, 1), {1}})
    ->ArgsProduct({{0, 1}, {0}});

void EmbedChunks(benchmark::State& state) {
  const Setting& setting = kSettings[state.range(0)];
  state.SetLabel(setting.name);
  Model model(setting, true);
  for (auto _ : state) model.Embed();
  Report(state, model.EmbedFlops());
}
BENCHMARK(EmbedChunks)->DenseRange(0, 4, 1);

}  // namespace
}  // namespace firth::nn

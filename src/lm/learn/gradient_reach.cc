// Measures how far gradients reach back. A measurement is the backward pass of
// one random gradient at the last step of a chunk. Recurrent layers run it in
// chunks of a single step, each of which gives the gradient of the state before
// it.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/check.h"
#include "base/memory_info.h"
#include "base/rng.h"
#include "corpus/token_stream.h"
#include "firth/language_model.h"
#include "firth/status_macros.h"
#include "lm/learn/text_task.h"
#include "lm/model/finite_layers.h"
#include "lm/model/language_model.h"
#include "lm/read/sentence_batch.h"
#include "lm/read/text_model.h"

namespace firth {
namespace {

constexpr size_t kReachRows = 32;    // sequences per chunk
constexpr size_t kReachChunks = 16;  // measured
constexpr uint64_t kReachKey = 1;    // fixed, for equal results

using Path = GradientReach::Path;

double SquaresOf(const ConstView<float> rows) {
  double sum = 0;
  for (size_t row = 0; row < rows.rows(); ++row) {
    for (size_t i = 0; i < rows.cols(); ++i) {
      sum += static_cast<double>(rows.Row(row)[i]) * rows.Row(row)[i];
    }
  }
  return sum;
}

// Returns "1.output" for part "0.output" of a state, since users count the
// layers of a network from 1.
std::string PathName(absl::string_view part) {
  const size_t dot = part.find('.');
  size_t layer = 0;
  FIRTH_CHECK(absl::SimpleAtoi(part.substr(0, dot), &layer));
  return absl::StrCat(layer + 1, part.substr(dot));
}

absl::Status CheckMemory(double needed) {
  const auto available = static_cast<double>(AvailableMemoryBytes());
  if (needed <= available) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrFormat(
      "the states of all steps need about %.0f MB of memory, but only %.0f MB "
      "is available; use fewer steps",
      needed * 1e-6, available * 1e-6));
}

class ReachMeter {
 public:
  // Borrows the arguments. The text must have a sentence.
  ReachMeter(BiLanguageModel& model, const Corpus& text, size_t steps)
      : model_(model),
        layers_(model.layers()[Direction::kForward]),
        steps_(steps),
        words_(model, text.vocabulary),
        rows_(*text.tokens, words_.FirstWord(), kReachRows),
        batch_(rows_.rows()),
        recurrent_(std::holds_alternative<nn::RecurrentLayers>(
            model.options().layers)),
        state_(layers_.MakeState(batch_)) {
    squares_.push_back({"input", 0, std::vector<double>(steps)});
    for (size_t part = 0; recurrent_ && part < state_.num_parts(); ++part) {
      squares_.push_back(
          {PathName(state_.parts()[part].name), 1, std::vector<double>(steps)});
    }
  }

  // Returns the bytes of the states of all steps and of the inputs.
  double Bytes() const {
    double values = 4.0 * static_cast<double>(model_.encoder().output_dim());
    for (size_t part = 0; part < state_.num_parts(); ++part) {
      values += static_cast<double>(state_[part].cols());
    }
    return values * static_cast<double>(batch_ * steps_ * sizeof(float));
  }

  // Measures the next chunk of the text. Errors: Cancelled.
  absl::Status Measure(uint64_t key, const Hooks& hooks) {
    ReadChunk();
    d_top_.Resize(batch_, layers_.output_dim());
    nn::FillNormal(1 / std::sqrt(static_cast<double>(d_top_.cols())), key,
                   d_top_);
    if (recurrent_) {
      FIRTH_RETURN_IF_ERROR(MeasureStepByStep(hooks));
    } else {
      MeasureWhole();
    }
    ++chunks_;
    return absl::OkStatus();
  }

  GradientReach Result() const {
    GradientReach reach;
    for (Path path : squares_) {
      for (double& norm : path.norms) {
        norm = std::sqrt(norm / static_cast<double>(chunks_ * batch_));
      }
      const bool used = std::any_of(path.norms.begin(), path.norms.end(),
                                    [](double norm) { return norm != 0; });
      // The simplest cell has no state but its output.
      if (used || reach.paths.empty()) reach.paths.push_back(std::move(path));
    }
    return reach;
  }

 private:
  void ReadChunk() {
    rows_.Fill(steps_, &chunk_);
    ChunkWords words(model_, words_);
    std::vector<uint32_t> word_of_row;
    for (const uint32_t id : chunk_.forward.inputs) {
      word_of_row.push_back(words.Add(id));
    }
    GatherRows(model_.encoder().Forward(words.batch()), word_of_row, &inputs_);
    d_inputs_.Resize(inputs_.rows(), inputs_.cols());
  }

  ConstView<float> InputOf(size_t step) const {
    return inputs_.view().Rows(step * batch_, batch_);
  }

  void MeasureWhole() {
    Matrix<float> d_top(inputs_.rows(), d_top_.cols());
    nn::Copy<float>(d_top_.view(),
                    d_top.view().Rows((steps_ - 1) * batch_, batch_));
    layers_.Forward(inputs_.view(), {steps_, batch_}, nullptr);
    layers_.Backward(d_top.view(), {}, d_inputs_.view());
    for (size_t distance = 0; distance < steps_; ++distance) {
      squares_[0].norms[distance] += SquaresOf(
          d_inputs_.view().Rows((steps_ - 1 - distance) * batch_, batch_));
    }
  }

  nn::LayerState<float> CopyOfState() {
    nn::LayerState<float> copy = layers_.MakeState(batch_);
    for (size_t part = 0; part < copy.num_parts(); ++part) {
      nn::Copy<float>(state_[part].view(), copy[part].view());
    }
    return copy;
  }

  absl::Status MeasureStepByStep(const Hooks& hooks) {
    std::vector<nn::LayerState<float>> before;  // the state before each step
    for (size_t step = 0; step < steps_; ++step) {
      if (hooks.StopRequested()) return absl::CancelledError("interrupted");
      before.push_back(CopyOfState());
      layers_.Forward(InputOf(step), {1, batch_}, &state_);
    }
    nn::LayerState<float> d_state = layers_.MakeState(batch_);
    const View<float> d_input = d_inputs_.view().Rows(0, batch_);
    for (size_t distance = 0; distance < steps_; ++distance) {
      if (hooks.StopRequested()) return absl::CancelledError("interrupted");
      const size_t step = steps_ - 1 - distance;
      layers_.Forward(InputOf(step), {1, batch_}, &before[step]);
      layers_.SetStateGradient(&d_state);
      layers_.Backward(d_top_.view(), {}, d_input);
      squares_[0].norms[distance] += SquaresOf(d_input);
      for (size_t part = 0; part < d_state.num_parts(); ++part) {
        squares_[part + 1].norms[distance] += SquaresOf(d_state[part].view());
      }
      d_top_.Fill(0);
    }
    return absl::OkStatus();
  }

  BiLanguageModel& model_;
  nn::SequenceLayers<float>& layers_;
  size_t steps_;
  TextWords words_;
  TextRows rows_;
  size_t batch_;
  bool recurrent_;
  nn::LayerState<float> state_;  // carried over to the next chunk
  TextChunk chunk_;
  Matrix<float> inputs_;
  Matrix<float> d_inputs_;
  Matrix<float> d_top_;  // [batch, output_dim], at the last step
  size_t chunks_ = 0;
  std::vector<Path> squares_;  // sums over chunks and sequences
};

absl::Status CheckSteps(size_t steps, const nn::LayersOptions& layers) {
  const auto* const blocks = std::get_if<nn::TransformerLayers>(&layers);
  if (steps >= 2 && (blocks == nullptr || steps <= blocks->context)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "steps: expected ",
      blocks == nullptr
          ? std::string("2 or more")
          : absl::StrCat("2 to ", blocks->context, ", the model's context"),
      ", found ", steps));
}

}  // namespace

absl::StatusOr<GradientReach> MeasureGradientReach(LanguageModel& model,
                                                   const Corpus& text,
                                                   size_t steps,
                                                   const Hooks& hooks) {
  FIRTH_RETURN_IF_ERROR(CheckRead(text));
  BiLanguageModel* const network = TextModel::Of(model).network();
  if (network == nullptr || !network->layers().reads(Direction::kForward)) {
    return absl::FailedPreconditionError(
        "expected a model with layers that read forward, found one without");
  }
  FIRTH_RETURN_IF_ERROR(CheckSteps(steps, network->options().layers));
  const TextCutter* const cutter = network->data().cutter.get();
  const Corpus cut = cutter == nullptr ? Corpus() : cutter->Cut(text);
  ReachMeter meter(*network, cutter == nullptr ? text : cut, steps);
  FIRTH_RETURN_IF_ERROR(CheckMemory(meter.Bytes()));
  for (size_t chunk = 0; chunk < kReachChunks; ++chunk) {
    if (hooks.StopRequested()) return absl::CancelledError("interrupted");
    hooks.ReportWork(chunk, kReachChunks);
    FIRTH_RETURN_IF_ERROR(meter.Measure(CombineKeys(kReachKey, chunk), hooks));
  }
  nn::ParameterList<float> parameters;
  network->layers().AppendParameters(&parameters);
  for (nn::Parameter<float>* const parameter : parameters) {
    parameter->gradient.Clear();
  }
  GradientReach reach = meter.Result();
  for (const Path& path : reach.paths) {
    for (const double norm : path.norms) {
      if (!std::isfinite(norm)) {
        return NotFinite("the gradients", static_cast<float>(norm));
      }
    }
  }
  return reach;
}

}  // namespace firth

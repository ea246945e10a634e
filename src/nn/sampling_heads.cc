// Heads that draw noise for a chunk. A row of scores contains those of the
// drawn words, computed by one product, followed by that of the target.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/rng.h"
#include "nn/candidates.h"
#include "nn/elementwise.h"
#include "nn/head.h"
#include "nn/log_uniform.h"

namespace firth::nn {
namespace {

// Lower than the score of any word; its exponential is 0.
constexpr double kExcluded = -1e30;

// The words drawn, and the number of draws.
struct Draw {
  std::vector<uint32_t> words;
  uint64_t draws = 0;
};

struct SampledSoftmax {
  static Draw DrawWords(const LogUniform& noise, size_t samples, Rng& rng) {
    Draw draw;
    if (samples < noise.vocab_size()) {
      draw.draws = noise.SampleUnique(samples, rng, &draw.words);
    } else {
      draw.words.resize(noise.vocab_size());
      std::iota(draw.words.begin(), draw.words.end(), 0);
    }
    return draw;
  }

  // Returns the value that is subtracted from the word's score. If all words
  // are drawn, each occurs once.
  static double Correction(const LogUniform& noise, const Draw& draw,
                           uint32_t word) {
    if (draw.words.size() == noise.vocab_size()) return 0;
    return std::log(ExpectedCount(noise.Probability(word), draw.draws));
  }

  // Replaces a row of `drawn` scores and the target's score by their gradients.
  // `hit` is the target's position if it was drawn, otherwise any number from
  // `drawn` on. Returns the loss.
  template <class T>
  static double Row(size_t drawn, size_t hit, T scale, const T* offsets,
                    T* scores) {
    const T target = scores[drawn] + offsets[drawn];
    if (hit < drawn) scores[hit] = static_cast<T>(kExcluded);
    const T log_sum = Softmax(drawn + 1, scale, offsets, scores);
    scores[drawn] -= scale;
    if (hit < drawn) scores[hit] = 0;
    return static_cast<double>(log_sum - target);
  }
};

struct NoiseContrast {
  static Draw DrawWords(const LogUniform& noise, size_t samples, Rng& rng) {
    Draw draw;
    for (size_t k = 0; k < samples; ++k)
      draw.words.push_back(noise.Sample(rng));
    draw.draws = samples;
    return draw;
  }

  static double Correction(const LogUniform& noise, const Draw& draw,
                           uint32_t word) {
    return std::log(static_cast<double>(draw.draws) * noise.Probability(word));
  }

  template <class T>
  static double Row(size_t drawn, size_t /*hit*/, T scale, const T* offsets,
                    T* scores) {
    // -ln s(x) = ln(1 + exp(-x)), so the target's loss is that of noise with
    // the opposite sign.
    scores[drawn] = -(scores[drawn] + offsets[drawn]);
    const double target_loss =
        Logistic(1, -scale, static_cast<const T*>(nullptr), scores + drawn);
    return target_loss + Logistic(drawn, scale, offsets, scores);
  }
};

template <class T, class Loss>
class SamplingHead : public RowsHead<T> {
 public:
  SamplingHead(std::unique_ptr<OutputRows<T>> rows, size_t samples)
      : RowsHead<T>(std::move(rows)),
        noise_(this->vocab_size()),
        samples_(samples) {
    FIRTH_CHECK(samples > 0);
  }

  void Prepare(absl::Span<const uint32_t> targets, uint64_t key) override {
    Rng rng(key);
    Draw draw = Loss::DrawWords(noise_, samples_, rng);
    candidates_.Set(draw.words, targets, this->vocab_size());
    this->rows().Select(candidates_.words());
    offsets_.clear();
    for (size_t k = 0; k < candidates_.words().size(); ++k) {
      const double correction =
          Loss::Correction(noise_, draw, candidates_.words()[k]);
      offsets_.push_back(static_cast<T>(this->rows().bias()[k] - correction));
    }
  }

  double Step(ConstView<T> hidden, absl::Span<const uint32_t> targets, T scale,
              HeadWork<T>* work) const override {
    FIRTH_CHECK(targets.size() == hidden.rows());
    this->StartStep(hidden, work);
    const size_t drawn = candidates_.num_drawn();
    const ConstView<T> rows = this->rows().rows();
    work->scores.Resize(hidden.rows(), drawn + 1);
    const View<T> drawn_scores = work->scores.view().Cols(0, drawn);
    Product(hidden, Transpose::kNo, rows.Rows(0, drawn), Transpose::kYes,
            Into::kOverwrite, drawn_scores);
    work->losses.resize(hidden.rows());
    ForRows(hidden.rows(), drawn, [&](size_t begin, size_t end) {
      std::vector<T> offsets(offsets_.begin(),
                             offsets_.begin() + static_cast<ptrdiff_t>(drawn));
      offsets.push_back(0);
      for (size_t r = begin; r < end; ++r) {
        const size_t place = candidates_.Place(targets[r]);
        T* const scores = work->scores.Row(r);
        scores[drawn] =
            DotProduct(hidden.cols(), hidden.Row(r), rows.Row(place));
        offsets[drawn] = offsets_[place];
        work->losses[r] =
            Loss::Row(drawn, place, scale, offsets.data(), scores);
      }
    });
    AddGradients(hidden, targets, work);
    return std::accumulate(work->losses.begin(), work->losses.end(), 0.0);
  }

 private:
  void AddGradients(ConstView<T> hidden, absl::Span<const uint32_t> targets,
                    HeadWork<T>* work) const {
    const size_t drawn = candidates_.num_drawn();
    const ConstView<T> rows = this->rows().rows();
    const View<T> d_scores = work->scores.view().Cols(0, drawn);
    Multiply(d_scores, rows.Rows(0, drawn), Into::kOverwrite,
             work->d_hidden.view());
    AddWeightGradient(d_scores, hidden, work->d_rows.view().Rows(0, drawn));
    AddColumnSums(d_scores, work->d_bias.data());
    // Several rows may be of one word, so columns are divided among threads.
    ForColumns(hidden.rows(), hidden.cols(), [&](size_t begin, size_t end) {
      for (size_t r = 0; r < hidden.rows(); ++r) {
        const size_t place = candidates_.Place(targets[r]);
        const T d_target = work->scores.Row(r)[drawn];
        AddScaled(end - begin, d_target, rows.Row(place) + begin,
                  work->d_hidden.Row(r) + begin);
        AddScaled(end - begin, d_target, hidden.Row(r) + begin,
                  work->d_rows.Row(place) + begin);
      }
    });
    for (size_t r = 0; r < hidden.rows(); ++r) {
      work->d_bias[candidates_.Place(targets[r])] += work->scores.Row(r)[drawn];
    }
  }

  LogUniform noise_;
  size_t samples_;
  Candidates candidates_;
  std::vector<T> offsets_;  // of the candidates: bias - correction
};

}  // namespace

template <class T>
std::unique_ptr<Head<T>> MakeSampledSoftmaxHead(
    std::unique_ptr<OutputRows<T>> rows, size_t samples) {
  return std::make_unique<SamplingHead<T, SampledSoftmax>>(std::move(rows),
                                                           samples);
}

template <class T>
std::unique_ptr<Head<T>> MakeNceHead(std::unique_ptr<OutputRows<T>> rows,
                                     size_t samples) {
  return std::make_unique<SamplingHead<T, NoiseContrast>>(std::move(rows),
                                                          samples);
}

template std::unique_ptr<Head<float>> MakeSampledSoftmaxHead(
    std::unique_ptr<OutputRows<float>>, size_t);
template std::unique_ptr<Head<float>> MakeNceHead(
    std::unique_ptr<OutputRows<float>>, size_t);
#ifdef FIRTH_DOUBLES
template std::unique_ptr<Head<double>> MakeSampledSoftmaxHead(
    std::unique_ptr<OutputRows<double>>, size_t);
template std::unique_ptr<Head<double>> MakeNceHead(
    std::unique_ptr<OutputRows<double>>, size_t);
#endif

}  // namespace firth::nn

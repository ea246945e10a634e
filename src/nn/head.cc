// The heads that score words by OutputRows. Full softmax takes matrix products,
// in blocks of hidden vectors that limit the memory for their scores. The
// others draw noise for a chunk: a row of scores contains those of the drawn
// words, computed by one product, followed by that of the target.

#include "nn/head.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/rng.h"
#include "nn/elementwise.h"
#include "nn/log_uniform.h"

namespace firth::nn {
namespace {

// The common part of these heads.
template <class T>
class RowsHead : public Head<T> {
 public:
  explicit RowsHead(std::unique_ptr<OutputRows<T>> rows)
      : rows_(std::move(rows)) {}

  size_t dim() const override { return rows_->dim(); }
  size_t vocab_size() const override { return rows_->vocab_size(); }
  void AppendParameters(ParameterList<T>* list) override {
    rows_->AppendParameters(list);
  }
  void GatherGradients(absl::Span<HeadWork<T>> works) override;
  void PrepareAll() override { rows_->SelectAll(); }
  void Scores(ConstView<T> hidden, View<T> scores) const override;

 protected:
  OutputRows<T>& rows() { return *rows_; }
  const OutputRows<T>& rows() const { return *rows_; }
  // Sizes the gradients; clears them at the first step after GatherGradients().
  void StartStep(ConstView<T> hidden, HeadWork<T>* work) const;

 private:
  std::unique_ptr<OutputRows<T>> rows_;
};

template <class T>
void RowsHead<T>::StartStep(ConstView<T> hidden, HeadWork<T>* work) const {
  work->d_hidden.Resize(hidden.rows(), hidden.cols());
  if (work->used) return;
  work->used = true;
  work->d_rows.Resize(rows_->rows().rows(), rows_->dim());
  SetZero(work->d_rows.view());
  work->d_bias.assign(rows_->rows().rows(), 0);
}

template <class T>
void RowsHead<T>::GatherGradients(absl::Span<HeadWork<T>> works) {
  HeadWork<T>* sum = nullptr;
  for (HeadWork<T>& work : works) {
    if (!work.used) continue;
    work.used = false;
    if (sum == nullptr) {
      sum = &work;
      continue;
    }
    Add<T>(work.d_rows.view(), sum->d_rows.view());
    AddScaled(sum->d_bias.size(), T{1}, work.d_bias.data(), sum->d_bias.data());
  }
  if (sum != nullptr) {
    rows_->Backward(sum->d_rows.view(), sum->d_bias.data());
  }
}

// For few vectors, as in generation word by word, a BLAS would first copy all
// rows, which takes longer than the product.
template <class T>
void RowsHead<T>::Scores(ConstView<T> hidden, View<T> scores) const {
  constexpr size_t kFew = 8;
  const ConstView<T> rows = rows_->rows();
  for (size_t word = 0; hidden.rows() <= kFew && word < rows.rows(); ++word) {
    for (size_t r = 0; r < hidden.rows(); ++r) {
      scores.Row(r)[word] =
          DotProduct(rows.cols(), hidden.Row(r), rows.Row(word));
    }
  }
  if (hidden.rows() > kFew) {
    Product(hidden, Transpose::kNo, rows, Transpose::kYes, Into::kOverwrite,
            scores);
  }
  AddToRows(rows_->bias(), scores);
}

constexpr size_t kScoresAtOnce = size_t{1} << 24;
// Rows whose column sums are computed before they leave the cache.
constexpr size_t kRowsInCache = 16;

template <class T>
class FullSoftmaxHead : public RowsHead<T> {
 public:
  FullSoftmaxHead(std::unique_ptr<OutputRows<T>> rows, double label_smoothing)
      : RowsHead<T>(std::move(rows)), smoothing_(label_smoothing) {}

  void Prepare(absl::Span<const uint32_t> /*targets*/,
               uint64_t /*key*/) override {
    this->rows().SelectAll();
    scorer_.Set(Transpose::kYes, this->rows().rows());
  }

  double Step(ConstView<T> hidden, absl::Span<const uint32_t> targets, T scale,
              HeadWork<T>* work) const override {
    FIRTH_CHECK(targets.size() == hidden.rows());
    this->StartStep(hidden, work);
    const size_t at_once = std::max<size_t>(
        1, kScoresAtOnce / std::max<size_t>(1, this->vocab_size()));
    double loss = 0;
    for (size_t first = 0; first < hidden.rows(); first += at_once) {
      const size_t count = std::min(at_once, hidden.rows() - first);
      loss +=
          StepBlock(hidden.Rows(first, count), targets.subspan(first, count),
                    scale, work->d_hidden.view().Rows(first, count), work);
    }
    return loss;
  }

 private:
  double StepBlock(ConstView<T> hidden, absl::Span<const uint32_t> targets,
                   T scale, View<T> d_hidden, HeadWork<T>* work) const {
    const ConstView<T> rows = this->rows().rows();
    const T* const bias = this->rows().bias();
    Matrix<T>& scores = work->scores;
    scores.Resize(hidden.rows(), rows.rows());
    scorer_.Multiply(hidden, Into::kOverwrite, scores.view());
    work->losses.resize(scores.rows());
    for (size_t first = 0; first < scores.rows(); first += kRowsInCache) {
      const size_t count = std::min(kRowsInCache, scores.rows() - first);
      ForRows(count, scores.cols(), [&](size_t begin, size_t end) {
        for (size_t r = first + begin; r < first + end; ++r) {
          const T asked =
              AskedScore(scores.cols(), targets[r], bias, scores.Row(r));
          work->losses[r] = static_cast<double>(
              Softmax(scores.cols(), scale, bias, scores.Row(r)) - asked);
          TakeTarget(scores.cols(), targets[r], scale, scores.Row(r));
        }
      });
      AddColumnSums(scores.view().Rows(first, count), work->d_bias.data());
    }
    Multiply(scores.view(), rows, Into::kOverwrite, d_hidden);
    AddWeightGradient(scores.view(), hidden, work->d_rows.view());
    return std::accumulate(work->losses.begin(), work->losses.end(), 0.0);
  }

  // Returns the target's score or, with label smoothing, its weighted mean with
  // the scores of all words.
  T AskedScore(size_t words, uint32_t target, const T* bias,
               const T* scores) const {
    const T of_target = scores[target] + bias[target];
    if (smoothing_ == 0) return of_target;
    double sum = 0;
    for (size_t w = 0; w < words; ++w) sum += scores[w] + bias[w];
    return static_cast<T>((1 - smoothing_) * of_target +
                          smoothing_ * sum / static_cast<double>(words));
  }
  void TakeTarget(size_t words, uint32_t target, T scale, T* scores) const {
    scores[target] -= static_cast<T>(1 - smoothing_) * scale;
    if (smoothing_ == 0) return;
    const T each = static_cast<T>(smoothing_ / static_cast<double>(words));
    for (size_t w = 0; w < words; ++w) scores[w] -= each * scale;
  }

  double smoothing_;
  RepeatedFactor<T> scorer_;  // the selected rows, for both directions
};

// Words drawn for a chunk, followed by the targets that are not among them: the
// rows that a sampling head selects.
class Candidates {
 public:
  // `drawn` may hold a word more than once.
  void Set(std::vector<uint32_t> drawn, absl::Span<const uint32_t> targets,
           size_t vocab_size);

  const std::vector<uint32_t>& words() const { return words_; }
  size_t num_drawn() const { return num_drawn_; }
  // Returns the first position of a drawn word or a target.
  size_t Place(uint32_t word) const { return places_[word] - 1; }

 private:
  std::vector<uint32_t> words_;
  size_t num_drawn_ = 0;
  std::vector<uint32_t> places_;  // [vocab_size] 1 + position; 0 means none
};

void Candidates::Set(std::vector<uint32_t> drawn,
                     absl::Span<const uint32_t> targets, size_t vocab_size) {
  places_.resize(vocab_size, 0);
  for (const uint32_t word : words_) places_[word] = 0;
  words_ = std::move(drawn);
  num_drawn_ = words_.size();
  for (size_t k = 0; k < num_drawn_; ++k) {
    uint32_t& place = places_[words_[k]];
    if (place == 0) place = static_cast<uint32_t>(k + 1);
  }
  for (const uint32_t target : targets) {
    FIRTH_CHECK(target < vocab_size);
    if (places_[target] != 0) continue;
    words_.push_back(target);
    places_[target] = static_cast<uint32_t>(words_.size());
  }
}

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
double StepOnTargets(const Head<T>& head, ConstView<T> hidden,
                     const Targets& targets, T scale, HeadWork<T>* work) {
  const size_t count = targets.rows.size();
  if (count == hidden.rows()) {
    return head.Step(hidden, targets.words, scale, work);
  }
  work->hidden.Resize(count, hidden.cols());
  for (size_t i = 0; i < count; ++i) {
    std::copy_n(hidden.Row(targets.rows[i]), hidden.cols(),
                work->hidden.Row(i));
  }
  const double loss =
      head.Step(work->hidden.view(), targets.words, scale, work);
  std::swap(work->hidden, work->d_hidden);
  work->d_hidden.Resize(hidden.rows(), hidden.cols());
  SetZero(work->d_hidden.view());
  for (size_t i = 0; i < count; ++i) {
    std::copy_n(work->hidden.Row(i), hidden.cols(),
                work->d_hidden.Row(targets.rows[i]));
  }
  return loss;
}

template <class T>
double FullLoss(absl::Span<const uint32_t> targets, View<T> scores) {
  FIRTH_CHECK(targets.size() == scores.rows());
  double loss = 0;
  for (size_t r = 0; r < scores.rows(); ++r) {
    T* const row = scores.Row(r);
    const double target = row[targets[r]];
    loss += static_cast<double>(
                Softmax(scores.cols(), T{1}, static_cast<T*>(nullptr), row)) -
            target;
  }
  return loss;
}

template <class T>
std::unique_ptr<Head<T>> MakeFullSoftmaxHead(
    std::unique_ptr<OutputRows<T>> rows, double label_smoothing) {
  return std::make_unique<FullSoftmaxHead<T>>(std::move(rows), label_smoothing);
}

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

template double StepOnTargets(const Head<float>&, ConstView<float>,
                              const Targets&, float, HeadWork<float>*);
template double FullLoss(absl::Span<const uint32_t>, View<float>);
template std::unique_ptr<Head<float>> MakeFullSoftmaxHead(
    std::unique_ptr<OutputRows<float>>, double);
template std::unique_ptr<Head<float>> MakeSampledSoftmaxHead(
    std::unique_ptr<OutputRows<float>>, size_t);
template std::unique_ptr<Head<float>> MakeNceHead(
    std::unique_ptr<OutputRows<float>>, size_t);
#ifdef FIRTH_DOUBLES
template double StepOnTargets(const Head<double>&, ConstView<double>,
                              const Targets&, double, HeadWork<double>*);
template double FullLoss(absl::Span<const uint32_t>, View<double>);
template std::unique_ptr<Head<double>> MakeFullSoftmaxHead(
    std::unique_ptr<OutputRows<double>>, double);
template std::unique_ptr<Head<double>> MakeSampledSoftmaxHead(
    std::unique_ptr<OutputRows<double>>, size_t);
template std::unique_ptr<Head<double>> MakeNceHead(
    std::unique_ptr<OutputRows<double>>, size_t);
#endif

}  // namespace firth::nn

#include <cmath>
#include <numeric>

#include "base/check.h"
#include "nn/elementwise.h"
#include "nn/head.h"
#include "nn/row_layers.h"

namespace firth::nn {
namespace {

// Returns 1 / |v|, or 0 for a zero vector.
template <class T>
T InverseNorm(const T* vector, size_t dim) {
  const T square = DotProduct(dim, vector, vector);
  return square == 0 ? T{0} : 1 / std::sqrt(square);
}

template <class T>
class ContinuousHead : public Head<T> {
 public:
  ContinuousHead(size_t dim, ConstView<T> vectors, absl::string_view name,
                 uint64_t key)
      : projection_(dim, vectors.cols(), name, key), vectors_(vectors) {
    for (size_t w = 0; w < vectors.rows(); ++w) {
      inverse_norms_.push_back(InverseNorm(vectors.Row(w), vectors.cols()));
    }
  }

  size_t dim() const override { return projection_.input_dim(); }
  size_t vocab_size() const override { return vectors_.rows(); }
  void AppendParameters(ParameterList<T>* list) override {
    projection_.AppendParameters(list);
  }
  void Prepare(absl::Span<const uint32_t> /*targets*/,
               uint64_t /*key*/) override {}
  void PrepareAll() override {}

  double Step(ConstView<T> hidden, absl::Span<const uint32_t> targets, T scale,
              HeadWork<T>* work) const override {
    FIRTH_CHECK(targets.size() == hidden.rows());
    StartStep(hidden, work);
    projection_.Forward(hidden, work->scores.view());
    work->losses.resize(hidden.rows());
    ForRows(hidden.rows(), vectors_.cols(), [&](size_t begin, size_t end) {
      for (size_t r = begin; r < end; ++r) {
        work->losses[r] = CosineLoss(targets[r], scale, work->scores.Row(r));
      }
    });
    const ConstView<T> d_output = work->scores.view();
    MultiplyBack(d_output, weights(), Into::kOverwrite, work->d_hidden.view());
    AddWeightGradient(hidden, d_output, work->d_rows.view());
    AddColumnSums(d_output, work->d_bias.data());
    return std::accumulate(work->losses.begin(), work->losses.end(), 0.0);
  }

  void GatherGradients(absl::Span<HeadWork<T>> works) override {
    for (HeadWork<T>& work : works) {
      if (!work.used) continue;
      work.used = false;
      Add<T>(work.d_rows.view(), projection_.weights().gradient.view());
      AddColumnSums(ConstView<T>(work.d_bias.data(), 1, work.d_bias.size()),
                    projection_.bias().gradient.Row(0));
    }
  }

  void Scores(ConstView<T> hidden, View<T> scores) const override {
    Matrix<T> output(hidden.rows(), vectors_.cols());
    projection_.Forward(hidden, output.view());
    Product(output.view(), Transpose::kNo, vectors_, Transpose::kYes,
            Into::kOverwrite, scores);
    for (size_t r = 0; r < scores.rows(); ++r) {
      const T inverse_norm = InverseNorm(output.Row(r), output.cols());
      for (size_t w = 0; w < scores.cols(); ++w) {
        scores.Row(r)[w] *= inverse_norm * inverse_norms_[w];
      }
    }
  }

 private:
  ConstView<T> weights() const { return projection_.weights().value.view(); }

  void StartStep(ConstView<T> hidden, HeadWork<T>* work) const {
    work->d_hidden.Resize(hidden.rows(), dim());
    work->scores.Resize(hidden.rows(), vectors_.cols());
    if (work->used) return;
    work->used = true;
    work->d_rows.Resize(dim(), vectors_.cols());
    work->d_rows.Fill(0);
    work->d_bias.assign(vectors_.cols(), 0);
  }

  // Returns 1 - cos(y, v), and replaces y by the gradient
  //   -(v / |v| - cos y / |y|) / |y|
  double CosineLoss(uint32_t target, T scale, T* y) const {
    const size_t size = vectors_.cols();
    const T* const v = vectors_.Row(target);
    const T y_factor = InverseNorm(y, size);
    const T v_factor = inverse_norms_[target];
    const T cosine = DotProduct(size, y, v) * y_factor * v_factor;
    const T along_y = scale * cosine * y_factor * y_factor;
    const T along_v = -scale * v_factor * y_factor;
    for (size_t i = 0; i < size; ++i) y[i] = along_y * y[i] + along_v * v[i];
    return 1 - static_cast<double>(cosine);
  }

  Linear<T> projection_;
  ConstView<T> vectors_;
  std::vector<T> inverse_norms_;
};

}  // namespace

template <class T>
std::unique_ptr<Head<T>> MakeContinuousHead(size_t dim, ConstView<T> vectors,
                                            absl::string_view name,
                                            uint64_t key) {
  return std::make_unique<ContinuousHead<T>>(dim, vectors, name, key);
}

template std::unique_ptr<Head<float>> MakeContinuousHead(size_t,
                                                         ConstView<float>,
                                                         absl::string_view,
                                                         uint64_t);
#ifdef FIRTH_DOUBLES
template std::unique_ptr<Head<double>> MakeContinuousHead(size_t,
                                                          ConstView<double>,
                                                          absl::string_view,
                                                          uint64_t);
#endif

}  // namespace firth::nn

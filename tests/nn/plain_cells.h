// Recurrent cells as their papers have them, a number at a time: the oracle of
// Recurrent's forward pass. One sequence, zero state before it.

#ifndef FIRTH_TESTS_NN_PLAIN_CELLS_H_
#define FIRTH_TESTS_NN_PLAIN_CELLS_H_

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "nn/recurrent.h"

namespace firth::nn {

class PlainRecurrent {
 public:
  using Vector = std::vector<double>;

  // Reads the weights of `layer`, whose planes are where its cell has them.
  explicit PlainRecurrent(Recurrent<double>& layer)
      : layer_(layer),
        units_(layer.options().units),
        output_(layer.options().output_dim()),
        state_(units_) {}

  // One step; returns the output.
  const Vector& Step(const double* input) {
    input_ = input;
    Vector h(units_);
    switch (layer_.options().cell) {
      case CellKind::kTanh:
        for (size_t u = 0; u < units_; ++u) {
          h[u] = Clipped(std::tanh(Sum(u, 0, 0, 0)));
        }
        break;
      case CellKind::kLstm:
        Lstm([](size_t, size_t) { return 0.0; }, &h);
        break;
      case CellKind::kPeepholeLstm:
        Lstm(
            [this](size_t w, size_t u) {
              return layer_.state_weights(w).value.data()[u] * state_[u];
            },
            &h);
        break;
      case CellKind::kFullPeepholeLstm:
        Lstm(
            [this](size_t w, size_t u) {
              return Column(layer_.state_weights(w).value, u, state_);
            },
            &h);
        break;
      case CellKind::kCoupledLstm:
        CoupledLstm(&h);
        break;
      case CellKind::kGruResetBefore:
        GruResetBefore(&h);
        break;
      case CellKind::kGruResetAfter:
        GruResetAfter(&h);
        break;
    }
    output_ = Projected(h);
    return output_;
  }

 private:
  static double S(double x) { return 1 / (1 + std::exp(-x)); }
  double Clipped(double x) const {
    const double clip = layer_.options().cell_clip;
    return clip > 0 ? std::clamp(x, -clip, clip) : x;
  }
  // values^T times column u of a matrix.
  static double Column(const Matrix<double>& matrix, size_t u,
                       const Vector& values) {
    double sum = 0;
    for (size_t k = 0; k < values.size(); ++k) {
      sum += values[k] * matrix.Row(k)[u];
    }
    return sum;
  }
  double FromInput(size_t u, size_t plane) const {
    const Matrix<double>& w = layer_.input_weights().value;
    return Column(w, plane * units_ + u, Vector(input_, input_ + w.rows()));
  }
  double FromOutput(size_t u, size_t plane) const {
    return Column(layer_.recurrent_weights().value, plane * units_ + u,
                  output_);
  }
  double Bias(size_t u, size_t plane) const {
    return layer_.bias().value.data()[plane * units_ + u];
  }
  // The planes number differently in the input's, the recurrent weights' and
  // the bias' rows.
  double Sum(size_t u, size_t input_plane, size_t recurrent_plane,
             size_t bias_plane) const {
    return FromInput(u, input_plane) + FromOutput(u, recurrent_plane) +
           Bias(u, bias_plane);
  }

  // peephole(w, u): what the w-th state weights give unit u now.
  void Lstm(const std::function<double(size_t, size_t)>& peephole, Vector* h) {
    Vector next(units_);
    for (size_t u = 0; u < units_; ++u) {
      const double i = S(Sum(u, 0, 0, 0) + peephole(0, u));
      const double j = std::tanh(Sum(u, 1, 1, 1));
      const double f = S(Sum(u, 2, 2, 2) + peephole(1, u));
      next[u] = Clipped(f * state_[u] + i * j);
    }
    state_ = next;
    for (size_t u = 0; u < units_; ++u) {
      (*h)[u] = S(Sum(u, 3, 3, 3) + peephole(2, u)) * std::tanh(state_[u]);
    }
  }

  void CoupledLstm(Vector* h) {
    for (size_t u = 0; u < units_; ++u) {
      const double i = S(Sum(u, 0, 0, 0));
      const double j = std::tanh(Sum(u, 1, 1, 1));
      state_[u] = Clipped((1 - i) * state_[u] + i * j);
      (*h)[u] = S(Sum(u, 2, 2, 2)) * std::tanh(state_[u]);
    }
  }

  void GruResetBefore(Vector* h) {
    Vector reset(units_);
    for (size_t u = 0; u < units_; ++u) {
      reset[u] = S(Sum(u, 1, 1, 1)) * state_[u];
    }
    for (size_t u = 0; u < units_; ++u) {
      const double z = S(Sum(u, 0, 0, 0));
      const double n =
          std::tanh(FromInput(u, 2) + Bias(u, 2) +
                    Column(layer_.state_weights(0).value, u, reset));
      (*h)[u] = Clipped(z * state_[u] + (1 - z) * n);
    }
    state_ = *h;
  }

  void GruResetAfter(Vector* h) {
    for (size_t u = 0; u < units_; ++u) {
      const double z = S(Sum(u, 0, 1, 1));
      const double r = S(Sum(u, 1, 2, 2));
      const double n = std::tanh(FromInput(u, 2) + Bias(u, 3) +
                                 r * (FromOutput(u, 0) + Bias(u, 0)));
      (*h)[u] = Clipped(z * state_[u] + (1 - z) * n);
    }
    state_ = *h;
  }

  Vector Projected(const Vector& h) const {
    if (layer_.projection() == nullptr) return h;
    const double clip = layer_.options().projection_clip;
    Vector projected;
    for (size_t c = 0; c < layer_.options().projection_dim; ++c) {
      const double value = Column(layer_.projection()->value, c, h);
      projected.push_back(clip > 0 ? std::clamp(value, -clip, clip) : value);
    }
    return projected;
  }

  Recurrent<double>& layer_;
  size_t units_;
  const double* input_ = nullptr;
  Vector output_;
  Vector state_;
};

}  // namespace firth::nn

#endif  // FIRTH_TESTS_NN_PLAIN_CELLS_H_

// What is learnt: named values and their gradients.
//
// Optimizers, gradient checks, model files and parameter counts run over one
// list of pointers, in the order in which layers append to it. The gradient of
// a table of which a chunk touches few rows holds those rows only.

#ifndef FIRTH_NN_PARAMETER_H_
#define FIRTH_NN_PARAMETER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "nn/matrix.h"

namespace firth::nn {

enum class GradientKind { kDense, kSparse };

// A gradient of [rows, cols] values: all rows (dense), or those touched since
// the last Clear() (sparse; 4 bytes a row of the table besides).
template <class T>
class Gradient {
 public:
  Gradient(size_t rows, size_t cols, GradientKind kind);

  bool sparse() const { return kind_ == GradientKind::kSparse; }
  // Stored rows, and which row of the table the k-th is; each stands once.
  size_t num_stored() const { return sparse() ? stored_.size() : rows_; }
  size_t TableRow(size_t k) const { return sparse() ? stored_[k] : k; }
  T* Stored(size_t k) { return All().data() + k * cols_; }
  const T* Stored(size_t k) const { return All().data() + k * cols_; }
  size_t rows() const { return rows_; }
  size_t cols() const { return cols_; }

  // The gradient of a row of the table, to be added to: zeros at the first
  // touch. Valid until the next call for another row.
  T* Row(size_t row);
  // All of a dense one.
  View<T> view();

  void Clear();
  void Add(const Gradient& other);
  void Scale(T factor);
  double SquaredNorm() const;

 private:
  // The values of all stored rows.
  absl::Span<T> All() {
    if (sparse()) return absl::MakeSpan(values_);
    return {dense_.data(), dense_.size()};
  }
  absl::Span<const T> All() const {
    if (sparse()) return absl::MakeConstSpan(values_);
    return {dense_.data(), dense_.size()};
  }

  GradientKind kind_;
  size_t rows_;
  size_t cols_;
  Matrix<T> dense_;  // takes memory only when it is touched
  std::vector<T> values_;
  std::vector<uint32_t> stored_;
  std::vector<uint32_t> place_;  // [rows] 1 + index in stored_; 0: none
};

// Not copied or moved: lists and optimizers point to it.
template <class T>
struct Parameter {
  Parameter(std::string parameter_name, size_t rows, size_t cols,
            GradientKind kind = GradientKind::kDense)
      : name(std::move(parameter_name)),
        value(rows, cols),
        gradient(rows, cols, kind) {}
  Parameter(const Parameter&) = delete;
  Parameter& operator=(const Parameter&) = delete;

  std::string name;  // unique in a model: "forward.0.recurrent"
  Matrix<T> value;   // [rows, cols]; a vector is one row
  Gradient<T> gradient;
  bool frozen = false;  // optimizers leave it alone
};

template <class T>
using ParameterList = std::vector<Parameter<T>*>;

// Of the whole list; frozen ones do not count.
template <class T>
double GlobalNorm(const ParameterList<T>& parameters);

// Scales all gradients so that their common norm is at most max_norm; returns
// what it was (Pascanu et al., "On the difficulty of training recurrent neural
// networks", 2013). A norm that is not finite scales nothing: the caller looks
// at what is returned.
template <class T>
double ClipGlobalNorm(double max_norm, const ParameterList<T>& parameters);

// While one lives, its thread draws no first values: the parameters that it
// makes are filled from a file, and drawing would take longer than reading.
class WithoutFirstValues {
 public:
  WithoutFirstValues();
  ~WithoutFirstValues();
  WithoutFirstValues(const WithoutFirstValues&) = delete;
  WithoutFirstValues& operator=(const WithoutFirstValues&) = delete;
};

// Uniform in [-limit, limit), from the key.
template <class T>
void FillUniform(double limit, uint64_t key, Matrix<T>& values);
// Normal with this standard deviation (Box and Muller 1958).
template <class T>
void FillNormal(double deviation, uint64_t key, Matrix<T>& values);
// Uniform with the limit sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio 2010).
template <class T>
void FillGlorot(size_t fan_in, size_t fan_out, uint64_t key, Matrix<T>& values);

}  // namespace firth::nn

#endif  // FIRTH_NN_PARAMETER_H_

// Parameters: named values that are trained, and their gradients.
//
// Optimizers, gradient checks, model files and parameter counts use one list of
// pointers, in the order in which layers append to it. If a chunk uses few rows
// of a table, the table's gradient can store only those rows.

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

// A gradient of [rows, cols] values. A dense one stores all rows, a sparse one
// those used since the last Clear(), with 4 more bytes per row of the table.
template <class T>
class Gradient {
 public:
  Gradient(size_t rows, size_t cols, GradientKind kind);

  bool sparse() const { return kind_ == GradientKind::kSparse; }
  // Stored rows, and the table's row of the k-th. Each row is stored once.
  size_t num_stored() const { return sparse() ? stored_.size() : rows_; }
  size_t TableRow(size_t k) const { return sparse() ? stored_[k] : k; }
  T* Stored(size_t k) { return All().data() + k * cols_; }
  const T* Stored(size_t k) const { return All().data() + k * cols_; }
  size_t rows() const { return rows_; }
  size_t cols() const { return cols_; }

  // Returns the gradient of a row of the table, to be added to. It is zero at
  // the first use. Valid until the next call for another row.
  T* Row(size_t row);
  // Returns all of a dense gradient.
  View<T> view();

  void Clear();
  void Add(const Gradient& other);
  void Scale(T factor);
  double SquaredNorm() const;

 private:
  // Return the values of all stored rows.
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
  Matrix<T> dense_;  // allocated at the first use
  std::vector<T> values_;
  std::vector<uint32_t> stored_;
  std::vector<uint32_t> place_;  // [rows] 1 + index in stored_; 0 means none
};

// A parameter. Never copied or moved, since lists and optimizers point to it.
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
  bool frozen = false;  // whether optimizers leave it unchanged
};

template <class T>
using ParameterList = std::vector<Parameter<T>*>;

// Returns the norm of all gradients together, without frozen parameters.
template <class T>
double GlobalNorm(const ParameterList<T>& parameters);

// Scales all gradients so that their common norm is at most max_norm, and
// returns the previous norm (Pascanu et al., "On the difficulty of training
// recurrent neural networks", 2013). If it is not finite, nothing is scaled,
// and the caller must check the returned value.
template <class T>
double ClipGlobalNorm(double max_norm, const ParameterList<T>& parameters);

// While an object exists, its thread draws no initial values of parameters:
// they are filled from a file, and drawing would take longer than reading.
class WithoutFirstValues {
 public:
  WithoutFirstValues();
  ~WithoutFirstValues();
  WithoutFirstValues(const WithoutFirstValues&) = delete;
  WithoutFirstValues& operator=(const WithoutFirstValues&) = delete;
};

// Draws uniform values in [-limit, limit) by the key.
template <class T>
void FillUniform(double limit, uint64_t key, Matrix<T>& values);
// Draws normal values with this standard deviation (Box and Muller 1958).
template <class T>
void FillNormal(double deviation, uint64_t key, Matrix<T>& values);
// Draws uniform values with limit sqrt(6 / (fan_in + fan_out)) (Glorot and
// Bengio 2010).
template <class T>
void FillGlorot(size_t fan_in, size_t fan_out, uint64_t key, Matrix<T>& values);

// Sets `values` to a random matrix, drawn by the key, whose rows are
// orthonormal, or whose columns are if there are fewer of them (Saxe,
// McClelland and Ganguli, "Exact solutions to the nonlinear dynamics of
// learning in deep linear neural networks", 2014). Repeated products with such
// a matrix do not change the length of a vector.
template <class T>
void FillOrthogonal(uint64_t key, View<T> values);

}  // namespace firth::nn

#endif  // FIRTH_NN_PARAMETER_H_

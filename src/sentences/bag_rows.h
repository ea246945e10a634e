// BagRows: the rows of words and n-grams, whose weighted sum is the vector of a
// text.
//
//   x = sum_p c_p exp(l_r) e_r,   r = row of word p
//
// e_r [dim] are the rows, l_r the logarithms of their weights. c_p is 1 for a
// word, and 1 / m for each of the m n-grams of a word that is not known.

#ifndef FIRTH_SENTENCES_BAG_ROWS_H_
#define FIRTH_SENTENCES_BAG_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "nn/parameter.h"

namespace firth {

// The rows of a batch of texts.
class Bags {
 public:
  void Clear() {
    rows_.clear();
    factors_.clear();
    begins_.assign(1, 0);
  }
  void Push(uint32_t row, float factor) {
    rows_.push_back(row);
    factors_.push_back(factor);
  }
  void EndText() { begins_.push_back(rows_.size()); }

  size_t size() const { return begins_.size() - 1; }
  size_t num_rows() const { return rows_.size(); }
  size_t begin(size_t text) const { return begins_[text]; }
  uint32_t row(size_t p) const { return rows_[p]; }
  float factor(size_t p) const { return factors_[p]; }

 private:
  std::vector<uint32_t> rows_;
  std::vector<float> factors_;
  std::vector<size_t> begins_ = {0};
};

class BagRows {
 public:
  BagRows(size_t rows, size_t dim);

  size_t dim() const { return rows_.value.cols(); }
  Matrix<float>& rows() { return rows_.value; }
  const Matrix<float>& rows() const { return rows_.value; }
  // Logarithms of the weights, [rows, 1].
  Matrix<float>& logs() { return logs_.value; }
  const Matrix<float>& logs() const { return logs_.value; }
  nn::ParameterList<float> row_parameters() { return {&rows_}; }
  nn::ParameterList<float> weight_parameters() { return {&logs_}; }

  // Sets vectors [bags.size(), dim].
  void Forward(const Bags& bags, View<float> vectors) const;
  // Adds to the gradients. `bags` are those of Forward().
  void Backward(const Bags& bags, ConstView<float> d_vectors);

 private:
  nn::Parameter<float> rows_;
  nn::Parameter<float> logs_;
  // Used by Backward(): for each row of the gradient, the texts that contain it
  // and their factors, grouped by row.
  std::vector<uint32_t> place_;  // [rows] 1 + index in the gradient; 0: none
  std::vector<uint32_t> used_;   // row of each
  std::vector<size_t> begins_;
  std::vector<uint32_t> texts_;
  std::vector<float> factors_;
};

}  // namespace firth

#endif  // FIRTH_SENTENCES_BAG_ROWS_H_

// Word vectors from characters, by convolution (Kim et al., "Character-aware
// neural language models", 2016; Jozefowicz et al., "Exploring the limits of
// language modeling", 2016).
//
// A word is a row of `max_characters` ids, with `padding` at the end. A filter
// of width w is applied at each position of the characters' vectors, including
// padding, and its result is the maximum:
//
//   y_f = a(b_f + max_p sum_{k < w} W_f,k . e(character p + k))
//
// Positions that contain only padding all have the same value, so one of them
// is sufficient, and the work is proportional to the length of the words.

#ifndef FIRTH_NN_CHAR_CNN_H_
#define FIRTH_NN_CHAR_CNN_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "nn/elementwise.h"
#include "nn/matrix.h"
#include "nn/parameter.h"

namespace firth::nn {

struct CharFilters {
  size_t width = 0;
  size_t count = 0;
};

struct CharCnnOptions {
  size_t num_characters = 0;  // ids must be below
  size_t max_characters = 50;
  uint16_t padding = 0;
  size_t embedding_dim = 16;
  std::vector<CharFilters> filters;  // widths at most max_characters
  Activation activation = Activation::kRelu;

  size_t num_filters() const;
};

template <class T>
class CharCnn {
 public:
  CharCnn(const CharCnnOptions& options, absl::string_view name, uint64_t key);

  const CharCnnOptions& options() const { return options_; }
  size_t output_dim() const { return options_.num_filters(); }
  void AppendParameters(ParameterList<T>* list);
  Parameter<T>& embedding() { return embedding_; }
  // Filters [count, width * embedding_dim] and their bias [1, count].
  Parameter<T>& filters(size_t index) { return *filters_[index]; }
  Parameter<T>& bias(size_t index) { return *biases_[index]; }

  // `characters` is [n, max_characters]. Returns [n, output_dim], valid until
  // the next call.
  ConstView<T> Forward(absl::Span<const uint16_t> characters);
  ConstView<T> output() const { return output_.view(); }
  void Backward(absl::Span<const uint16_t> characters, ConstView<T> d_output);

 private:
  void GatherWindows(absl::Span<const uint16_t> characters, size_t begin,
                     size_t end, size_t width);
  void PoolWindows(size_t begin, size_t end, size_t width, size_t column);
  void WordBackward(const uint16_t* word, size_t row);

  // Returns the number of positions of a filter of this width in a word.
  size_t Places(size_t row, size_t width) const;

  CharCnnOptions options_;
  Parameter<T> embedding_;  // [num_characters, embedding_dim]
  std::vector<std::unique_ptr<Parameter<T>>> filters_;
  std::vector<std::unique_ptr<Parameter<T>>> biases_;
  std::vector<size_t> lengths_;  // of words, without padding
  std::vector<int> places_;      // [n, output_dim] positions of maxima
  Matrix<T> windows_;  // [positions in some words, width * embedding_dim]
  Matrix<T> values_;   // [positions in some words, count]
  Matrix<T> output_;
  Matrix<T> d_output_;
  Matrix<T> word_;    // [max_characters, embedding_dim]
  Matrix<T> d_word_;  // the same
};

}  // namespace firth::nn

#endif  // FIRTH_NN_CHAR_CNN_H_

// The output vectors with which heads score words: a row of weights and a bias
// per word. The source of the rows is independent of the head that uses them,
// so any source can be combined with any loss.

#ifndef FIRTH_NN_OUTPUT_ROWS_H_
#define FIRTH_NN_OUTPUT_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "nn/char_cnn.h"
#include "nn/matrix.h"
#include "nn/parameter.h"

namespace firth::nn {

template <class T>
class OutputRows {
 public:
  virtual ~OutputRows() = default;

  virtual size_t vocab_size() const = 0;
  virtual size_t dim() const = 0;
  virtual void AppendParameters(ParameterList<T>* list) = 0;

  // Make the rows of these words, or of the whole vocabulary, available until
  // the next call. Words may be repeated.
  virtual void Select(absl::Span<const uint32_t> words) = 0;
  virtual void SelectAll() = 0;
  virtual ConstView<T> rows() const = 0;  // [selected, dim]
  virtual const T* bias() const = 0;      // [selected]

  // Adds to the parameters' gradients, given those of the selected rows.
  virtual void Backward(ConstView<T> d_rows, const T* d_bias) = 0;
};

// Rows of a table. Its gradient should be sparse if the head samples. All
// biases start with first_bias: 0, or -ln vocab_size for NCE, which makes all
// words equally probable.
template <class T>
std::unique_ptr<OutputRows<T>> MakeTableRows(size_t vocab_size, size_t dim,
                                             GradientKind kind,
                                             double first_bias,
                                             absl::string_view name,
                                             uint64_t key);

// Rows of a table that another layer also uses and that belongs to it. The only
// parameters of these rows are the biases. Borrows the table, [vocab_size,
// dim].
template <class T>
std::unique_ptr<OutputRows<T>> MakeTiedRows(Parameter<T>* table,
                                            GradientKind kind,
                                            double first_bias,
                                            absl::string_view name);

// CNN-softmax: rows computed from the characters of the words, with a
// correction of low dimension that distinguishes words with similar spellings
// (Jozefowicz et al. 2016, section 3.3):
//
//   row_w = CNN(characters of w) W + corr_w M
//
// `characters` is [vocab_size, max_characters]. Biases are 0, because one bias
// for all words does not change a softmax.
template <class T>
std::unique_ptr<OutputRows<T>> MakeCnnRows(const CharCnnOptions& options,
                                           std::vector<uint16_t> characters,
                                           size_t dim, size_t correction_dim,
                                           GradientKind kind,
                                           absl::string_view name,
                                           uint64_t key);

}  // namespace firth::nn

#endif  // FIRTH_NN_OUTPUT_ROWS_H_

// Attention of a recurrent decoder to the encoded input. From the decoder's
// output h at a step and the encoded tokens m_j,
//
//   s_j = h . m_j                   dot
//   s_j = h W . m_j                 general
//   s_j = v . tanh(h W + m_j U)     additive
//   w = softmax(s)    c = sum_j w_j m_j    a = tanh([h ; c] C + b)
//
// (Luong, Pham and Manning 2015, equations 5 to 8; Bahdanau, Cho and Bengio
// 2015.) a predicts the next word. With input feeding, the decoder's next step
// also reads a (section 3.3), so that it knows to what it attended before.

#ifndef FIRTH_NN_ATTENTIONAL_OUTPUT_H_
#define FIRTH_NN_ATTENTIONAL_OUTPUT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/network_kinds.h"
#include "nn/encoded_texts.h"
#include "nn/matrix.h"
#include "nn/parameter.h"
#include "nn/recurrent.h"

namespace firth::nn {

template <class T>
class AttentionalOutput : public Feedback<T> {
 public:
  // h, m_j and a have size dim. The parameters are "<name>.query" (W),
  // "<name>.key" (U), "<name>.score" (v), as far as the kind has them,
  // "<name>.combine" [2 dim, dim] (C) and "<name>.bias" (b). The kind must not
  // be kNone.
  AttentionalOutput(AttentionKind kind, size_t dim, absl::string_view name,
                    uint64_t key);

  void AppendParameters(ParameterList<T>* list);

  // Sets the texts that the next steps attend to, until the next call. Borrows
  // the rows.
  void SetTexts(const EncodedTexts<T>& texts);
  // Prepares the steps of a chunk. Sequence b attends to the text with index
  // texts[b], or b if `texts` is empty.
  void Begin(const ChunkShape& shape, absl::Span<const size_t> texts);
  // Processes some sequences of a step; see Feedback. `feedback` may be empty.
  void Forward(size_t step, size_t first, ConstView<T> hidden,
               View<T> feedback) override;
  // Returns a for all steps so far, [rows, dim].
  ConstView<T> output() const { return outputs_.view(); }
  // Returns the number of tokens of the longest text.
  size_t longest() const { return weights_.cols(); }
  // Returns the weights of the text's tokens in a row of the chunk.
  absl::Span<const T> WeightsOf(size_t row) const;

  // Begins the backward pass of the chunk, in which sequence b must have
  // attended to text b. Adds the gradients of the texts' rows to d_rows.
  void BeginBackward(ConstView<T> d_output, View<T> d_rows);
  // Adds to d_hidden. d_feedback may be empty.
  void Backward(size_t step, size_t first, ConstView<T> d_feedback,
                View<T> d_hidden) override;
  // Adds to the gradients of the parameters.
  void EndBackward();

 private:
  bool is_additive() const { return kind_ == AttentionKind::kAdditive; }
  size_t TextOf(size_t b) const { return texts_.empty() ? b : texts_[b]; }
  // Returns the vectors with which queries are compared.
  ConstView<T> Keys(size_t text) const;
  View<T> Rows(Matrix<T>& matrix, size_t step, size_t first,
               size_t count) const {
    return matrix.view().Rows(step * shape_.batch + first, count);
  }
  // Computes weights and c of a row.
  void Attend(size_t row, size_t b);
  // Sets d_query from the gradient of c.
  void AttendBackward(size_t row, size_t b, const T* d_context, T* d_query);
  void AdditiveBackward(size_t row, size_t b, const T* d_scores, T* d_query);

  AttentionKind kind_;
  size_t dim_;
  std::unique_ptr<Parameter<T>> query_;
  std::unique_ptr<Parameter<T>> key_;
  std::unique_ptr<Parameter<T>> score_;
  Parameter<T> combine_;
  Parameter<T> bias_;

  EncodedTexts<T> memory_;
  std::vector<size_t> offsets_;  // first row of each text
  Matrix<T> keys_;               // m_j U, [tokens, dim], if additive
  ChunkShape shape_;
  std::vector<size_t> lengths_;  // of the chunk's sequences
  std::vector<size_t> texts_;
  RepeatedFactor<T> query_factor_;
  RepeatedFactor<T> combine_factor_;
  Matrix<T> queries_;  // [rows, dim], unless dot
  Matrix<T> weights_;  // [rows, longest text]
  Matrix<T> joined_;   // [rows, 2 dim]: h and c
  Matrix<T> outputs_;  // [rows, dim]
  Matrix<T> scratch_;  // [batch, 2 dim], if additive

  View<T> d_rows_;
  Matrix<T> d_sums_;     // [rows, dim]: gradient of the argument of tanh
  Matrix<T> d_queries_;  // [rows, dim]
  Matrix<T> d_joined_;   // [batch, 2 dim]
  Matrix<T> d_weights_;  // [batch, longest text]
  Matrix<T> d_keys_;     // [tokens, dim]
  Matrix<T> d_scores_;   // [batch, dim]: gradients of v
};

}  // namespace firth::nn

#endif  // FIRTH_NN_ATTENTIONAL_OUTPUT_H_

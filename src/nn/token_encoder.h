// Computes layer 0 from tokens: the vectors that recurrent layers read.
//
//   [row of a table ; character CNN -> highway layers] -> projection
//
// Every part is optional, except that one of the first two is required. Each
// distinct word of a chunk is encoded once; the chunk's rows are gathered from
// the result.

#ifndef FIRTH_NN_TOKEN_ENCODER_H_
#define FIRTH_NN_TOKEN_ENCODER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/fields.h"
#include "nn/char_cnn.h"
#include "nn/matrix.h"
#include "nn/parameter.h"
#include "nn/row_layers.h"

namespace firth::nn {

// Distinct words in the form that the encoder reads.
struct TokenBatch {
  // [n] rows of the table or, from vocab_size on, of `given`.
  absl::Span<const uint32_t> ids;
  absl::Span<const uint16_t> characters;  // [n, max_characters]
  // [any number, embedding_dim]: vectors of words without a row.
  absl::Span<const float> given = {};
};

struct TokenEncoderOptions {
  size_t vocab_size = 0;
  size_t embedding_dim = 0;      // 0 means no table
  bool frozen = false;           // whether the table is given and not trained
  CharCnnOptions char_cnn = {};  // no CNN if it has no filters
  size_t highways = 0;           // layers after the CNN
  size_t projection_dim = 0;     // 0 means no projection

  static FieldTable Fields();  // those that model files contain
  bool has_table() const { return embedding_dim > 0; }
  bool has_characters() const { return !char_cnn.filters.empty(); }
  size_t output_dim() const;
};

template <class T>
class TokenEncoder {
 public:
  // Parameters are called "<name>.table", "<name>.cnn..." and so on.
  TokenEncoder(const TokenEncoderOptions& options, absl::string_view name,
               uint64_t key);

  const TokenEncoderOptions& options() const { return options_; }
  size_t output_dim() const { return options_.output_dim(); }
  void AppendParameters(ParameterList<T>* list);
  // Returns whether Backward() computes anything.
  bool learns() const {
    return !options_.frozen || char_cnn_ != nullptr || projection_ != nullptr;
  }
  // These are null if there is no such part.
  Parameter<T>* table() { return table_.get(); }
  CharCnn<T>* char_cnn() { return char_cnn_.get(); }
  Highway<T>& highway(size_t index) { return *highways_[index]; }
  Linear<T>* projection() { return projection_.get(); }

  // Returns [n, output_dim], valid until the next call.
  ConstView<T> Forward(const TokenBatch& tokens);
  // Backward pass with the same tokens.
  void Backward(const TokenBatch& tokens, ConstView<T> d_output);

 private:
  void CharactersBackward(const TokenBatch& tokens, ConstView<T> d_features);

  TokenEncoderOptions options_;
  std::unique_ptr<Parameter<T>> table_;  // [vocab_size, embedding_dim]
  std::unique_ptr<CharCnn<T>> char_cnn_;
  std::vector<std::unique_ptr<Highway<T>>> highways_;
  std::unique_ptr<Linear<T>> projection_;
  Matrix<T> joined_;  // [n, embedding_dim + filters]
  Matrix<T> output_;
  Matrix<T> d_joined_;
  Matrix<T> d_features_;
  Matrix<T> d_below_;
};

}  // namespace firth::nn

#endif  // FIRTH_NN_TOKEN_ENCODER_H_

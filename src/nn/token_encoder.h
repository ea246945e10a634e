// From tokens to the vectors that recurrent layers read: layer 0.
//
//   [row of a table ; character CNN -> highway layers] -> projection
//
// of which every part can be left out, but not both of the first two. A chunk
// gives each of its different words once; its rows are gathered from the
// result.

#ifndef FIRTH_NN_TOKEN_ENCODER_H_
#define FIRTH_NN_TOKEN_ENCODER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "nn/char_cnn.h"
#include "nn/highway.h"
#include "nn/linear.h"
#include "nn/matrix.h"
#include "nn/parameter.h"

namespace firth::nn {

// Different words, by what the encoder uses of them.
struct TokenBatch {
  // [n] rows of the table; from vocab_size on, of `given`.
  absl::Span<const uint32_t> ids;
  absl::Span<const uint16_t> characters;  // [n, max_characters]
  // [any number, embedding_dim]: vectors of words that have no row.
  absl::Span<const float> given = {};
};

struct TokenEncoderOptions {
  size_t vocab_size = 0;
  size_t embedding_dim = 0;      // 0: no table
  bool frozen = false;           // the table is given and stays as it is
  CharCnnOptions char_cnn = {};  // without filters: none
  size_t highways = 0;           // layers behind the CNN
  size_t projection_dim = 0;     // 0: no projection

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
  // Whether Backward() has anything to do.
  bool learns() const {
    return !options_.frozen || char_cnn_ != nullptr || projection_ != nullptr;
  }
  // Null where there is no such part.
  Parameter<T>* table() { return table_.get(); }
  CharCnn<T>* char_cnn() { return char_cnn_.get(); }
  Highway<T>& highway(size_t index) { return *highways_[index]; }
  Linear<T>* projection() { return projection_.get(); }

  // Returns [n, output_dim], valid until the next call.
  ConstView<T> Forward(const TokenBatch& tokens);
  // With the same tokens.
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

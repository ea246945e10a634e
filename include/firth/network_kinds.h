// The kinds of networks that options of training choose from, and how options
// and model files call those that both name.

#ifndef FIRTH_NETWORK_KINDS_H_
#define FIRTH_NETWORK_KINDS_H_

#include <array>

#include "absl/strings/string_view.h"

namespace firth {

enum class NetworkKind {
  kRecurrent,
  kWindow,       // tanh layers over the last words (Bengio et al., "A neural
                 // probabilistic language model", 2003)
  kTransformer,  // attention (Vaswani et al., "Attention is all you need",
                 // 2017)
};
constexpr std::array<absl::string_view, 3> kNetworkNames = {
    "recurrent", "window", "transformer"};

// The words that a language model predicts: the next word in each direction, or
// masked words, from those on both sides (Devlin et al., "BERT", 2019).
enum class Prediction { kNext, kMasked };
constexpr std::array<absl::string_view, 2> kPredictionNames = {"next",
                                                               "masked"};

// The directions in which a text is read.
enum class Reading { kBoth, kForward, kBackward };
constexpr std::array<absl::string_view, 3> kReadingNames = {"both", "forward",
                                                            "backward"};

// Recurrent cells; see src/nn/cells.h.
enum class CellKind {
  kTanh,
  kLstm,
  kPeepholeLstm,
  kFullPeepholeLstm,
  kCoupledLstm,
  kGruResetBefore,
  kGruResetAfter,
};
constexpr std::array<absl::string_view, 7> kCellNames = {
    "rnn",          "lstm", "lstm-peephole",  "lstm-full-peephole",
    "lstm-coupled", "gru",  "gru-reset-after"};

// Options of Transformers: layer normalization before or after each sublayer,
// and the representation of positions.
enum class NormPlace { kBefore, kAfter };
constexpr std::array<absl::string_view, 2> kNormPlaceNames = {"before",
                                                              "after"};
enum class PositionKind {
  kRelative,    // the way from token to token (Raffel et al. 2020)
  kSinusoidal,  // Vaswani et al. 2017
  kLearnt,      // a vector of each position
};
constexpr std::array<absl::string_view, 3> kPositionNames = {
    "relative", "sinusoidal", "learnt"};

// GELU (Hendrycks and Gimpel, "Gaussian error linear units", 2016) is x P(z <
// x) of a normal z: by the error function, or by the tanh that the paper has
// for it.
enum class Activation { kRelu, kTanh, kGelu, kGeluTanh };
constexpr std::array<absl::string_view, 4> kActivationNames = {
    "relu", "tanh", "gelu", "gelu-tanh"};

// How words are predicted. kContinuous predicts their vectors (Li et al., TACL
// 2019); a model that was imported predicts nothing.
enum class HeadKind { kSoftmax, kSampled, kNce, kContinuous, kNone };
constexpr std::array<absl::string_view, 5> kHeadNames = {
    "softmax", "sampled", "nce", "continuous", "none"};

enum class OptimizerKind { kSgd, kAdagrad, kAdam };

// How the learning rate falls; see src/nn/schedule.h.
enum class Decay { kConstant, kLinear, kExponential, kInverseRoot };

}  // namespace firth

#endif  // FIRTH_NETWORK_KINDS_H_

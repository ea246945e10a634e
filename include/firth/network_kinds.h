// The kinds of networks and their parts, with their names in options and model
// files.

#ifndef FIRTH_NETWORK_KINDS_H_
#define FIRTH_NETWORK_KINDS_H_

#include <array>

#include "absl/strings/string_view.h"

namespace firth {

enum class NetworkKind {
  kRecurrent,
  // Tanh layers over the last words (Bengio et al., "A neural probabilistic
  // language model", 2003).
  kWindow,
  // Self-attention (Vaswani et al., "Attention is all you need", 2017).
  kTransformer,
};
constexpr std::array<absl::string_view, 3> kNetworkNames = {
    "recurrent", "window", "transformer"};

// Training task of a language model: predict the next word in each direction,
// or predict masked words from both sides (Devlin et al., "BERT", 2019).
enum class Prediction { kNext, kMasked };
constexpr std::array<absl::string_view, 2> kPredictionNames = {"next",
                                                               "masked"};

// Directions in which the model reads a text.
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

// Options of Transformers. NormPlace: whether layer normalization comes before
// or after the parts of a layer. PositionKind: how positions are represented.
enum class NormPlace { kBefore, kAfter };
constexpr std::array<absl::string_view, 2> kNormPlaceNames = {"before",
                                                              "after"};
enum class PositionKind {
  kRelative,    // Distances between tokens (Raffel et al. 2020).
  kSinusoidal,  // Fixed sine waves (Vaswani et al. 2017).
  kLearned,     // One trained vector per position.
};
constexpr std::array<absl::string_view, 3> kPositionNames = {
    "relative", "sinusoidal", "learned"};

// How the decoder of a sequence-to-sequence model attends to the input. kDot
// and kGeneral (Luong, Pham and Manning, "Effective approaches to
// attention-based neural machine translation", 2015), kAdditive (Bahdanau, Cho
// and Bengio, "Neural machine translation by jointly learning to align and
// translate", 2015), and kNone: only the encoder's last state (Sutskever,
// Vinyals and Le, "Sequence to sequence learning with neural networks", 2014).
enum class AttentionKind { kDot, kGeneral, kAdditive, kNone };
constexpr std::array<absl::string_view, 4> kAttentionNames = {
    "dot", "general", "additive", "none"};

// Activation functions. GELU (Hendrycks and Gimpel, "Gaussian error linear
// units", 2016) is x P(z < x) for a normal z. kGelu computes it by the error
// function, kGeluTanh by the tanh approximation of the paper.
enum class Activation { kRelu, kTanh, kGelu, kGeluTanh };
constexpr std::array<absl::string_view, 4> kActivationNames = {
    "relu", "tanh", "gelu", "gelu-tanh"};

// Output layer that predicts words. kContinuous predicts their vectors (Li et
// al., TACL 2019). kNone is for imported models that predict nothing.
enum class HeadKind { kSoftmax, kSampled, kNce, kContinuous, kNone };
constexpr std::array<absl::string_view, 5> kHeadNames = {
    "softmax", "sampled", "nce", "continuous", "none"};

enum class OptimizerKind { kSgd, kAdagrad, kAdam };

// Decay of the learning rate; see src/nn/schedule.h.
enum class Decay { kConstant, kLinear, kExponential, kInverseRoot, kCosine };

}  // namespace firth

#endif  // FIRTH_NETWORK_KINDS_H_

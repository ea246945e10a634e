// The kinds of networks that options of training choose from, and how options
// and model files call those that both name.

#ifndef FIRTH_NETWORK_KINDS_H_
#define FIRTH_NETWORK_KINDS_H_

#include <array>

#include "absl/strings/string_view.h"

namespace firth {

enum class NetworkKind {
  kRecurrent,
  kWindow,  // tanh layers over the last words (Bengio et al., "A neural
            // probabilistic language model", 2003)
};

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

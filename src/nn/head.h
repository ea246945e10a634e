// Heads compute losses and gradients from hidden vectors and the words that
// they predict. Their interface has three parts, so that both directions of a
// language model can share a head, each on its own thread:
//
//   Prepare()          one thread: draws the chunk's noise, computes the rows
//   Step()             any number of threads, each with its own HeadWork
//   GatherGradients()  one thread: adds the gradients in the works to those of
//                      the parameters
//
// A head is called once per chunk, so the cost of a virtual call does not
// matter.

#ifndef FIRTH_NN_HEAD_H_
#define FIRTH_NN_HEAD_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "nn/matrix.h"
#include "nn/output_rows.h"
#include "nn/parameter.h"

namespace firth::nn {

// Buffers of one thread. Step() sets their size.
template <class T>
struct HeadWork {
  Matrix<T> d_hidden;          // [n, dim], filled by Step()
  Matrix<T> d_rows;            // gradients of the rows in use, and
  std::vector<T> d_bias;       // of their biases; sums over the chunk's steps
  Matrix<T> hidden;            // scratch
  Matrix<T> scores;            // scratch
  std::vector<double> losses;  // scratch
  bool used = false;
};

template <class T>
class Head {
 public:
  virtual ~Head() = default;

  virtual size_t dim() const = 0;
  virtual size_t vocab_size() const = 0;
  virtual void AppendParameters(ParameterList<T>* list) = 0;

  // `targets` are all words that steps predict until GatherGradients(). The key
  // determines what is drawn.
  virtual void Prepare(absl::Span<const uint32_t> targets, uint64_t key) = 0;

  // `hidden` is [n, dim], `targets` [n]. Returns the sum of the losses in nats,
  // NaN if an input is NaN. The gradients are those of scale times this sum.
  virtual double Step(ConstView<T> hidden, absl::Span<const uint32_t> targets,
                      T scale, HeadWork<T>* work) const = 0;

  virtual void GatherGradients(absl::Span<HeadWork<T>> works) = 0;

  // For queries: Scores() is available after PrepareAll(), until a parameter
  // changes or Prepare() is called. It sets scores [n, vocab_size] to logits
  // whose softmax is the model (for NCE, already normalized up to its error),
  // or to cosines for a continuous head.
  virtual void PrepareAll() = 0;
  virtual void Scores(ConstView<T> hidden, View<T> scores) const = 0;
};

// The rows of a chunk that predict something, and what they predict.
struct Targets {
  std::vector<uint32_t> rows;   // in ascending order
  std::vector<uint32_t> words;  // one for each row
};

// Calls Head::Step() for the targets in a chunk of hidden vectors [n, dim].
// Sets work->d_hidden, [n, dim], with zeros where nothing is predicted.
template <class T>
double StepOnTargets(const Head<T>& head, ConstView<T> hidden,
                     const Targets& targets, T scale, HeadWork<T>* work);

// Returns the sum of -ln softmax(scores)[target] over rows. Overwrites scores.
template <class T>
double FullLoss(absl::Span<const uint32_t> targets, View<T> scores);

// Full softmax: L = ln sum_w exp(s_w) - s_target, with s_w = row_w . h + b_w.
// Label smoothing by e (Szegedy et al., "Rethinking the inception architecture
// for computer vision", 2016) gives the target the weight 1 - e and each of all
// V words e / V: it replaces s_target by (1 - e) s_target + e mean(s).
template <class T>
std::unique_ptr<Head<T>> MakeFullSoftmaxHead(
    std::unique_ptr<OutputRows<T>> rows, double label_smoothing = 0);

// Sampled softmax (Jean et al., "On using very large target vocabulary for
// neural machine translation", 2015): the softmax over the target and `samples`
// different words, which are drawn log-uniformly for the whole chunk. The
// logarithm of the expected count of each word in the sample is subtracted from
// its score. A target that is also drawn counts once. Words must be in order of
// falling frequency.
template <class T>
std::unique_ptr<Head<T>> MakeSampledSoftmaxHead(
    std::unique_ptr<OutputRows<T>> rows, size_t samples);

// Noise-contrastive estimation (Mnih and Teh 2012), with `samples` noise words
// drawn log-uniformly, with replacement, for the whole chunk:
//
//   L = -ln s(s_target - ln(k q(target))) - sum_k ln s(ln(k q(w_k)) - s_w_k)
template <class T>
std::unique_ptr<Head<T>> MakeNceHead(std::unique_ptr<OutputRows<T>> rows,
                                     size_t samples);

// Continuous output (Li et al., "Efficient contextual representation learning
// with continuous outputs", TACL 2019): predicts the target's given vector,
//
//   L = 1 - cos(h W + b, vector_target)
//
// `vectors` is [vocab_size, vector_dim], constant and borrowed. A zero vector
// has loss 1 and no gradient.
template <class T>
std::unique_ptr<Head<T>> MakeContinuousHead(size_t dim, ConstView<T> vectors,
                                            absl::string_view name,
                                            uint64_t key);

}  // namespace firth::nn

#endif  // FIRTH_NN_HEAD_H_

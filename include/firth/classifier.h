// A text classifier: learns from labeled texts to label other texts.
//
// Two parts read the n-grams of words and of their characters. Each part gives
// a score for each label, and the scores are added:
//
//   wide   one weight per n-gram and label, applied to log tf-idf values of
//          unit length, each scaled by how strongly the n-gram indicates the
//          label (Wang and Manning, "Baselines and bigrams: simple, good
//          sentiment and topic classification", ACL 2012)
//   deep   one vector per n-gram; a text is the mean of its vectors, and each
//          label has a vector (Joulin et al., "Bag of tricks for efficient
//          text classification", EACL 2017)
//
// With a contextualizer, the deep part also reads the mean of its states over
// the tokens of the text, and the contextualizer's weights can be trained too.
// A contextualizer that reads pairs takes a text with a tab as a pair of
// sentences. All other parts read the tab as white space.

#ifndef FIRTH_CLASSIFIER_H_
#define FIRTH_CLASSIFIER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/checkpoint.h"
#include "firth/labelled_text.h"
#include "firth/normalization.h"
#include "firth/progress.h"

namespace firth {

class FieldTable;

// Files from which training starts. Both may be empty.
struct ClassifierInputs {
  // Path of a vector file in any format, from which the deep part is
  // initialized: words get their vectors, and n-grams of words the means of
  // their words. A sentence model also sets `lowercase` and `split_punctuation`
  // to its own.
  std::string vectors;
  std::string contextualizer;  // Path of a model file of "firth lm".
};

// Losses: each defines how scores become probabilities.
// Softmax if all training texts have one label, otherwise one against all.
struct AutomaticLabelLoss {
  static constexpr char kName[] = "auto";
};
// Softmax over the labels; each text has exactly one.
struct SoftmaxLabelLoss {
  static constexpr char kName[] = "softmax";
};
// One binary decision per label; a text may have any number of labels.
struct OneVsAllLoss {
  static constexpr char kName[] = "ova";
};
// Hierarchical softmax over a tree of the labels (Morin and Bengio 2005), for
// tens of thousands of labels. Only the deep part supports it.
struct TreeLabelLoss {
  static constexpr char kName[] = "hs";
};
// Negative sampling: the text's labels against labels drawn by frequency. Only
// the deep part supports it.
struct SampledLabelLoss {
  static constexpr char kName[] = "ns";
  uint64_t negatives = 5;  // Negative samples per text, 1 to 1000.

  static FieldTable Fields();
};
using LabelLoss = std::variant<AutomaticLabelLoss, SoftmaxLabelLoss,
                               OneVsAllLoss, TreeLabelLoss, SampledLabelLoss>;

enum class ClassifierParts { kBoth, kWide, kDeep };
enum class ClassWeights {
  kNone,      // Every text has the weight 1.
  kBalanced,  // Every label has the same total weight.
};

struct ClassifierOptions {
  // Words are separated by white space; these three options prepare them.
  bool lowercase = false;
  Normalization normalize = Normalization::kNone;
  // Split words at the word boundaries of Unicode (annex 29).
  bool split_punctuation = false;
  uint64_t word_ngrams = 2;  // Maximum length of word n-grams, 1 to 10.
  // Length of character n-grams, in code points, at most 20. Words are read
  // with boundary marks. If both are 0, there are no character n-grams.
  uint64_t min_n = 2;
  uint64_t max_n = 5;
  // Minimum count of a word or n-gram in the training texts.
  uint64_t min_count = 1;
  // Number of rows into which the n-grams of words and characters are hashed,
  // as fastText does. 0 means that each n-gram that occurs has its own row.
  uint64_t buckets = 0;

  ClassifierParts parts = ClassifierParts::kBoth;
  // Dimensions of the deep part, at most 65536. 0 means those of the initial
  // vectors, or 16 without them.
  uint64_t dim = 0;
  LabelLoss loss;
  ClassWeights class_weights = ClassWeights::kNone;

  uint64_t epochs = 0;  // At most 10000; 0 chooses by the size of the text.
  // Initial learning rate of the deep part, which decays to 0. 0 means 0.5.
  double learning_rate = 0;
  // L2 penalty on the weights of the wide part; 0 chooses by size.
  double l2 = 0;
  // Fraction of the texts to hold out, 0 to 0.5 and at most 10,000 texts, if no
  // validation texts are given. Probabilities are calibrated on them before
  // training starts again with all texts. If they are fewer than 500, further
  // texts are held out in turn. 0 disables calibration.
  double held_out = 0.1;
  // Epochs without a better score on the validation texts before training
  // stops, at most 10000. 0 runs all epochs.
  uint64_t patience = 3;
  uint64_t seed = 1;
  int threads = 0;  // 0 means all cores. With 1 the result is reproducible.

  // Whether to train the weights of the contextualizer too (fine-tuning: Devlin
  // et al. 2019), by the gradient of the deep part. The classifier's file then
  // contains the contextualizer. `tuning_rate` is Adam's learning rate for
  // these weights, at least 1e-12. It rises over a tenth of the steps and then
  // decays to 0. In this mode the result does not depend on the number of
  // threads.
  bool tune_contextualizer = false;
  double tuning_rate = 5e-5;
  uint64_t batch = 32;  // Texts per step of these weights, 1 to 65536.

  static FieldTable Fields();
  absl::Status Validate() const;
};

struct ClassifierEpoch {
  double loss = 0;  // Mean loss in nats per text.
  // Accuracy on the validation texts, or micro F1 if texts have several labels.
  std::optional<double> score;
  double seconds = 0;
};

struct ClassifierReport {
  uint64_t texts = 0;
  uint64_t words = 0;  // Words in all texts.
  uint64_t labels = 0;
  uint64_t features = 0;    // Number of features: words and n-grams.
  uint64_t parameters = 0;  // Number of trained parameters.
  std::vector<ClassifierEpoch> epochs;
  // Epoch whose weights were kept, counted from 1; 0 means the last one.
  size_t best_epoch = 0;
  // Number of texts on which probabilities were calibrated; 0 means that they
  // are not calibrated.
  uint64_t calibrated_on = 0;
  // Calibration error on those texts; see LabelScores.
  std::optional<double> calibration_error;
  double seconds = 0;
  bool interrupted = false;
};

// Returns the report as one line of JSON with these names, as --report and the
// C interface write it. Unknown values are null.
std::string ReportJson(const ClassifierReport& report);

struct LabelProbability {
  size_t label = 0;  // Index in Classifier::labels().
  float probability = 0;
};

struct PredictOptions {
  size_t top = 1;  // Maximum number of labels per text; 0 means all.
  // Minimum probability of a returned label. Without a value, each label has
  // the threshold estimated in training if texts may have several labels;
  // otherwise there is no threshold.
  std::optional<double> threshold;
  int threads = 0;  // 0 means all cores.
};

// The weight that an n-gram adds to the score of a label, in nats.
struct NgramWeight {
  // Words separated by spaces, or characters; < and > mark the ends of a word.
  std::string ngram;
  double weight = 0;
};

// A trained text classifier, which can be moved. It is thread-safe except for
// assignment.
class Classifier {
 public:
  // Trains a classifier on `train`. With `valid` texts, the weights of the
  // epoch with the best score on them are kept, and probabilities are
  // calibrated on them. If asked to stop, it returns what it has learned so
  // far. Errors:
  //
  // - InvalidArgument: bad options, no text, fewer than two labels or more than
  //   2^31 - 1, a text without a label, several labels per text under a loss
  //   for one, or no label of `valid` occurs in `train`;
  // - OutOfRange: a loss that is not finite;
  // - ResourceExhausted, with the memory needed;
  // - Cancelled; errors of loading the inputs and of ReserveCheckpoints().
  static absl::StatusOr<Classifier> Train(
      absl::Span<const LabelledText> train,
      absl::Span<const LabelledText> valid, const ClassifierInputs& inputs,
      const ClassifierOptions& options, const Hooks& hooks,
      ClassifierReport* report, const Checkpointing& checkpointing = {});

  // Loads a classifier file, or a supervised fastText model (.bin, .ftz). A
  // classifier with a contextualizer needs the file of the latter, unless it
  // was fine-tuned and is therefore in the classifier's file. Errors: NotFound;
  // InvalidArgument, not a classifier; DataLoss, with the position.
  static absl::StatusOr<Classifier> Load(
      const std::string& path, const std::string& contextualizer = "");
  // Writes the classifier, in fastText's format if the path ends in .bin.
  // Errors: InvalidArgument, the format cannot represent the model; write
  // errors.
  absl::Status Save(const std::string& path) const;
  // Returns the size of the classifier's own file in bytes, or up to a thousand
  // bytes more.
  uint64_t FileBytes() const;

  ~Classifier();
  Classifier(Classifier&&) noexcept;
  Classifier& operator=(Classifier&&) noexcept;

  // Returns the options used for training, with automatic values resolved.
  const ClassifierOptions& options() const;
  // Returns the labels, most frequent first.
  const std::vector<std::string>& labels() const;
  // Returns whether a text may have any number of labels.
  bool has_several_labels() const;

  // Returns the labels of each text, most probable first, with ties broken by
  // index. If the classifier knows no feature of a text, the labels have their
  // probabilities in the training texts; a fastText model returns what fastText
  // does. If `known` is not null, it is set as by CountKnown(). Errors:
  // InvalidArgument (options), Cancelled.
  absl::StatusOr<std::vector<std::vector<LabelProbability>>> Predict(
      absl::Span<const absl::string_view> texts,
      const PredictOptions& options = {}, const Hooks& hooks = {},
      std::vector<uint64_t>* known = nullptr) const;

  // Counts the words and n-grams of each text that the classifier knows, plus
  // the tokens read by the contextualizer. 0 means that no feature of the text
  // is known. known: [texts]. Errors: as for Predict().
  absl::Status CountKnown(absl::Span<const absl::string_view> texts,
                          absl::Span<uint64_t> known, int threads = 0,
                          const Hooks& hooks = {}) const;

  // Computes the probabilities [texts, labels] of all labels. Errors: as for
  // Predict().
  absl::Status Probabilities(absl::Span<const absl::string_view> texts,
                             absl::Span<float> probabilities, int threads = 0,
                             const Hooks& hooks = {}) const;

  // Returns the `count` n-grams of a text with the largest absolute weight for
  // a label. Positive weights speak for it, negative ones against it. The
  // weights of both parts are added. With softmax, a weight is relative to the
  // mean over all labels; with a tree, it is that of the branches on the path
  // to the label.
  std::vector<NgramWeight> Explain(absl::string_view text, size_t label,
                                   size_t count) const;
  // Returns the n-grams of the model with the largest weight for a label. Each
  // is weighted as if it were the whole text.
  std::vector<NgramWeight> Strongest(size_t label, size_t count) const;
  // Calls visit() with the result of Strongest() for each label, in order. All
  // labels together take little more time than one.
  void VisitStrongest(
      size_t count,
      absl::FunctionRef<void(size_t label, std::vector<NgramWeight> ngrams)>
          visit) const;

 private:
  struct Body;
  explicit Classifier(std::shared_ptr<const Body> body);
  friend absl::StatusOr<Classifier> QuantizeClassifier(
      const Classifier&, absl::Span<const LabelledText>,
      const struct QuantizeClassifierOptions&, const Hooks&);
  std::shared_ptr<const Body> body_;
};

struct QuantizeClassifierOptions {
  uint64_t max_bytes = 1 << 20;  // Maximum size of the file.
  // Whether to refit the label weights to the rounded rows, so that the texts
  // get the scores that they had before. Only used if texts are given.
  bool retrain = true;
};

// Returns a smaller classifier: the n-grams that matter least in the texts are
// dropped and values are rounded until the file has at most `max_bytes` bytes.
// Errors: InvalidArgument, it cannot be made so small, or has a contextualizer;
// Cancelled.
absl::StatusOr<Classifier> QuantizeClassifier(
    const Classifier& classifier, absl::Span<const LabelledText> train,
    const QuantizeClassifierOptions& options, const Hooks& hooks = {});

}  // namespace firth

#endif  // FIRTH_CLASSIFIER_H_

// A classifier: learns from texts with labels to label others.
//
// Two parts read the words of a text, the n-grams of its words and those of
// their characters, and add up to a score for each label:
//
//   wide   a weight for each n-gram and label, over log tf-idf values of unit
//          length, each scaled by how much the n-gram speaks for the label
//          (Wang and Manning, "Baselines and bigrams: simple, good sentiment
//          and topic classification", ACL 2012)
//   deep   a vector for each n-gram; a text is their mean, a label a vector
//          (Joulin et al., "Bag of tricks for efficient text classification",
//          EACL 2017)
//
// With a contextualizer the mean of its states of the text's tokens is read as
// well by the deep part, and its weights may learn, too. One that reads pairs
// reads a text of two sentences with a tab between as such; all else reads the
// tab as white space.

#ifndef FIRTH_CLASSIFIER_H_
#define FIRTH_CLASSIFIER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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

// The files that a classifier starts from. Both may be empty.
struct ClassifierInputs {
  // A vector file of any format: the deep part's words start from it, and the
  // n-grams of words from the means of their words.
  std::string vectors;
  std::string contextualizer;  // a model file of "firth lm"
};

// How scores become probabilities, and what is lost where they are wrong.
struct AutomaticLabelLoss {  // softmax or one against all, as texts have labels
  static constexpr char kName[] = "auto";
};
struct SoftmaxLabelLoss {  // one label a text
  static constexpr char kName[] = "softmax";
};
struct OneVsAllLoss {  // any number of labels a text
  static constexpr char kName[] = "ova";
};
// Over a tree of the labels (Morin and Bengio 2005): for ten thousands of them.
// The deep part alone.
struct TreeLabelLoss {
  static constexpr char kName[] = "hs";
};
struct SampledLabelLoss {  // against labels drawn by their frequency; the deep
                           // part alone
  static constexpr char kName[] = "ns";
  uint64_t negatives = 5;  // 1 to 1000

  static FieldTable Fields();
};
using LabelLoss = std::variant<AutomaticLabelLoss, SoftmaxLabelLoss,
                               OneVsAllLoss, TreeLabelLoss, SampledLabelLoss>;

enum class ClassifierParts { kBoth, kWide, kDeep };
enum class ClassWeights {
  kNone,      // a text counts once
  kBalanced,  // all labels count the same together
};

struct ClassifierOptions {
  // Options for reading a text, whose words are separated by white space.
  bool lowercase = false;
  Normalization normalize = Normalization::kNone;
  bool split_punctuation = false;  // by the words of Unicode, annex 29
  uint64_t word_ngrams = 2;        // of up to so many words in a row, 1 to 10
  // Lengths of the character n-grams of a word with its boundary marks, in code
  // points, at most 20. If both are 0, there are none.
  uint64_t min_n = 2;
  uint64_t max_n = 5;
  uint64_t min_count = 1;  // of a word or n-gram in the training texts
  // N-grams of words and characters are hashed into so many rows, as fastText
  // does; 0: those that occur have a row each.
  uint64_t buckets = 0;

  ClassifierParts parts = ClassifierParts::kBoth;
  uint64_t dim = 0;  // of the deep part, at most 65536; 0: as the vectors have
                     // that it starts from, else 16
  LabelLoss loss;
  ClassWeights class_weights = ClassWeights::kNone;

  uint64_t epochs = 0;       // at most 10000; 0: by the size of the text
  double learning_rate = 0;  // of the deep part; falls to 0. 0: 0.5
  double l2 = 0;             // penalty on the wide part's weights; 0: by size
  // Texts held out where none are given to measure on, at most 10,000: by them
  // probabilities are calibrated, before the training starts again with all.
  // Where that makes fewer than 500, others are held out after them. 0 to 0.5;
  // 0: probabilities are not calibrated.
  double held_out = 0.1;
  uint64_t patience = 3;  // epochs without a better score on given texts, at
                          // most 10000; 0: run them all
  uint64_t seed = 1;
  int threads = 0;  // 0: all cores; 1 gives the same bytes again

  // Move the weights of the contextualizer as well (fine-tuning: Devlin et al.
  // 2019), by the gradient of the deep part: the classifier then holds it. The
  // rate is Adam's for these weights, from 1e-12; it rises over a tenth of the
  // steps and falls to 0. Any number of threads gives the same bytes then.
  bool tune_contextualizer = false;
  double tuning_rate = 5e-5;
  uint64_t batch = 32;  // texts a step of these weights, 1 to 65536

  static FieldTable Fields();
  absl::Status Validate() const;
};

struct ClassifierEpoch {
  double loss = 0;              // nats a text, mean
  std::optional<double> score;  // accuracy, or micro F1 of several labels, of
                                // the texts to measure on
  double seconds = 0;
};

struct ClassifierReport {
  uint64_t texts = 0;
  uint64_t words = 0;  // in them
  uint64_t labels = 0;
  uint64_t features = 0;    // words and n-grams
  uint64_t parameters = 0;  // numbers that are learned
  std::vector<ClassifierEpoch> epochs;
  size_t best_epoch = 0;  // from 1; 0: the last one
  // Texts that probabilities were calibrated on; 0: they are not calibrated.
  uint64_t calibrated_on = 0;
  std::optional<double> calibration_error;  // on these texts; see LabelScores
  double seconds = 0;
  bool interrupted = false;
};

// One line of JSON with these names, as the program's --report and the C
// interface tell it. What is not known is null.
std::string ReportJson(const ClassifierReport& report);

struct LabelProbability {
  size_t label = 0;  // position in Classifier::labels()
  float probability = 0;
};

struct PredictOptions {
  size_t top = 1;  // the most that are returned; 0: all
  // Minimum probability of a label. Without it, texts with several labels get
  // the labels above the thresholds found in training, and other texts all
  // labels.
  std::optional<double> threshold;
  int threads = 0;  // 0: all cores
};

// How much an n-gram adds to the score of a label, in nats.
struct NgramWeight {
  std::string ngram;  // words with spaces between, or characters, whose word's
                      // ends are < and >
  double weight = 0;
};

// Thread-safe but for assignment. Movable.
class Classifier {
 public:
  // Learns from `train`. With `valid` texts the weights of the best epoch there
  // are kept, and probabilities are calibrated on them. Asked to stop, it
  // returns what was learned so far. Errors: InvalidArgument
  // (options, no text, fewer than two labels, more than 2^31 - 1, texts without
  // a label, several labels a text under a loss of one, labels of `valid` of
  // which none is one of `train`), those of loading the
  // inputs, OutOfRange (a loss that is not finite), ResourceExhausted, with
  // what it takes, Cancelled, those of ReserveCheckpoints().
  static absl::StatusOr<Classifier> Train(
      absl::Span<const LabelledText> train,
      absl::Span<const LabelledText> valid, const ClassifierInputs& inputs,
      const ClassifierOptions& options, const Hooks& hooks,
      ClassifierReport* report, const Checkpointing& checkpointing = {});

  // Reads a classifier's file, or a supervised model of fastText (.bin, .ftz).
  // A classifier that reads a contextualizer wants its file, unless it has
  // tuned it, which it then holds. Errors: NotFound,
  // InvalidArgument (a file of something else), DataLoss with the place.
  static absl::StatusOr<Classifier> Load(
      const std::string& path, const std::string& contextualizer = "");
  // Writes fastText's format where the path ends in .bin. Errors:
  // InvalidArgument, a model that it cannot say; those of writing.
  absl::Status Save(const std::string& path) const;
  // Bytes of the classifier's own file, up to a thousand more than it has.
  uint64_t FileBytes() const;

  ~Classifier();
  Classifier(Classifier&&) noexcept;
  Classifier& operator=(Classifier&&) noexcept;

  // The options as the training found them: nothing is automatic any more.
  const ClassifierOptions& options() const;
  const std::vector<std::string>& labels() const;  // most frequent first
  bool has_several_labels() const;  // a text may have any number of them

  // For each text its labels, most probable first; ties by position. Where the
  // classifier knows nothing of a text, its labels have the probabilities that
  // they had in the training texts; models of fastText give what fastText does.
  // known, which may be null, is set to what CountKnown() tells of each text.
  // Errors: InvalidArgument (options), Cancelled.
  absl::StatusOr<std::vector<std::vector<LabelProbability>>> Predict(
      absl::Span<const absl::string_view> texts,
      const PredictOptions& options = {}, const Hooks& hooks = {},
      std::vector<uint64_t>* known = nullptr) const;

  // Sets how many words and n-grams of each text the classifier knows; with a
  // contextualizer, tokens that it reads are added. 0: it knows nothing of the
  // text. known: [texts]. Errors: as Predict().
  absl::Status CountKnown(absl::Span<const absl::string_view> texts,
                          absl::Span<uint64_t> known, int threads = 0,
                          const Hooks& hooks = {}) const;

  // Sets the probabilities [texts, labels] of all labels. Errors: as Predict().
  absl::Status Probabilities(absl::Span<const absl::string_view> texts,
                             absl::Span<float> probabilities, int threads = 0,
                             const Hooks& hooks = {}) const;

  // The n-grams of a text that speak most for a label and, with negative
  // weights, most against it, by absolute weight. Those of the two parts are
  // added up. Under a softmax a weight is what is added above the mean of all
  // labels; over a tree, to the turns on the way to the label.
  std::vector<NgramWeight> Explain(absl::string_view text, size_t label,
                                   size_t count) const;
  // Returns the `count` n-grams that support a label most, each as if it were
  // the whole text.
  std::vector<NgramWeight> Strongest(size_t label, size_t count) const;
  // Calls visit() with those of each label, in order. All labels together take
  // little more time than one.
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
  uint64_t max_bytes = 1 << 20;  // of the file
  // Fit the labels' part over the rounded rows so that the texts get the scores
  // that they had before, where texts are given.
  bool retrain = true;
};

// Makes a classifier smaller: n-grams that say least in the texts are left out
// and values are rounded until the file has at most so many bytes. Errors:
// InvalidArgument, it cannot be made so small, or reads a contextualizer;
// Cancelled.
absl::StatusOr<Classifier> QuantizeClassifier(
    const Classifier& classifier, absl::Span<const LabelledText> train,
    const QuantizeClassifierOptions& options, const Hooks& hooks = {});

}  // namespace firth

#endif  // FIRTH_CLASSIFIER_H_

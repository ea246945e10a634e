// A tagger for parts of speech, chunks or names. It is trained on tagged
// sentences and then tags others.

#ifndef FIRTH_TAGGER_H_
#define FIRTH_TAGGER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/checkpoint.h"
#include "firth/language_model.h"
#include "firth/progress.h"
#include "firth/tag_scores.h"
#include "firth/tagged_text.h"

namespace firth {

class FieldTable;

// Files that supply the vectors of tokens. In addition, the options can select
// features of the spelling.
struct TaggerInputs {
  std::string vectors;         // Path of a vector file in any format.
  std::string contextualizer;  // Path of a model file of "firth lm".
};

// Options of a tagger with a network.
struct TaggerOptions {
  static constexpr char kName[] = "network";

  // Number of BiLSTM layers, at most 100; 0 makes the model linear.
  uint64_t lstm_layers = 1;
  uint64_t units = 200;  // Units per direction and layer, 1 to 65,536.
  // Use a CRF over the sentence instead of a softmax for each token.
  bool crf = false;
  double dropout = 0.3;  // Dropout probability, 0 to 0.99.
  // Dimensions of a trained vector for the token's casing (capitals, digits:
  // Collobert et al., "Natural language processing (almost) from scratch",
  // 2011), at most 1024; 0 means none.
  uint64_t case_dim = 0;
  // Whether to read tokens with a character network too, like a language model
  // (Ma and Hovy, "End-to-end sequence labeling via bi-directional
  // LSTM-CNNs-CRF", 2016). Filter widths are at most 50, and counts at most
  // 1048576.
  bool use_characters = false;
  std::vector<CharacterOptions::Filters> character_filters = {{3, 30}};
  int character_dim = 30;  // Dimensions of the character vectors, 1 to 1024.

  // Whether a mix of the contextual layers is added to the input of the BiLSTM,
  // and to its output. It is always added to the input if there is no other
  // input.
  bool mix_at_input = true;
  bool mix_at_output = false;
  bool mix_layer_norm = false;  // Normalize the layers' vectors before mixing.
  bool mix_top_only = false;    // Use the last layer instead of a mix.
  double mix_l2 = 0.001;        // L2 penalty on the weights of a mix.
  // Whether to train the weights of the contextualizer too (fine-tuning: Devlin
  // et al. 2019). The tagger's file then contains its inputs. `tuning_rate` is
  // Adam's learning rate for these weights, at least 1e-12. It rises over a
  // tenth of the steps and then decays to 0.
  bool tune_contextualizer = false;
  double tuning_rate = 5e-5;

  uint64_t epochs = 30;  // Number of epochs, 1 to 10000.
  // Epochs without a better dev score before training stops, at most 10000. 0
  // runs all epochs.
  uint64_t patience = 5;
  uint64_t batch = 32;  // Sentences per step, 1 to 65536.
  // Adam's learning rate, at least 1e-12; decays linearly to a tenth.
  double learning_rate = 0.002;
  // Maximum norm of all gradients together; 0 means no clipping.
  double clip = 1;
  uint64_t seed = 1;
  // Bytes of contextual vectors of the data that are kept in memory; the others
  // are computed again in each epoch.
  uint64_t cache_bytes = uint64_t{1} << 30;
  // Number of threads: 1, or 2 for one per direction; 0 chooses by the number
  // of cores.
  int threads = 0;

  static FieldTable Fields();
  absl::Status Validate() const;
};

// Options of a hidden Markov model (Brants, "TnT", 2000).
struct HmmOptions {
  static constexpr char kName[] = "hmm";

  // Words that occur at most this often, at least 1, supply the endings by
  // which the tags of unknown words are guessed.
  uint64_t rare_count = 10;
  uint64_t ending_length = 10;  // Characters of an ending, at most 100.
  uint64_t iterations = 1;      // Baum-Welch iterations, 1 to 10000.

  static FieldTable Fields();
  absl::Status Validate() const;
};

// Learned weights of a mix of layers.
struct MixWeights {
  std::vector<double> shares;  // Weight of each layer; their sum is 1.
  double gamma = 1;
  bool layer_norm = false;
};

// An epoch of a network, or an iteration of a hidden Markov model, of which the
// first one is before any Baum-Welch training.
struct TaggerEpoch {
  // Mean loss in nats per token. For a hidden Markov model, it is -ln p of the
  // tagged and the unlabeled text.
  double loss = 0;
  TagScores dev;  // Scores on the dev set; without tokens if there is none.
  double seconds = 0;
};

struct TaggerReport {
  uint64_t train_sentences = 0;
  uint64_t train_tokens = 0;
  uint64_t tokens_with_vectors = 0;  // Tokens with a static vector.
  uint64_t parameters = 0;           // Number of trained parameters.
  std::vector<TaggerEpoch> epochs;
  // Epoch whose weights were kept, counted from 1. 0 means the last ones,
  // because there was no dev set or training was interrupted early.
  size_t best_epoch = 0;
  bool interrupted = false;
};

// Callbacks of training; each may be empty. on_epoch receives the report after
// each epoch, up to that epoch.
struct TaggerHooks {
  Hooks hooks;
  std::function<void(const TaggerReport&)> on_epoch;
};

// Returns the F1 of spans if tags mark spans, otherwise the accuracy.
double MainScore(const TagScores& scores);

struct TagOptions {
  // Whether to compute the probability of each predicted tag: from the softmax,
  // or with a CRF or a hidden Markov model over all tag sequences of the
  // sentence, which doubles the work.
  bool probabilities = false;
};

// A trained tagger, which can be moved. Only one thread may use it at a time.
class Tagger {
 public:
  // Trains a tagger on `train`. At least one of the inputs, casing and
  // characters must be used. With a `dev` set, the weights of the epoch with
  // the best MainScore() are kept, and training stops early. With checkpoints,
  // if a loss or gradient is not finite, training returns once to the last one,
  // at half the learning rate. Errors:
  //
  // - InvalidArgument: options, no sentence, too many tags, or checkpoints of
  //   another training run;
  // - OutOfRange: a loss or gradient that is not finite, with step and cause;
  // - DataLoss: no checkpoint is intact;
  // - Cancelled: stopped before the first step, while sentences were read;
  // - errors of loading the inputs and of ReserveCheckpoints().
  static absl::StatusOr<Tagger> Train(absl::Span<const TaggedSentence> train,
                                      absl::Span<const TaggedSentence> dev,
                                      const TaggerInputs& inputs,
                                      const TaggerOptions& options,
                                      const TaggerHooks& hooks,
                                      TaggerReport* report,
                                      const Checkpointing& checkpointing = {});

  // Trains a hidden Markov model of tags and words: a million tokens in about a
  // second, without other inputs. If there are unlabeled sentences, of which
  // only the tokens are read, their likelihood is then maximized with that of
  // `train`; the loss never rises. With a `dev` set, the model of the iteration
  // with the best MainScore() is kept. Errors:
  //
  // - InvalidArgument: options, no sentence, too many tags, a token or tag that
  //   is empty or contains a line break;
  // - Cancelled: stopped before the first measurement.
  static absl::StatusOr<Tagger> TrainHmm(
      absl::Span<const TaggedSentence> train,
      absl::Span<const TaggedSentence> dev,
      absl::Span<const TaggedSentence> unlabeled, const HmmOptions& options,
      const TaggerHooks& hooks, TaggerReport* report);

  // Loads a tagger. The file contains the network and the tags. Its inputs are
  // separate files, of which it contains name, size and checksum. A file of
  // PackTagger(), or of a tagger with a fine-tuned contextualizer, contains its
  // inputs and is loaded without any. Errors: NotFound; InvalidArgument, not a
  // tagger, or an input that is not the one of training; DataLoss, with the
  // tensor.
  static absl::StatusOr<Tagger> Load(const std::string& path,
                                     const TaggerInputs& inputs,
                                     int threads = 0);
  absl::Status Save(const std::string& path);

  ~Tagger();
  Tagger(Tagger&&) noexcept;
  Tagger& operator=(Tagger&&) noexcept;

  const std::vector<std::string>& tags() const;
  // Returns the mix at the input and then the one at the output, if the model
  // has them.
  std::vector<MixWeights> mixes() const;

  // Sets `predicted` of each sentence, and `probabilities` if the options
  // request them. Only the tokens are read. Errors: OutOfRange, a vector,
  // hidden value or score that is not finite because weights are too large;
  // Cancelled.
  absl::Status Tag(absl::Span<TaggedSentence> sentences,
                   const TagOptions& options = {}, const Hooks& hooks = {});

 private:
  explicit Tagger(std::unique_ptr<class TagModel> model);
  std::unique_ptr<TagModel> model_;
};

// Writes a tagger together with the inputs with which it was trained to one
// file. It gives the same tags without separate inputs. The file appears whole
// or not at all. Errors: those of Tagger::Load(); InvalidArgument, a tagger
// that has no inputs or contains them already, or vectors whose words are in a
// second file; write errors.
absl::Status PackTagger(const std::string& path, const TaggerInputs& inputs,
                        const std::string& output_path);

// Returns the mixes of a tagger's file, without loading its inputs. Errors:
// those of Tagger::Load(); InvalidArgument, the tagger uses another
// contextualizer.
absl::StatusOr<std::vector<MixWeights>> ReadMixes(
    const std::string& tagger_path, const std::string& contextualizer_path);

}  // namespace firth

#endif  // FIRTH_TAGGER_H_

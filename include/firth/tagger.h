// A tagger: learns from sentences with tags to tag others (parts of speech,
// chunks, names).

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

// The files that a tagger reads tokens with. It may see their spelling besides,
// where its options say so.
struct TaggerInputs {
  std::string vectors;         // a vector file of any format
  std::string contextualizer;  // a model file of "firth lm"
};

struct TaggerOptions {
  uint64_t lstm_layers = 1;  // at most 100; 0: a linear model
  uint64_t units = 200;      // a direction and layer, 1 to 65,536
  bool crf = false;          // else a softmax for each token
  double dropout = 0.3;      // 0 to 0.99
  // Dimensions of a trained vector for the casing of a token (capitals, digits:
  // Collobert et al., "Natural language processing (almost) from scratch",
  // 2011), at most 1024; 0 means none.
  uint64_t case_dim = 0;
  // A network over the token's characters, as of a language model (Ma and Hovy,
  // "End-to-end sequence labeling via bi-directional LSTM-CNNs-CRF", 2016); its
  // filters' widths are at most 50, their counts at most 1048576.
  bool use_characters = false;
  std::vector<CharacterOptions::Filters> character_filters = {{3, 30}};
  int character_dim = 30;  // of a character's vector, 1 to 1024

  // Positions of the mix of contextual layers: at the input of the BiLSTM,
  // after its output, or both. It is at the input if there is nothing else to
  // read.
  bool mix_at_input = true;
  bool mix_at_output = false;
  bool mix_layer_norm = false;  // normalize their vectors first
  bool mix_top_only = false;    // the last layer instead of a mix
  double mix_l2 = 0.001;        // penalty on a mix's weights
  // Move the weights of the contextualizer as well (fine-tuning: Devlin et al.
  // 2019): the tagger's file then holds the inputs. The rate is Adam's for
  // these weights, from 1e-12; it rises over a tenth of the steps and falls to
  // 0.
  bool tune_contextualizer = false;
  double tuning_rate = 5e-5;

  uint64_t epochs = 30;          // 1 to 10000
  uint64_t patience = 5;         // epochs without a better dev score, at most
                                 // 10000; 0: run them all
  uint64_t batch = 32;           // sentences, 1 to 65536
  double learning_rate = 0.002;  // of Adam, from 1e-12; falls linearly to a
                                 // tenth
  double clip = 1;               // of the gradients' common norm; 0: none
  uint64_t seed = 1;
  // Bytes of contextual vectors of the data that are kept in memory; those
  // beyond are made anew each epoch.
  uint64_t cache_bytes = uint64_t{1} << 30;
  int threads = 0;  // 1, or one a direction; 0: as cores are there

  static FieldTable Fields();
  absl::Status Validate() const;
};

// The trained weights of a mix of layers.
struct MixWeights {
  std::vector<double> shares;  // of each layer; their sum is 1
  double gamma = 1;
  bool layer_norm = false;
};

struct TaggerEpoch {
  double loss = 0;  // nats a token, mean
  TagScores dev;    // of no token where there is no dev set
  double seconds = 0;
};

struct TaggerReport {
  uint64_t train_sentences = 0;
  uint64_t train_tokens = 0;
  uint64_t tokens_with_vectors = 0;  // static ones
  uint64_t parameters = 0;           // numbers that are learned
  std::vector<TaggerEpoch> epochs;
  size_t best_epoch = 0;  // from 1: whose weights are kept; 0: the last ones,
                          // for want of a dev set or of time
  bool interrupted = false;
};

// All may be empty. on_epoch gets what is reported, up to its last epoch.
struct TaggerHooks {
  Hooks hooks;
  std::function<void(const TaggerReport&)> on_epoch;
};

// The F1 of spans where tags mark spans, else the accuracy.
double MainScore(const TagScores& scores);

struct TagOptions {
  // Sets the probability of each predicted tag: by the softmax, or of all tag
  // sequences of the sentence with a CRF, whose work this doubles.
  bool probabilities = false;
};

// Used by one thread at a time. Movable.
class Tagger {
 public:
  // Learns from `train`, by at least one of the inputs, casing and characters;
  // with a `dev` set keeps the weights of the epoch that
  // has the best MainScore() there, and stops early. Where there are
  // checkpoints, a loss or gradient that is not finite sends the training back
  // to the last one at half the learning rate, once. Errors: InvalidArgument
  // (options, no sentence, too many tags, another training's checkpoints),
  // those of loading the inputs, OutOfRange (a loss or gradient that is not
  // finite, with step and cause), DataLoss (no checkpoint is whole), Cancelled
  // (stopped while sentences were read, before a step), those of
  // ReserveCheckpoints().
  static absl::StatusOr<Tagger> Train(absl::Span<const TaggedSentence> train,
                                      absl::Span<const TaggedSentence> dev,
                                      const TaggerInputs& inputs,
                                      const TaggerOptions& options,
                                      const TaggerHooks& hooks,
                                      TaggerReport* report,
                                      const Checkpointing& checkpointing = {});

  // The file holds the network and the tags, but not its inputs: of them it
  // holds name, size and checksum. (One of PackTagger() holds them, or of a
  // training that tuned the contextualizer, and is loaded without any.) Errors:
  // NotFound; InvalidArgument, a file of something else, or an input that is
  // not the one of training; DataLoss, with the tensor.
  static absl::StatusOr<Tagger> Load(const std::string& path,
                                     const TaggerInputs& inputs,
                                     int threads = 0);
  absl::Status Save(const std::string& path);

  ~Tagger();
  Tagger(Tagger&&) noexcept;
  Tagger& operator=(Tagger&&) noexcept;

  const std::vector<std::string>& tags() const;
  // At the input, then at the output, where the model has one.
  std::vector<MixWeights> mixes() const;

  // Sets `predicted` of each sentence, and `probabilities` as the options say;
  // only its tokens are read. Errors: OutOfRange, a vector, hidden value or
  // score that is not finite because weights are too large; Cancelled.
  absl::Status Tag(absl::Span<TaggedSentence> sentences,
                   const TagOptions& options = {}, const Hooks& hooks = {});

 private:
  struct Body;
  // Puts the tuned contextualizer where the other one was.
  static absl::Status HoldTuned(class ContextTuner& tuner, int threads,
                                Body* body);
  explicit Tagger(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

// Writes a tagger and the inputs that it was trained with as one file, which
// gives the same tags without them. The file appears whole or not at all.
// Errors: those of Tagger::Load(); InvalidArgument, a tagger that has no inputs
// or holds them already, or vectors whose words are in a second file; those of
// writing.
absl::Status PackTagger(const std::string& path, const TaggerInputs& inputs,
                        const std::string& output_path);

// The mixes of a tagger's file, without its inputs. Errors: those of
// Tagger::Load(); InvalidArgument if they are not of this contextualizer.
absl::StatusOr<std::vector<MixWeights>> ReadMixes(
    const std::string& tagger_path, const std::string& contextualizer_path);

}  // namespace firth

#endif  // FIRTH_TAGGER_H_

// The options of training.
//
// What an architecture or objective has to set is found by the fields of its
// options struct, and its name in the struct: a new one with fields of known
// names needs no change here.

#ifndef FIRTH_TOOLS_TRAIN_TRAINING_OPTIONS_H_
#define FIRTH_TOOLS_TRAIN_TRAINING_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/option_set.h"
#include "firth/train.h"

namespace firth::tools {

class TrainingOptions {
 public:
  // --threads is not among them: reading has it too.
  void Declare(OptionSet* options);

  // Fills options() in; to be called once after parsing. Errors:
  // InvalidArgument for what contradicts, with both sides.
  absl::Status Finish(const OptionSet& given, int threads);

  // After Finish(): the dimension is that of given vectors. Errors:
  // InvalidArgument when another one was asked for.
  absl::Status SetDim(const OptionSet& given, size_t dim);

  const TrainOptions& options() const { return options_; }
  bool has_subwords() const;
  // Of all trainings.
  int total_epochs() const;

  // The options that the chosen architecture, objective and subwords do not
  // have.
  std::vector<std::string> Unused() const;

 private:
  // An option that only some choices have.
  struct Dependency {
    std::string option;
    bool applies;
    std::string needs;
  };
  std::vector<Dependency> Dependencies() const;
  void FillVariants();

  TrainOptions options_;
  std::string architecture_{SkipGramOptions::kName};
  std::string objective_{NegativeSamplingOptions::kName};
  int shared_windows_ = SkipGramOptions().shared_windows;
  bool directional_ = SkipGramOptions().directional;
  CbowGradient cbow_gradient_ = CbowOptions().gradient;
  ContextWeights context_weights_ = CbowOptions().context_weights;
  int negatives_ = NegativeSamplingOptions().negatives;
  double noise_exponent_ = NegativeSamplingOptions().noise_exponent;
  int batch_ = FullSoftmaxOptions().batch;
  std::string subword_index_{NoSubwords::kName};
  int min_n_ = BucketSubwords().min_n;
  int max_n_ = BucketSubwords().max_n;
  uint64_t buckets_ = 0;  // 0: the default of the index
  int hashes_ = FloretSubwords().hashes;
  uint64_t n_gram_min_count_ = ExplicitSubwords().min_count;
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_TRAIN_TRAINING_OPTIONS_H_

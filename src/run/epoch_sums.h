// EpochSums: the position in an epoch that consists of batches, and sums over
// the tokens that were trained in it. Learners with such epochs save it as part
// of their state.

#ifndef FIRTH_RUN_EPOCH_SUMS_H_
#define FIRTH_RUN_EPOCH_SUMS_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "nlohmann/json.hpp"
#include "run/learner.h"

namespace firth {

struct EpochSums {
  size_t batches = 0;  // Done.
  uint64_t tokens = 0;
  double loss = 0;  // Sum over the tokens.
  double seconds = 0;

  // Adds a batch of tokens with this mean loss, also to the standing.
  void Add(double mean_loss, uint64_t batch_tokens, Standing* standing);
  double MeanLoss() const { return loss / static_cast<double>(tokens); }

  // Adds the sums to a state as "batch", "tokens", "loss" and "seconds".
  void AppendTo(nlohmann::json* state) const;
  // Reads the sums. Throws an exception of the JSON library like CountAt() if a
  // member is missing or too large. Errors: DataLoss, there are more epochs
  // than the training run has, or tokens without batches.
  absl::Status Read(const nlohmann::json& state, uint64_t epochs_done,
                    uint64_t epochs, uint64_t epoch_batches,
                    uint64_t epoch_tokens);
};

}  // namespace firth

#endif  // FIRTH_RUN_EPOCH_SUMS_H_

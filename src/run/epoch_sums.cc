#include "run/epoch_sums.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"

namespace firth {

void EpochSums::Add(double mean_loss, uint64_t batch_tokens,
                    Standing* standing) {
  const auto count = static_cast<double>(batch_tokens);
  ++batches;
  tokens += batch_tokens;
  loss += mean_loss * count;
  standing->loss += mean_loss * count;
  standing->examples += count;
}

void EpochSums::AppendTo(nlohmann::json* state) const {
  (*state)["batch"] = batches;
  (*state)["tokens"] = tokens;
  (*state)["loss"] = loss;
  (*state)["seconds"] = seconds;
}

absl::Status EpochSums::Read(const nlohmann::json& state, uint64_t epochs_done,
                             uint64_t epochs, uint64_t epoch_batches,
                             uint64_t epoch_tokens) {
  batches = CountAt(state, "batch", epoch_batches);
  tokens = CountAt(state, "tokens", epoch_tokens);
  loss = state.at("loss").get<double>();
  seconds = state.at("seconds").get<double>();
  if (epochs_done <= epochs && (batches == 0) == (tokens == 0)) {
    return absl::OkStatus();
  }
  return absl::DataLossError(absl::StrCat(
      "state: expected at most ", epochs,
      " epochs, and tokens if there are batches, found ", epochs_done,
      " epochs, ", batches, " batches and ", tokens, " tokens"));
}

}  // namespace firth

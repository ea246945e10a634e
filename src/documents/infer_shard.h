// Inference: finds the vectors of new documents, while all tables stay as they
// are.

#ifndef FIRTH_DOCUMENTS_INFER_SHARD_H_
#define FIRTH_DOCUMENTS_INFER_SHARD_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "firth/train.h"
#include "model/embedding_model.h"
#include "objective/objective_tables.h"
#include "vocab/subsampler.h"

namespace firth {

// A document to infer.
struct InferTask {
  // Ids of its words, followed by TokenStream::kSentenceEnd.
  absl::Span<const uint32_t> tokens;
  float* vector;  // [dim], for the result.
};

// Returns how many runs a document of `words` words takes; its vector is their
// mean. A run of few words depends much on the noise words that it draws.
constexpr uint64_t InferenceRuns(uint64_t words) {
  return (31 + words) / words;
}

// What all threads need. Everything is borrowed, and no table is changed.
struct InferContext {
  // Options of training, with the epochs and learning rates of inference.
  const TrainOptions& options;
  const Subsampler& subsampler;
  const ObjectiveTables& tables;
  EmbeddingModel& model;
  std::function<std::optional<InferTask>()> next;  // Called by all threads.
};

// Works on tasks until there are no more, with the best instruction set of this
// machine. A result depends on the words of its document alone.
void InferShard(const InferContext& context);

}  // namespace firth

#endif  // FIRTH_DOCUMENTS_INFER_SHARD_H_

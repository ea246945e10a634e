// The peak occurs during training, or afterwards while the result is measured
// (NCE) or joined (views). The buffers of the workers and of the later phase
// are not needed at the same time.

#include "train/memory_estimate.h"

#include <algorithm>

#include "base/matrix.h"
#include "base/memory_info.h"
#include "base/threads.h"
#include "objective/objective_tables.h"
#include "train/normalization.h"
#include "vectors/join_views.h"

namespace firth {
namespace {

// Returns the bytes needed to write a file: the words in its format, and
// buffers. Small objects are also counted here.
uint64_t WritingBytes(const ModelShape& shape) {
  constexpr uint64_t kBuffers = uint64_t{3} << 20;
  constexpr uint64_t kWord = 20;
  return kBuffers + kWord * shape.vocab_size;
}

uint64_t RowBytes(const ModelShape& shape) {
  return shape.stride() * sizeof(float);
}

uint64_t WorkerBytes(const TrainOptions& options, const TrainingSize& size) {
  const ModelShape& shape = size.shape;
  const uint64_t bytes =
      size.engine.workers +
      static_cast<uint64_t>(size.threads) *
          ObjectiveWorkerBytes(options.objective, shape.vocab_size, shape.dim,
                               size.threads,
                               /*composed=*/size.composition_bytes > 0);
  if (!TraitsOf(options.objective).measures_normalization) return bytes;
  // The allocator may keep the memory that was used to measure Z after an
  // epoch, in addition to that of the workers in the next epoch.
  const uint64_t measuring = NormalizationBytes(options, shape);
  return options.epochs > 1 ? bytes + measuring : std::max(bytes, measuring);
}

// Returns the bytes of one view that are kept until all views are joined.
uint64_t KeptBytes(const ModelShape& shape) {
  return ModelBytes(shape) - shape.output_rows * RowBytes(shape);
}

uint64_t JoinBytesOf(const TrainOptions& options, const TrainingSize& size) {
  const size_t rows = KeptBytes(size.shape) / RowBytes(size.shape);
  return JoinBytes(rows, size.place.views * size.shape.dim,
                   size.place.joined_dim, NumThreads(options.threads));
}

}  // namespace

MemoryEstimate EstimateMemory(const TrainOptions& options,
                              const TrainingSize& size) {
  const ModelShape& shape = size.shape;
  const uint64_t tables =
      ModelBytes(shape) * (size.keeps_best ? 2 : 1) + size.engine.tables;
  MemoryEstimate estimate;
  estimate.tables = tables;
  if (size.other_words > 0) {
    estimate.tables += (shape.vocab_size + size.other_words) * RowBytes(shape);
  }
  estimate.workers = ObjectiveTableBytes(options.objective, shape.vocab_size) +
                     shape.vocab_size * sizeof(float) + size.composition_bytes +
                     WorkerBytes(options, size);
  if (size.place.views > 0) {
    const uint64_t joining = KeptBytes(shape) + JoinBytesOf(options, size);
    estimate.workers =
        std::max(estimate.workers, joining - std::min(joining, tables));
    estimate.tables +=
        (size.place.views - size.place.number) * KeptBytes(shape);
  }
  uint64_t more =
      estimate.total() - size.composition_bytes + WritingBytes(shape);
  if (size.copies_tables) {
    const uint64_t copies =
        (shape.input_rows() + shape.output_rows) * RowBytes(shape) +
        WritingBytes(shape);
    if (more + copies <= AvailableMemoryBytes()) more += copies;
  }
  estimate.peak = std::max(PeakMemoryBytes(), ResidentMemoryBytes() + more);
  return estimate;
}

}  // namespace firth

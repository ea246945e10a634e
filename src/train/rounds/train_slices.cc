// Compiled once an instruction set. The windows, the kernel, the objectives and
// the architectures are those of train_shard.cc; what they teach goes into the
// logs of slices.

#include "train/rounds/train_slices.h"

#include <type_traits>
#include <variant>

#include "simd/targets.h"
#include "train/window.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/rounds/train_slices.cc"
#include "hwy/foreach_target.h"
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "objective/objectives-inl.h"
#include "train/architectures-inl.h"
#include "train/inputs-inl.h"
#include "train/rounds/logged_updates-inl.h"
#include "train/run_trainer-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

template <class Architecture, class Objective>
class SliceTrainer {
 public:
  SliceTrainer(const EpochContext& context, Architecture architecture,
               Objective objective)
      : context_(context),
        architecture_(std::move(architecture)),
        objective_(std::move(objective)),
        updates_(context.model.dim(), objective_.MaxRows()),
        inputs_(context.model, context.options, updates_),
        trainer_(context.options, context.model, inputs_, architecture_,
                 objective_, updates_) {}
  SliceTrainer(const SliceTrainer&) = delete;
  SliceTrainer& operator=(const SliceTrainer&) = delete;

  void Train(StreamPiece piece, float learning_rate, SliceLog* log) {
    updates_.Start(log);
    SentenceReader reader(context_.stream, context_.subsampler, piece,
                          context_.EpochKey(),
                          static_cast<size_t>(context_.options.window));
    while (reader.Next(&run_)) {
      if constexpr (kHasPositions) {
        updates_.CopyPositions(architecture_.hot_rows());
      }
      const WorkDone done = trainer_.Train(run_, learning_rate);
      log->examples += done.examples;
      log->loss += done.loss;
      if constexpr (kHasPositions) {
        updates_.AddPositions(architecture_.hot_rows());
      }
    }
    log->words = reader.words_read();
    log->Sort();
  }

 private:
  static constexpr bool kHasPositions = requires(Architecture & architecture) {
    architecture.hot_rows();
  };

  const EpochContext& context_;
  Architecture architecture_;
  Objective objective_;
  LoggedUpdates updates_;
  ComposedInputs<LoggedUpdates> inputs_;
  RunTrainer<ComposedInputs<LoggedUpdates>, Architecture, Objective,
             LoggedUpdates>
      trainer_;
  WordRun run_;
};

void TrainSlicesTarget(const EpochContext& context, Rounds& rounds) {
  std::visit(
      [&](const auto& architecture, const auto& objective) HWY_ATTR {
        // No two threads write to a row at the same time.
        auto made = MakeObjective(objective, context.tables, context.model,
                                  /*threads=*/1);
        if constexpr (!std::is_same_v<decltype(made), FullSoftmax>) {
          SliceTrainer trainer(
              context,
              MakeArchitecture(architecture, context.options, context.model),
              std::move(made));
          do {
            while (const auto slice = rounds.TakeSlice()) {
              trainer.Train(slice->piece, rounds.learning_rate(), slice->log);
            }
          } while (rounds.NextRound());
        }
      },
      context.options.architecture, context.options.objective);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth {

HWY_EXPORT(TrainSlicesTarget);

void TrainSlices(const EpochContext& context, Rounds& rounds) {
  HWY_DYNAMIC_DISPATCH(TrainSlicesTarget)(context, rounds);
}

}  // namespace firth
#endif  // HWY_ONCE

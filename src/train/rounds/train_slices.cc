// This file is compiled once per instruction set. The windows, the kernel, the
// objectives and the architectures are those of train_shard.cc, but their steps
// go to the logs of slices.

#include "train/rounds/train_slices.h"

#include <type_traits>
#include <utility>
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
void TrainSlicesOf(const EpochContext& context, Rounds& rounds,
                   Architecture architecture, Objective objective) {
  constexpr bool kHasPositions = requires { architecture.hot_rows(); };
  LoggedUpdates updates(context.model.dim(), objective.MaxRows());
  ComposedInputs inputs(context.model, context.options, updates);
  RunTrainer trainer(
      context.options, inputs, architecture, objective,
      WindowStepper(context.model, objective.MaxRows(), updates));
  WordRun run;
  do {
    while (const auto slice = rounds.TakeSlice()) {
      SliceLog& log = *slice->log;
      updates.Start(&log);
      SentenceReader reader(context.stream, context.subsampler, slice->piece,
                            context.EpochKey(),
                            static_cast<size_t>(context.options.window));
      while (reader.Next(&run)) {
        if constexpr (kHasPositions) {
          updates.CopyPositions(architecture.hot_rows());
        }
        const WorkDone done =
            trainer.Train(run, rounds.learning_rate(), [](size_t) {});
        log.examples += done.examples;
        log.loss += done.loss;
        if constexpr (kHasPositions) {
          updates.AddPositions(architecture.hot_rows());
        }
      }
      log.words = reader.words_read();
      log.Sort();
    }
  } while (rounds.NextRound());
}

void TrainSlicesTarget(const EpochContext& context, Rounds& rounds) {
  std::visit(
      [&](const auto& architecture, const auto& objective) HWY_ATTR {
        // No two threads write to a row at the same time.
        auto made = MakeObjective(objective, context.tables, context.model,
                                  /*threads=*/1);
        if constexpr (!std::is_same_v<decltype(made), FullSoftmax>) {
          TrainSlicesOf(
              context, rounds,
              MakeArchitecture(architecture, context.options, context.model),
              std::move(made));
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

// Lane: the windows of one stretch of the text, in order.
//
// Adjacent windows have most of their words in common. If they were in the same
// exchange, a word would take the steps of all the windows that contain it from
// the same scores, ten times what one window would do. The loss would grow, and
// with many negatives, wide windows or a high learning rate training would
// diverge, however few windows an exchange has. So an exchange takes a few
// windows from each of many places in the text.

#include <cstddef>
#include <cstdint>

#include "simd/targets.h"
#include "train/sentence_reader.h"
#include "train/worker.h"

#if defined(FIRTH_TRAIN_COLUMNS_LANE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_TRAIN_COLUMNS_LANE_INL_H_
#undef FIRTH_TRAIN_COLUMNS_LANE_INL_H_
#else
#define FIRTH_TRAIN_COLUMNS_LANE_INL_H_
#endif

#include "hwy/highway.h"
#include "objective/objectives-inl.h"
#include "train/architectures-inl.h"
#include "train/columns/column_stepper-inl.h"
#include "train/inputs-inl.h"
#include "train/run_trainer-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

class Lane {
 public:
  // Borrows everything except the piece.
  Lane(const EpochContext& context, StreamPiece piece, SkipGram& architecture,
       NegativeSampling& objective, ColumnStepper& stepper)
      : monitor_(context.monitor),
        stepper_(stepper),
        reader_(context.stream, context.subsampler, piece, context.EpochKey(),
                static_cast<size_t>(context.options.window)),
        inputs_(context.model.input()),
        trainer_(context.options, inputs_, architecture, objective, stepper) {}

  // Steps the next group of windows and adds its work to *done, which
  // determines the learning rate. Returns false if there is no other group.
  bool Step(WorkDone* done) {
    if (center_ == run_.end_center && !StartRun(done)) return false;
    stepper_.set_learning_rate(learning_rate_);
    done->examples += trainer_.StepGroup(run_, &center_);
    return true;
  }

 private:
  bool StartRun(WorkDone* done) {
    learning_rate_ = monitor_.LearningRate(monitor_.words() + done->words);
    const uint64_t before = reader_.words_read();
    const bool found = reader_.Next(&run_);
    done->words += reader_.words_read() - before;
    center_ = found ? run_.first_center : run_.end_center;
    if (found) trainer_.Start(run_);
    return found;
  }

  const TrainMonitor& monitor_;
  ColumnStepper& stepper_;
  SentenceReader reader_;
  WordInputs inputs_;
  RunTrainer<WordInputs, SkipGram, NegativeSampling, ColumnStepper&> trainer_;
  WordRun run_;
  size_t center_ = 0;
  float learning_rate_ = 0;
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

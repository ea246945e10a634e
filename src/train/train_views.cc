#include "train/training.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "base/matrix.h"
#include "firth/status_macros.h"
#include "vectors/join_views.h"

namespace firth {
namespace {

// Reports the progress of all views as that of one training run.
class ViewProgress : public ProgressSink {
 public:
  ViewProgress(ProgressSink* whole, size_t view, const TrainOptions& options)
      : whole_(whole),
        view_(view),
        views_(options.views.size()),
        epochs_(options.epochs) {}

  void OnMemory(const MemoryEstimate& needed) override {
    if (view_ == 0) whole_->OnMemory(needed);
  }

  void OnTrain(const TrainProgress& progress) override {
    TrainProgress shown = progress;
    const auto views = static_cast<double>(views_);
    shown.fraction = (static_cast<double>(view_) + progress.fraction) / views;
    shown.epoch += static_cast<int>(view_) * epochs_;
    // Assumes that each remaining view takes as long as this one.
    if (progress.fraction > 0 && progress.fraction < 1) {
      shown.seconds_left += progress.seconds_left / (1 - progress.fraction) *
                            static_cast<double>(views_ - view_ - 1);
    }
    whole_->OnTrain(shown);
  }

  void OnEpoch(const EpochProgress& epoch) override {
    whole_->OnEpoch(
        {epoch.epoch + static_cast<int>(view_) * epochs_, epoch.loss});
  }

  void OnWarning(absl::string_view message) override {
    whole_->OnWarning(message);
  }

 private:
  ProgressSink* whole_;
  size_t view_;
  size_t views_;
  int epochs_;
};

void Append(const TrainReport& view, TrainReport* whole) {
  whole->epochs.insert(whole->epochs.end(), view.epochs.begin(),
                       view.epochs.end());
  whole->words += view.words;
  whole->held_out_words += view.held_out_words;
  whole->seconds += view.seconds;
  whole->resumed_words += view.resumed_words;
  whole->words_per_second =
      whole->seconds > 0
          ? static_cast<double>(whole->words - whole->resumed_words) /
                whole->seconds
          : 0;
  whole->checkpoints += view.checkpoints;
  whole->checkpoint_seconds += view.checkpoint_seconds;
  whole->threads = view.threads;
  whole->interrupted = view.interrupted;
}

bool IsDirectional(size_t view, const TrainOptions& options) {
  const auto* skip_gram = std::get_if<SkipGramOptions>(&options.architecture);
  return skip_gram != nullptr && skip_gram->directional &&
         std::min_element(options.views.begin(), options.views.end()) ==
             options.views.begin() + static_cast<std::ptrdiff_t>(view);
}

// Returns four fifths of the joined dimensions, rounded up to a multiple of
// kRowFloats, to which rows are padded anyway. More dimensions gain little, see
// docs/measurements/recipes.md.
int ViewDim(int dim) {
  constexpr auto kStep = static_cast<int>(kRowFloats);
  return (dim - dim / 5 + kStep - 1) / kStep * kStep;
}

TrainOptions OptionsOf(size_t view, const TrainOptions& options) {
  TrainOptions own = options;
  own.views.clear();
  own.window = options.views[view];
  own.dim = options.view_dim > 0 ? options.view_dim : ViewDim(options.dim);
  own.seed = options.seed + view;
  if (auto* skip_gram = std::get_if<SkipGramOptions>(&own.architecture)) {
    skip_gram->directional = IsDirectional(view, options);
    if (skip_gram->directional) own.add_output = 0;
  }
  return own;
}

}  // namespace

absl::StatusOr<TrainedModel> TrainViews(const Training& training) {
  const TrainOptions& options = training.options;
  const Hooks& hooks = training.hooks;
  const size_t num_views = options.views.size();
  std::vector<WordVectors> views;
  TrainedModel joined;
  for (size_t view = 0; view < num_views; ++view) {
    ViewProgress progress(hooks.progress, view, options);
    const TrainOptions own = OptionsOf(view, options);
    FIRTH_ASSIGN_OR_RETURN(
        TrainedModel trained,
        TrainOne({training.corpus,
                  own,
                  {hooks.progress != nullptr ? &progress : nullptr, hooks.stop},
                  training.initial,
                  training.checkpointing,
                  training.validation},
                 {.number = view + 1,
                  .views = num_views,
                  .joined_dim = static_cast<size_t>(options.dim)}));
    Append(trained.report, &joined.report);
    // A view that is hardly trained would make the others worse.
    if (trained.report.interrupted && view > 0) break;
    views.push_back(std::move(trained.vectors));
    if (trained.report.interrupted) break;
  }
  FIRTH_ASSIGN_OR_RETURN(
      joined.vectors,
      JoinViews(views, {.dim = static_cast<size_t>(options.dim)}));
  return joined;
}

}  // namespace firth

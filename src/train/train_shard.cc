// This file is compiled once per instruction set. Options become types here,
// once per worker. Below TrainRuns(), no option is tested per word, and every
// function is either inlined or makes the step of a whole window.

#include "train/worker.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <type_traits>
#include <variant>

#include "simd/targets.h"
#include "train/sentence_reader.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "train/train_shard.cc"
#include "hwy/foreach_target.h"
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "objective/objectives-inl.h"
#include "simd/row_ops-inl.h"
#include "train/architectures-inl.h"
#include "train/inputs-inl.h"
#include "train/run_trainer-inl.h"
#include "train/table_updates-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

// Exchanges a worker's copies of hot rows with the shared rows, for all `Parts`
// of training that have such copies: at the start, at intervals, and at the
// end. The k-th exchange has the kFirstRows * 2^z rows that are written most
// often, where z is the number of trailing zeros of k in binary (Ji et al. 2016
// use this rule between machines). The position of a row in this order is
// roughly inverse to how often it is written, so all rows have been moved about
// equally often when they are exchanged. They must have been moved only a few
// times, because the moves of several workers add up. (When 1,024 nodes of a
// tree were exchanged together after about a thousand centers, three workers
// overshot at the root, and the loss grew without bound.) More workers exchange
// sooner.
template <class... Parts>
class HotRowExchange {
 public:
  explicit HotRowExchange(const Worker& worker, Parts&... parts)
      : parts_(parts...),
        thread_(worker.thread()),
        threads_(static_cast<size_t>(worker.context().threads)),
        columns_(VisitedColumns(worker.context().model.dim())) {
    const size_t team_centers =
        std::min({kTeamCenters, MostCenters<Parts>()...});
    interval_ = std::max(team_centers / threads_, kLeastCenters);
    ExchangeAll();
  }
  ~HotRowExchange() { ExchangeAll(); }
  HotRowExchange(const HotRowExchange&) = delete;
  HotRowExchange& operator=(const HotRowExchange&) = delete;

  HWY_INLINE void After(size_t centers) {
    centers_ += centers;
    if (centers_ < interval_) return;
    centers_ -= interval_;
    ++number_;
    Exchange(kFirstRows << std::min(std::countr_zero(number_), 20));
  }

  // Ends a piece, where training may pause. A single worker, which has copies
  // of a few rows, exchanges them and then resumes as if it had not paused.
  void EndPiece() {
    if (threads_ > 1) return;
    ExchangeAll();
    centers_ = 0;
    number_ = 0;
  }

 private:
  static constexpr size_t kFirstRows = 16;
  static constexpr size_t kTeamCenters = 2048;
  static constexpr size_t kLeastCenters = 64;

  // Returns the maximum number of centers of all workers between exchanges.
  template <class Part>
  static constexpr size_t MostCenters() {
    if constexpr (requires { Part::kMostTeamCenters; }) {
      return Part::kMostTeamCenters;
    } else {
      return SIZE_MAX;
    }
  }
  template <class Part>
  void Exchange(Part& part, size_t count) {
    if constexpr (requires { part.hot_rows(); }) {
      ExchangeHotRows(thread_, threads_, columns_, count, &part.hot_rows());
    }
  }
  void ExchangeAll() { Exchange(SIZE_MAX); }
  HWY_NOINLINE void Exchange(size_t count) {
    std::apply([&](auto&... parts) { (Exchange(parts, count), ...); }, parts_);
  }

  std::tuple<Parts&...> parts_;
  size_t thread_;
  size_t threads_;
  size_t columns_;
  size_t interval_;     // in centers
  size_t centers_ = 0;  // since the last exchange
  uint32_t number_ = 0;
};

// Trains with objectives that step window by window.
template <class Inputs, class Architecture, class Objective>
void TrainRuns(Inputs inputs, Architecture& architecture, Objective& objective,
               TableUpdates& updates, Worker& worker) {
  const EpochContext& context = worker.context();
  RunTrainer trainer(
      context.options, inputs, architecture, objective,
      WindowStepper(context.model, objective.MaxRows(), updates));
  HotRowExchange exchange(worker, architecture, objective);
  while (worker.NextPiece()) {
    while (const WordRun* run = worker.NextRun()) {
      worker.Add(trainer.Train(*run, worker.learning_rate(),
                               [&](size_t centers)
                                   HWY_ATTR { exchange.After(centers); }));
    }
    exchange.EndPiece();
  }
}

template <class Architecture>
void StepBatch(Architecture& architecture, const FullSoftmax& objective,
               SoftmaxBatch& batch, Worker& worker) {
  const double loss = objective.Step(worker.learning_rate(), batch);
  worker.Add({.words = 0, .examples = batch.num_targets(), .loss = loss});
  architecture.GiveBackSteps(batch);
  batch.Clear();
}

// Trains with full softmax, which first collects a batch of hidden vectors.
template <class Architecture>
void TrainBatches(Architecture& architecture, const FullSoftmax& objective,
                  Worker& worker) {
  EmbeddingModel& model = worker.context().model;
  const bool dynamic = worker.context().options.dynamic_window;
  WordInputs inputs(model.input());
  SoftmaxBatch batch(objective.batch_size(), model.output().rows(),
                     model.dim());
  HotRowExchange exchange(worker, architecture);
  while (worker.NextPiece()) {
    while (const WordRun* run = worker.NextRun()) {
      inputs.Start(*run);
      for (size_t center = run->first_center; center < run->end_center;
           ++center) {
        const Window window = WindowAt(*run, center, worker.window(), dynamic);
        if (window.context_size() == 0) continue;
        architecture.AddExample(inputs, window, batch);
        if (batch.full()) StepBatch(architecture, objective, batch, worker);
        exchange.After(1);
      }
    }
    StepBatch(architecture, objective, batch, worker);
    exchange.EndPiece();
  }
}

// Chooses the source of the model's input vectors.
template <class Architecture, class Objective>
void TrainWith(Architecture architecture, Objective objective, Worker& worker) {
  EmbeddingModel& model = worker.context().model;
  TableUpdates updates(model);
  if constexpr (std::is_same_v<Objective, FullSoftmax>) {
    TrainBatches(architecture, objective, worker);
  } else if (model.composition() == nullptr) {
    TrainRuns(WordInputs(model.input()), architecture, objective, updates,
              worker);
  } else {
    TrainRuns(ComposedInputs(model, worker.context().options, updates),
              architecture, objective, updates, worker);
  }
}

void TrainShardTarget(Worker& worker) {
  const EpochContext& context = worker.context();
  std::visit(
      [&](const auto& architecture, const auto& objective) HWY_ATTR {
        TrainWith(
            MakeArchitecture(architecture, context.options, context.model),
            MakeObjective(objective, context.tables, context.model,
                          context.threads),
            worker);
      },
      context.options.architecture, context.options.objective);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth {

HWY_EXPORT(TrainShardTarget);

void TrainShard(Worker& worker) {
  HWY_DYNAMIC_DISPATCH(TrainShardTarget)(worker);
}

}  // namespace firth
#endif  // HWY_ONCE

#include "train/hogwild_trainer.h"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <variant>

#include "base/status_macros.h"
#include "train/normalization.h"
#include "train/train_shard.h"
#include "train/worker.h"

namespace firth {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

uint64_t CountWords(const TokenStream& stream, StreamPiece piece) {
  const auto tokens =
      stream.tokens().subspan(piece.begin, piece.end - piece.begin);
  return tokens.size() -
         static_cast<uint64_t>(std::count(tokens.begin(), tokens.end(),
                                          TokenStream::kSentenceEnd));
}

StreamPiece HeldOut(const TrainOptions& options, const TokenStream& stream) {
  if (std::holds_alternative<NceOptions>(options.objective)) {
    return HeldOutPiece(stream);
  }
  return {stream.tokens().size(), stream.tokens().size()};
}

}  // namespace

HogwildTrainer::HogwildTrainer(const TrainOptions& options,
                               const TokenStream& stream,
                               const Vocabulary& vocabulary,
                               const ObjectiveTables& tables,
                               EmbeddingModel& model, const Hooks& hooks)
    : options_(options),
      stream_(stream),
      tables_(tables),
      model_(model),
      subsampler_(vocabulary.counts(), options.sample),
      held_out_(HeldOut(options, stream)),
      trained_{0, held_out_.begin},
      trained_words_(stream.num_words() - CountWords(stream, held_out_)),
      threads_(options.threads > 0 ? options.threads : omp_get_num_procs()),
      monitor_(LearningRateSchedule(
                   options.learning_rate > 0 ? options.learning_rate
                                             : DefaultLearningRate(options),
                   options.min_learning_rate,
                   std::max<uint64_t>(1, trained_words_ * static_cast<uint64_t>(
                                                              options.epochs))),
               std::max<uint64_t>(
                   1, trained_words_ * static_cast<uint64_t>(options.epochs)),
               hooks) {}

absl::StatusOr<EpochReport> HogwildTrainer::RunEpoch(int epoch) {
  const Clock::time_point start = Clock::now();
  const EpochContext context{options_, stream_,  subsampler_, tables_,
                             model_,   monitor_, epoch,       threads_};
  EpochReport report;
  absl::Status status;
#pragma omp parallel num_threads(threads_)
  {
    const auto thread = static_cast<size_t>(omp_get_thread_num());
    const auto team = static_cast<size_t>(omp_get_num_threads());
    Worker worker(context, CutPiece(trained_, thread, team), thread);
    TrainShard(worker);
#pragma omp critical
    {
      status.Update(worker.status());
      report.loss += worker.done().loss;
      report.examples += worker.done().examples;
    }
  }
  FIRTH_RETURN_IF_ERROR(status);
  if (report.examples > 0) {
    report.loss /= static_cast<double>(report.examples);
  }
  report.seconds = SecondsSince(start);
  if (model_.has_output_bias()) {
    report.normalization =
        MeasureNormalization(stream_, subsampler_, held_out_, options_, model_);
  }
  return report;
}

absl::StatusOr<TrainReport> HogwildTrainer::Run() {
  const Clock::time_point start = Clock::now();
  TrainReport report;
  report.threads = threads_;
  report.held_out_words = stream_.num_words() - trained_words_;
  double training_seconds = 0;
  for (int epoch = 0; epoch < options_.epochs && !monitor_.ShouldStop();
       ++epoch) {
    FIRTH_ASSIGN_OR_RETURN(EpochReport epoch_report, RunEpoch(epoch));
    training_seconds += epoch_report.seconds;
    report.epochs.push_back(epoch_report);
  }
  report.interrupted = monitor_.interrupted();
  report.words = monitor_.words();
  report.seconds = SecondsSince(start);
  report.words_per_second =
      static_cast<double>(report.words) / std::max(training_seconds, 1e-9);
  return report;
}

}  // namespace firth

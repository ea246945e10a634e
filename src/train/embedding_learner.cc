// The learner counts what the engine has done, and stores it in checkpoints
// together with the state of the engine. It measures after each epoch, so the
// loss of an epoch is a sum until then.

#include "train/embedding_learner.h"

#include <algorithm>
#include <chrono>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "firth/status_macros.h"
#include "train/embedding_checkpoint.h"
#include "train/normalization.h"

namespace firth {

namespace {

using Clock = std::chrono::steady_clock;

uint64_t CountWords(const TokenStream& stream, StreamPiece piece) {
  const auto tokens =
      stream.tokens().subspan(piece.begin, piece.end - piece.begin);
  return tokens.size() -
         static_cast<uint64_t>(std::count(tokens.begin(), tokens.end(),
                                          TokenStream::kSentenceEnd));
}

StreamPiece HeldOut(const TrainOptions& options, const TokenStream& stream) {
  if (TraitsOf(options.objective).measures_normalization) {
    return HeldOutPiece(stream);
  }
  return {stream.tokens().size(), stream.tokens().size()};
}

// Returns the mean loss per example, given the sums of an epoch.
double MeanLoss(const EpochReport& sums) {
  return sums.examples > 0 ? sums.loss / static_cast<double>(sums.examples) : 0;
}

}  // namespace

EmbeddingLearner::EmbeddingLearner(const EmbeddingTraining& training,
                                   int threads)
    : Learner(training.sentences != nullptr ? training.sentences->learner
                                            : kEmbeddingLearner,
              training.sentences != nullptr ? training.sentences->fields
                                            : TableFor<TrainOptions>()),
      training_(training),
      options_(training.options),
      model_(training.model),
      subsampler_(training.corpus.vocabulary.counts(), options_.sample),
      held_out_(HeldOut(options_, stream())),
      trained_{0, held_out_.begin},
      held_out_words_(CountWords(stream(), held_out_)),
      threads_(threads),
      monitor_(ScheduleFor(options_, stream().num_words() - held_out_words_)) {}

absl::StatusOr<std::unique_ptr<EmbeddingLearner>> EmbeddingLearner::Create(
    const EmbeddingTraining& training, int threads,
    absl::FunctionRef<
        absl::StatusOr<std::unique_ptr<Engine>>(const EngineInputs&)>
        make_engine) {
  auto learner = std::unique_ptr<EmbeddingLearner>(
      new EmbeddingLearner(training, threads));
  FIRTH_ASSIGN_OR_RETURN(
      learner->engine_,
      make_engine({learner->options_, training.corpus, learner->subsampler_,
                   training.tables, training.model, learner->monitor_,
                   learner->trained_, threads,
                   training.sentences != nullptr ? &training.sentences->rows
                                                 : nullptr}));
  FIRTH_RETURN_IF_ERROR(learner->engine_->SumOverText(
      absl::MakeSpan(&learner->held_out_words_, 1)));
  learner->engine_->BeginEpoch();
  learner->SetRateFactor(1);
  return learner;
}

Json EmbeddingLearner::Identity() const {
  if (training_.sentences != nullptr) {
    Json identity = training_.sentences->identity;
    AddTextIdentity(training_.corpus.vocabulary, engine_->TextSum(), &identity);
    return identity;
  }
  return TrainingIdentity(options_, training_.corpus.vocabulary,
                          engine_->TextSum(), training_.initial,
                          training_.validation);
}

bool EmbeddingLearner::done() const {
  return epoch_ >= static_cast<uint64_t>(options_.epochs);
}

absl::StatusOr<bool> EmbeddingLearner::Advance(RunControl& control) {
  const Clock::time_point start = Clock::now();
  monitor_.set_control(&control);
  WorkDone done;
  const absl::Status trained = engine_->Train(
      static_cast<int>(epoch_),
      [&] { return monitor_.aborted() || control.ShouldPause(); }, &done);
  sums_.loss += done.loss;
  sums_.examples += done.examples;
  sums_.seconds += std::chrono::duration<double>(Clock::now() - start).count();
  FIRTH_RETURN_IF_ERROR(trained);
  if (!engine_->EpochIsDone()) return false;
  const std::function<absl::StatusOr<WordVectors>()> copy = [this] {
    return training_.sentences != nullptr
               ? model_.CopySentences(training_.sentences->names)
               : model_.Copy(training_.corpus.vocabulary);
  };
  control.EndEpoch({static_cast<int>(epoch_), MeanLoss(sums_),
                    engine_->OwnsModel() ? &copy : nullptr});
  return true;
}

void EmbeddingLearner::EndEpoch() {
  sums_.loss = MeanLoss(sums_);
  if (model_.has_output_bias()) {
    sums_.normalization = MeasureNormalization(stream(), subsampler_, held_out_,
                                               options_, model_);
  }
  epochs_.push_back(sums_);
  sums_ = {};
  ++epoch_;
  engine_->BeginEpoch();
}

absl::StatusOr<std::optional<double>> EmbeddingLearner::HeldOutLoss() {
  FIRTH_ASSIGN_OR_RETURN(const WorkDone done,
                         engine_->Loss(*training_.validation.text->tokens));
  // Subsampling may drop all words.
  if (done.examples == 0) return std::nullopt;
  return done.loss / static_cast<double>(done.examples);
}

absl::StatusOr<std::string> EmbeddingLearner::Measure() {
  const Validation& validation = training_.validation;
  std::string line;
  if (validation.enabled()) {
    line = absl::StrCat("  valid    epoch ", epoch_ + 1, ":");
  }
  if (validation.text != nullptr) {
    FIRTH_ASSIGN_OR_RETURN(sums_.held_out_loss, HeldOutLoss());
    if (sums_.held_out_loss.has_value()) {
      absl::StrAppendFormat(&line, " loss %.4f", *sums_.held_out_loss);
    } else {
      line += " no loss, since --sample dropped all words";
    }
  }
  if (validation.score) {
    FIRTH_ASSIGN_OR_RETURN(sums_.score, engine_->Score(validation.score));
    absl::StrAppendFormat(&line, " score %.2f", *sums_.score);
  }
  EndEpoch();
  return line;
}

std::vector<std::optional<double>> EmbeddingLearner::Scores() const {
  std::vector<std::optional<double>> scores;
  for (const EpochReport& epoch : epochs_) {
    std::optional<double> score = epoch.score;
    if (!score.has_value() && epoch.held_out_loss.has_value()) {
      score = -*epoch.held_out_loss;
    }
    scores.push_back(score);
  }
  return scores;
}

void EmbeddingLearner::AddConstants(CheckedWriter* writer) const {
  AddVocabulary(training_.corpus.vocabulary, writer);
}

Json EmbeddingLearner::State() const {
  Json state = {{"epoch", epoch_},
                {"words", std::min(position(), total())},
                {"sums", sums_},
                {"epochs", epochs_}};
  engine_->AddState(&state);
  return state;
}

absl::Status EmbeddingLearner::SetState(const Json& state) {
  epoch_ = CountAt(state, "epoch", static_cast<uint64_t>(options_.epochs));
  FIRTH_RETURN_IF_ERROR(engine_->SetState(state));
  engine_->Restored(CountAt(state, "words", total()));
  state.at("sums").get_to(sums_);
  state.at("epochs").get_to(epochs_);
  if (epochs_.size() == epoch_) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("state: expected ", epoch_,
                                          " epochs, found ", epochs_.size()));
}

TrainReport EmbeddingLearner::Report(const RunReport& run) const {
  TrainReport report;
  report.threads = threads_;
  engine_->Report(&report);
  report.held_out_words = held_out_words_;
  report.epochs = epochs_;
  if (sums_.examples > 0) {  // The epoch was interrupted.
    report.epochs.push_back(sums_);
    report.epochs.back().loss = MeanLoss(sums_);
  }
  report.best_epoch = run.best;
  report.stopped_early = run.stopped_early;
  report.interrupted = run.interrupted;
  report.words = position();
  report.resumed_words = run.first_position;
  report.seconds = run.seconds;
  report.words_per_second =
      static_cast<double>(report.words - run.first_position) /
      std::max(run.training_seconds, 1e-9);
  report.checkpoints = run.checkpoints;
  report.checkpoint_seconds = run.checkpoint_seconds;
  return report;
}

}  // namespace firth

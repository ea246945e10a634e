// Each epoch draws an order of the pairs and uses batches of similar lengths.

#include "seq2seq/seq2seq_learner.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/fields_json.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/threads.h"
#include "firth/span_corruption.h"
#include "firth/status_macros.h"
#include "io/tensors/checked_tensors.h"
#include "lm/learn/drawn_batches.h"
#include "lm/model/matrix_tensors.h"
#include "run/checkpoint_tensors.h"
#include "run/checkpoints.h"
#include "seq2seq/text_writer.h"

namespace firth {

// The JSON library finds these functions by name.
static void to_json(Json& json, const Seq2SeqEpoch& epoch) {
  json = {{"loss", epoch.loss},
          {"dev_loss", epoch.dev_loss},
          {"has_scores", epoch.has_scores},
          {"score", epoch.score},
          {"seconds", epoch.seconds}};
}
static void from_json(const Json& json, Seq2SeqEpoch& epoch) {
  json.at("loss").get_to(epoch.loss);
  json.at("dev_loss").get_to(epoch.dev_loss);
  json.at("has_scores").get_to(epoch.has_scores);
  json.at("score").get_to(epoch.score);
  json.at("seconds").get_to(epoch.seconds);
}

namespace {

constexpr char kName[] = "a sequence-to-sequence model";
constexpr size_t kDevBatch = 64;

// Keys that are combined with the seed, one for each kind of random numbers.
enum Draw : uint64_t { kOrder, kSteps, kSpans, kDevSpans };

nn::ParameterList<float> ParametersOf(Seq2SeqNetwork& network) {
  nn::ParameterList<float> parameters;
  network.AppendParameters(&parameters);
  return parameters;
}

std::string SumOf(absl::Span<const TextPair> pairs) {
  uint64_t sum = pairs.size();
  for (const TextPair& pair : pairs) {
    for (const auto* side : {&pair.source, &pair.target}) {
      for (const std::string& token : *side) {
        sum = Checksum(token, Checksum(" ", sum));
      }
      sum = Checksum("\n", sum);
    }
  }
  return HexChecksum(sum);
}

absl::StatusOr<std::vector<FileFact>> FactsOf(const CheckedReader& reader,
                                              const Json& training,
                                              const Json& state) {
  const Json& epochs = state.at("epochs");
  std::vector<FileFact> facts = {
      {"encoder", training.at("encoder").get<std::string>()},
      {"decoder", training.at("decoder").get<std::string>()},
      {"units", CountAt(training, "units")},
      {"epochs", CountAt(training, "epochs")},
      {"epochs_done", uint64_t{epochs.size()}},
      {"steps", CountAt(state, "steps")},
      {"parameters", reader.num_floats()},
      {"rate_factor", state.at("rate_factor").get<double>()}};
  if (!epochs.empty()) {
    facts.push_back({"loss", epochs.back().get<Seq2SeqEpoch>().loss});
  }
  return facts;
}

}  // namespace

TextPair Denoised(const TextPair& pair, const Seq2SeqOptions& options,
                  uint64_t key) {
  const SpanOptions spans{.share = options.span_share,
                          .mean_length = options.span_length,
                          .seed = key};
  const std::vector<absl::string_view> words(pair.source.begin(),
                                             pair.source.end());
  CorruptedSentence corrupted =
      CorruptSpans(words, DrawSpans(words.size(), spans, 0));
  return {std::move(corrupted.input), std::move(corrupted.target)};
}

Seq2SeqLearner::Seq2SeqLearner(absl::Span<const TextPair> train,
                               absl::Span<const TextPair> dev,
                               const Seq2SeqOptions& options,
                               const Seq2SeqHooks& hooks, Seq2SeqModel& model,
                               Seq2SeqReport* report)
    : EpochLearner(kName, TableFor<Seq2SeqOptions>(), options.epochs,
                   hooks.on_epoch, report),
      train_(train),
      dev_(dev),
      options_(options),
      hooks_(hooks),
      model_(model),
      parameters_(ParametersOf(*model.network)),
      optimizer_(nn::AdamOptions{}, parameters_) {
  for (const auto* parameter : parameters_) {
    report->parameters += parameter->value.size();
  }
  for (const TextPair& pair : train) {
    PairIds ids =
        IdsOf(options.denoise ? Denoised(pair, options, options.seed) : pair);
    report->source_tokens += ids.source.size() - 1;
    report->target_tokens += ids.target.size();
    if (!options.denoise) pairs_.push_back(std::move(ids));
  }
  report->pairs = train.size();
  set_epoch_tokens(report->target_tokens);
  report->source_words = model.source_words.size();
  report->target_words = model.target_words.size();
  rate_.decay = options.decay;
  rate_.start = options.learning_rate;
  rate_.end = options.learning_rate / 10;
  rate_.warmup = options.warmup;
  rate_.total = std::max<uint64_t>(options.epochs * BatchesOf(0).size(),
                                   options.warmup + 1);
}

Seq2SeqLearner::PairIds Seq2SeqLearner::IdsOf(const TextPair& pair) const {
  return {model_.SourceIds(pair.source), model_.TargetIds(pair.target)};
}

Json Seq2SeqLearner::Identity() const {
  Json identity = IdentityOf(options_);
  identity["pairs"] = SumOf(train_);
  identity["dev"] = SumOf(dev_);
  for (const auto* vectors :
       {options_.source_vectors, options_.target_vectors}) {
    const bool source = vectors == options_.source_vectors;
    uint64_t sum = 0;
    for (size_t w = 0; vectors != nullptr && w < vectors->size(); ++w) {
      const std::vector<float> vector = vectors->CopyVector(ToWordId(w));
      sum = Checksum(BytesOf(absl::MakeConstSpan(vector)),
                     Checksum(vectors->vocabulary().Word(ToWordId(w)), sum));
    }
    identity[source ? "source_vectors" : "target_vectors"] = HexChecksum(sum);
  }
  return identity;
}

Seq2SeqLearner::Batches Seq2SeqLearner::BatchesOf(size_t epoch) const {
  return DrawnBatches(
      train_.size(),
      [&](size_t p) {
        return std::max(train_[p].source.size(), train_[p].target.size());
      },
      options_.batch, CombineKeys(CombineKeys(options_.seed, kOrder), epoch));
}

PairBatch Seq2SeqLearner::BatchOf(absl::Span<const size_t> pairs) const {
  const uint64_t key = CombineKeys(CombineKeys(options_.seed, kSpans), epoch());
  PairBatch batch;
  for (const size_t p : pairs) {
    if (options_.denoise) {
      const PairIds ids =
          IdsOf(Denoised(train_[p], options_, CombineKeys(key, p)));
      batch.Add(ids.source, ids.target);
    } else {
      batch.Add(pairs_[p].source, pairs_[p].target);
    }
  }
  return batch;
}

absl::StatusOr<size_t> Seq2SeqLearner::PrepareBatches() {
  batches_ = BatchesOf(epoch());
  return batches_.size();
}

absl::Status Seq2SeqLearner::Step(size_t number) {
  const uint64_t step = optimizer_.steps();
  const PairBatch batch = BatchOf(batches_[number]);
  const double loss = model_.network->Train(
      batch, CombineKeys(CombineKeys(options_.seed, kSteps), step),
      NumThreads(options_.threads));
  if (!std::isfinite(loss)) return NotFinite("the loss", loss);
  const double norm = nn::ClipGlobalNorm(
      options_.clip > 0 ? options_.clip
                        : std::numeric_limits<double>::infinity(),
      parameters_);
  if (!std::isfinite(norm)) return NotFinite("the norm of the gradient", norm);
  const double rate = rate_factor() * rate_.At(step);
  optimizer_.Step(rate);
  AddStep(rate, loss, batch.target.size());
  return absl::OkStatus();
}

absl::Status Seq2SeqLearner::NotFinite(absl::string_view what, double found) {
  for (auto* parameter : parameters_) parameter->gradient.Clear();
  return absl::OutOfRangeError(
      absl::StrCat("training diverged at step ", optimizer_.steps() + 1,
                   " (epoch ", epoch() + 1, "): ", what, " is ", found,
                   "; use a learning rate below ", options_.learning_rate));
}

absl::StatusOr<double> Seq2SeqLearner::DevLoss() const {
  double sum = 0, tokens = 0;
  const uint64_t key = CombineKeys(options_.seed, kDevSpans);
  for (size_t first = 0; first < dev_.size(); first += kDevBatch) {
    PairBatch batch;
    for (size_t p = first; p < std::min(first + kDevBatch, dev_.size()); ++p) {
      const PairIds ids = IdsOf(
          options_.denoise ? Denoised(dev_[p], options_, CombineKeys(key, p))
                           : dev_[p]);
      batch.Add(ids.source, ids.target);
    }
    for (const double loss :
         model_.network->Losses(batch, NumThreads(options_.threads))) {
      sum += loss;
    }
    tokens += static_cast<double>(batch.target.size());
  }
  if (std::isfinite(sum)) return sum / tokens;
  return absl::OutOfRangeError(
      absl::StrCat("epoch ", epoch() + 1, ": the loss on the dev set is ", sum,
                   "; use a learning rate below ", options_.learning_rate));
}

absl::StatusOr<double> Seq2SeqLearner::DevScore() const {
  ReferenceScorer scorer;
  const Seq2SeqSearch greedy{.beam = 1, .threads = options_.threads};
  for (size_t first = 0; first < dev_.size(); first += kDevBatch) {
    std::vector<const std::vector<std::string>*> sources;
    for (const TextPair& pair : dev_.subspan(first, kDevBatch)) {
      sources.push_back(&pair.source);
    }
    FIRTH_ASSIGN_OR_RETURN(
        const auto results,
        WriteTexts(model_, sources, greedy, {nullptr, hooks_.hooks.stop}));
    for (size_t i = 0; i < sources.size(); ++i) {
      scorer.Add(results[i][0].text,
                 TextOf(options_.tokens, dev_[first + i].target));
    }
  }
  const TextScores scores = scorer.scores();
  return options_.metric == Seq2SeqMetric::kBleu   ? scores.bleu.score
         : options_.metric == Seq2SeqMetric::kChrf ? scores.chrf
                                                   : 100 * scores.exact;
}

absl::Status Seq2SeqLearner::MeasureEpoch(Seq2SeqEpoch* result) {
  if (dev_.empty()) return absl::OkStatus();
  model_.network->ParametersStay();
  FIRTH_ASSIGN_OR_RETURN(result->dev_loss, DevLoss());
  result->has_scores = options_.metric != Seq2SeqMetric::kLoss;
  if (!result->has_scores) return absl::OkStatus();
  FIRTH_ASSIGN_OR_RETURN(result->score, DevScore());
  return absl::OkStatus();
}

std::optional<double> Seq2SeqLearner::ScoreOf(const Seq2SeqEpoch& epoch) const {
  if (dev_.empty()) return std::nullopt;
  return epoch.has_scores ? epoch.score : -epoch.dev_loss;
}

std::vector<NamedTensor> Seq2SeqLearner::Learned() {
  return TensorsOf(parameters_);
}

std::vector<NamedTensor> Seq2SeqLearner::Others() {
  return TensorsOf(optimizer_);
}

Json Seq2SeqLearner::State() const {
  Json state = {{"steps", optimizer_.steps()}, {"epochs", report().epochs}};
  AppendSums(&state);
  return state;
}

absl::Status Seq2SeqLearner::SetState(const Json& state) {
  state.at("epochs").get_to(report().epochs);
  FIRTH_RETURN_IF_ERROR(ReadSums(state, BatchesOf(epoch()).size()));
  optimizer_.set_steps(CountAt(state, "steps", position()));
  return absl::OkStatus();
}

absl::StatusOr<std::optional<FileInfo>> DescribeSeq2SeqCheckpoint(
    const MappedFilePtr& file) {
  return DescribeCheckpointOf(kName, file, FactsOf);
}

}  // namespace firth

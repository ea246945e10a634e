// Each epoch draws an order of the sentences and uses batches of similar
// lengths. The batch of a sentence determines the last bits of its contextual
// vectors, so a resumed training run reads its sentences in the batches of the
// run before it.

#include "tag/tag_learner.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/fields_json.h"
#include "base/json.h"
#include "base/rng.h"
#include "firth/status_macros.h"
#include "lm/learn/drawn_batches.h"
#include "lm/model/matrix_tensors.h"
#include "run/run.h"

namespace firth {

// The JSON library finds these functions by name.
static void to_json(Json& json, const FoundCounts& counts) {
  json = {counts.gold, counts.found, counts.correct};
}
static void from_json(const Json& json, FoundCounts& counts) {
  counts = {CountAt(json, 0), CountAt(json, 1), CountAt(json, 2)};
}

static void to_json(Json& json, const TaggerEpoch& epoch) {
  json = {{"loss", epoch.loss},
          {"seconds", epoch.seconds},
          {"tokens", epoch.dev.tokens},
          {"correct", epoch.dev.correct},
          {"has_spans", epoch.dev.has_spans},
          {"spans", epoch.dev.spans},
          {"types", epoch.dev.types}};
}
static void from_json(const Json& json, TaggerEpoch& epoch) {
  json.at("loss").get_to(epoch.loss);
  json.at("seconds").get_to(epoch.seconds);
  epoch.dev.tokens = CountAt(json, "tokens");
  epoch.dev.correct = CountAt(json, "correct");
  json.at("has_spans").get_to(epoch.dev.has_spans);
  json.at("spans").get_to(epoch.dev.spans);
  json.at("types").get_to(epoch.dev.types);
}

namespace {

constexpr char kName[] = "a tagger";

// Sums of values and of their squares by column, over the rows of matrices.
class ColumnSums {
 public:
  explicit ColumnSums(size_t cols) : sums_(cols), squares_(cols) {}

  void Add(const Matrix<float>& values) {
    rows_ += static_cast<double>(values.rows());
    for (size_t r = 0; r < values.rows(); ++r) {
      for (size_t c = 0; c < sums_.size(); ++c) {
        const auto value = static_cast<double>(values.Row(r)[c]);
        sums_[c] += value;
        squares_[c] += value * value;
      }
    }
  }
  double Mean(size_t c) const { return sums_[c] / rows_; }
  double Variance(size_t c) const {
    return squares_[c] / rows_ - Mean(c) * Mean(c);
  }
  double MeanSquare() const {
    return std::accumulate(squares_.begin(), squares_.end(), 0.0) /
           (rows_ * static_cast<double>(squares_.size()));
  }

 private:
  double rows_ = 0;
  std::vector<double> sums_;
  std::vector<double> squares_;
};

// Returns 1 if all values are equal.
float InverseRoot(double square) {
  return square > 1e-12 ? static_cast<float>(1 / std::sqrt(square)) : 1.0f;
}

nn::ParameterList<float> ParametersOf(TagNetwork<float>& network) {
  nn::ParameterList<float> parameters;
  network.AppendParameters(&parameters);
  return parameters;
}

nn::ParameterList<float> WithTuned(nn::ParameterList<float> list,
                                   const ContextTuner* tuner) {
  if (tuner == nullptr) return list;
  list.insert(list.end(), tuner->parameters().begin(),
              tuner->parameters().end());
  return list;
}

std::string SumOf(absl::Span<const TaggedSentence> sentences) {
  uint64_t sum = sentences.size();
  for (const TaggedSentence& sentence : sentences) {
    for (const auto* words : {&sentence.tokens, &sentence.tags}) {
      for (const std::string& word : *words) sum = Checksum(word, sum);
    }
    sum = Checksum("\n", sum);
  }
  return HexChecksum(sum);
}

absl::StatusOr<std::vector<FileFact>> FactsOf(const CheckedReader& reader,
                                              const Json& training,
                                              const Json& state) {
  const Json& epochs = state.at("epochs");
  std::vector<FileFact> facts = {
      {"layers", CountAt(training, "layers")},
      {"units", CountAt(training, "units")},
      {"head", training.at("head").get<std::string>()},
      {"epochs", CountAt(training, "epochs")},
      {"epochs_done", uint64_t{epochs.size()}},
      {"steps", CountAt(state, "steps")},
      {"parameters", reader.num_floats()},
      {"rate_factor", state.at("rate_factor").get<double>()}};
  if (!epochs.empty()) {
    facts.push_back({"loss", epochs.back().get<TaggerEpoch>().loss});
  }
  return facts;
}

}  // namespace

TagLearner::TagLearner(const TagTask& task, const TaggerHooks& hooks,
                       TagNetwork<float>& network, TaggerReport* report)
    : EpochLearner(kName, TableFor<TaggerOptions>(), task.options.epochs,
                   hooks.on_epoch, report),
      task_(task),
      options_(task.options),
      hooks_(hooks),
      network_(network),
      parameters_(ParametersOf(network)),
      all_(WithTuned(parameters_, task.tuner)),
      optimizer_(nn::AdamOptions{}, parameters_) {
  for (const auto* parameter : all_) {
    if (!parameter->frozen) report->parameters += parameter->value.size();
  }
  uint64_t tokens = 0;
  for (const TaggedSentence& sentence : task.train.sentences) {
    tokens += sentence.tokens.size();
  }
  set_epoch_tokens(tokens);
  rate_.decay = nn::Decay::kLinear;
  rate_.start = options_.learning_rate;
  rate_.end = options_.learning_rate / 10;
}

void TagLearner::SetRateSteps(uint64_t steps) {
  rate_.total = steps;
  if (task_.tuner != nullptr) task_.tuner->SetTotalSteps(steps);
}

absl::Status TagLearner::ForEach(
    const Batches& batches,
    absl::FunctionRef<void(const TokenFeatures<float>&)> see) const {
  for (const auto& batch : batches) {
    if (hooks_.hooks.StopRequested()) return absl::CancelledError("stopped");
    FIRTH_ASSIGN_OR_RETURN(const TokenFeatures<float> features,
                           task_.train.features.Get(batch, task_.choice));
    see(features);
  }
  return absl::OkStatus();
}

absl::Status TagLearner::SetScales() {
  constexpr size_t kEnough = 1024;
  ColumnSums words(network_.options().static_dim);
  ColumnSums layers(network_.options().contextual_dim);
  const std::vector<size_t> order =
      DrawnOrder(task_.train.features.size(), options_.seed);
  FIRTH_RETURN_IF_ERROR(ForEach(
      BatchByLength([&](size_t s) { return task_.train.features.length(s); },
                    absl::MakeConstSpan(order).subspan(0, kEnough),
                    options_.batch),
      [&](const TokenFeatures<float>& features) {
        words.Add(features.words);
        for (const auto& layer : features.layers) layers.Add(layer);
      }));
  Matrix<float>& scales = network_.word_scales();
  for (size_t c = 0; c < scales.cols(); ++c) {
    scales.Row(0)[c] = static_cast<float>(words.Mean(c));
    scales.Row(1)[c] = InverseRoot(words.Variance(c));
  }
  if (!task_.choice.layers.empty()) {
    network_.set_layer_scale(InverseRoot(layers.MeanSquare()));
  }
  return absl::OkStatus();
}

Json TagLearner::Identity() const {
  Json identity = IdentityOf(options_);
  identity["sentences"] = SumOf(task_.train.sentences);
  identity["dev"] = SumOf(task_.dev.sentences);
  identity["vectors"] = task_.vectors;
  identity["contextualizer"] = task_.contextualizer;
  return identity;
}

TagLearner::Batches TagLearner::BatchesOf(size_t epoch) const {
  const FeatureStore& store = task_.train.features;
  return DrawnBatches(
      store.size(), [&](size_t s) { return store.length(s); }, options_.batch,
      CombineKeys(CombineKeys(options_.seed, 0), epoch));
}

absl::StatusOr<size_t> TagLearner::PrepareBatches() {
  batches_ = BatchesOf(epoch());
  // Epochs differ by at most a few batches.
  SetRateSteps(std::max(rate_.total, options_.epochs * batches_.size()));
  return batches_.size();
}

absl::StatusOr<TokenFeatures<float>> TagLearner::FeaturesOf(
    absl::Span<const size_t> batch, uint64_t key) {
  if (task_.tuner == nullptr) {
    return task_.train.features.Get(batch, task_.choice);
  }
  FeatureChoice others = task_.choice;
  others.layers.clear();
  FIRTH_ASSIGN_OR_RETURN(TokenFeatures<float> features,
                         task_.train.features.Get(batch, others));
  std::vector<ContextTuner::Sentence> sentences;
  for (const size_t s : batch) {
    const std::vector<std::string>& tokens = task_.train.sentences[s].tokens;
    sentences.emplace_back(tokens.begin(), tokens.end());
  }
  task_.tuner->Forward(sentences, key, &features.layers);
  return features;
}

absl::Status TagLearner::Step(size_t number) {
  const std::vector<size_t>& batch = batches_[number];
  const uint64_t step = optimizer_.steps();
  const uint64_t key = CombineKeys(CombineKeys(options_.seed, 1), step);
  FIRTH_ASSIGN_OR_RETURN(const TokenFeatures<float> features,
                         FeaturesOf(batch, CombineKeys(key, 1)));
  std::vector<uint32_t> tags;
  for (const size_t sentence : batch) {
    const auto numbers = task_.numbers.Numbers(task_.train.sentences[sentence]);
    tags.insert(tags.end(), numbers.begin(), numbers.end());
  }
  const bool tunes = task_.tuner != nullptr;
  const double loss =
      network_.Train(features, tags, key, tunes ? &d_layers_ : nullptr);
  if (!std::isfinite(loss)) return Diverged(absl::StrCat("the loss is ", loss));
  if (tunes) task_.tuner->Backward(d_layers_);
  const double norm =
      nn::ClipGlobalNorm(options_.clip > 0 ? options_.clip : HUGE_VAL, all_);
  if (!std::isfinite(norm)) {
    return Diverged(absl::StrCat("the loss is ", loss,
                                 ", the norm of its gradients ", norm));
  }
  const double rate = rate_factor() * rate_.At(step);
  optimizer_.Step(rate);
  if (tunes) task_.tuner->Step(rate_factor());
  AddStep(rate, loss, tags.size());
  return absl::OkStatus();
}

absl::Status TagLearner::Diverged(absl::string_view cause) {
  for (auto* parameter : all_) parameter->gradient.Clear();
  return absl::OutOfRangeError(absl::StrCat(
      "training diverged at step ", optimizer_.steps() + 1, " (epoch ",
      epoch() + 1, "): ", cause, "; use a learning rate below ",
      options_.learning_rate,
      task_.tuner == nullptr
          ? ""
          : absl::StrCat(", or a tuning rate below ", options_.tuning_rate)));
}

absl::Status TagLearner::MeasureEpoch(TaggerEpoch* result) {
  if (task_.tuner != nullptr) task_.tuner->ParametersStay();
  FIRTH_ASSIGN_OR_RETURN(
      result->dev, ScoreTags(task_.dev, task_.numbers.tags(), task_.choice,
                             options_, hooks_.hooks, network_));
  return absl::OkStatus();
}

std::optional<double> TagLearner::ScoreOf(const TaggerEpoch& epoch) const {
  if (task_.dev.sentences.empty()) return std::nullopt;
  return MainScore(epoch.dev);
}

std::vector<NamedTensor> TagLearner::Learned() {
  std::vector<NamedTensor> tensors = TensorsOf(parameters_);
  if (task_.tuner != nullptr) task_.tuner->AppendLearnt(&tensors);
  return tensors;
}

std::vector<NamedTensor> TagLearner::Others() {
  std::vector<NamedTensor> tensors = TensorsOf(optimizer_);
  if (task_.tuner != nullptr) task_.tuner->AppendOthers(&tensors);
  return tensors;
}

Json TagLearner::State() const {
  Json state = {{"steps", optimizer_.steps()},
                {"rate_steps", rate_.total},
                {"epochs", report().epochs}};
  AppendSums(&state);
  return state;
}

absl::Status TagLearner::SetState(const Json& state) {
  state.at("epochs").get_to(report().epochs);
  FIRTH_RETURN_IF_ERROR(ReadSums(state, BatchesOf(epoch()).size()));
  optimizer_.set_steps(CountAt(state, "steps", position()));
  if (task_.tuner != nullptr) task_.tuner->set_steps(optimizer_.steps());
  SetRateSteps(CountAt(state, "rate_steps", total()));
  // Vectors that change are computed anew each time.
  const bool keeps = !task_.choice.layers.empty() && task_.tuner == nullptr;
  return keeps ? ReadAgain() : absl::OkStatus();
}

// Computes the contextual vectors that the previous run had computed: in its
// first epoch, and when it was measured for the first time.
absl::Status TagLearner::ReadAgain() {
  Batches batches = BatchesOf(0);
  if (epoch() == 0) batches.resize(batches_done());
  FIRTH_RETURN_IF_ERROR(ForEach(batches, [](const auto&) {}));
  if (epoch() == 0) return absl::OkStatus();
  return ScoreTags(task_.dev, task_.numbers.tags(), task_.choice, options_,
                   hooks_.hooks, network_)
      .status();
}

absl::Status TrainTagNetwork(const TagTask& task, const TaggerHooks& hooks,
                             const Checkpointing& checkpointing,
                             TagNetwork<float>& network, TaggerReport* report) {
  TagLearner learner(task, hooks, network, report);
  FIRTH_RETURN_IF_ERROR(learner.SetScales());
  const RunOptions options{.hooks = hooks.hooks,
                           .checkpointing = checkpointing,
                           .patience = task.options.patience};
  FIRTH_ASSIGN_OR_RETURN(const RunReport run, Run(learner, options).Drive());
  report->interrupted = run.interrupted;
  return absl::OkStatus();
}

absl::StatusOr<std::optional<FileInfo>> DescribeTaggerCheckpoint(
    const MappedFilePtr& file) {
  return DescribeCheckpointOf(kName, file, FactsOf);
}

}  // namespace firth

#include "tag/tag_training.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/rng.h"
#include "base/status_macros.h"
#include "base/threads.h"
#include "nn/optimizer.h"
#include "nn/schedule.h"

namespace firth {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMostTags = 4096;
// Batches of similar lengths are made within so many, so that few rows are
// padding and yet no two epochs have the same batches.
constexpr size_t kPoolBatches = 32;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<std::vector<size_t>> EpochBatches(const FeatureStore& store,
                                              size_t most, uint64_t key) {
  const std::vector<size_t> order = DrawnOrder(store.size(), key);
  std::vector<std::vector<size_t>> all;
  const size_t pool = most * kPoolBatches;
  for (size_t first = 0; first < order.size(); first += pool) {
    for (auto& batch : BatchByLength(
             store, absl::MakeConstSpan(order).subspan(first, pool), most)) {
      all.push_back(std::move(batch));
    }
  }
  std::vector<std::vector<size_t>> batches;
  for (const size_t i : DrawnOrder(all.size(), CombineKeys(key, 1))) {
    batches.push_back(std::move(all[i]));
  }
  return batches;
}

// Sums over the rows of matrices, by column, of values and squares.
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

// 1 where all is alike.
float InverseRoot(double square) {
  return square > 1e-12 ? static_cast<float>(1 / std::sqrt(square)) : 1.0f;
}

// Copies of parameters' values, to come back to.
class Snapshot {
 public:
  void Take(const nn::ParameterList<float>& parameters) {
    values_.resize(parameters.size());
    for (size_t i = 0; i < parameters.size(); ++i) {
      const Matrix<float>& value = parameters[i]->value;
      values_[i].assign(value.data(), value.data() + value.size());
    }
  }
  bool taken() const { return !values_.empty(); }
  void Restore(const nn::ParameterList<float>& parameters) const {
    for (size_t i = 0; i < parameters.size(); ++i) {
      std::copy(values_[i].begin(), values_[i].end(),
                parameters[i]->value.data());
    }
  }

 private:
  std::vector<std::vector<float>> values_;
};

class Training {
 public:
  Training(TagSet& train, TagSet& dev, const TagNumbers& numbers,
           const FeatureChoice& choice, const TaggerOptions& options,
           const TaggerHooks& hooks, TagNetwork<float>& network,
           TaggerReport* report)
      : train_(train),
        dev_(dev),
        numbers_(numbers),
        choice_(choice),
        options_(options),
        hooks_(hooks),
        network_(network),
        report_(report) {
    network.AppendParameters(&parameters_);
    optimizer_.emplace(nn::AdamOptions{}, parameters_);
    for (const auto* parameter : parameters_) {
      if (!parameter->frozen) report->parameters += parameter->value.size();
    }
    rate_.decay = nn::Decay::kLinear;
    rate_.start = options.learning_rate;
    rate_.end = options.learning_rate / 10;
  }

  absl::Status Run() {
    FIRTH_RETURN_IF_ERROR(SetScales());
    for (size_t epoch = 0; epoch < options_.epochs; ++epoch) {
      FIRTH_ASSIGN_OR_RETURN(const bool done, RunEpoch(epoch));
      if (!done || OutOfPatience()) break;
    }
    if (best_.taken()) best_.Restore(parameters_);
    return absl::OkStatus();
  }

 private:
  // From the first sentences that are read.
  absl::Status SetScales() {
    constexpr size_t kEnough = 1024;
    ColumnSums words(network_.options().static_dim);
    ColumnSums layers(network_.options().contextual_dim);
    const std::vector<size_t> order =
        DrawnOrder(train_.features.size(), options_.seed);
    for (const auto& batch : BatchByLength(
             train_.features, absl::MakeConstSpan(order).subspan(0, kEnough),
             options_.batch)) {
      FIRTH_ASSIGN_OR_RETURN(const TokenFeatures<float> features,
                             train_.features.Get(batch, choice_));
      words.Add(features.words);
      for (const auto& layer : features.layers) layers.Add(layer);
    }
    Matrix<float>& scales = network_.word_scales();
    for (size_t c = 0; c < scales.cols(); ++c) {
      scales.Row(0)[c] = static_cast<float>(words.Mean(c));
      scales.Row(1)[c] = InverseRoot(words.Variance(c));
    }
    if (!choice_.layers.empty()) {
      network_.set_layer_scale(InverseRoot(layers.MeanSquare()));
    }
    return absl::OkStatus();
  }

  bool Stopped() {
    report_->interrupted |= hooks_.hooks.StopRequested();
    return report_->interrupted;
  }

  bool OutOfPatience() const {
    return best_.taken() && options_.patience > 0 &&
           report_->epochs.size() - report_->best_epoch >= options_.patience;
  }

  // False: stopped before its end.
  absl::StatusOr<bool> RunEpoch(size_t epoch) {
    const Clock::time_point start = Clock::now();
    const auto batches =
        EpochBatches(train_.features, options_.batch,
                     CombineKeys(CombineKeys(options_.seed, 0), epoch));
    // The same in each epoch, within a few batches.
    rate_.total = std::max(rate_.total, options_.epochs * batches.size());
    double loss = 0;
    uint64_t tokens = 0;
    for (size_t b = 0; b < batches.size(); ++b) {
      if (Stopped()) return false;
      FIRTH_RETURN_IF_ERROR(Step(epoch, batches[b], &loss, &tokens));
      Tell(epoch,
           static_cast<double>(b + 1) / static_cast<double>(batches.size()),
           loss / static_cast<double>(tokens), tokens, SecondsSince(start));
    }
    TaggerEpoch result{loss / static_cast<double>(tokens), {}, 0};
    const auto scores = ScoreTags(dev_, numbers_.tags(), choice_, options_,
                                  hooks_.hooks, network_);
    if (absl::IsCancelled(scores.status()) && Stopped()) return false;
    if (!scores.ok()) return scores.status();
    result.dev = *scores;
    result.seconds = SecondsSince(start);
    report_->epochs.push_back(result);
    KeepIfBest();
    if (hooks_.on_epoch) hooks_.on_epoch(*report_);
    return !Stopped();
  }

  void KeepIfBest() {
    if (dev_.sentences.empty()) return;
    const double score = MainScore(report_->epochs.back().dev);
    if (best_.taken() && score <= best_score_) return;
    best_score_ = score;
    best_.Take(parameters_);
    report_->best_epoch = report_->epochs.size();
  }

  absl::Status Step(size_t epoch, absl::Span<const size_t> batch, double* sum,
                    uint64_t* tokens) {
    FIRTH_ASSIGN_OR_RETURN(const TokenFeatures<float> features,
                           train_.features.Get(batch, choice_));
    std::vector<uint32_t> tags;
    for (const size_t sentence : batch) {
      const auto numbers = numbers_.Numbers(train_.sentences[sentence]);
      tags.insert(tags.end(), numbers.begin(), numbers.end());
    }
    const uint64_t step = optimizer_->steps();
    const double loss = network_.Train(
        features, tags, CombineKeys(CombineKeys(options_.seed, 1), step));
    if (!std::isfinite(loss)) {
      return Diverged(epoch, absl::StrCat("the loss is ", loss));
    }
    const double norm = nn::ClipGlobalNorm(
        options_.clip > 0 ? options_.clip : HUGE_VAL, parameters_);
    if (!std::isfinite(norm)) {
      return Diverged(epoch,
                      absl::StrCat("the loss is ", loss,
                                   ", the norm of its gradients ", norm));
    }
    optimizer_->Step(rate_.At(step));
    *sum += loss * static_cast<double>(tags.size());
    *tokens += tags.size();
    return absl::OkStatus();
  }

  absl::Status Diverged(size_t epoch, absl::string_view cause) const {
    return absl::InternalError(absl::StrCat(
        "training diverged at step ", optimizer_->steps() + 1, " (epoch ",
        epoch + 1, "): ", cause, "; a lower learning rate than ",
        options_.learning_rate, " may help"));
  }

  void Tell(size_t epoch, double share, double loss, uint64_t tokens,
            double seconds) const {
    if (hooks_.hooks.progress == nullptr) return;
    TrainProgress progress;
    const auto epochs = static_cast<double>(options_.epochs);
    progress.epoch = static_cast<int>(epoch);
    progress.fraction = (static_cast<double>(epoch) + share) / epochs;
    progress.words_per_second = static_cast<double>(tokens) / seconds;
    progress.loss = loss;
    progress.learning_rate = rate_.At(optimizer_->steps());
    progress.seconds_left =
        seconds / share * (epochs - static_cast<double>(epoch) - share);
    hooks_.hooks.progress->OnTrain(progress);
  }

  TagSet& train_;
  TagSet& dev_;
  const TagNumbers& numbers_;
  const FeatureChoice& choice_;
  const TaggerOptions& options_;
  const TaggerHooks& hooks_;
  TagNetwork<float>& network_;
  TaggerReport* report_;
  nn::ParameterList<float> parameters_;
  std::optional<nn::Optimizer<float>> optimizer_;
  nn::Schedule rate_;
  Snapshot best_;
  double best_score_ = 0;
};

}  // namespace

absl::StatusOr<TagNumbers> TagNumbers::Of(
    absl::Span<const TaggedSentence> sentences) {
  TagNumbers numbers;
  for (const TaggedSentence& sentence : sentences) {
    for (const std::string& tag : sentence.tags) {
      const auto [at, is_new] = numbers.numbers_.try_emplace(
          tag, static_cast<uint32_t>(numbers.tags_.size()));
      if (is_new) numbers.tags_.push_back(tag);
    }
    if (numbers.tags_.size() > kMostTags) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected at most ", kMostTags,
                       " different tags, found more; is the column right?"));
    }
  }
  return numbers;
}

std::vector<uint32_t> TagNumbers::Numbers(
    const TaggedSentence& sentence) const {
  std::vector<uint32_t> numbers;
  numbers.reserve(sentence.tags.size());
  for (const std::string& tag : sentence.tags) {
    numbers.push_back(numbers_.at(tag));
  }
  return numbers;
}

std::vector<MixWeights> MixesOf(TagNetwork<float>& network) {
  std::vector<MixWeights> mixes;
  for (const auto* mix : {network.input_mix(), network.output_mix()}) {
    if (mix == nullptr) continue;
    const std::vector<float> shares = mix->weights();
    mixes.push_back({{shares.begin(), shares.end()},
                     mix->gamma() * network.layer_scale(),
                     mix->options().layer_norm});
  }
  return mixes;
}

absl::Status CheckTagged(absl::Span<const TaggedSentence> sentences) {
  for (const TaggedSentence& sentence : sentences) {
    if (sentence.tokens.empty() ||
        sentence.tokens.size() != sentence.tags.size()) {
      return absl::InvalidArgumentError(
          "expected sentences of tokens with a tag each");
    }
  }
  return absl::OkStatus();
}

std::vector<size_t> DrawnOrder(size_t n, uint64_t key) {
  std::vector<std::pair<uint64_t, size_t>> drawn;
  for (size_t i = 0; i < n; ++i) drawn.emplace_back(CombineKeys(key, i), i);
  std::sort(drawn.begin(), drawn.end());
  std::vector<size_t> order;
  order.reserve(n);
  for (const auto& [draw, i] : drawn) order.push_back(i);
  return order;
}

TagSet::TagSet(absl::Span<const TaggedSentence> of, TokenFeatureSource* source,
               uint64_t cache_bytes)
    : sentences(of),
      features(
          source,
          [of] {
            std::vector<const std::vector<std::string>*> tokens;
            tokens.reserve(of.size());
            for (const TaggedSentence& sentence : of) {
              tokens.push_back(&sentence.tokens);
            }
            return tokens;
          }(),
          cache_bytes) {}

TagNetworkOptions NetworkOptions(const TaggerOptions& options,
                                 const TokenFeatureSource& source,
                                 const FeatureChoice& choice, size_t num_tags) {
  TagNetworkOptions network;
  network.static_dim = choice.words ? source.static_dim() : 0;
  network.contextual_dim = choice.layers.empty() ? 0 : source.contextual_dim();
  network.mix.layers = choice.layers.size();
  network.mix.layer_norm = options.mix_layer_norm;
  network.mix.top_only = options.mix_top_only;
  network.mix.l2 = options.mix_l2;
  network.mix_at_output = options.mix_at_output;
  network.lstm_layers = options.lstm_layers;
  network.units = options.units;
  network.dropout = options.dropout;
  network.num_tags = num_tags;
  network.crf = options.crf;
  network.threads = NumThreads(options.threads);
  return network;
}

absl::Status TrainTagNetwork(TagSet& train, TagSet& dev,
                             const TagNumbers& numbers,
                             const FeatureChoice& choice,
                             const TaggerOptions& options,
                             const TaggerHooks& hooks,
                             TagNetwork<float>& network, TaggerReport* report) {
  return Training(train, dev, numbers, choice, options, hooks, network, report)
      .Run();
}

absl::StatusOr<std::vector<std::vector<std::string>>> PredictTags(
    FeatureStore& features, const std::vector<std::string>& tags,
    const FeatureChoice& choice, size_t batch, const Hooks& hooks,
    TagNetwork<float>& network) {
  std::vector<std::vector<std::string>> predicted(features.size());
  std::vector<size_t> order(features.size());
  std::iota(order.begin(), order.end(), 0);
  for (const auto& sentences : BatchByLength(features, order, batch)) {
    if (hooks.StopRequested()) return absl::CancelledError("stopped");
    FIRTH_ASSIGN_OR_RETURN(const TokenFeatures<float> read,
                           features.Get(sentences, choice));
    const std::vector<uint32_t> best = network.Decode(read);
    auto next = best.begin();
    for (const size_t sentence : sentences) {
      for (size_t t = 0; t < features.length(sentence); ++t) {
        predicted[sentence].push_back(tags[*next++]);
      }
    }
  }
  return predicted;
}

absl::StatusOr<TagScores> ScoreTags(TagSet& set,
                                    const std::vector<std::string>& tags,
                                    const FeatureChoice& choice,
                                    const TaggerOptions& options,
                                    const Hooks& hooks,
                                    TagNetwork<float>& network) {
  FIRTH_ASSIGN_OR_RETURN(
      const auto predicted,
      PredictTags(set.features, tags, choice, options.batch, hooks, network));
  TagScorer scorer;
  for (size_t s = 0; s < predicted.size(); ++s) {
    scorer.Add(set.sentences[s].tags, predicted[s]);
  }
  return scorer.scores();
}

}  // namespace firth

// Each epoch draws its batches anew. A step computes the vectors of a batch's
// texts from the rows of their words, the loss of these vectors, and from its
// gradient that of the rows.

#include "sentences/sentence_learner.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/checksum.h"
#include "base/fields_json.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/team.h"
#include "base/threads.h"
#include "firth/status_macros.h"
#include "lm/model/matrix_tensors.h"
#include "nlohmann/json.hpp"
#include "nn/teacher_loss.h"
#include "run/checkpoint_tensors.h"
#include "run/checkpoints.h"

namespace firth {

// The JSON library finds these functions by name.
static void to_json(Json& json, const SentenceEpoch& epoch) {
  json = {{"loss", epoch.loss},
          {"held_out_loss", epoch.held_out_loss},
          {"seconds", epoch.seconds}};
}
static void from_json(const Json& json, SentenceEpoch& epoch) {
  json.at("loss").get_to(epoch.loss);
  json.at("held_out_loss").get_to(epoch.held_out_loss);
  json.at("seconds").get_to(epoch.seconds);
}

namespace {

constexpr char kName[] = "sentence vectors";
// Fraction of a source that is held out at most.
constexpr size_t kLeastTrained = 20;

// Keys that are combined with the seed, one for each kind of random numbers.
enum StepDraw : uint64_t { kHeldOut = 200, kSteps, kMeasures };

nn::OptimizerOptions OptimizerOf(const SentenceTrainingOptions& options) {
  if (options.optimizer == RowOptimizer::kAdagrad) return nn::AdagradOptions{};
  return nn::AdamOptions{};
}

std::vector<size_t> PrefixesOf(const SentenceTrainingOptions& options,
                               size_t dim) {
  std::vector<size_t> prefixes(options.nested.begin(), options.nested.end());
  if (prefixes.empty() || prefixes.back() < dim) prefixes.push_back(dim);
  return prefixes;
}

nn::ContrastOptions ContrastOf(const SentenceTrainingOptions& options,
                               size_t dim) {
  nn::ContrastOptions contrast;
  contrast.prefixes = PrefixesOf(options, dim);
  contrast.weights.assign(contrast.prefixes.size(), 1);
  contrast.temperature = options.temperature;
  return contrast;
}

// Holds out the same share of each source.
HeldOutExamples DrawHeldOut(const SentenceSources& sources,
                            const SentenceTrainingOptions& options) {
  HeldOutExamples held_out;
  const size_t all = sources.size();
  for (size_t kind = 0; kind < kSourceKinds; ++kind) {
    const size_t size = sources.kinds[kind].size();
    const size_t count = std::min(
        size / kLeastTrained,
        all == 0 ? 0 : static_cast<size_t>(options.held_out * size / all));
    if (count < 2) continue;  // One example has no negatives.
    std::vector<std::pair<uint64_t, uint32_t>> drawn;
    const uint64_t key = CombineKeys(CombineKeys(options.seed, kHeldOut), kind);
    for (size_t i = 0; i < size; ++i) {
      drawn.emplace_back(CombineKeys(key, i), i);
    }
    std::nth_element(drawn.begin(),
                     drawn.begin() + static_cast<ptrdiff_t>(count),
                     drawn.end());
    for (size_t i = 0; i < count; ++i) {
      held_out[kind].push_back(drawn[i].second);
    }
    std::sort(held_out[kind].begin(), held_out[kind].end());
  }
  return held_out;
}

absl::StatusOr<std::vector<FileFact>> FactsOf(const CheckedReader& reader,
                                              const Json& training,
                                              const Json& state) {
  const Json& epochs = state.at("epochs");
  std::vector<FileFact> facts = {
      {"batch", CountAt(training, "batch")},
      {"epochs", CountAt(training, "epochs")},
      {"epochs_done", uint64_t{epochs.size()}},
      {"steps", CountAt(state, "steps")},
      {"parameters", reader.num_floats()},
      {"rate_factor", state.at("rate_factor").get<double>()}};
  if (!epochs.empty()) {
    facts.push_back({"loss", epochs.back().get<SentenceEpoch>().loss});
  }
  return facts;
}

}  // namespace

SentenceLearner::SentenceLearner(const SentenceSources& sources,
                                 const WordNGrams& ngrams,
                                 const SentenceTrainingOptions& options,
                                 const SentenceHooks& hooks, uint64_t start_sum,
                                 BagRows* rows, SentenceReport* report)
    : EpochLearner(kName, TableFor<SentenceTrainingOptions>(), options.epochs,
                   hooks.on_epoch, report),
      sources_(sources),
      ngrams_(ngrams),
      options_(options),
      hooks_(hooks),
      start_sum_(start_sum),
      rows_(*rows),
      row_optimizer_(OptimizerOf(options), rows->row_parameters()),
      weight_optimizer_(OptimizerOf(options), rows->weight_parameters()),
      contrast_(ContrastOf(options, rows->dim())),
      held_out_(DrawHeldOut(sources, options)) {
  for (const auto& examples : held_out_) report->held_out += examples.size();
  // Shares of sources are rounded.
  set_epoch_tokens(sources.size() - report->held_out + kSourceKinds);
  rate_.decay = Decay::kLinear;
  rate_.start = 1;
  rate_.end = 0;
  rate_.total = std::max<uint64_t>(options.epochs * batches().size(), 1);
}

Json SentenceLearner::Identity() const {
  Json identity = IdentityOf(options_);
  uint64_t sum = Checksum(
      absl::MakeConstSpan(sources_.teacher.data(),
                          sources_.teacher.rows() * sources_.teacher.cols()),
      0);
  for (const ExampleSource& source : sources_.kinds) {
    sum = source.texts.Sum(Checksum(absl::MakeConstSpan(source.begins), sum));
  }
  identity["texts"] = HexChecksum(sum);
  identity["vectors"] = HexChecksum(start_sum_);
  return identity;
}

const std::vector<ExampleBatch>& SentenceLearner::batches() {
  if (batches_epoch_ != epoch()) {
    batches_ = BatchesOfEpoch(sources_, held_out_, options_, epoch());
    batches_epoch_ = epoch();
  }
  return batches_;
}

void SentenceLearner::TakeText(absl::Span<const uint32_t> ids, uint64_t key,
                               bool with_ngrams, Texts* texts) const {
  Rng rng(key);
  for (const uint32_t id : ids) {
    const bool exchanged = with_ngrams && !ngrams_.rows.empty() &&
                           rng.NextFloat() < ngrams_.probabilities[id];
    if (!exchanged) {
      texts->bags.Push(id, 1);
      continue;
    }
    for (const uint32_t row : ngrams_.rows[id]) {
      texts->bags.Push(row, ngrams_.factors[id]);
    }
  }
  texts->bags.EndText();
  texts->keys.push_back(TextKey(ids));
}

void SentenceLearner::TakeTexts(const ExampleBatch& batch, uint64_t key,
                                bool with_ngrams, Texts* texts) const {
  const ExampleSource& source = sources_[batch.kind];
  texts->bags.Clear();
  texts->keys.clear();
  texts->pairs = batch.examples.size();
  const auto key_of = [&](size_t example, uint64_t part) {
    return CombineKeys(CombineKeys(key, example), part);
  };
  const size_t sides = batch.kind == SourceKind::kTeacher ? 1
                       : batch.kind == SourceKind::kPairs ? 3
                                                          : 2;
  for (size_t side = 0; side < sides; ++side) {
    for (const uint32_t example : batch.examples) {
      const uint64_t begin = source.begins[example];
      const size_t count = source.num_texts(example);
      absl::Span<const uint32_t> ids;
      if (batch.kind == SourceKind::kSpans) {
        const TwoSpans spans = DrawTwoSpans(source.texts.Text(begin).size(),
                                            options_, key_of(example, 10));
        const auto& [first, size] = side == 0 ? spans.first : spans.second;
        ids = source.texts.Text(begin).subspan(first, size);
      } else if (batch.kind == SourceKind::kParaphrases) {
        // Two different texts of the line.
        Rng rng(key_of(example, 11));
        const size_t a = rng.Below(static_cast<uint32_t>(count));
        const size_t b = rng.Below(static_cast<uint32_t>(count - 1));
        ids = source.texts.Text(begin + (side == 0 ? a : b + (b >= a)));
      } else if (side < count) {
        ids = source.texts.Text(begin + side);
      } else {
        continue;  // No negative.
      }
      TakeText(ids, key_of(example, side), with_ngrams, texts);
    }
  }
}

// Equal texts are no negatives of each other, and neither are the partners of
// equal texts.
std::vector<nn::ContrastPair> SentenceLearner::MasksOf(
    const Texts& texts) const {
  const size_t pairs = texts.pairs;
  std::vector<uint32_t> order(texts.keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(texts.keys[a], a) < std::pair(texts.keys[b], b);
  });
  std::vector<nn::ContrastPair> masks;
  const auto mask = [&](size_t row, size_t column) {
    if (row != column) masks.emplace_back(row, column);
  };
  for (size_t first = 0; first < order.size();) {
    size_t end = first + 1;
    while (end < order.size() &&
           texts.keys[order[end]] == texts.keys[order[first]]) {
      ++end;
    }
    // Each two equal texts are masked. Texts from `pairs` on are columns.
    for (size_t i = first; i < end; ++i) {
      for (size_t j = first; j < end; ++j) {
        const size_t a = order[i], b = order[j];
        if (a < pairs && b < pairs) {
          mask(a, b);
        } else if (a < pairs) {
          mask(a, b - pairs);
        } else if (b >= pairs && a - pairs < pairs) {
          mask(a - pairs, b - pairs);
        }
      }
    }
    first = end;
  }
  std::sort(masks.begin(), masks.end());
  masks.erase(std::unique(masks.begin(), masks.end()), masks.end());
  return masks;
}

double SentenceLearner::TeacherLossOf(const ExampleBatch& batch) {
  Matrix<float> teacher(batch.examples.size(), sources_.teacher.cols());
  for (size_t i = 0; i < batch.examples.size(); ++i) {
    const absl::Span<const float> row = sources_.teacher.Row(batch.examples[i]);
    std::copy(row.begin(), row.end(), teacher.Row(i));
  }
  nn::TeacherLosses<float> losses;
  if (options_.teacher_loss == TeacherLoss::kCosine) {
    return losses.Cosine(vectors_.view(), teacher.view(), d_vectors_.view());
  }
  const nn::ContrastOptions nested = ContrastOf(options_, rows_.dim());
  return losses.Gram(nested.prefixes, nested.weights, vectors_.view(),
                     teacher.view(), d_vectors_.view());
}

double SentenceLearner::LossOf(const ExampleBatch& batch, const Texts& texts) {
  vectors_.Resize(texts.bags.size(), rows_.dim());
  d_vectors_.Resize(texts.bags.size(), rows_.dim());
  rows_.Forward(texts.bags, vectors_.view());
  if (batch.kind == SourceKind::kTeacher) return TeacherLossOf(batch);
  const size_t pairs = texts.pairs;
  const size_t others = texts.bags.size() - pairs;
  const auto& vectors = vectors_;
  const nn::ContrastLoss loss = contrast_.Step(
      vectors.view().Rows(0, pairs), vectors.view().Rows(pairs, others),
      MasksOf(texts), d_vectors_.view().Rows(0, pairs),
      d_vectors_.view().Rows(pairs, others));
  report().zeros += loss.zeros;
  return loss.of_prefix.back();
}

absl::StatusOr<size_t> SentenceLearner::PrepareBatches() {
  if (!batches().empty()) return batches().size();
  return absl::InvalidArgumentError(
      "expected two examples that share no text, which a batch needs, found "
      "none; give more different texts");
}

absl::Status SentenceLearner::Step(size_t number) {
  const ExampleBatch& batch = batches()[number];
  const uint64_t step = row_optimizer_.steps();
  double loss = 0;
  const double rate = rate_factor() * rate_.At(step);
  RunTeam(NumThreads(options_.threads), [&] {
    TakeTexts(batch, CombineKeys(CombineKeys(options_.seed, kSteps), step),
              /*with_ngrams=*/true, &texts_);
    loss = LossOf(batch, texts_);
    if (!std::isfinite(loss)) return;
    rows_.Backward(texts_.bags, std::as_const(d_vectors_).view());
    row_optimizer_.Step(rate * options_.learning_rate);
    weight_optimizer_.Step(rate * options_.weight_rate);
  });
  if (!std::isfinite(loss)) return NotFinite(loss);
  AddStep(rate * options_.learning_rate, loss, batch.examples.size());
  return absl::OkStatus();
}

absl::Status SentenceLearner::NotFinite(double loss) {
  return absl::OutOfRangeError(
      absl::StrCat("training diverged at step ", row_optimizer_.steps() + 1,
                   " (epoch ", epoch() + 1, "): the loss is ", loss,
                   "; use a learning rate below ", options_.learning_rate));
}

absl::StatusOr<double> SentenceLearner::HeldOutLoss() {
  double sum = 0, count = 0;
  const uint64_t zeros = report().zeros;
  Texts texts;
  for (size_t kind = 0; kind < kSourceKinds; ++kind) {
    const std::vector<uint32_t>& all = held_out_[kind];
    for (size_t first = 0; first < all.size(); first += options_.batch) {
      if (hooks_.hooks.StopRequested()) {
        return absl::CancelledError("interrupted");
      }
      const size_t end = std::min<size_t>(first + options_.batch, all.size());
      if (end - first < 2) break;
      const ExampleBatch batch{static_cast<SourceKind>(kind),
                               {all.begin() + static_cast<ptrdiff_t>(first),
                                all.begin() + static_cast<ptrdiff_t>(end)}};
      RunTeam(NumThreads(options_.threads), [&] {
        TakeTexts(batch, CombineKeys(options_.seed, kMeasures),
                  /*with_ngrams=*/false, &texts);
        sum +=
            LossOf(batch, texts) * static_cast<double>(batch.examples.size());
      });
      count += static_cast<double>(batch.examples.size());
    }
  }
  report().zeros = zeros;
  if (std::isfinite(sum)) return count > 0 ? sum / count : 0;
  return absl::OutOfRangeError(absl::StrCat(
      "epoch ", epoch() + 1, ": the loss on the held-out examples is ", sum,
      "; use a learning rate below ", options_.learning_rate));
}

absl::Status SentenceLearner::MeasureEpoch(SentenceEpoch* result) {
  FIRTH_ASSIGN_OR_RETURN(result->held_out_loss, HeldOutLoss());
  return absl::OkStatus();
}

std::optional<double> SentenceLearner::ScoreOf(
    const SentenceEpoch& epoch) const {
  if (report().held_out == 0) return std::nullopt;
  return -epoch.held_out_loss;
}

std::vector<NamedTensor> SentenceLearner::Learned() {
  return {TensorOf("rows", rows_.rows()), TensorOf("weights", rows_.logs())};
}

std::vector<NamedTensor> SentenceLearner::Others() {
  std::vector<NamedTensor> tensors = TensorsOf(row_optimizer_);
  for (NamedTensor& tensor : TensorsOf(weight_optimizer_)) {
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

Json SentenceLearner::State() const {
  Json state = {{"steps", row_optimizer_.steps()}, {"epochs", report().epochs}};
  AppendSums(&state);
  return state;
}

absl::Status SentenceLearner::SetState(const Json& state) {
  state.at("epochs").get_to(report().epochs);
  FIRTH_RETURN_IF_ERROR(ReadSums(state, batches().size()));
  const uint64_t steps = CountAt(state, "steps", position());
  row_optimizer_.set_steps(steps);
  weight_optimizer_.set_steps(steps);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<FileInfo>> DescribeSentenceCheckpoint(
    const MappedFilePtr& file) {
  return DescribeCheckpointOf(kName, file, FactsOf);
}

}  // namespace firth

// Threads take pieces of an epoch's texts, whose order is drawn, from a queue,
// and step on shared tables. Between two pieces a thread keeps nothing, so the
// training can stop there and go on.

#include "classify/classifier_learner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/fields_json.h"
#include "base/json.h"
#include "base/parallel_exceptions.h"
#include "base/rng.h"
#include "base/threads.h"
#include "classify/text_scorer.h"
#include "firth/status_macros.h"
#include "run/checkpoints.h"

namespace firth {

// The JSON library finds these by their names.
static void to_json(Json& json, const ClassifierEpoch& epoch) {
  json = {{"loss", epoch.loss}, {"seconds", epoch.seconds}};
  if (epoch.score.has_value()) json["score"] = *epoch.score;
}
static void from_json(const Json& json, ClassifierEpoch& epoch) {
  json.at("loss").get_to(epoch.loss);
  json.at("seconds").get_to(epoch.seconds);
  if (json.contains("score")) epoch.score = json.at("score").get<double>();
}

namespace {

using LearnerClock = std::chrono::steady_clock;

constexpr char kLearnerName[] = "a classifier";

// Texts that a thread takes at a time.
constexpr size_t kPieceTexts = 16;

// So many texts tell two or three scales well enough: few texts are held out
// fold by fold until there are as many, of many no more than kMostHeldOut are.
constexpr size_t kEnoughHeldOut = 500;
constexpr size_t kMostHeldOut = 10'000;

// Without texts to find them on. A margin of the wide part is about 1.
constexpr ScoreScales kUsualScales = {.wide = 3, .deep = 0.2};

std::vector<uint32_t> DrawnTexts(std::vector<uint32_t> texts, uint64_t key) {
  Rng rng(key);
  for (size_t i = texts.size(); i > 1; --i) {
    std::swap(texts[i - 1], texts[rng.Below(static_cast<uint32_t>(i))]);
  }
  return texts;
}

std::vector<uint32_t> AllTexts(size_t count) {
  std::vector<uint32_t> texts(count);
  std::iota(texts.begin(), texts.end(), 0);
  return texts;
}

size_t ColumnsOf(const LabelSet& labels) {
  const bool one_is_enough = labels.names.size() == 2 && !labels.several;
  return one_is_enough ? 1 : labels.names.size();
}

double SecondsSince(LearnerClock::time_point start) {
  return std::chrono::duration<double>(LearnerClock::now() - start).count();
}

absl::StatusOr<std::vector<FileFact>> FactsOf(const CheckedReader& reader,
                                              const Json& training,
                                              const Json& state) {
  std::vector<FileFact> facts = {
      {"parts", training.at("parts").get<std::string>()},
      {"loss", training.at("loss").get<std::string>()},
      {"epochs", CountAt(training, "epochs")},
      {"phase", CountAt(state, "phase")},
      {"epochs_done", CountAt(state, "epoch")},
      {"texts_done", CountAt(state, "text")},
      {"tokens_done", CountAt(state, "tokens")},
      {"parameters", reader.num_floats()}};
  return facts;
}

// In one fold.
size_t HeldOutTexts(const ClassifierOptions& options, size_t texts) {
  const auto share =
      static_cast<size_t>(options.held_out * static_cast<double>(texts));
  return std::min(share, kMostHeldOut);
}

}  // namespace

bool HasWide(const ClassifierOptions& options) {
  return options.parts != ClassifierParts::kDeep;
}
bool HasDeep(const ClassifierOptions& options) {
  return options.parts != ClassifierParts::kWide;
}

LabelLink LinkOf(const ClassifierOptions& options, bool several_labels) {
  if (std::holds_alternative<TreeLabelLoss>(options.loss)) {
    return LabelLink::kTree;
  }
  const bool each_for_itself =
      several_labels || std::holds_alternative<OneVsAllLoss>(options.loss);
  return each_for_itself ? LabelLink::kSigmoid : LabelLink::kSoftmax;
}

uint64_t AutomaticEpochs(const ClassifierOptions& options, uint64_t tokens) {
  if (options.parts != ClassifierParts::kDeep) return 5;
  constexpr uint64_t kTokens = 10'000'000;
  return std::clamp<uint64_t>(kTokens / std::max<uint64_t>(tokens, 1), 5, 25);
}

size_t NumHeldOutFolds(const ClassifierOptions& options, size_t texts) {
  const size_t fold = HeldOutTexts(options, texts);
  if (fold == 0) return 0;
  return std::min(texts / fold, (kEnoughHeldOut + fold - 1) / fold);
}

std::vector<std::vector<uint32_t>> HeldOutFolds(
    const ClassifierOptions& options, size_t texts) {
  const size_t fold = HeldOutTexts(options, texts);
  const size_t folds = NumHeldOutFolds(options, texts);
  if (folds == 0) return {};
  const std::vector<uint32_t> order =
      DrawnTexts(AllTexts(texts), CombineKeys(options.seed, 11));
  std::vector<std::vector<uint32_t>> result;
  for (size_t i = 0; i < folds; ++i) {
    const auto begin = order.begin() + static_cast<ptrdiff_t>(i * fold);
    result.emplace_back(begin, begin + static_cast<ptrdiff_t>(fold));
    std::sort(result.back().begin(), result.back().end());
  }
  return result;
}

uint64_t TrainingBytes(const ClassifierOptions& options, size_t features,
                       uint64_t features_of_texts, size_t texts, size_t labels,
                       size_t context_dim) {
  const auto floats = [](double count) { return 4 * count; };
  const auto rows = static_cast<double>(features);
  double bytes = floats(rows);
  if (HasWide(options)) {
    const auto width = static_cast<double>(WideTable::WidthOf(labels));
    bytes += floats(rows * (2 * width + 1)) +
             floats(static_cast<double>(texts) * width) +
             8 * static_cast<double>(features_of_texts);
  }
  if (HasDeep(options)) {
    const auto dim = static_cast<double>(PaddedStride<float>(options.dim));
    const auto output =
        static_cast<double>(PaddedStride<float>(options.dim + context_dim));
    bytes +=
        floats(rows * dim + static_cast<double>(labels) * output) +
        floats(static_cast<double>(texts) * static_cast<double>(context_dim));
  }
  return static_cast<uint64_t>(bytes);
}

// What a thread works in.
struct ClassifierLearner::Room {
  Room(const WideTable& wide, const DeepTables& deep, size_t columns)
      : signs(1, std::max<size_t>(wide.width(), 1)),
        scores(1, std::max<size_t>(wide.width(), 1)),
        deep(deep) {
    std::fill_n(signs.data(), columns, -1.0f);
  }
  PaddedMatrix signs;
  PaddedMatrix scores;
  DeepRoom deep;
  std::vector<WideFeature> features;
  std::vector<FeatureCount> known;
  double loss = 0;
};

ClassifierLearner::ClassifierLearner(const ClassifierTask& task,
                                     ClassifierReport* report)
    : Learner(kLearnerName, TableFor<ClassifierOptions>()),
      task_(task),
      options_(task.options),
      report_(*report),
      loss_(task.options.loss, task.labels.counts),
      link_(LinkOf(task.options, task.labels.several)),
      threads_(NumThreads(task.options.threads)) {
  const size_t texts = task.train.bags.size();
  if (!measures()) {
    for (auto& fold : HeldOutFolds(options_, texts)) {
      const auto in_fold = [&](uint32_t text) {
        return std::binary_search(fold.begin(), fold.end(), text);
      };
      Phase phase;
      for (const uint32_t text : AllTexts(texts)) {
        if (!in_fold(text)) phase.train.push_back(text);
      }
      phase.held_out = std::move(fold);
      phases_.push_back(std::move(phase));
    }
  }
  phases_.push_back({AllTexts(texts), {}, 0});
  size_t held_out = 0;
  for (Phase& phase : phases_) {
    held_out += phase.held_out.size();
    for (const uint32_t text : phase.train) {
      phase.tokens += task.train.bags.tokens[text];
    }
  }
  const size_t rows = task.index.rows();
  if (HasWide(options_)) {
    wide_ = WideTable(rows + 1, ColumnsOf(task.labels));
    duals_ = Matrix<float>(texts, wide_.width());
    held_out_.wide.resize(held_out * ScoreColumns());
  }
  if (HasDeep(options_)) {
    const size_t context = task.train.context.cols();
    deep_.input = SharedMatrix(PaddedMatrix(rows, options_.dim));
    deep_.output =
        SharedMatrix(PaddedMatrix(loss_.output_rows(), options_.dim + context));
    held_out_.deep.resize(held_out * ScoreColumns());
  }
  held_out_.columns = ScoreColumns();
}

size_t ClassifierLearner::ScoreColumns() const {
  return link_ == LabelLink::kTree ? loss_.tree().longest_path()
                                   : task_.labels.names.size();
}

Json ClassifierLearner::Identity() const {
  Json identity = IdentityOf(options_);
  identity.update(task_.sources);
  return identity;
}

uint64_t ClassifierLearner::total() const {
  uint64_t tokens = 0;
  for (const Phase& phase : phases_) tokens += phase.tokens * options_.epochs;
  return tokens;
}

void ClassifierLearner::PreparePhase() {
  const FeatureBags& bags = task_.train.bags;
  text_counts_ = CountTexts(bags, phase().train, task_.index.rows());
  idf_ = InverseFrequencies(text_counts_, phase().train.size());
  is_prepared_ = true;
  is_given_.resize(task_.index.rows());
  if (!HasWide(options_)) return;
  SetScales(bags, task_.labels.texts, phase().train, text_counts_, &wide_);
  wide_features_.clear();
  wide_features_.reserve(bags.features.size() + bags.size());
  wide_begins_.assign(1, 0);
  const size_t characters = task_.index.first_character_row();
  for (size_t text = 0; text < bags.size(); ++text) {
    AppendWideValues(bags.Of(text), idf_, characters, &wide_features_);
    wide_begins_.push_back(wide_features_.size());
  }
}

void ClassifierLearner::ResetTables() {
  if (HasWide(options_)) duals_.Fill(0);
  if (!HasDeep(options_)) return;
  PaddedMatrix& output = deep_.output.Quiet();
  output.Fill(0);
  StartInput();
}

void ClassifierLearner::StartInput() {
  PaddedMatrix& input = deep_.input.Quiet();
  const size_t dim = input.cols();
  const auto range = 2 / static_cast<float>(dim);
  is_given_.assign(input.rows(), false);
  const FeatureIndex& index = task_.index;
  for (size_t row = 0; row < input.rows(); ++row) {
    if (task_.vectors != nullptr && row >= index.num_words()) {
      std::fill_n(input.Row(row), dim, 0.0f);
      continue;
    }
    Rng rng(CombineKeys(CombineKeys(options_.seed, 12), row));
    for (size_t d = 0; d < dim; ++d) {
      input.Row(row)[d] = (rng.NextFloat() - 0.5f) * range;
    }
  }
  if (task_.vectors == nullptr) return;
  const FeatureParts& parts = index.parts();
  for (size_t word = 0; word < parts.words.size(); ++word) {
    const absl::Span<float> to(input.Row(word), dim);
    const auto id = task_.vectors->vocabulary().Find(parts.words[word]);
    is_given_[word] = true;
    if (id.has_value()) {
      task_.vectors->CopyVector(*id, to);
    } else if (const auto made = task_.vectors->FromNGrams(parts.words[word])) {
      std::copy(made->begin(), made->end(), to.begin());
    } else {
      is_given_[word] = false;
    }
  }
  // The mean of n words is that of the n - 1 before and the last one.
  std::vector<size_t> lengths(parts.word_ngrams.size());
  for (size_t i = 0; i < parts.word_ngrams.size(); ++i) {
    const auto [prefix, last] = parts.word_ngrams[i];
    const size_t before =
        prefix < index.num_words() ? 1 : lengths[prefix - index.num_words()];
    lengths[i] = before + 1;
    const float share = 1 / static_cast<float>(before + 1);
    float* const to = input.Row(index.num_words() + i);
    for (size_t d = 0; d < dim; ++d) {
      to[d] = input.Row(prefix)[d] * (1 - share) + input.Row(last)[d] * share;
    }
  }
}

std::vector<uint32_t> ClassifierLearner::OrderOf(uint64_t epoch) const {
  return DrawnTexts(
      phase().train,
      CombineKeys(CombineKeys(options_.seed, 13 + phase_), epoch));
}

double ClassifierLearner::WeightOf(size_t text) const {
  if (options_.class_weights == ClassWeights::kNone) return 1;
  const absl::Span<const uint32_t> labels = task_.labels.texts.Of(text);
  double sum = 0;
  for (const uint32_t label : labels) {
    sum += 1 / static_cast<double>(task_.labels.counts[label]);
  }
  return sum * static_cast<double>(task_.train.bags.size()) /
         static_cast<double>(task_.labels.names.size() * labels.size());
}

double ClassifierLearner::StepText(size_t text, double rate, uint64_t key,
                                   Room* room) {
  const absl::Span<const uint32_t> labels = task_.labels.texts.Of(text);
  const double weight = WeightOf(text);
  double loss = 0;
  if (HasWide(options_)) {
    float* const signs = room->signs.data();
    for (const uint32_t label : labels) {
      if (label < wide_.columns()) signs[label] = 1;
    }
    const double cost =
        weight / (options_.l2 * static_cast<double>(phase().train.size()));
    StepWide(
        {.features = absl::MakeConstSpan(wide_features_)
                         .subspan(wide_begins_[text],
                                  wide_begins_[text + 1] - wide_begins_[text]),
         .signs = signs,
         .duals = duals_.Row(text),
         .half_inverse_cost = static_cast<float>(0.5 / cost)},
        wide_, room->scores.data());
    for (size_t c = 0; c < wide_.columns() && !HasDeep(options_); ++c) {
      const double margin = static_cast<double>(signs[c]) *
                            static_cast<double>(room->scores.data()[c]);
      loss += std::log1p(std::exp(-kUsualScales.wide * margin));
    }
    for (const uint32_t label : labels) {
      if (label < wide_.columns()) signs[label] = -1;
    }
  }
  if (HasDeep(options_)) {
    loss = StepDeep({.features = task_.train.bags.Of(text),
                     .labels = labels,
                     .context = task_.train.ContextOf(text)},
                    loss_, static_cast<float>(rate * weight), key, deep_,
                    room->deep);
  }
  return loss;
}

void ClassifierLearner::RunPieces(absl::Span<const uint32_t> order,
                                  RunControl& control) {
  const size_t first = text_;
  const size_t pieces = (order.size() - first + kPieceTexts - 1) / kPieceTexts;
  const auto all = static_cast<double>(order.size() * options_.epochs);
  std::atomic<size_t> next = 0;
  ParallelExceptions exceptions;
#pragma omp parallel num_threads(threads_)
  exceptions.Catch([&] {
    Room room(wide_, deep_, wide_.columns());
    while (!control.ShouldPause()) {
      const size_t piece = next.fetch_add(1, std::memory_order_relaxed);
      if (piece >= pieces) {
        next.fetch_sub(1, std::memory_order_relaxed);
        break;
      }
      const size_t begin = first + piece * kPieceTexts;
      const size_t end = std::min(order.size(), begin + kPieceTexts);
      uint64_t tokens = 0;
      double rate = 0;
      for (size_t i = begin; i < end; ++i) {
        const double at = static_cast<double>(epoch_ * order.size() + i) / all;
        rate = rate_factor_ * options_.learning_rate * (1 - at);
        const uint64_t key = CombineKeys(
            CombineKeys(options_.seed, 14 + phase_), epoch_ * order.size() + i);
        room.loss += StepText(order[i], rate, key, &room);
        tokens += task_.train.bags.tokens[order[i]];
      }
      tokens_done_.fetch_add(tokens, std::memory_order_relaxed);
      if (omp_get_thread_num() != 0) continue;
      Standing standing = standing_;
      standing.examples += static_cast<double>(end - first);
      standing.loss += room.loss * static_cast<double>(threads_);
      standing.learning_rate = HasDeep(options_) ? rate : 0;
      control.Tell(standing);
    }
#pragma omp critical(firth_classifier_loss)
    loss_sum_ += room.loss;
  });
  exceptions.Rethrow();
  text_ = std::min(order.size(), first + next.load() * kPieceTexts);
}

absl::StatusOr<bool> ClassifierLearner::Advance(RunControl& control) {
  const LearnerClock::time_point start = LearnerClock::now();
  if (!is_prepared_) {
    PreparePhase();
    ResetTables();
  }
  const std::vector<uint32_t> order = OrderOf(epoch_);
  standing_.epoch = static_cast<int>(epochs_.size());
  const double loss_before = loss_sum_;
  const size_t text_before = text_;
  RunPieces(order, control);
  standing_.loss += loss_sum_ - loss_before;
  standing_.examples += static_cast<double>(text_ - text_before);
  seconds_ += SecondsSince(start);
  if (!std::isfinite(loss_sum_)) {
    return absl::OutOfRangeError(absl::StrCat(
        "training diverged in epoch ", epoch_ + 1, ": the loss is ", loss_sum_,
        "; a lower learning rate than ", options_.learning_rate, " may help"));
  }
  return text_ == order.size();
}

void ClassifierLearner::ScoreText(const ClassifierTexts& texts, size_t text,
                                  size_t row, Room* room, RawScores* scores) {
  const size_t columns = scores->columns;
  const absl::Span<const FeatureCount> features = texts.bags.Of(text);
  if (HasWide(options_)) {
    room->features.clear();
    AppendWideValues(features, idf_, task_.index.first_character_row(),
                     &room->features);
    float* const from = room->scores.data();
    ScoreWide(room->features, wide_, from);
    float* const to = scores->wide.data() + row * columns;
    if (wide_.width() == 1) {
      to[0] = from[0];
      to[1] = -from[0];
    } else {
      std::copy_n(from, columns, to);
    }
  }
  if (!HasDeep(options_)) return;
  room->known.clear();
  for (const FeatureCount feature : features) {
    if (text_counts_[feature.row] > 0 || is_given_[feature.row]) {
      room->known.push_back(feature);
    }
  }
  SetHidden(room->known, texts.ContextOf(text), deep_, room->deep);
  float* const to = scores->deep.data() + row * columns;
  if (link_ != LabelLink::kTree) return ScoreDeep(deep_, room->deep, to);
  const absl::Span<const uint32_t> labels = texts.labels.Of(text);
  std::fill_n(to, columns, 0.0f);
  if (labels.empty()) return;
  ScoreTurns(loss_.tree().Path(ToWordId(labels[0])), deep_, room->deep, to);
}

RawScores ClassifierLearner::ScoreAll(const ClassifierTexts& texts,
                                      absl::Span<const uint32_t> numbers) {
  RawScores scores;
  scores.columns = ScoreColumns();
  if (HasWide(options_)) scores.wide.resize(numbers.size() * scores.columns);
  if (HasDeep(options_)) scores.deep.resize(numbers.size() * scores.columns);
  ParallelExceptions exceptions;
#pragma omp parallel num_threads(threads_)
  exceptions.Catch([&] {
    Room room(wide_, deep_, wide_.columns());
#pragma omp for schedule(dynamic, kPieceTexts)
    for (size_t i = 0; i < numbers.size(); ++i) {
      ScoreText(texts, numbers[i], i, &room, &scores);
    }
  });
  exceptions.Rethrow();
  return scores;
}

ScoreScales ClassifierLearner::StartScales() const {
  ScoreScales scales = kUsualScales;
  if (!HasWide(options_)) scales = {.wide = 0, .deep = 1};
  if (!HasDeep(options_)) scales.deep = 0;
  return scales;
}

double ClassifierLearner::Judge(const RawScores& scores,
                                const TextLabels& labels,
                                std::vector<float>* probabilities,
                                ScoreScales* scales) const {
  *scales = FitScales(link_, scores, labels, StartScales());
  const size_t columns = scores.columns;
  probabilities->assign(labels.size() * columns, 0.0f);
  uint64_t right = 0;
  uint64_t found = 0;
  uint64_t gold = 0;
  for (size_t text = 0; text < labels.size(); ++text) {
    float* const row = probabilities->data() + text * columns;
    for (size_t c = 0; c < columns; ++c) {
      const size_t at = text * columns + c;
      double score = scales->offset;
      if (HasWide(options_)) {
        score += scales->wide * static_cast<double>(scores.wide[at]);
      }
      if (HasDeep(options_)) {
        score += scales->deep * static_cast<double>(scores.deep[at]);
      }
      row[c] = static_cast<float>(score);
    }
    const absl::Span<const uint32_t> own = labels.Of(text);
    const auto has = [&](size_t label) {
      return std::binary_search(own.begin(), own.end(),
                                static_cast<uint32_t>(label));
    };
    gold += own.size();
    if (link_ == LabelLink::kTree) {
      // Probable turns all the way are the best that can be told here.
      found += 1;
      right += *std::min_element(row, row + columns) >= 0 ? 1 : 0;
    } else if (task_.labels.several) {
      for (size_t c = 0; c < columns; ++c) {
        found += row[c] > 0 ? 1 : 0;
        right += row[c] > 0 && has(c) ? 1 : 0;
      }
    } else {
      found += 1;
      right +=
          has(static_cast<size_t>(std::max_element(row, row + columns) - row))
              ? 1
              : 0;
    }
    ToProbabilities(link_, absl::MakeSpan(row, columns));
  }
  return found + gold > 0 ? 2 * static_cast<double>(right) /
                                static_cast<double>(found + gold)
                          : 0;
}

absl::StatusOr<std::string> ClassifierLearner::Measure() {
  const LearnerClock::time_point start = LearnerClock::now();
  ClassifierEpoch result;
  std::string line;
  if (measures()) {
    const RawScores scores =
        ScoreAll(task_.valid, AllTexts(task_.valid.bags.size()));
    std::vector<float> probabilities;
    ScoreScales scales;
    result.score = Judge(scores, task_.valid.labels, &probabilities, &scales);
    line = absl::StrFormat("epoch %d: %s %.4f on given texts", epoch_ + 1,
                           task_.labels.several ? "F1" : "accuracy",
                           *result.score);
  }
  result.loss = loss_sum_ / static_cast<double>(phase().train.size());
  result.seconds = seconds_ + SecondsSince(start);
  epochs_.push_back(result);
  loss_sum_ = seconds_ = 0;
  text_ = 0;
  if (++epoch_ < options_.epochs) return line;
  epoch_ = 0;
  if (!phase().held_out.empty()) {
    const RawScores scores = ScoreAll(task_.train, phase().held_out);
    size_t before = 0;
    for (size_t i = 0; i < phase_; ++i) before += phases_[i].held_out.size();
    const auto at = static_cast<ptrdiff_t>(before * scores.columns);
    std::copy(scores.wide.begin(), scores.wide.end(),
              held_out_.wide.begin() + at);
    std::copy(scores.deep.begin(), scores.deep.end(),
              held_out_.deep.begin() + at);
  }
  ++phase_;
  if (!done()) is_prepared_ = false;
  return line;
}

std::vector<std::optional<double>> ClassifierLearner::Scores() const {
  std::vector<std::optional<double>> scores;
  for (const ClassifierEpoch& epoch : epochs_) scores.push_back(epoch.score);
  return scores;
}

std::vector<NamedTensor> ClassifierLearner::Learnt() {
  std::vector<NamedTensor> tensors;
  if (HasWide(options_)) {
    tensors.push_back({"wide", wide_.Weights(0), wide_.rows(), wide_.columns(),
                       wide_.stride()});
  }
  if (HasDeep(options_)) {
    for (auto* const matrix : {&deep_.input, &deep_.output}) {
      tensors.push_back({matrix == &deep_.input ? "input" : "output",
                         matrix->data(), matrix->rows(), matrix->cols(),
                         matrix->stride()});
    }
  }
  return tensors;
}

std::vector<NamedTensor> ClassifierLearner::Others() {
  std::vector<NamedTensor> tensors;
  if (HasWide(options_)) {
    tensors.push_back({"duals", duals_.data(), duals_.rows(), duals_.cols(),
                       duals_.stride()});
  }
  const auto add = [&](const char* name, std::vector<float>* values) {
    if (values->empty()) return;
    const size_t cols = held_out_.columns;
    tensors.push_back(
        {name, values->data(), values->size() / cols, cols, cols});
  };
  add("held_out_wide", &held_out_.wide);
  add("held_out_deep", &held_out_.deep);
  return tensors;
}

Json ClassifierLearner::State() const {
  return {
      {"phase", phase_},          {"epoch", epoch_},   {"text", text_},
      {"tokens", position()},     {"loss", loss_sum_}, {"seconds", seconds_},
      {"prepared", is_prepared_}, {"epochs", epochs_}};
}

absl::Status ClassifierLearner::SetState(const Json& state) {
  phase_ = CountAt(state, "phase", phases_.size());
  epoch_ = CountAt(state, "epoch", options_.epochs);
  text_ = CountAt(state, "text", task_.train.bags.size());
  tokens_done_ = CountAt(state, "tokens", total());
  loss_sum_ = state.at("loss").get<double>();
  seconds_ = state.at("seconds").get<double>();
  state.at("epochs").get_to(epochs_);
  const bool was_prepared = state.at("prepared").get<bool>();
  standing_ = {};
  is_prepared_ = false;
  if (!was_prepared) return absl::OkStatus();
  if (done()) phase_ = phases_.size() - 1;
  // The scales of the wide table come from the texts; its weights are those
  // that were restored.
  Matrix<float> weights(wide_.rows(), wide_.columns());
  for (size_t row = 0; row < wide_.rows(); ++row) {
    std::copy_n(wide_.Weights(row), wide_.columns(), weights.Row(row));
  }
  PreparePhase();
  for (size_t row = 0; row < wide_.rows(); ++row) {
    std::copy_n(weights.Row(row), wide_.columns(), wide_.Weights(row));
  }
  if (HasDeep(options_) && task_.vectors != nullptr) {
    // What was given is found again by starting a table that is thrown away.
    SharedMatrix learnt = std::exchange(
        deep_.input,
        SharedMatrix(PaddedMatrix(task_.index.rows(), options_.dim)));
    StartInput();
    deep_.input = std::move(learnt);
  }
  phase_ = CountAt(state, "phase", phases_.size());
  return absl::OkStatus();
}

absl::Status ClassifierLearner::Finish(ClassifierModel* model) {
  if (idf_.empty()) {
    return absl::CancelledError("stopped before anything was learnt");
  }
  RawScores scores = std::move(held_out_);
  TextLabels labels;
  if (measures()) {
    scores = ScoreAll(task_.valid, AllTexts(task_.valid.bags.size()));
    labels = task_.valid.labels;
  } else {
    for (size_t i = 0; i < phase_; ++i) {
      for (const uint32_t text : phases_[i].held_out) {
        const absl::Span<const uint32_t> own = task_.labels.texts.Of(text);
        labels.numbers.insert(labels.numbers.end(), own.begin(), own.end());
        labels.begins.push_back(labels.numbers.size());
      }
    }
  }
  std::vector<float> probabilities;
  ScoreScales scales;
  Judge(scores, labels, &probabilities, &scales);
  const size_t count = task_.labels.names.size();
  const bool is_tree = link_ == LabelLink::kTree;
  if (labels.size() > 0 && !is_tree) {
    report_.calibration_error = CalibrationError(probabilities, labels, count);
    if (task_.labels.several) {
      model->thresholds = FitThresholds(probabilities, labels, count);
    }
  }
  report_.epochs = epochs_;
  report_.best_epoch = 0;
  model->link = link_;
  model->several_labels = task_.labels.several;
  model->labels = task_.labels.names;
  model->label_counts = task_.labels.counts;
  if (!is_tree) {
    model->bias.assign(count, static_cast<float>(scales.offset));
  }
  if (HasWide(options_)) {
    const size_t rows = task_.index.rows();
    Matrix<float> table(rows, count);
    for (size_t row = 0; row <= rows; ++row) {
      const float* const weights = wide_.Weights(row);
      for (size_t c = 0; c < count; ++c) {
        const float weight = c < wide_.columns() ? weights[c] : -weights[0];
        if (row < rows) {
          table.Row(row)[c] = weight;
        } else {
          model->bias[c] +=
              static_cast<float>(scales.wide) * kBiasValue * weight;
        }
      }
    }
    model->wide = FloatTable(std::move(table));
    model->idf = std::move(idf_);
    model->wide_scale = static_cast<float>(scales.wide);
  }
  if (HasDeep(options_)) {
    model->input = FloatTable(std::move(deep_.input).Release());
    model->output = FloatTable(std::move(deep_.output).Release());
    model->deep_scale = static_cast<float>(scales.deep);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<FileInfo>> DescribeClassifierCheckpoint(
    const MappedFilePtr& file) {
  return DescribeCheckpointOf(kLearnerName, file, FactsOf);
}

}  // namespace firth

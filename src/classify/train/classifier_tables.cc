// Values that depend on the texts of a phase are computed again for each phase.
// Otherwise the weight of a held-out text would affect its score. The scores of
// both parts stay separate until all held-out texts determine how they are
// combined.

#include "classify/train/classifier_tables.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/parallel_exceptions.h"
#include "base/rng.h"
#include "base/threads.h"
#include "classify/features/wide_values.h"
#include "classify/train/training_plan.h"
#include "simd/stored_rows.h"

namespace firth {
namespace {

// Margins of the wide part are about 1.
constexpr ScoreScales kUsualScales = {.wide = 3, .deep = 0.2};

// Number of texts measured to estimate the length of text vectors.
constexpr size_t kMeasuredTexts = 1000;

// Number of texts that a thread scores at a time.
constexpr int kScoredAtATime = 16;

size_t ColumnsOf(const LabelSet& labels) {
  const bool one_is_enough = labels.names.size() == 2 && !labels.several;
  return one_is_enough ? 1 : labels.names.size();
}

void DrawRow(uint64_t seed, size_t row, absl::Span<float> to) {
  const auto range = 2 / static_cast<float>(to.size());
  Rng rng(CombineKeys(CombineKeys(seed, 12), row));
  for (float& value : to) value = (rng.NextFloat() - 0.5f) * range;
}

// Returns whether the word has a vector.
bool CopyVectorOf(const WordVectors& vectors, const std::string& word,
                  absl::Span<float> to) {
  if (const auto id = vectors.vocabulary().Find(word)) {
    vectors.CopyVector(*id, to);
    return true;
  }
  const auto made = vectors.FromNGrams(word);
  if (made.has_value()) std::copy(made->begin(), made->end(), to.begin());
  return made.has_value();
}

// SIF of Arora, Liang and Ma, "A simple but tough-to-beat baseline for sentence
// embeddings", ICLR 2017: the weight of a word with relative frequency p is
// kSif / (kSif + p).
constexpr double kSif = 1e-3;

// Returns the relative frequency of a word. For n words without counts, sorted
// by frequency, it follows Zipf's law: the word of rank r has the fraction 1 /
// (r (1 + 1/2 + ... + 1/n)), where the sum is near ln n + .577.
double ShareOf(const Vocabulary& vocabulary, WordId word) {
  const auto total = static_cast<double>(vocabulary.total_count());
  if (total > 0) return static_cast<double>(vocabulary.Count(word)) / total;
  const double rank = static_cast<double>(Index(word)) + 1;
  return 1 / (rank * (std::log(static_cast<double>(vocabulary.size())) + .577));
}

// Subtracts the mean of all vectors, which does not distinguish texts, and
// gives frequent words low weights, because they carry little information.
void CenterAndWeigh(const FeatureIndex& index, const Vocabulary& vocabulary,
                    const std::vector<bool>& is_given, PaddedMatrix* input) {
  const size_t dim = input->cols();
  std::vector<double> mean(dim);
  double count = 0;
  for (size_t row = 0; row < index.num_words(); ++row) {
    if (!is_given[row]) continue;
    ++count;
    for (size_t d = 0; d < dim; ++d) {
      mean[d] += static_cast<double>(input->Row(row)[d]);
    }
  }
  for (size_t row = 0; row < index.num_words(); ++row) {
    if (!is_given[row]) continue;
    const auto id = vocabulary.Find(index.parts().words[row]);
    const double share = id.has_value() ? ShareOf(vocabulary, *id) : 0;
    const double weight = kSif / (kSif + share);
    float* const values = input->Row(row);
    for (size_t d = 0; d < dim; ++d) {
      values[d] = static_cast<float>(
          weight * (static_cast<double>(values[d]) - mean[d] / count));
    }
  }
}

// The mean of n words is computed from that of the first n - 1 and the last
// one.
void SetMeansOfWords(const FeatureIndex& index, PaddedMatrix* input) {
  const FeatureParts& parts = index.parts();
  std::vector<size_t> lengths(parts.word_ngrams.size());
  for (size_t i = 0; i < parts.word_ngrams.size(); ++i) {
    const auto [prefix, last] = parts.word_ngrams[i];
    const size_t before =
        prefix < index.num_words() ? 1 : lengths[prefix - index.num_words()];
    lengths[i] = before + 1;
    const float share = 1 / static_cast<float>(before + 1);
    float* const to = input->Row(index.num_words() + i);
    for (size_t d = 0; d < input->cols(); ++d) {
      to[d] = input->Row(prefix)[d] * (1 - share) + input->Row(last)[d] * share;
    }
  }
}

}  // namespace

ClassifierTables::Room::Room(ClassifierTables& tables, int threads)
    : signs(1, std::max<size_t>(tables.wide_.width(), 1)),
      scores(1, std::max<size_t>(tables.wide_.width(), 1)),
      deep(tables.deep_, threads) {
  std::fill_n(signs.data(), tables.wide_.columns(), -1.0f);
}

ClassifierTables::ClassifierTables(const ClassifierTask& task)
    : task_(task),
      options_(task.options),
      loss_(task.options.loss, task.labels.counts),
      link_(LinkOf(task.options, task.labels.several)),
      threads_(NumThreads(task.options.threads)) {
  const size_t rows = task.index.rows();
  if (HasWide(options_)) {
    wide_ = WideTable(rows + 1, ColumnsOf(task.labels));
    duals_ = Matrix<float>(task.train.bags.size(), wide_.width());
  }
  if (HasDeep(options_)) {
    const size_t context = task.train.context.cols();
    deep_.input = SharedMatrix(PaddedMatrix(rows, options_.dim));
    deep_.output =
        SharedMatrix(PaddedMatrix(loss_.output_rows(), options_.dim + context));
  }
}

size_t ClassifierTables::score_columns() const {
  return link_ == LabelLink::kTree ? loss_.tree().longest_path()
                                   : task_.labels.names.size();
}

void ClassifierTables::PrepareWide(absl::Span<const uint32_t> texts) {
  const FeatureBags& bags = task_.train.bags;
  SetScales(bags, task_.labels.texts, texts, text_counts_, threads_, &wide_);
  wide_features_.resize(bags.features.size() + bags.size());
  wide_counts_.resize(bags.size());
  const size_t characters = task_.index.first_character_row();
  ParallelExceptions exceptions;
#pragma omp parallel num_threads(threads_)
  exceptions.Catch([&] {
    std::vector<WideFeature> values;
#pragma omp for schedule(static) nowait
    for (size_t text = 0; text < bags.size(); ++text) {
      values.clear();
      AppendWideValues(bags.Of(text), idf_, characters, &values);
      wide_counts_[text] = static_cast<uint32_t>(values.size());
      std::copy(values.begin(), values.end(),
                wide_features_.begin() +
                    static_cast<ptrdiff_t>(bags.begins[text] + text));
    }
  });
  exceptions.Rethrow();
}

absl::Span<const WideFeature> ClassifierTables::WideFeaturesOf(
    size_t text) const {
  return absl::MakeConstSpan(wide_features_)
      .subspan(task_.train.bags.begins[text] + text, wide_counts_[text]);
}

void ClassifierTables::Prepare(absl::Span<const uint32_t> texts) {
  num_texts_ = texts.size();
  text_counts_ = CountTexts(task_.train.bags, texts, task_.index.rows());
  idf_ = InverseFrequencies(text_counts_, texts.size());
  if (HasWide(options_)) {
    PrepareWide(texts);
    duals_.Fill(0);
  }
  is_given_.assign(task_.index.rows(), false);
  if (!HasDeep(options_)) return;
  deep_.output.Quiet().Fill(0);
  is_given_ = StartRows(task_.index, task_.vectors, options_.seed, threads_,
                        &deep_.input.Quiet());
  if (task_.vectors != nullptr) ScaleInput(texts);
}

// The learning rate suits text vectors of about unit length, so the initial
// word vectors are scaled, whatever their lengths.
void ClassifierTables::ScaleInput(absl::Span<const uint32_t> texts) {
  DeepRoom room(deep_);
  double squares = 0;
  size_t count = 0;
  const size_t stride = std::max<size_t>(1, texts.size() / kMeasuredTexts);
  for (size_t i = 0; i < texts.size(); i += stride, ++count) {
    SetHidden(task_.train.bags.Of(texts[i]), task_.train.ContextOf(texts[i]),
              deep_, room);
    double square = 0;
    SquaredNorms(room.hidden.data(), 1, room.hidden.stride(),
                 deep_.input.cols(), &square);
    squares += square;
  }
  if (!(squares > 0)) return;
  const double scale = std::sqrt(static_cast<double>(count) / squares);
  PaddedMatrix& input = deep_.input.Quiet();
  for (size_t row = 0; row < input.rows(); ++row) {
    for (size_t d = 0; d < input.cols(); ++d) {
      input.Row(row)[d] *= static_cast<float>(scale);
    }
  }
}

void ClassifierTables::PrepareAround(absl::Span<const uint32_t> texts) {
  // Put the restored weights aside, and restore them afterwards.
  Matrix<float> weights(wide_.rows(), wide_.columns());
  for (size_t row = 0; row < wide_.rows(); ++row) {
    std::copy_n(wide_.Weights(row), wide_.columns(), weights.Row(row));
  }
  const auto replace = [](SharedMatrix* matrix) {
    return std::exchange(
        *matrix, SharedMatrix(PaddedMatrix(matrix->rows(), matrix->cols())));
  };
  Matrix<float> duals =
      std::exchange(duals_, Matrix<float>(duals_.rows(), duals_.cols()));
  SharedMatrix input = replace(&deep_.input);
  SharedMatrix output = replace(&deep_.output);
  Prepare(texts);
  for (size_t row = 0; row < wide_.rows(); ++row) {
    std::copy_n(weights.Row(row), wide_.columns(), wide_.Weights(row));
  }
  duals_ = std::move(duals);
  deep_.input = std::move(input);
  deep_.output = std::move(output);
}

double ClassifierTables::WeightOf(size_t text) const {
  if (options_.class_weights == ClassWeights::kNone) return 1;
  const absl::Span<const uint32_t> labels = task_.labels.texts.Of(text);
  double sum = 0;
  for (const uint32_t label : labels) {
    sum += 1 / static_cast<double>(task_.labels.counts[label]);
  }
  return sum * static_cast<double>(task_.train.bags.size()) /
         static_cast<double>(task_.labels.names.size() * labels.size());
}

double ClassifierTables::StepWidePart(size_t text, double weight, Room* room) {
  const absl::Span<const uint32_t> labels = task_.labels.texts.Of(text);
  float* const signs = room->signs.data();
  const auto sign = [&](float value) {
    for (const uint32_t label : labels) {
      if (label < wide_.columns()) signs[label] = value;
    }
  };
  sign(1);
  const double cost = weight / (options_.l2 * static_cast<double>(num_texts_));
  StepWide({.features = WideFeaturesOf(text),
            .signs = signs,
            .duals = duals_.Row(text),
            .half_inverse_cost = static_cast<float>(0.5 / cost)},
           wide_, room->scores.data());
  double loss = 0;
  // If there is a deep part, only its loss is reported.
  for (size_t c = 0; c < wide_.columns() && !HasDeep(options_); ++c) {
    const double margin = static_cast<double>(signs[c]) *
                          static_cast<double>(room->scores.data()[c]);
    loss += std::log1p(std::exp(-kUsualScales.wide * margin));
  }
  sign(-1);
  return loss;
}

std::vector<ClassifierTables::Part> ClassifierTables::Parts() const {
  std::vector<Part> parts;
  if (HasDeep(options_)) parts.push_back(Part::kDeep);
  if (HasWide(options_)) parts.push_back(Part::kWide);
  return parts;
}

double ClassifierTables::Step(Part part, size_t text, double rate, uint64_t key,
                              Room* room, float* d_context) {
  const double weight = WeightOf(text);
  if (part == Part::kWide) return StepWidePart(text, weight, room);
  const double loss = StepDeep({.features = task_.train.bags.Of(text),
                                .labels = task_.labels.texts.Of(text),
                                .context = task_.train.ContextOf(text),
                                .context_step = d_context},
                               loss_, static_cast<float>(rate * weight), key,
                               deep_, room->deep);
  if (d_context != nullptr) {
    const auto scale = static_cast<float>(-1 / rate);
    for (size_t d = 0; d < task_.train.context.cols(); ++d) {
      d_context[d] *= scale;
    }
  }
  return loss;
}

void ClassifierTables::Exchange(size_t thread, size_t threads, Room* room) {
  if (HasDeep(options_)) ExchangeDeep(thread, threads, room->deep);
}

RawScores ClassifierTables::ZeroScores(size_t texts) const {
  RawScores scores;
  scores.columns = score_columns();
  if (HasWide(options_)) scores.wide.resize(texts * scores.columns);
  if (HasDeep(options_)) scores.deep.resize(texts * scores.columns);
  return scores;
}

RawScores ClassifierTables::Score(const ClassifierTexts& texts,
                                  absl::Span<const uint32_t> numbers) {
  RawScores scores = ZeroScores(numbers.size());
  ParallelExceptions exceptions;
#pragma omp parallel num_threads(threads_)
  exceptions.Catch([&] {
    Room room(*this);
#pragma omp for schedule(dynamic, kScoredAtATime) nowait
    for (size_t i = 0; i < numbers.size(); ++i) {
      const size_t at = i * scores.columns;
      if (HasWide(options_)) {
        ScoreWidePart(texts.bags.Of(numbers[i]), scores.wide.data() + at,
                      &room);
      }
      if (HasDeep(options_)) {
        ScoreDeepPart(texts, numbers[i], scores.deep.data() + at, &room);
      }
    }
  });
  exceptions.Rethrow();
  return scores;
}

void ClassifierTables::ScoreWidePart(absl::Span<const FeatureCount> features,
                                     float* to, Room* room) {
  room->features.clear();
  AppendWideValues(features, idf_, task_.index.first_character_row(),
                   &room->features);
  float* const from = room->scores.data();
  ScoreWide(room->features, wide_, from);
  std::copy_n(from, wide_.columns(), to);
  if (wide_.columns() == 1) to[1] = -from[0];
}

void ClassifierTables::ScoreDeepPart(const ClassifierTexts& texts, size_t text,
                                     float* to, Room* room) {
  room->known.clear();
  for (const FeatureCount feature : texts.bags.Of(text)) {
    if (text_counts_[feature.row] > 0 || is_given_[feature.row]) {
      room->known.push_back(feature);
    }
  }
  SetHidden(room->known, texts.ContextOf(text), deep_, room->deep);
  if (link_ != LabelLink::kTree) return ScoreDeep(deep_, room->deep, to);
  const absl::Span<const uint32_t> labels = texts.labels.Of(text);
  std::fill_n(to, score_columns(), 0.0f);
  if (labels.empty()) return;
  ScoreTurns(loss_.tree().Path(ToWordId(labels[0])), deep_, room->deep, to);
}

ScoreScales ClassifierTables::UsualScales() const {
  ScoreScales scales = kUsualScales;
  if (!HasWide(options_)) scales = {.wide = 0, .deep = 1};
  if (!HasDeep(options_)) scales.deep = 0;
  return scales;
}

std::vector<NamedTensor> ClassifierTables::Learned() {
  std::vector<NamedTensor> tensors;
  if (HasWide(options_)) {
    tensors.push_back({"wide", wide_.Weights(0), wide_.rows(), wide_.columns(),
                       wide_.stride()});
  }
  if (HasDeep(options_)) {
    const auto add = [&](const char* name, SharedMatrix& matrix) {
      tensors.push_back(
          {name, matrix.data(), matrix.rows(), matrix.cols(), matrix.stride()});
    };
    add("input", deep_.input);
    add("output", deep_.output);
  }
  return tensors;
}

std::vector<NamedTensor> ClassifierTables::Others() {
  if (!HasWide(options_)) return {};
  return {
      {"duals", duals_.data(), duals_.rows(), duals_.cols(), duals_.stride()}};
}

void ClassifierTables::MoveWideTo(float scale, ClassifierModel* model) {
  const size_t rows = task_.index.rows();
  const size_t labels = task_.labels.names.size();
  const auto weight = [&](size_t row, size_t label) {
    const float* const weights = wide_.Weights(row);
    return label < wide_.columns() ? weights[label] : -weights[0];
  };
  Matrix<float> table(rows, labels);
  for (size_t row = 0; row < rows; ++row) {
    for (size_t c = 0; c < labels; ++c) table.Row(row)[c] = weight(row, c);
  }
  for (size_t c = 0; c < labels; ++c) {
    model->bias[c] += scale * kBiasValue * weight(rows, c);
  }
  model->wide = FloatTable(std::move(table));
  model->idf = std::move(idf_);
  model->wide_scale = scale;
}

void ClassifierTables::MoveTo(const ScoreScales& scales,
                              ClassifierModel* model) && {
  model->link = link_;
  if (link_ != LabelLink::kTree) {
    model->bias.assign(task_.labels.names.size(),
                       static_cast<float>(scales.offset));
  }
  if (HasWide(options_)) MoveWideTo(static_cast<float>(scales.wide), model);
  if (!HasDeep(options_)) return;
  model->input = FloatTable(std::move(deep_.input).Release());
  model->output = FloatTable(std::move(deep_.output).Release());
  model->deep_scale = static_cast<float>(scales.deep);
}

std::vector<bool> StartRows(const FeatureIndex& index,
                            const WordVectors* vectors, uint64_t seed,
                            int threads, PaddedMatrix* input) {
  const size_t dim = input->cols();
  const size_t drawn = vectors == nullptr ? input->rows() : index.num_words();
#pragma omp parallel for schedule(static) num_threads(threads)
  for (size_t row = 0; row < input->rows(); ++row) {
    const absl::Span<float> to(input->Row(row), dim);
    if (row < drawn) {
      DrawRow(seed, row, to);
    } else {
      std::fill(to.begin(), to.end(), 0.0f);
    }
  }
  std::vector<bool> is_given(input->rows(), false);
  if (vectors == nullptr) return is_given;
  const std::vector<std::string>& words = index.parts().words;
  for (size_t word = 0; word < words.size(); ++word) {
    is_given[word] =
        CopyVectorOf(*vectors, words[word], {input->Row(word), dim});
  }
  CenterAndWeigh(index, vectors->vocabulary(), is_given, input);
  SetMeansOfWords(index, input);
  return is_given;
}

}  // namespace firth

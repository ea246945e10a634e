// 15% of the words are hidden: 80% of them become <MASK>, 10% another word, and
// 10% stay as they are. A key determines them, so that every measurement of a
// text hides the same words.

#include "lm/read/masked.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/parallel_exceptions.h"
#include "base/rng.h"
#include "firth/status_macros.h"
#include "lm/model/finite_layers.h"

namespace firth {
namespace {

constexpr float kHiddenShare = 0.15f;
constexpr float kMaskShare = 0.8f;
constexpr float kOtherWordShare = 0.1f;

// Returns the id that replaces a hidden word.
uint32_t DrawPlaceholder(const BiLanguageModel& model, const TextWords& words,
                         uint32_t id, Rng& rng) {
  const float drawn = rng.NextFloat();
  if (drawn < kMaskShare) return MaskId(model.options());
  if (drawn >= kMaskShare + kOtherWordShare) return id;
  const auto others = static_cast<float>(words.size() - words.FirstWord());
  return words.FirstWord() + static_cast<uint32_t>(rng.NextFloat() * others);
}

// Returns the ids of the words with the highest scores, without marks.
std::vector<uint32_t> HighestScores(const BiLanguageModel& model,
                                    absl::Span<const float> scores,
                                    size_t count) {
  std::vector<uint32_t> order(scores.size() - model.options().marks.size());
  std::iota(order.begin(), order.end(),
            static_cast<uint32_t>(model.options().marks.size()));
  count = std::min(count, order.size());
  std::partial_sort(
      order.begin(), order.begin() + static_cast<ptrdiff_t>(count), order.end(),
      [&](uint32_t a, uint32_t b) {
        return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
      });
  order.resize(count);
  return order;
}

WordDistribution DistributionOf(const BiLanguageModel& model,
                                absl::Span<const uint32_t> words,
                                absl::Span<const float> scores) {
  const double greatest = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (const float score : scores) sum += std::exp(score - greatest);
  const auto probability = [&](uint32_t word) {
    return std::exp(scores[word] - greatest) / sum;
  };
  WordDistribution distribution;
  distribution.unknown = probability(kUnknownId);
  for (const uint32_t word : words) {
    distribution.words.push_back(
        {std::string(model.data().words.Word(ToWordId(word))),
         probability(word), word == kUnknownId});
  }
  return distribution;
}

}  // namespace

HiddenWords HideWords(const BiLanguageModel& model, const TextWords& words,
                      uint64_t key, bool at_least_one,
                      std::vector<uint32_t>* ids) {
  Rng rng(key);
  HiddenWords hidden;
  std::vector<uint32_t> candidates;
  const auto hide = [&](uint32_t place) {
    uint32_t& id = (*ids)[place];
    hidden.places.push_back(place);
    hidden.ids.push_back(id);
    id = DrawPlaceholder(model, words, id, rng);
  };
  for (uint32_t place = 0; place < ids->size(); ++place) {
    if ((*ids)[place] < words.FirstWord()) continue;
    candidates.push_back(place);
    if (rng.NextFloat() < kHiddenShare) hide(place);
  }
  if (at_least_one && hidden.places.empty() && !candidates.empty()) {
    hide(candidates[rng.Next() % candidates.size()]);
  }
  return hidden;
}

absl::Status ReadTops(BiLanguageModel& model, const SentenceBatch& batch,
                      int threads, Matrix<float>* tops) {
  nn::Bidirectional<float>& layers = model.layers();
  const auto directions = layers.directions();
  std::vector<absl::Status> statuses(directions.size());
  tops->Resize(batch.shape().rows(), layers.output_dim());
  ParallelExceptions exceptions;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (size_t i = 0; i < directions.size(); ++i) {
    const Direction direction = directions[i];
    exceptions.Catch([&] {
      const View<float> own =
          tops->view().Cols(layers.OffsetOf(direction), layers.direction_dim());
      layers[direction].Read(batch.tokens(), batch.shape(), nullptr,
                             [&](size_t first, ConstView<float> top) {
                               const size_t row = first * batch.size();
                               nn::Copy(top, own.Rows(row, top.rows()));
                               statuses[i].Update(CheckLayers(
                                   model, direction, batch.shape(), first,
                                   batch.tokens().Rows(row, top.rows())));
                             });
    });
  }
  exceptions.Rethrow();
  for (const absl::Status& status : statuses) FIRTH_RETURN_IF_ERROR(status);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<WordDistribution>> FillSentence(
    BiLanguageModel& model, const LanguageModel::Sentence& sentence,
    size_t count, const LanguageModel::Sentence& given) {
  TextWords words(model);
  const std::vector<SentenceIds> ids = IdsOf({&sentence, 1}, &words);
  std::vector<uint32_t> rows;
  for (size_t token = 0; token < sentence.size(); ++token) {
    if (ids[0][token] == MaskId(model.options())) {
      rows.push_back(static_cast<uint32_t>(token + 1));
    }
  }
  if (rows.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the sentence contains no ", kMask));
  }
  ChunkWords chunk(model, words);
  SentenceBatch batch(model, chunk);
  batch.Set(ids, {0});
  Matrix<float> tops, hidden;
  FIRTH_RETURN_IF_ERROR(ReadTops(model, batch, /*threads=*/1, &tops));
  GatherRows(tops.view(), rows, &hidden);
  Matrix<float> scores(rows.size(), model.head()->vocab_size());
  model.head()->Scores(hidden.view(), scores.view());
  FIRTH_RETURN_IF_ERROR(CheckScores(std::as_const(scores).view()));
  std::vector<uint32_t> targets;
  for (const absl::string_view word : given) {
    targets.push_back(model.TargetOf(word));
  }
  std::vector<WordDistribution> found;
  for (size_t k = 0; k < rows.size(); ++k) {
    const absl::Span<const float> row(scores.Row(k), scores.cols());
    found.push_back(DistributionOf(
        model, given.empty() ? HighestScores(model, row, count) : targets,
        row));
  }
  return found;
}

}  // namespace firth

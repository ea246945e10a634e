#include "lm/sentence_pairs.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "firth/status_macros.h"
#include "lm/finite_layers.h"
#include "lm/sentence_batch.h"
#include "lm/sentence_windows.h"

namespace firth {
namespace {

// Number of pairs that are read together.
constexpr size_t kPairsTogether = 32;

using PairSentences = std::vector<LanguageModel::Sentence>;

// Joins the sentences of each pair, with a mark between them.
PairSentences JoinPairs(absl::Span<const LanguageModel::Pair> pairs) {
  PairSentences joined;
  for (const auto& [first, second] : pairs) {
    LanguageModel::Sentence& both = joined.emplace_back(first);
    both.emplace_back(kEndSentence);
    both.insert(both.end(), second.begin(), second.end());
  }
  return joined;
}

absl::Status CheckLengths(const nn::LayersOptions& layers,
                          const PairSentences& joined) {
  const size_t most = MostTokens(layers);
  for (size_t i = 0; i < joined.size() && most > 0; ++i) {
    if (joined[i].size() <= most) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "pair ", i + 1, ": the two sentences together must have at most ",
        most - 1, " tokens, for which the model has positions, found ",
        joined[i].size() - 1));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Matrix<float>> ScorePairs(
    BiLanguageModel& model, absl::Span<const LanguageModel::Pair> pairs,
    const Hooks& hooks) {
  const PairSentences joined = JoinPairs(pairs);
  FIRTH_RETURN_IF_ERROR(CheckLengths(model.options().layers, joined));
  TextWords text_words(model);
  const std::vector<SentenceIds> ids = IdsOf(joined, &text_words);
  ChunkWords words(model, text_words);
  SentenceBatch batch(model, words);
  nn::SequenceLayers<float>& layers = model.layers()[Direction::kForward];
  Matrix<float> scores(pairs.size(), 2);
  for (size_t begin = 0; begin < pairs.size(); begin += kPairsTogether) {
    if (hooks.StopRequested()) return absl::CancelledError("interrupted");
    const size_t count = std::min(kPairsTogether, pairs.size() - begin);
    std::vector<size_t> which(count);
    std::iota(which.begin(), which.end(), begin);
    batch.Set(ids, which);
    // The first rows of the chunk belong to the first tokens.
    absl::Status status;
    layers.Read(batch.tokens(), batch.shape(), nullptr,
                [&](size_t first, ConstView<float> top) {
                  status.Update(CheckLayers(
                      model, Direction::kForward, batch.shape(), first,
                      batch.tokens().Rows(first * batch.size(), top.rows())));
                  model.next_sentence()->Forward(
                      layers.output(layers.num_layers() - 1).Rows(0, count),
                      scores.view().Rows(begin, count));
                });
    FIRTH_RETURN_IF_ERROR(status);
  }
  const float found = FirstNotFinite(std::as_const(scores).view());
  if (found != 0) return NotFinite("the scores of pairs", found);
  return scores;
}

}  // namespace firth

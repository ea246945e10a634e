// The hypotheses of all texts of a batch are rows of one chunk, so that each
// step of the search runs the decoder once. A text that is finished leaves the
// chunk.

#include "seq2seq/text_writer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/team.h"
#include "base/threads.h"
#include "firth/status_macros.h"
#include "lm/model/language_model_options.h"
#include "nn/decoding.h"
#include "nn/elementwise.h"

namespace firth {
namespace {

// The hypotheses of all texts of a batch.
class BatchWords final : public NextWords {
 public:
  // Without `unknown`, <UNK> cannot be written.
  BatchWords(Seq2SeqNetwork& network, const PairBatch& batch, bool unknown,
             bool attends, int threads)
      : network_(network),
        encoded_(network.Encode(batch, threads)),
        unknown_(unknown),
        attends_(attends) {}

  uint32_t end() const override { return kEndSentenceId; }

  absl::StatusOr<ConstView<float>> Start() override {
    state_ = network_.decoder().Start(encoded_);
    texts_.clear();
    for (size_t b = 0; b < encoded_.size(); ++b) texts_.push_back(b);
    return Step(std::vector<uint32_t>(texts_.size(), kBeginSentenceId));
  }

  absl::StatusOr<ConstView<float>> Read(
      absl::Span<const size_t> parents,
      absl::Span<const uint32_t> words) override {
    bool same = parents.size() == texts_.size();
    std::vector<size_t> texts;
    for (size_t h = 0; h < parents.size(); ++h) {
      texts.push_back(texts_[parents[h]]);
      same = same && parents[h] == h;
    }
    if (!same) state_.KeepRows(parents);
    texts_ = std::move(texts);
    return Step(words);
  }

  const Matrix<float>* attention() override {
    return attends_ ? &attention_ : nullptr;
  }

 private:
  absl::StatusOr<ConstView<float>> Step(absl::Span<const uint32_t> words) {
    network_.TargetRows(words, &input_);
    const ConstView<float> hidden =
        network_.decoder().Step(input_.view(), texts_, &state_);
    if (attends_) network_.decoder().CopyAttention(&attention_);
    scores_.Resize(words.size(), network_.target_words());
    network_.Scores(hidden, scores_.view());
    normalizers_.resize(words.size());
    nn::ForRows(words.size(), scores_.cols(), [&](size_t begin, size_t end) {
      std::vector<float> shares(scores_.cols());
      for (size_t h = begin; h < end; ++h) ToLogarithms(h, &shares);
    });
    for (const float normalizer : normalizers_) {
      if (std::isfinite(normalizer)) continue;
      return absl::OutOfRangeError(absl::StrCat(
          "the scores of a word are not finite: their logarithmic sum is ",
          normalizer, "; the weights of the model are too large"));
    }
    return std::as_const(scores_).view();
  }

  void ToLogarithms(size_t h, std::vector<float>* shares) {
    float* const row = scores_.Row(h);
    std::copy_n(row, scores_.cols(), shares->data());
    normalizers_[h] =
        nn::Softmax(scores_.cols(), 1.0f, static_cast<const float*>(nullptr),
                    shares->data());
    for (size_t w = 0; w < scores_.cols(); ++w) row[w] -= normalizers_[h];
    constexpr float kNever = -std::numeric_limits<float>::infinity();
    row[kBeginSentenceId] = kNever;
    if (!unknown_) row[kUnknownId] = kNever;
  }

  Seq2SeqNetwork& network_;
  const nn::EncodedTexts<float> encoded_;
  bool unknown_;
  bool attends_;
  nn::LayerState<float> state_;
  std::vector<size_t> texts_;  // of the hypotheses
  Matrix<float> input_;
  Matrix<float> scores_;
  std::vector<float> normalizers_;
  Matrix<float> attention_;
};

// Returns the token of the source with the most attention, not its end.
const std::string& MostAttended(const std::vector<float>& attention,
                                const std::vector<std::string>& source) {
  const auto most = std::max_element(
      attention.begin(),
      attention.begin() + static_cast<ptrdiff_t>(source.size()));
  return source[most - attention.begin()];
}

Seq2SeqResult ToResult(const Seq2SeqModel& model,
                       const std::vector<std::string>& source,
                       const Seq2SeqSearch& options,
                       const Hypothesis& hypothesis) {
  Seq2SeqResult result;
  for (size_t i = 0; i < hypothesis.words.size(); ++i) {
    const uint32_t word = hypothesis.words[i];
    if (word == kUnknownId && options.copy_unknown &&
        !hypothesis.attention.empty()) {
      result.tokens.push_back(MostAttended(*hypothesis.attention[i], source));
    } else {
      result.tokens.emplace_back(model.target_words.Word(ToWordId(word)));
    }
  }
  result.text = TextOf(model.tokens, result.tokens);
  result.log_probability = hypothesis.log_probability;
  result.ended = hypothesis.ended;
  if (!options.attention) return result;
  for (const auto& row : hypothesis.attention) {
    result.attention.push_back(*row);
  }
  return result;
}

}  // namespace

absl::StatusOr<std::vector<std::vector<Seq2SeqResult>>> WriteTexts(
    const Seq2SeqModel& model,
    absl::Span<const std::vector<std::string>* const> sources,
    const Seq2SeqSearch& options, const Hooks& hooks) {
  PairBatch batch;
  std::vector<SearchedText> texts;
  for (const auto* source : sources) {
    batch.Add(model.SourceIds(*source), {});
    const size_t length = source->size() + 1;
    const size_t most =
        options.max_tokens > 0 ? options.max_tokens : 20 + 2 * source->size();
    texts.push_back({.length = static_cast<double>(length),
                     .max_tokens = most,
                     .attended = length});
  }
  const bool can_attend = model.network->decoder().has_attention();
  const bool copies = options.copy_unknown && can_attend;
  const bool attends = can_attend && (copies || options.attention ||
                                      options.coverage_normalization > 0);
  const BeamOptions search{
      .beam = options.beam,
      .length_normalization = options.length_normalization,
      .coverage_normalization = options.coverage_normalization,
      .end_normalization = options.end_normalization,
      .attends = copies || options.attention};
  const int threads = NumThreads(options.threads);
  absl::StatusOr<std::vector<std::vector<Hypothesis>>> found;
  RunTeam(threads, [&] {
    BatchWords words(*model.network, batch, copies, attends, threads);
    found = SearchTexts(words, texts, search, hooks);
  });
  if (!found.ok()) return found.status();
  std::vector<std::vector<Seq2SeqResult>> results(sources.size());
  for (size_t b = 0; b < sources.size(); ++b) {
    for (const Hypothesis& hypothesis : (*found)[b]) {
      if (results[b].size() == options.best) break;
      results[b].push_back(ToResult(model, *sources[b], options, hypothesis));
    }
  }
  return results;
}

}  // namespace firth

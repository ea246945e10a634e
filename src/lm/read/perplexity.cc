// Sentences of similar lengths are read together. Only rows that predict
// something are scored, a few million scores at a time, which is a small number
// of rows if the vocabulary is large.

#include "lm/read/perplexity.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/parallel_exceptions.h"
#include "base/rng.h"
#include "base/threads.h"
#include "corpus/token_stream.h"
#include "firth/status_macros.h"
#include "lm/model/finite_layers.h"
#include "lm/read/masked.h"
#include "lm/read/sentence_batch.h"

namespace firth {
namespace {

constexpr size_t kSentences = 1024;  // sorted by length together
constexpr size_t kBatch = 64;
constexpr uint64_t kHidingKey = 1;               // fixed, for equal results
constexpr size_t kMostScores = size_t{1} << 22;  // per product

// Measures one direction over batches of sentences. Each direction has its own
// thread.
class DirectionMeter {
 public:
  DirectionMeter(BiLanguageModel& model, const TextWords& words,
                 Direction direction, bool stateful)
      : model_(model),
        words_(words),
        direction_(direction),
        stateful_(stateful) {}

  // Adds the batch to the total and, if `of_each` is not empty, its tokens to
  // those of each sentence.
  void Measure(const SentenceBatch& batch,
               absl::Span<const SentenceIds> sentences,
               absl::Span<std::vector<TokenScore>> of_each = {}) {
    nn::SequenceLayers<float>& layers = model_.layers()[direction_];
    if (stateful_ && state_.empty()) state_ = layers.MakeState(batch.size());
    layers.Read(batch.tokens(), batch.shape(), stateful_ ? &state_ : nullptr,
                [&](size_t first, ConstView<float> top) {
                  status_.Update(CheckLayers(
                      model_, direction_, batch.shape(), first,
                      batch.tokens().Rows(first * batch.size(), top.rows())));
                  if (!status_.ok()) return;
                  Gather(batch, sentences, first, top);
                  Score(of_each);
                });
  }

  // Like Measure(), for a masked model and sentences with hidden words.
  void MeasureHidden(const SentenceBatch& batch,
                     absl::Span<const HiddenWords> hidden, int threads) {
    status_.Update(ReadTops(model_, batch, threads, &tops_));
    if (!status_.ok()) return;
    targets_.rows.clear();
    targets_.words.clear();
    for (size_t b = 0; b < batch.size(); ++b) {
      const HiddenWords& own = hidden[batch.index(b)];
      for (size_t k = 0; k < own.ids.size(); ++k) {
        targets_.rows.push_back(
            static_cast<uint32_t>(batch.RowOf(b, own.places[k] + 1)));
        targets_.words.push_back(words_[own.ids[k]].target);
      }
    }
    GatherRows(tops_.view(), targets_.rows, &hidden_);
    Score({});
  }

  Direction direction() const { return direction_; }
  const LossSums& sums() const { return sums_; }
  // OutOfRange after a value that was not finite; measuring then stops.
  const absl::Status& status() const { return status_; }

 private:
  // Sets targets_ to the rows that predict something, and their words.
  void Gather(const SentenceBatch& batch,
              absl::Span<const SentenceIds> sentences, size_t first,
              ConstView<float> top) {
    targets_.rows.clear();
    targets_.words.clear();
    target_sentences_.clear();
    for (size_t row = 0; row < top.rows(); ++row) {
      const size_t b = row % batch.size();
      const size_t step = first + row / batch.size();
      const SentenceIds& sentence = sentences[batch.index(b)];
      const bool forward = direction_ == Direction::kForward;
      if (step > sentence.size() + 1 || (!forward && step == 0) ||
          (forward && step == sentence.size() + 1)) {
        continue;
      }
      const size_t target = forward ? step + 1 : step - 1;
      targets_.rows.push_back(static_cast<uint32_t>(row));
      targets_.words.push_back(target == 0 ? kBeginSentenceId
                               : target == sentence.size() + 1
                                   ? kEndSentenceId
                                   : words_[sentence[target - 1]].target);
      target_sentences_.push_back(batch.index(b));
    }
    GatherRows(top, targets_.rows, &hidden_);
  }

  void Score(absl::Span<std::vector<TokenScore>> of_each) {
    const nn::Head<float>& head = *model_.head();
    const size_t most = std::max<size_t>(1, kMostScores / head.vocab_size());
    const bool continuous = model_.options().head == HeadKind::kContinuous;
    for (size_t begin = 0; begin < targets_.words.size(); begin += most) {
      const size_t rows = std::min(most, targets_.words.size() - begin);
      scores_.Resize(rows, head.vocab_size());
      head.Scores(hidden_.view().Rows(begin, rows), scores_.view());
      for (size_t r = 0; r < rows; ++r) {
        const uint32_t target = targets_.words[begin + r];
        const double loss =
            continuous
                ? 1 - scores_.Row(r)[target]
                : nn::FullLoss<float>({&target, 1}, scores_.view().Rows(r, 1));
        if (!std::isfinite(loss)) {
          status_.Update(
              NotFinite("the scores of words", static_cast<float>(loss)));
        }
        sums_.Add(loss, target == kUnknownId);
        if (of_each.empty()) continue;
        of_each[target_sentences_[begin + r]].push_back(
            {-loss, target == kUnknownId});
      }
    }
  }

  BiLanguageModel& model_;
  const TextWords& words_;
  Direction direction_;
  bool stateful_;
  nn::LayerState<float> state_;
  absl::Status status_;
  LossSums sums_;
  nn::Targets targets_;
  std::vector<size_t> target_sentences_;  // of each target
  Matrix<float> tops_;
  Matrix<float> hidden_;
  Matrix<float> scores_;
};

// Returns the sentences from *position on. `first_word` is that of TextWords.
std::vector<SentenceIds> NextSentences(const Corpus& text, uint32_t first_word,
                                       size_t* position) {
  const absl::Span<const uint32_t> tokens = text.tokens->tokens();
  std::vector<SentenceIds> sentences;
  SentenceIds words;
  for (; *position < tokens.size() && sentences.size() < kSentences;
       ++*position) {
    const uint32_t token = tokens[*position];
    if (token == TokenStream::kSentenceEnd) {
      sentences.push_back(std::move(words));
      words.clear();
    } else {
      words.push_back(token + first_word);
    }
  }
  return sentences;
}

}  // namespace

int DirectionThreads(int threads) { return std::min(NumThreads(threads), 2); }

absl::StatusOr<Perplexity> MeasurePerplexity(BiLanguageModel& model,
                                             const Corpus& text,
                                             const MeasureOptions& options,
                                             const Hooks& hooks) {
  model.head()->PrepareAll();
  const TextWords words(model, text.vocabulary);
  std::vector<DirectionMeter> meters;
  const bool masked = IsMasked(model.options());
  const auto directions = masked ? nn::DirectionsOf(Reading::kForward)
                                 : model.layers().directions();
  for (const Direction direction : directions) {
    meters.emplace_back(model, words, direction, options.stateful);
  }
  ChunkWords chunk(model, words);
  SentenceBatch batch(model, chunk);
  for (size_t position = 0; position < text.tokens->tokens().size();) {
    std::vector<SentenceIds> sentences =
        NextSentences(text, words.FirstWord(), &position);
    std::vector<HiddenWords> hidden;
    for (size_t i = 0; masked && i < sentences.size(); ++i) {
      hidden.push_back(HideWords(model, words,
                                 CombineKeys(kHidingKey, position + i),
                                 /*at_least_one=*/false, &sentences[i]));
    }
    SentenceBatches batches(sentences, options.stateful ? 1 : kBatch,
                            /*keep_order=*/options.stateful);
    while (batches.Next(&batch)) {
      if (hooks.StopRequested()) return absl::CancelledError("interrupted");
      if (masked) {
        meters[0].MeasureHidden(batch, hidden,
                                DirectionThreads(options.threads));
        FIRTH_RETURN_IF_ERROR(meters[0].status());
        continue;
      }
      ParallelExceptions exceptions;
#pragma omp parallel for num_threads(DirectionThreads(options.threads)) \
    schedule(static, 1)
      for (DirectionMeter& meter : meters) {
        exceptions.Catch([&] { meter.Measure(batch, sentences); });
      }
      exceptions.Rethrow();
      for (const DirectionMeter& meter : meters) {
        FIRTH_RETURN_IF_ERROR(meter.status());
      }
    }
  }
  Perplexity perplexity;
  for (const DirectionMeter& meter : meters) {
    (meter.direction() == Direction::kForward ? perplexity.forward
                                              : perplexity.backward) =
        meter.sums().Mean();
  }
  perplexity.masked = masked;
  perplexity.continuous = model.options().head == HeadKind::kContinuous;
  return perplexity;
}

absl::StatusOr<std::vector<std::vector<TokenScore>>> ScoreTokens(
    BiLanguageModel& model, absl::Span<const LanguageModel::Sentence> sentences,
    const Hooks& hooks) {
  TextWords words(model);
  const std::vector<SentenceIds> ids = IdsOf(sentences, &words);
  ChunkWords chunk(model, words);
  SentenceBatch batch(model, chunk);
  DirectionMeter meter(model, words, Direction::kForward, /*stateful=*/false);
  std::vector<std::vector<TokenScore>> scores(sentences.size());
  SentenceBatches batches(ids, kBatch, /*keep_order=*/false);
  size_t scored = 0;
  while (!hooks.StopRequested() && batches.Next(&batch)) {
    meter.Measure(batch, ids, absl::MakeSpan(scores));
    FIRTH_RETURN_IF_ERROR(meter.status());
    scored += batch.size();
    hooks.ReportWork(scored, sentences.size());
  }
  if (hooks.StopRequested()) return absl::CancelledError("interrupted");
  return scores;
}

std::string ShownPerplexity(const Perplexity& measured) {
  std::string shown = measured.continuous ? "loss" : "perplexity";
  const char* separator = " ";
  const auto add = [&](const DirectionPerplexity& direction, const char* name) {
    if (direction.tokens == 0) return;
    absl::StrAppend(&shown, separator,
                    measured.continuous
                        ? absl::StrFormat("%.4f", direction.loss)
                        : absl::StrFormat("%.1f", std::exp(direction.loss)),
                    " ", name);
    separator = ", ";
  };
  add(measured.forward, measured.masked ? "of hidden words" : "forward");
  add(measured.backward, "backward");
  return shown;
}

}  // namespace firth

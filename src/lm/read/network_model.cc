// Scoring, filling and pairs are computed by other files of this tier. This one
// cuts texts into pieces, checks that the model supports a request, and
// prepares the head once, since computing its rows from characters is slow.

#include "lm/read/network_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/quote.h"
#include "firth/status_macros.h"
#include "io/tensors/checked_tensors.h"
#include "lm/model/finite_layers.h"
#include "lm/model/language_model_file.h"
#include "lm/model/text_words.h"
#include "lm/read/masked.h"
#include "lm/read/perplexity.h"
#include "lm/read/sentence_batch.h"
#include "lm/read/sentence_windows.h"

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

absl::Status CheckLengths(const LanguageModelOptions& options,
                          const PairSentences& joined) {
  const size_t most = MostTokens(options);
  for (size_t i = 0; i < joined.size() && most > 0; ++i) {
    if (joined[i].size() <= most) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "pair ", i + 1, ": the two sentences together must have at most ",
        most - 1, " tokens, for which the model has positions, found ",
        joined[i].size() - 1));
  }
  return absl::OkStatus();
}

constexpr float kNever = -std::numeric_limits<float>::infinity();

// Replaces scores by ln p. Errors: OutOfRange, a score that is not finite,
// unless it is minus infinity, the score of a word that cannot follow.
absl::Status LogSoftmax(View<float> scores) {
  for (size_t r = 0; r < scores.rows(); ++r) {
    float* const row = scores.Row(r);
    const double greatest = *std::max_element(row, row + scores.cols());
    double sum = 0;
    for (size_t w = 0; w < scores.cols(); ++w) {
      sum += std::exp(row[w] - greatest);
    }
    const double log_sum = greatest + std::log(sum);
    if (!std::isfinite(log_sum)) {
      return NotFinite("the scores of words", static_cast<float>(log_sum));
    }
    for (size_t w = 0; w < scores.cols(); ++w) {
      row[w] = static_cast<float>(row[w] - log_sum);
    }
  }
  return absl::OkStatus();
}

// Returns whether the head gives words probabilities.
bool HasProbabilities(const BiLanguageModel& model) {
  const HeadKind head = model.options().head;
  return head != HeadKind::kNone && head != HeadKind::kContinuous;
}

// Checks that the model gives sentences probabilities, reading forward.
absl::Status CheckHasForwardSoftmax(BiLanguageModel& model) {
  if (!HasProbabilities(model)) {
    return absl::FailedPreconditionError(
        "this model has no probabilities of words; it only embeds tokens or "
        "predicts vectors");
  }
  if (IsMasked(model.options())) {
    return absl::FailedPreconditionError(
        "this model predicts masked words, not the next word; use \"firth lm "
        "fill\"");
  }
  if (!model.layers().reads(nn::Direction::kForward)) {
    return absl::FailedPreconditionError(
        "this model reads only backward; a model that reads forward is needed");
  }
  return absl::OkStatus();
}

// Reads forward, one word for each hypothesis at a time. Options and prompt are
// those of Continue().
class ForwardWords : public Continuation {
 public:
  ForwardWords(BiLanguageModel& model, const GenerateOptions& options,
               std::vector<std::string> prompt)
      : model_(model),
        with_unknown_(options.unknown),
        prompt_(std::move(prompt)),
        text_words_(model),
        words_(model, text_words_) {}

  uint32_t end() const override { return kEndSentenceId; }
  absl::StatusOr<ConstView<float>> Start() override {
    state_ = model_.layers()[Direction::kForward].MakeState(1);
    FIRTH_RETURN_IF_ERROR(ReadIds({kBeginSentenceId}));
    for (const std::string& word : prompt_) {
      FIRTH_RETURN_IF_ERROR(ReadIds({text_words_.IdOf(word)}));
    }
    return Predict();
  }
  absl::StatusOr<ConstView<float>> Read(
      absl::Span<const size_t> parents,
      absl::Span<const uint32_t> words) override {
    state_.KeepRows(parents);
    std::vector<uint32_t> ids;
    ids.reserve(words.size());
    for (const uint32_t word : words) {
      ids.push_back(text_words_.IdOf(model_.data().words.Word(ToWordId(word))));
    }
    FIRTH_RETURN_IF_ERROR(ReadIds(ids));
    return Predict();
  }
  std::vector<std::string> Text(
      absl::Span<const uint32_t> words) const override {
    std::vector<std::string> text = prompt_;
    for (const uint32_t word : words) {
      text.emplace_back(model_.data().words.Word(ToWordId(word)));
    }
    const TextCutter* const cutter = model_.data().cutter.get();
    return cutter == nullptr ? text : cutter->Join(text);
  }

 private:
  // Reads one word for each row of the state, given its id.
  absl::Status ReadIds(absl::Span<const uint32_t> ids) {
    words_.Clear();
    std::vector<uint32_t> word_of_row;
    for (const uint32_t id : ids) word_of_row.push_back(words_.Add(id));
    GatherRows(model_.encoder().Forward(words_.batch()), word_of_row, &tokens_);
    // One step is one piece.
    model_.layers()[Direction::kForward].Read(
        tokens_.view(), {1, ids.size(), {}}, &state_,
        [this](size_t /*first*/, ConstView<float> top) { hidden_ = top; });
    return CheckLayers(model_, Direction::kForward, {1, ids.size(), {}}, 0,
                       std::as_const(tokens_).view());
  }
  // Returns ln p of the next words, given the hidden vectors from ReadIds().
  absl::StatusOr<ConstView<float>> Predict() {
    log_probabilities_.Resize(hidden_.rows(), model_.head()->vocab_size());
    model_.head()->Scores(hidden_, log_probabilities_.view());
    FIRTH_RETURN_IF_ERROR(LogSoftmax(log_probabilities_.view()));
    for (size_t row = 0; row < hidden_.rows(); ++row) {
      log_probabilities_.Row(row)[kBeginSentenceId] = kNever;
      if (!with_unknown_) log_probabilities_.Row(row)[kUnknownId] = kNever;
    }
    return std::as_const(log_probabilities_).view();
  }

  BiLanguageModel& model_;
  bool with_unknown_;
  std::vector<std::string> prompt_;
  TextWords text_words_;
  ChunkWords words_;
  nn::LayerState<float> state_;
  Matrix<float> tokens_;
  ConstView<float> hidden_;
  Matrix<float> log_probabilities_;
};

absl::StatusOr<std::unique_ptr<TextModel>> Open(const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(const auto reader,
                         CheckedReader::OpenIfKind(file, kLanguageModelKind));
  if (!reader.has_value()) return nullptr;
  FIRTH_ASSIGN_OR_RETURN(std::unique_ptr<BiLanguageModel> model,
                         LoadLanguageModel(file));
  return std::make_unique<NetworkModel>(std::move(model));
}

}  // namespace

absl::StatusOr<Matrix<float>> ScorePairs(
    BiLanguageModel& model, absl::Span<const LanguageModel::Pair> pairs,
    const Hooks& hooks) {
  const PairSentences joined = JoinPairs(pairs);
  FIRTH_RETURN_IF_ERROR(CheckLengths(model.options(), joined));
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

const TextModelKind kNetworkModel = {&Open, &DescribeLanguageModel};

void NetworkModel::Prepare() {
  if (prepared_) return;
  model_->head()->PrepareAll();
  model_->layers().ParametersStay();
  prepared_ = true;
}

std::vector<TextModel::Sentence> NetworkModel::Cut(
    absl::Span<const Sentence> sentences) const {
  const TextCutter* const cutter = model_->data().cutter.get();
  if (cutter != nullptr) return cutter->Cut(sentences).pieces;
  return {sentences.begin(), sentences.end()};
}

absl::StatusOr<Perplexity> NetworkModel::Measure(const Corpus& text,
                                                 const MeasureOptions& options,
                                                 const Hooks& hooks) {
  if (model_->head() == nullptr) {
    return absl::FailedPreconditionError(
        "this model cannot predict words; like some imported models, it only "
        "embeds tokens");
  }
  const TextCutter* const cutter = model_->data().cutter.get();
  if (cutter == nullptr) {
    return MeasurePerplexity(*model_, text, options, hooks);
  }
  return MeasurePerplexity(*model_, cutter->Cut(text), options, hooks);
}

absl::StatusOr<std::vector<std::vector<TokenScore>>> NetworkModel::TokenScores(
    absl::Span<const Sentence> sentences, const Hooks& hooks) {
  FIRTH_RETURN_IF_ERROR(CheckHasForwardSoftmax(*model_));
  Prepare();
  return ScoreTokens(*model_, Cut(sentences), hooks);
}

absl::StatusOr<std::unique_ptr<Continuation>> NetworkModel::Continue(
    const GenerateOptions& options) {
  FIRTH_RETURN_IF_ERROR(CheckHasForwardSoftmax(*model_));
  Prepare();
  const Sentence words(options.prompt.begin(), options.prompt.end());
  const Sentence prompt = Cut({&words, 1})[0];
  return std::make_unique<ForwardWords>(
      *model_, options, std::vector<std::string>(prompt.begin(), prompt.end()));
}

absl::StatusOr<std::vector<WordDistribution>> NetworkModel::Fill(
    const Sentence& sentence, size_t count) {
  if (!IsMasked(model_->options()) || !HasProbabilities(*model_)) {
    return TextModel::Fill(sentence, count);
  }
  Prepare();
  return FillSentence(*model_, Cut({&sentence, 1})[0], count);
}

absl::StatusOr<WordDistribution> NetworkModel::NextWords(
    const Sentence& sentence, size_t count, const Sentence& words) {
  if (!IsMasked(model_->options()) || !HasProbabilities(*model_)) {
    return TextModel::NextWords(sentence, count, words);
  }
  Sentence pieces;
  for (const absl::string_view word : words) {
    const Sentence one = {word};
    const Sentence cut = Cut({&one, 1})[0];
    if (cut.size() != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat(Quote(word), " consists of ", cut.size(),
                       " pieces, but a masked model predicts a single piece"));
    }
    pieces.push_back(cut[0]);
  }
  Prepare();
  Sentence masked = Cut({&sentence, 1})[0];
  masked.push_back(kMask);
  FIRTH_ASSIGN_OR_RETURN(std::vector<WordDistribution> masks,
                         FillSentence(*model_, masked, count, pieces));
  for (size_t i = 0; i < words.size(); ++i) {
    masks.back().words[i].word = std::string(words[i]);
  }
  return std::move(masks.back());
}

absl::StatusOr<std::vector<double>> NetworkModel::NextSentence(
    absl::Span<const Pair> pairs, const Hooks& hooks) {
  if (model_->next_sentence() == nullptr) {
    return TextModel::NextSentence(pairs, hooks);
  }
  std::vector<Pair> read;
  for (const auto& [first, second] : pairs) {
    std::vector<Sentence> cut = Cut(std::vector<Sentence>{first, second});
    read.emplace_back(std::move(cut[0]), std::move(cut[1]));
  }
  FIRTH_ASSIGN_OR_RETURN(const Matrix<float> scores,
                         ScorePairs(*model_, read, hooks));
  std::vector<double> probabilities;
  for (size_t i = 0; i < scores.rows(); ++i) {
    const auto difference =
        static_cast<double>(scores.Row(i)[1] - scores.Row(i)[0]);
    probabilities.push_back(1 / (1 + std::exp(difference)));
  }
  return probabilities;
}

absl::Status NetworkModel::Save(const std::string& path, const Hooks&) {
  return SaveLanguageModel(*model_, path);
}

}  // namespace firth

#include "firth/contextualizer.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "contextual/elmo_import.h"
#include "contextual/language_model.h"
#include "contextual/language_model_body.h"
#include "contextual/language_model_file.h"
#include "contextual/perplexity.h"
#include "contextual/sentence_batch.h"

namespace firth {
namespace {

constexpr size_t kMostBatch = 4096;

}  // namespace

absl::Status EmbedOptions::Validate() const {
  if (batch < 1 || batch > kMostBatch) {
    return absl::InvalidArgumentError(
        absl::StrCat("batch: expected 1 to ", kMostBatch, ", found ", batch));
  }
  if (threads >= 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("threads: expected 0 or more, found ", threads));
}

struct Contextualizer::Body {
  explicit Body(std::unique_ptr<BiLanguageModel> loaded)
      : model(std::move(loaded)), batch(*model) {
    Reset();
  }

  BiLstm& bi_lstm() { return model->bi_lstm(); }
  size_t dim() { return 2 * bi_lstm().direction_dim(); }
  size_t num_layers() { return bi_lstm().options().stack.layers + 1; }

  void Reset() {
    for (const Direction direction : kDirections) {
      StateOf(direction) = bi_lstm().stack(direction).MakeState(1);
    }
  }
  nn::StackState<float>& StateOf(Direction direction) {
    return state[static_cast<size_t>(direction)];
  }

  // Layer 0 of the batch's sentences.
  void CopyTokens(absl::Span<TokenVectors> results) {
    const nn::ConstView<float> rows = batch.tokens();
    const size_t copies = 2 * rows.cols() == dim() ? 2 : 1;
    for (size_t b = 0; b < batch.size(); ++b) {
      TokenVectors& result = results[batch.index(b)];
      for (size_t token = 0; token < result.tokens; ++token) {
        const float* const from = rows.Row(batch.RowOf(b, token + 1));
        for (size_t copy = 0; copy < copies; ++copy) {
          std::copy_n(
              from, rows.cols(),
              result.values.data() + token * dim() + copy * rows.cols());
        }
      }
    }
  }

  // The steps from `first` on of all layers above, in one direction.
  void CopyChunk(Direction direction, size_t first, size_t steps,
                 absl::Span<TokenVectors> results) {
    const size_t half = dim() / 2;
    const size_t offset = direction == Direction::kForward ? 0 : half;
    for (size_t layer = 1; layer < num_layers(); ++layer) {
      const auto rows = bi_lstm().stack(direction).output(layer - 1);
      for (size_t b = 0; b < batch.size(); ++b) {
        TokenVectors& result = results[batch.index(b)];
        const size_t end = std::min(first + steps, result.tokens + 1);
        for (size_t t = std::max<size_t>(first, 1); t < end; ++t) {
          std::copy_n(rows.Row((t - first) * batch.size() + b), half,
                      result.values.data() +
                          (layer * result.tokens + t - 1) * dim() + offset);
        }
      }
    }
  }

  void EmbedBatch(const EmbedOptions& options,
                  absl::Span<TokenVectors> results) {
    CopyTokens(results);
#pragma omp parallel for num_threads(DirectionThreads(options.threads)) \
    schedule(static, 1)
    for (const Direction direction : kDirections) {
      nn::StackState<float> fresh =
          bi_lstm().stack(direction).MakeState(batch.size());
      bi_lstm().Run(direction, batch.tokens(), batch.shape(),
                    options.stateful ? &StateOf(direction) : &fresh,
                    [&](size_t first, nn::ConstView<float> top) {
                      CopyChunk(direction, first, top.rows() / batch.size(),
                                results);
                    });
    }
  }

  std::unique_ptr<BiLanguageModel> model;
  SentenceBatch batch;
  nn::StackState<float> state[2];
};

Contextualizer::Contextualizer(std::unique_ptr<Body> body)
    : body_(std::move(body)) {}
Contextualizer::Contextualizer(LanguageModel model)
    : Contextualizer(std::make_unique<Body>(std::move(model.body_->model))) {}
Contextualizer::~Contextualizer() = default;
Contextualizer::Contextualizer(Contextualizer&&) noexcept = default;
Contextualizer& Contextualizer::operator=(Contextualizer&&) noexcept = default;

absl::StatusOr<Contextualizer> Contextualizer::Load(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(std::unique_ptr<BiLanguageModel> model,
                         LoadLanguageModel(path));
  return Contextualizer(std::make_unique<Body>(std::move(model)));
}

size_t Contextualizer::num_layers() const { return body_->num_layers(); }
size_t Contextualizer::dim() const { return body_->dim(); }
size_t Contextualizer::token_dim() const {
  return body_->bi_lstm().token_dim();
}
const std::map<std::string, std::string>& Contextualizer::metadata() const {
  return body_->model->data().metadata;
}

absl::StatusOr<std::vector<TokenVectors>> Contextualizer::Embed(
    absl::Span<const Sentence> sentences, const EmbedOptions& options) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  std::vector<TokenVectors> results(sentences.size());
  for (size_t i = 0; i < sentences.size(); ++i) {
    const size_t tokens = sentences[i].size();
    results[i] = {num_layers(), tokens, dim(), {}};
    results[i].values.resize(num_layers() * tokens * dim());
  }
  SentenceBatches batches(sentences, options.stateful ? 1 : options.batch,
                          /*keep_order=*/options.stateful);
  while (batches.Next(&body_->batch)) {
    body_->EmbedBatch(options, absl::MakeSpan(results));
  }
  return results;
}

void Contextualizer::Reset() { body_->Reset(); }

absl::Status ImportElmo(const std::string& options_path,
                        const std::string& weights_path,
                        const std::string& output_path) {
  FIRTH_ASSIGN_OR_RETURN(const std::unique_ptr<BiLanguageModel> model,
                         ReadElmo(options_path, weights_path));
  return SaveLanguageModel(*model, output_path);
}

}  // namespace firth

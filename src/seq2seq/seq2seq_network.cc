// A batch is packed for the encoder (one text after another) and time-major for
// the decoder, whose rows beyond the end of a text are left out of the loss.

#include "seq2seq/seq2seq_network.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/rng.h"
#include "base/saturated.h"
#include "base/team.h"
#include "lm/model/language_model_options.h"
#include "nn/elementwise.h"
#include "nn/layers.h"
#include "nn/output_rows.h"

namespace firth {
namespace {

// Rows of scores that are computed at once when nothing is trained.
constexpr size_t kScoredRows = 512;

nn::RecurrentLayers Recurrent(const Seq2SeqShape& shape, size_t units,
                              double dropout) {
  nn::RecurrentLayers layers;
  layers.recurrent.cell = shape.cell;
  layers.recurrent.units = units;
  layers.layers = shape.layers;
  layers.dropout = dropout;
  return layers;
}

nn::TransformerLayers Blocks(const Seq2SeqShape& shape, bool decodes,
                             double dropout) {
  return {.units = shape.units,
          .heads = shape.heads,
          .feed_forward =
              shape.feed_forward == 0 ? 4 * shape.units : shape.feed_forward,
          .layers = shape.layers,
          .context = shape.context,
          .norm = shape.norm,
          .activation = Activation::kRelu,
          .positions = shape.positions,
          .causal = decodes,
          .decodes = decodes,
          .dropout = dropout};
}

nn::DecoderOptions DecoderOf(const Seq2SeqShape& shape, double dropout) {
  nn::DecoderOptions options{Recurrent(shape, shape.units, dropout),
                             shape.attention, shape.input_feeding};
  if (shape.decoder == DecoderKind::kTransformer) {
    options.layers = Blocks(shape, /*decodes=*/true, dropout);
  }
  return options;
}

void Draw(uint64_t key, nn::Parameter<float>& table) {
  nn::FillNormal(1 / std::sqrt(static_cast<double>(table.value.cols())), key,
                 table.value);
}

}  // namespace

nn::LayersOptions EncoderLayers(const Seq2SeqShape& shape, double dropout) {
  switch (shape.encoder) {
    case NetworkKind::kTransformer:
      return Blocks(shape, /*decodes=*/false, dropout);
    case NetworkKind::kWindow:
      return nn::WindowLayers{.window = shape.window,
                              .units = shape.units / 2,
                              .layers = shape.layers,
                              .dropout = dropout};
    case NetworkKind::kRecurrent:
      break;
  }
  return Recurrent(shape, shape.units / 2, dropout);
}

Reading EncoderReading(const Seq2SeqShape& shape) {
  return shape.encoder == NetworkKind::kTransformer ? Reading::kForward
                                                    : Reading::kBoth;
}

uint64_t ParameterBytes(const Seq2SeqShape& shape, const Seq2SeqSizes& sizes) {
  uint64_t values = 0;
  const auto add = [&values](uint64_t rows, uint64_t cols) {
    values = AddSaturated(values, MultiplySaturated(rows, cols));
  };
  add(sizes.source_words, sizes.source_dim);
  add(sizes.target_words, sizes.target_dim);
  if (!shape.tied) add(sizes.target_words, shape.units);
  const uint64_t directions =
      shape.encoder == NetworkKind::kTransformer ? 1 : 2;
  add(directions, CountParameters(EncoderLayers(shape, 0), sizes.source_dim));
  std::visit(
      [&](const auto& layers) {
        add(1, CountParameters(layers, sizes.target_dim));
      },
      DecoderOf(shape, 0).layers);
  return MultiplySaturated(values, sizeof(float));
}

void PairBatch::Add(absl::Span<const uint32_t> source_ids,
                    absl::Span<const uint32_t> target_ids) {
  source.insert(source.end(), source_ids.begin(), source_ids.end());
  source_lengths.push_back(source_ids.size());
  target.insert(target.end(), target_ids.begin(), target_ids.end());
  target_lengths.push_back(target_ids.size());
}

Seq2SeqNetwork::Seq2SeqNetwork(const Seq2SeqShape& shape,
                               const Seq2SeqSizes& sizes, double dropout,
                               double label_smoothing, uint64_t key)
    : source_table_("source.table", sizes.source_words, sizes.source_dim,
                    nn::GradientKind::kSparse),
      target_table_(
          "target.table", sizes.target_words, sizes.target_dim,
          shape.tied ? nn::GradientKind::kDense : nn::GradientKind::kSparse),
      encoder_(EncoderLayers(shape, dropout), EncoderReading(shape),
               sizes.source_dim, CombineKeys(key, 0)),
      decoder_(nn::MakeDecoder<float>(DecoderOf(shape, dropout),
                                      sizes.target_dim, "decoder",
                                      CombineKeys(key, 1))) {
  Draw(CombineKeys(key, 2), source_table_);
  Draw(CombineKeys(key, 3), target_table_);
  auto rows = shape.tied
                  ? nn::MakeTiedRows(&target_table_, nn::GradientKind::kDense,
                                     0, "output")
                  : nn::MakeTableRows<float>(sizes.target_words, shape.units,
                                             nn::GradientKind::kDense, 0,
                                             "output", CombineKeys(key, 4));
  head_ = nn::MakeFullSoftmaxHead<float>(std::move(rows), label_smoothing);
}

void Seq2SeqNetwork::AppendParameters(nn::ParameterList<float>* list) {
  list->push_back(&source_table_);
  list->push_back(&target_table_);
  encoder_.AppendParameters(list);
  decoder_->AppendParameters(list);
  head_->AppendParameters(list);
}

void Seq2SeqNetwork::TargetRows(absl::Span<const uint32_t> words,
                                Matrix<float>* rows) const {
  rows->Resize(words.size(), target_table_.value.cols());
  for (size_t r = 0; r < words.size(); ++r) {
    std::copy_n(target_table_.value.Row(words[r]), rows->cols(), rows->Row(r));
  }
}

nn::EncodedTexts<float> Seq2SeqNetwork::Encode(const PairBatch& batch,
                                               int threads,
                                               nn::DropoutKey key) {
  source_rows_.Resize(batch.source.size(), source_table_.value.cols());
  for (size_t r = 0; r < batch.source.size(); ++r) {
    std::copy_n(source_table_.value.Row(batch.source[r]), source_rows_.cols(),
                source_rows_.Row(r));
  }
  return encoder_.Forward(source_rows_.view(), batch.source_lengths, key,
                          threads);
}

ConstView<float> Seq2SeqNetwork::Forward(const PairBatch& batch,
                                         nn::DropoutKey key, int threads) {
  const auto own_key = [&](uint64_t part) {
    return key.has_value() ? nn::DropoutKey(CombineKeys(*key, part)) : key;
  };
  encoded_ = Encode(batch, threads, own_key(0));
  const size_t texts = batch.target_lengths.size();
  const size_t steps = *std::max_element(batch.target_lengths.begin(),
                                         batch.target_lengths.end());
  std::vector<uint32_t> inputs(steps * texts, kBeginSentenceId);
  std::vector<uint32_t> words(steps * texts);
  size_t token = 0;
  for (size_t b = 0; b < texts; ++b) {
    for (size_t t = 0; t < batch.target_lengths[b]; ++t, ++token) {
      words[RowOf(batch, b, t)] = batch.target[token];
      if (t > 0) inputs[RowOf(batch, b, t)] = batch.target[token - 1];
    }
  }
  targets_ = {};
  for (size_t row = 0; row < words.size(); ++row) {
    if (row / texts >= batch.target_lengths[row % texts]) continue;
    targets_.rows.push_back(static_cast<uint32_t>(row));
    targets_.words.push_back(words[row]);
  }
  TargetRows(inputs, &target_rows_);
  return decoder_->Forward(target_rows_.view(),
                           {steps, texts, batch.target_lengths}, encoded_,
                           own_key(1));
}

double Seq2SeqNetwork::Train(const PairBatch& batch, uint64_t key,
                             int threads) {
  double loss = 0;
  RunTeam(threads, [&] {
    const ConstView<float> top = Forward(batch, nn::DropoutKey(key), threads);
    head_->Prepare(targets_.words, key);
    const auto tokens = static_cast<float>(targets_.words.size());
    loss = nn::StepOnTargets(*head_, top, targets_, 1 / tokens, &work_) /
           static_cast<double>(tokens);
    head_->GatherGradients(absl::MakeSpan(&work_, 1));
    if (std::isfinite(loss)) Backward(batch, work_.d_hidden.view(), threads);
  });
  return loss;
}

void Seq2SeqNetwork::Backward(const PairBatch& batch, ConstView<float> d_top,
                              int threads) {
  d_target_rows_.Resize(target_rows_.rows(), target_rows_.cols());
  d_encoded_.Resize(encoded_.rows.rows(), encoded_.rows.cols());
  d_encoded_.Fill(0);
  nn::LayerState<float> d_state;
  if (encoded_.state != nullptr) {
    for (size_t i = 0; i < encoded_.state->num_parts(); ++i) {
      const Matrix<float>& part = (*encoded_.state)[i];
      d_state.Add("", part.rows(), part.cols());
    }
  }
  decoder_->Backward(d_top, d_target_rows_.view(), d_encoded_.view(), &d_state);
  d_source_rows_.Resize(source_rows_.rows(), source_rows_.cols());
  encoder_.Backward(d_encoded_.view(), d_state.empty() ? nullptr : &d_state,
                    threads, d_source_rows_.view());
  for (size_t r = 0; r < batch.source.size(); ++r) {
    nn::AddScaled(d_source_rows_.cols(), 1.0f, d_source_rows_.Row(r),
                  source_table_.gradient.Row(batch.source[r]));
  }
  size_t token = 0;
  for (size_t b = 0; b < batch.target_lengths.size(); ++b) {
    for (size_t t = 0; t < batch.target_lengths[b]; ++t, ++token) {
      const uint32_t word = t == 0 ? kBeginSentenceId : batch.target[token - 1];
      nn::AddScaled(d_target_rows_.cols(), 1.0f,
                    d_target_rows_.Row(RowOf(batch, b, t)),
                    target_table_.gradient.Row(word));
    }
  }
}

std::vector<double> Seq2SeqNetwork::Losses(const PairBatch& batch,
                                           int threads) {
  const size_t texts = batch.target_lengths.size();
  std::vector<double> losses(texts);
  RunTeam(threads, [&] {
    const ConstView<float> top = Forward(batch, {}, threads);
    Matrix<float> hidden, scores;
    for (size_t first = 0; first < targets_.rows.size(); first += kScoredRows) {
      const size_t count = std::min(kScoredRows, targets_.rows.size() - first);
      hidden.Resize(count, top.cols());
      scores.Resize(count, target_words());
      for (size_t i = 0; i < count; ++i) {
        std::copy_n(top.Row(targets_.rows[first + i]), top.cols(),
                    hidden.Row(i));
      }
      head_->Scores(hidden.view(), scores.view());
      for (size_t i = 0; i < count; ++i) {
        losses[targets_.rows[first + i] % texts] += nn::FullLoss<float>(
            absl::MakeConstSpan(targets_.words).subspan(first + i, 1),
            scores.view().Rows(i, 1));
      }
    }
  });
  return losses;
}

void Seq2SeqNetwork::ParametersStay() { head_->PrepareAll(); }

}  // namespace firth

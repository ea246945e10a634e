// Sentences are first cut into batches, and the words of all batches are
// encoded. Each direction then has a thread that runs through all batches and
// copies the outputs of the layers to its own part of the results.

#include <algorithm>
#include <atomic>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/memory_info.h"
#include "base/parallel_exceptions.h"
#include "base/quote.h"
#include "firth/contextualizer.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "lm/model/finite_layers.h"
#include "lm/model/language_model.h"
#include "lm/model/language_model_file.h"
#include "lm/read/network_model.h"
#include "lm/read/perplexity.h"
#include "lm/read/sentence_batch.h"
#include "lm/read/sentence_windows.h"
#include "lm/read/text_model.h"

namespace firth {

namespace {

// Pools the tokens of a sentence into one vector per layer.

// Pools the tokens of one layer; there must be at least one.
void MeanOf(const TokenVectors& vectors, size_t layer, float* to) {
  std::vector<double> sums(vectors.dim);
  for (size_t token = 0; token < vectors.tokens; ++token) {
    const absl::Span<const float> vector = vectors.Vector(layer, token);
    for (size_t d = 0; d < sums.size(); ++d) {
      sums[d] += static_cast<double>(vector[d]);
    }
  }
  for (size_t d = 0; d < sums.size(); ++d) {
    to[d] = static_cast<float>(sums[d] / static_cast<double>(vectors.tokens));
  }
}

void MaxOf(const TokenVectors& vectors, size_t layer, float* to) {
  std::copy_n(vectors.Vector(layer, 0).data(), vectors.dim, to);
  for (size_t token = 1; token < vectors.tokens; ++token) {
    const absl::Span<const float> vector = vectors.Vector(layer, token);
    for (size_t d = 0; d < vectors.dim; ++d) to[d] = std::max(to[d], vector[d]);
  }
}

void PoolLayer(const TokenVectors& vectors, size_t layer, Pooling pooling,
               float* to) {
  switch (pooling) {
    case Pooling::kMean:
      return MeanOf(vectors, layer, to);
    case Pooling::kMax:
      return MaxOf(vectors, layer, to);
    case Pooling::kFirst:
    case Pooling::kLast:
      const size_t token = pooling == Pooling::kFirst ? 0 : vectors.tokens - 1;
      std::copy_n(vectors.Vector(layer, token).data(), vectors.dim, to);
  }
}

}  // namespace

FieldTable EmbedOptions::Fields() {
  FieldsOf<EmbedOptions> fields;
  fields.Add("stateful", &EmbedOptions::stateful,
             "carry the state over from one sentence to the next, as the "
             "original ELMo does; this is slower");
  fields.Add("batch", &EmbedOptions::batch,
             "number of sentences that are processed together",
             Field().Range(1, 4096));
  fields.Choice("long-sentences", &EmbedOptions::long_sentences,
                {"windows", "refuse"},
                "choose how to read sentences with more tokens than the model "
                "has positions: in windows that overlap by half (windows), or "
                "not at all, with an error (refuse)");
  fields.Choice(
      "pieces", &EmbedOptions::pieces, {"mean", "first", "last"},
      "choose the vector of a word that the model splits into pieces: the mean "
      "of the vectors of its pieces, or the vector of the first or last piece");
  fields.Add("threads", &EmbedOptions::threads,
             "number of threads; with 2, each direction has its own thread. 0 "
             "means all cores",
             Field().Range(0, kMostThreads).Work());
  return fields;
}

absl::Status EmbedOptions::Validate() const { return CheckFields(*this); }

struct Contextualizer::Body {
  explicit Body(LanguageModel its_model)
      : whole(std::move(its_model)), model(TextModel::Of(whole).network()) {
    if (model == nullptr) return;
    model->layers().ParametersStay();
    Reset();
  }

  absl::Status CheckHasLayers() const {
    if (model != nullptr) return absl::OkStatus();
    return absl::FailedPreconditionError(
        "this language model has no layers, and so no vectors; only models of "
        "networks have them");
  }

  nn::Bidirectional<float>& layers() { return model->layers(); }
  size_t first_step() const { return FirstStep(model->options()); }
  size_t dim() { return model == nullptr ? 0 : layers().output_dim(); }
  size_t num_layers() {
    return model == nullptr ? 0 : layers().num_layers() + 1;
  }

  void Reset() {
    for (const Direction direction : layers().directions()) {
      StateOf(direction) = layers()[direction].MakeState(1);
    }
  }
  nn::LayerState<float>& StateOf(Direction direction) {
    return state[static_cast<size_t>(direction)];
  }

  // Copies layer 0 of the batch's sentences to one direction's part. `start` is
  // the step of the first vector that is wanted.
  void CopyTokens(Direction direction, const SentenceBatch& batch, size_t start,
                  absl::Span<TokenVectors> results) {
    const ConstView<float> rows = batch.tokens();
    const bool twice = 2 * rows.cols() == dim();
    if (!twice && direction != layers().directions()[0]) return;
    const size_t offset = layers().OffsetOf(direction);
    for (size_t b = 0; b < batch.size(); ++b) {
      TokenVectors& result = results[batch.index(b)];
      for (size_t token = 0; token < result.tokens; ++token) {
        std::copy_n(rows.Row(batch.RowOf(b, start + token)), rows.cols(),
                    result.values.data() + token * dim() + offset);
      }
    }
  }

  // Copies the steps from `first` on of all higher layers, in one direction.
  void CopyChunk(Direction direction, const SentenceBatch& batch, size_t start,
                 size_t first, size_t steps, absl::Span<TokenVectors> results) {
    const size_t part = layers().direction_dim();
    const size_t offset = layers().OffsetOf(direction);
    for (size_t layer = 1; layer < num_layers(); ++layer) {
      const auto rows = layers()[direction].output(layer - 1);
      for (size_t b = 0; b < batch.size(); ++b) {
        TokenVectors& result = results[batch.index(b)];
        const size_t end = std::min(first + steps, start + result.tokens);
        for (size_t t = std::max(first, start); t < end; ++t) {
          const size_t token = t - start;
          std::copy_n(rows.Row((t - first) * batch.size() + b), part,
                      result.values.data() +
                          (layer * result.tokens + token) * dim() + offset);
        }
      }
    }
  }

  // Errors: OutOfRange, a value that is not finite.
  absl::Status EmbedBatch(Direction direction, const SentenceBatch& batch,
                          bool stateful, size_t start,
                          absl::Span<TokenVectors> results) {
    CopyTokens(direction, batch, start, results);
    absl::Status status;
    layers()[direction].Read(
        batch.tokens(), batch.shape(), stateful ? &StateOf(direction) : nullptr,
        [&](size_t first, ConstView<float> top) {
          CopyChunk(direction, batch, start, first, top.rows() / batch.size(),
                    results);
          status.Update(CheckPiece(direction, batch, first, top));
        });
    return status;
  }

  absl::Status CheckPiece(Direction direction, const SentenceBatch& batch,
                          size_t first, ConstView<float> top) {
    return CheckLayers(*model, direction, batch.shape(), first,
                       batch.tokens().Rows(first * batch.size(), top.rows()));
  }

  LanguageModel whole;
  BiLanguageModel* model;  // part of `whole`; null if this has no layers
  nn::LayerState<float> state[2];
};

Contextualizer::Contextualizer(LanguageModel model)
    : body_(std::make_unique<Body>(std::move(model))) {}
Contextualizer::~Contextualizer() = default;
Contextualizer::Contextualizer(Contextualizer&&) noexcept = default;
Contextualizer& Contextualizer::operator=(Contextualizer&&) noexcept = default;

absl::StatusOr<Contextualizer> Contextualizer::Load(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(LanguageModel model, LanguageModel::Load(path));
  return Contextualizer(std::move(model));
}

absl::StatusOr<Contextualizer> LoadContextualizer(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  return LoadContextualizer(file);
}

absl::StatusOr<Contextualizer> LoadContextualizer(const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(std::unique_ptr<TextModel> model, OpenTextModel(file));
  if (model->network() == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        file->path(),
        ": this language model has no layers, and so no vectors; only models "
        "of networks have them"));
  }
  return Contextualizer(TextModel::Public(std::move(model)));
}

BiLanguageModel& ModelOf(Contextualizer& contextualizer) {
  return *contextualizer.body_->model;
}

size_t Contextualizer::num_layers() const { return body_->num_layers(); }
size_t Contextualizer::dim() const { return body_->dim(); }
size_t Contextualizer::token_dim() const {
  return body_->model == nullptr ? 0 : body_->model->encoder().output_dim();
}
bool Contextualizer::Knows(absl::string_view word) const {
  if (body_->model == nullptr) return false;
  const LanguageModelData& data = body_->model->data();
  return body_->model->options().encoder.has_characters() ||
         data.input_words.Find(word).has_value() ||
         data.n_grams.FromNGrams(word).has_value();
}
bool Contextualizer::reads_pairs() const {
  return body_->model != nullptr && body_->model->options().pairs;
}
const std::map<std::string, std::string>& Contextualizer::metadata() const {
  return body_->whole.metadata();
}

absl::StatusOr<std::vector<TokenVectors>> Contextualizer::Embed(
    absl::Span<const Sentence> sentences, const EmbedOptions& options,
    const Hooks& hooks) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  FIRTH_RETURN_IF_ERROR(body_->CheckHasLayers());
  const TextCutter* const cutter = body_->model->data().cutter.get();
  if (cutter == nullptr) {
    EmbedOptions of_words = options;
    of_words.all_pieces = false;
    return EmbedWindows(sentences, of_words, hooks);
  }
  const CutSentences cut = cutter->Cut(sentences);
  FIRTH_ASSIGN_OR_RETURN(std::vector<TokenVectors> vectors,
                         EmbedWindows(cut.pieces, options, hooks));
  if (options.all_pieces) return vectors;
  for (size_t i = 0; i < vectors.size(); ++i) {
    vectors[i] = JoinPieces(vectors[i], cut.first[i], options.pieces);
    const float found =
        FirstNotFinite({vectors[i].values.data(), 1, vectors[i].values.size(),
                        vectors[i].values.size()});
    if (found != 0) return NotFinite("the mean of a word's pieces", found);
  }
  return vectors;
}

absl::StatusOr<std::vector<TokenVectors>> Contextualizer::EmbedWindows(
    absl::Span<const Sentence> sentences, const EmbedOptions& options,
    const Hooks& hooks) {
  const LanguageModelOptions& model = body_->model->options();
  const size_t most = MostTokens(model);
  const auto is_long = [most](const Sentence& sentence) {
    return most > 0 && sentence.size() > most;
  };
  const auto* const found =
      std::find_if(sentences.begin(), sentences.end(), is_long);
  if (found == sentences.end() || options.stateful) {
    return EmbedTokens(sentences, options, hooks);
  }
  if (options.long_sentences == LongSentences::kRefuse) {
    return CheckLength(*found, most);
  }
  if (options.all_pieces &&
      !std::all_of(sentences.begin(), sentences.end(), is_long)) {
    // The short sentences keep their marks.
    std::vector<TokenVectors> all(sentences.size());
    for (const bool wanted : {false, true}) {
      std::vector<Sentence> part;
      for (const Sentence& sentence : sentences) {
        if (is_long(sentence) == wanted) part.push_back(sentence);
      }
      FIRTH_ASSIGN_OR_RETURN(std::vector<TokenVectors> vectors,
                             EmbedWindows(part, options, hooks));
      auto next = vectors.begin();
      for (size_t i = 0; i < sentences.size(); ++i) {
        if (is_long(sentences[i]) == wanted) all[i] = std::move(*next++);
      }
    }
    return all;
  }
  EmbedOptions of_windows = options;
  of_windows.all_pieces = false;
  const SentenceWindows cut(
      sentences, most, std::get<nn::TransformerLayers>(model.layers).causal);
  FIRTH_ASSIGN_OR_RETURN(std::vector<TokenVectors> vectors,
                         EmbedTokens(cut.windows(), of_windows, hooks));
  return cut.Join(std::move(vectors));
}

absl::Status Contextualizer::CheckLength(const Sentence& sentence,
                                         size_t most) {
  if (most == 0 || sentence.size() <= most) return absl::OkStatus();
  const size_t shown = std::min<size_t>(sentence.size(), 3);
  return absl::InvalidArgumentError(absl::StrCat(
      "a sentence of ", sentence.size(), " tokens, beginning ",
      Quote(absl::StrJoin(MakeConstSpan(sentence).first(shown), " ")),
      ", is too long; the model has positions for at most ", most));
}

absl::StatusOr<AttentionWeights> Contextualizer::Attend(
    const Sentence& sentence) {
  FIRTH_RETURN_IF_ERROR(body_->CheckHasLayers());
  BiLanguageModel& model = *body_->model;
  nn::Bidirectional<float>& layers = body_->layers();
  const auto directions = layers.directions();
  AttentionWeights result;
  result.directions = directions.size();
  result.layers = layers.num_layers();
  result.heads = layers[directions[0]].num_heads();
  if (result.heads == 0) {
    return absl::FailedPreconditionError(
        "this model has no attention weights; only Transformers have them");
  }
  const bool causal =
      std::get<nn::TransformerLayers>(model.options().layers).causal;
  for (const Direction direction : directions) {
    result.direction_names.emplace_back(causal ? nn::DirectionName(direction)
                                               : "both");
  }
  const TextCutter* const cutter = model.data().cutter.get();
  CutSentences cut;
  if (cutter != nullptr) cut = cutter->Cut({&sentence, 1});
  const Sentence& read = cutter == nullptr ? sentence : cut.pieces[0];
  FIRTH_RETURN_IF_ERROR(CheckLength(read, MostTokens(model.options())));
  if (body_->first_step() > 0) result.tokens.emplace_back(kBeginSentence);
  for (const absl::string_view token : read) result.tokens.emplace_back(token);
  result.tokens.emplace_back(kEndSentence);
  const size_t tokens = result.tokens.size();
  const auto bytes = static_cast<double>(sizeof(float) * result.directions *
                                         result.layers * result.heads) *
                     static_cast<double>(tokens) * static_cast<double>(tokens);
  // The layers need the same amount once more.
  if (2 * bytes > static_cast<double>(AvailableMemoryBytes())) {
    return absl::ResourceExhaustedError(absl::StrFormat(
        "the attention weights of a sentence of %d tokens need about %.0f MB "
        "of memory, but only %d MB is available",
        tokens, 2e-6 * bytes, AvailableMemoryBytes() / 1'000'000));
  }

  TextWords words(model);
  const std::vector<SentenceIds> ids = IdsOf({&read, 1}, &words);
  ChunkWords chunk(model, words);
  SentenceBatch batch(model, chunk);
  batch.Set(ids, {0});
  Matrix<float> weights(tokens, tokens);
  for (const Direction direction : directions) {
    FIRTH_RETURN_IF_ERROR(body_->CheckPiece(
        direction, batch, 0,
        layers[direction].Forward(batch.tokens(), batch.shape(), nullptr)));
    for (size_t layer = 0; layer < result.layers; ++layer) {
      for (size_t head = 0; head < result.heads; ++head) {
        layers[direction].CopyWeights(layer, 0, head, weights.view());
        for (size_t token = 0; token < tokens; ++token) {
          result.values.insert(result.values.end(), weights.Row(token),
                               weights.Row(token) + tokens);
        }
      }
    }
  }
  layers.ParametersStay();
  return result;
}

absl::StatusOr<std::vector<TokenVectors>> Contextualizer::EmbedTokens(
    absl::Span<const Sentence> sentences, const EmbedOptions& options,
    const Hooks& hooks) {
  std::vector<TokenVectors> results(sentences.size());
  for (size_t i = 0; i < sentences.size(); ++i) {
    const size_t marks = options.all_pieces ? body_->first_step() + 1 : 0;
    const size_t tokens =
        sentences[i].empty() ? 0 : sentences[i].size() + marks;
    results[i] = {num_layers(), tokens, dim(), {}};
    results[i].values.reserve(num_layers() * tokens * dim());
  }
  // The memory is already reserved, so resize() cannot throw in a thread of
  // OpenMP.
#pragma omp parallel for num_threads(DirectionThreads(options.threads))
  for (size_t i = 0; i < sentences.size(); ++i) {
    if (hooks.StopRequested()) continue;
    results[i].values.resize(num_layers() * results[i].tokens * dim());
  }
  TextWords words(*body_->model);
  const std::vector<SentenceIds> ids = IdsOf(sentences, &words);
  // All batches are made first, so that directions wait for each other only
  // once.
  SentenceBatches cut(ids, options.stateful ? 1 : options.batch,
                      /*keep_order=*/options.stateful);
  ChunkWords chunk(*body_->model, words);
  std::vector<SentenceBatch> batches;
  do {
    if (hooks.StopRequested()) return absl::CancelledError("interrupted");
    batches.emplace_back(*body_->model, chunk);
  } while (cut.Next(&batches.back()));
  batches.pop_back();
  const auto directions = body_->layers().directions();
  const size_t start = options.all_pieces ? 0 : body_->first_step();
  std::atomic<size_t> done = 0;
  std::vector<absl::Status> statuses(directions.size());
  ParallelExceptions exceptions;
#pragma omp parallel for num_threads(DirectionThreads(options.threads)) \
    schedule(static, 1)
  for (size_t i = 0; i < directions.size(); ++i) {
    for (const SentenceBatch& batch : batches) {
      if (hooks.StopRequested() || !statuses[i].ok()) break;
      exceptions.Catch([&] {
        statuses[i] = body_->EmbedBatch(directions[i], batch, options.stateful,
                                        start, absl::MakeSpan(results));
#pragma omp critical(firth_embed)
        hooks.ReportWork(++done, directions.size() * batches.size());
      });
    }
  }
  exceptions.Rethrow();
  if (hooks.StopRequested()) {
    Reset();
    return absl::CancelledError("interrupted");
  }
  for (const absl::Status& status : statuses) {
    if (status.ok()) continue;
    Reset();
    return status;
  }
  return results;
}

void Contextualizer::Reset() {
  if (body_->model != nullptr) body_->Reset();
}

LanguageModel& Contextualizer::language_model() { return body_->whole; }

TokenVectors Pool(const TokenVectors& vectors, Pooling pooling) {
  TokenVectors pooled{vectors.layers, 1, vectors.dim, {}};
  pooled.values.resize(vectors.layers * vectors.dim);
  for (size_t layer = 0; layer < vectors.layers && vectors.tokens > 0;
       ++layer) {
    PoolLayer(vectors, layer, pooling,
              pooled.values.data() + layer * vectors.dim);
  }
  return pooled;
}

}  // namespace firth

// The words of a model are the marks and the most frequent words of the text.
// Their vectors are given, computed from characters, or drawn at random. The
// fingerprint contains everything that determines the result of a training run.

#include "lm/learn/training_setup.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/checksum.h"
#include "base/fields_json.h"
#include "base/json.h"
#include "base/matrix.h"
#include "base/memory_info.h"
#include "base/rng.h"
#include "corpus/token_stream.h"
#include "firth/status_macros.h"
#include "lm/model/character_ids.h"
#include "lm/model/text_words.h"
#include "lm/read/text_model.h"

namespace firth {
namespace {

using Marks = std::vector<std::string>;

absl::StatusOr<Vocabulary> WithMarks(const Marks& marks,
                                     const Vocabulary& vocabulary) {
  std::vector<absl::string_view> words(marks.begin(), marks.end());
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    const absl::string_view word = vocabulary.Word(ToWordId(i));
    if (!absl::c_linear_search(marks, word)) words.push_back(word);
  }
  return Vocabulary::Create(words, {});
}

// Returns the given vector of a word, or that of its n-grams, or nothing.
std::optional<std::vector<float>> VectorOf(const WordVectors& vectors,
                                           absl::string_view word) {
  const std::optional<WordId> id = vectors.vocabulary().Find(word);
  if (id.has_value()) return vectors.CopyVector(*id);
  return vectors.FromNGrams(word);
}

// Returns rows for `words`, which begin with `num_marks` marks. Words get the
// given vectors, or zeros if they have none. Marks get random vectors of the
// same size, and kUnknown gets the mean of all vectors.
Matrix<float> RowsFor(const Vocabulary& words, size_t num_marks,
                      const WordVectors& vectors, uint64_t seed) {
  Matrix<float> rows(words.size(), vectors.dim());
  std::vector<double> sums(vectors.dim());
  double squares = 0;
  double found = 0;
  for (size_t i = num_marks; i < words.size(); ++i) {
    const auto vector = VectorOf(vectors, words.Word(ToWordId(i)));
    if (!vector.has_value()) continue;
    std::copy(vector->begin(), vector->end(), rows.Row(i));
    ++found;
    for (size_t c = 0; c < sums.size(); ++c) {
      sums[c] += (*vector)[c];
      squares += static_cast<double>((*vector)[c]) * (*vector)[c];
    }
  }
  const double deviation = std::sqrt(
      squares / std::max(1.0, found * static_cast<double>(sums.size())));
  Matrix<float> random(num_marks, vectors.dim());
  nn::FillNormal(deviation, CombineKeys(seed, 2), random);
  nn::Copy<float>(random.view(), rows.view().Rows(0, num_marks));
  for (size_t c = 0; c < sums.size(); ++c) {
    rows.Row(kUnknownId)[c] =
        static_cast<float>(sums[c] / std::max(1.0, found));
  }
  for (size_t mark = 0; mark < num_marks; ++mark) {
    const auto given = vectors.vocabulary().Find(words.Word(ToWordId(mark)));
    if (given.has_value()) {
      vectors.CopyVector(*given, {rows.Row(mark), rows.cols()});
    }
  }
  return rows;
}

WordVectors NGramsOf(const WordVectors& vectors) {
  if (vectors.subwords() == nullptr) return WordVectors();
  const size_t dim = vectors.dim();
  SubwordTables subwords = *vectors.subwords();
  subwords.words = FloatTable();
  return *WordVectors::Create(Vocabulary(), Matrix<float>(0, dim),
                              std::move(subwords));
}

nn::LayersOptions LayersOf(const LanguageModelTraining& training) {
  const auto units = static_cast<size_t>(training.units);
  const auto layers = static_cast<size_t>(training.layers);
  if (training.network == NetworkKind::kWindow) {
    return nn::WindowLayers{.window = static_cast<size_t>(training.window),
                            .units = units,
                            .layers = layers,
                            .residual = training.residual,
                            .dropout = training.dropout};
  }
  if (training.network == NetworkKind::kTransformer) {
    return nn::TransformerLayers{
        .units = units,
        .heads = static_cast<size_t>(training.heads),
        .feed_forward = training.feed_forward == 0
                            ? 4 * units
                            : static_cast<size_t>(training.feed_forward),
        .layers = layers,
        .context = static_cast<size_t>(training.context),
        .norm = training.norm,
        .activation = training.activation,
        .positions = training.positions,
        .causal = training.predict == Prediction::kNext,
        .dropout = training.dropout,
        .attention_dropout = training.attention_dropout};
  }
  nn::RecurrentLayers stack;
  nn::RecurrentOptions& recurrent = stack.recurrent;
  recurrent.cell = training.cell;
  recurrent.units = units;
  recurrent.projection_dim = static_cast<size_t>(training.projection);
  recurrent.cell_clip = training.cell_clip;
  recurrent.projection_clip = training.projection_clip;
  recurrent.forget_bias = training.forget_bias;
  recurrent.orthogonal = training.orthogonal;
  recurrent.radius = training.radius;
  stack.layers = layers;
  stack.residual = training.residual;
  stack.dropout = training.dropout;
  return stack;
}

LanguageModelOptions ModelOptions(const LanguageModelTraining& training) {
  LanguageModelOptions options;
  options.layers = LayersOf(training);
  options.reading = training.reads;
  options.predict = training.predict;
  if (IsMasked(options)) {
    options.marks.emplace_back(kMask);
    if (training.next_sentence) options.marks.emplace_back(kDocumentEnd);
    options.pairs = options.next_sentence = training.next_sentence;
    // A single stack sees both sides.
    if (training.network == NetworkKind::kTransformer) {
      options.reading = Reading::kForward;
    }
  }
  nn::TokenEncoderOptions& encoder = options.encoder;
  const size_t dim = nn::OutputDim(options.layers);
  if (training.vectors != nullptr) {
    encoder.embedding_dim = training.vectors->dim();
    encoder.frozen = !training.tune_vectors;
  } else if (training.dim > 0 || training.tied || !training.use_characters) {
    encoder.embedding_dim = training.dim > 0 ? static_cast<size_t>(training.dim)
                            : training.tied  ? HeadDim(options)
                                             : dim;
  }
  if (training.use_characters) {
    encoder.char_cnn = CharCnnOf(training.characters);
    encoder.highways = static_cast<size_t>(training.characters.highways);
  }
  // Layer 0 has at most as many values as all directions together.
  if (training.use_characters ||
      encoder.output_dim() > NumDirections(options) * dim) {
    encoder.projection_dim = dim;
  }
  options.head = training.head;
  options.tied = training.tied;
  options.samples = static_cast<size_t>(training.samples);
  options.label_smoothing = training.label_smoothing;
  if (training.character_output) {
    options.output_cnn = CharCnnOf(training.characters);
    options.correction_dim = static_cast<size_t>(training.correction_dim);
  }
  return options;
}

// Checks the memory for values, gradients, the optimizer's sums and the best
// model.
absl::Status CheckMemory(const LanguageModelTraining& training,
                         const LanguageModelOptions& options) {
  const double copies = 4 + (training.validation != nullptr ? 1 : 0);
  const double needed = copies * static_cast<double>(ParameterBytes(options));
  const auto available = static_cast<double>(AvailableMemoryBytes());
  if (needed <= available) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrFormat(
      "training needs about %.0f MB of memory for the parameters, but only "
      "%.0f MB is available; use fewer words (min-count, max-vocab) or units",
      needed * 1e-6, available * 1e-6));
}

// Includes the spellings, as the same ids may be other words in another text.
std::string TextSum(const Corpus& text) {
  std::string sums = HexChecksum(Checksum(text.tokens->tokens(), 0));
  for (size_t word = 0; word < text.vocabulary.size(); ++word) {
    absl::StrAppend(&sums, " ", text.vocabulary.Word(ToWordId(word)));
  }
  return HexChecksum(Checksum(sums, 0));
}

std::string VectorsSum(const WordVectors& vectors) {
  uint64_t sum = vectors.dim();
  for (size_t i = 0; i < vectors.size(); ++i) {
    const std::vector<float> row = vectors.CopyVector(ToWordId(i));
    sum = Checksum(vectors.vocabulary().Word(ToWordId(i)), sum);
    sum = Checksum(absl::MakeConstSpan(row), sum);
  }
  return HexChecksum(sum);
}

std::string ParametersSum(BiLanguageModel& model) {
  uint64_t sum = 0;
  for (const nn::Parameter<float>* const parameter : model.Parameters()) {
    const Matrix<float>& value = parameter->value;
    for (size_t row = 0; row < value.rows(); ++row) {
      sum = Checksum(absl::MakeConstSpan(value.Row(row), value.cols()), sum);
    }
  }
  return HexChecksum(sum);
}

// Returns a copy of the start with the options of the training run.
absl::StatusOr<std::unique_ptr<BiLanguageModel>> GoOnWith(
    BiLanguageModel& start, const LanguageModelTraining& training) {
  LanguageModelOptions options = start.options();
  if (options.head == HeadKind::kNone) {
    return absl::FailedPreconditionError(
        "this model cannot be trained further; like some imported models, it "
        "only embeds tokens and does not predict words");
  }
  options.samples = static_cast<size_t>(training.samples);
  options.label_smoothing = training.label_smoothing;
  std::visit([&](auto& layers) { layers.dropout = training.dropout; },
             options.layers);
  if (auto* const blocks =
          std::get_if<nn::TransformerLayers>(&options.layers)) {
    blocks->attention_dropout = training.attention_dropout;
  }
  FIRTH_RETURN_IF_ERROR(CheckMemory(training, options));
  auto model =
      std::make_unique<BiLanguageModel>(options, start.data(), training.seed);
  const nn::ParameterList<float> from = start.Parameters();
  const nn::ParameterList<float> to = model->Parameters();
  for (size_t i = 0; i < to.size(); ++i) {
    nn::Copy<float>(from[i]->value.view(), to[i]->value.view());
  }
  return model;
}

}  // namespace

BiLanguageModel* StartOf(const LanguageModelTraining& training) {
  return training.start == nullptr ? nullptr
                                   : TextModel::Of(*training.start).network();
}

absl::StatusOr<std::unique_ptr<BiLanguageModel>> MakeFirstModel(
    const LanguageModelTraining& training, const Corpus& text) {
  if (BiLanguageModel* const start = StartOf(training)) {
    return GoOnWith(*start, training);
  }
  LanguageModelOptions options = ModelOptions(training);
  if (training.tied && options.encoder.embedding_dim != HeadDim(options)) {
    return absl::InvalidArgumentError(
        absl::StrCat("dim: with tied vectors, expected ", HeadDim(options),
                     ", the size that predicts words, found ", training.dim,
                     "; omit dim, or change units or projection"));
  }
  LanguageModelData data;
  FIRTH_ASSIGN_OR_RETURN(
      data.words, PredictedWords(options.marks, training.vocabulary, text));
  if (training.vectors != nullptr) {
    FIRTH_ASSIGN_OR_RETURN(
        data.input_words,
        WithMarks(options.marks, training.vectors->vocabulary()));
    data.n_grams = NGramsOf(*training.vectors);
  } else if (options.encoder.has_table()) {
    data.input_words = data.words;
  }
  options.encoder.vocab_size = data.input_words.size();
  options.vocab_size = data.words.size();
  const absl::Status memory = CheckMemory(training, options);
  if (!memory.ok()) return memory;
  if (options.head == HeadKind::kContinuous) {
    data.output_vectors = RowsFor(data.words, options.marks.size(),
                                  *training.vectors, training.seed);
  }
  auto model = std::make_unique<BiLanguageModel>(options, std::move(data),
                                                 training.seed);
  if (training.vectors != nullptr) {
    model->encoder().table()->value =
        RowsFor(model->data().input_words, options.marks.size(),
                *training.vectors, training.seed);
  }
  return model;
}

nn::OptimizerOptions OptimizerOf(const LanguageModelTraining& training) {
  switch (training.optimizer) {
    case OptimizerKind::kSgd:
      return nn::SgdOptions();
    case OptimizerKind::kAdagrad:
      return nn::AdagradOptions{.first_sum = 1};
    case OptimizerKind::kAdam:
      break;
  }
  return nn::AdamOptions{.weight_decay = training.weight_decay,
                         .sparse_mean = false};
}

nn::Schedule ScheduleOf(const LanguageModelTraining& training, uint64_t steps) {
  nn::Schedule schedule;
  schedule.decay = training.decay;
  schedule.start = training.learning_rate;
  schedule.end = training.min_learning_rate;
  schedule.total = std::max<uint64_t>(steps, 1);
  schedule.warmup = std::min<uint64_t>(training.warmup, schedule.total - 1);
  return schedule;
}

std::string Fingerprint(const LanguageModelTraining& training,
                        const Corpus& text) {
  nlohmann::ordered_json json = IdentityOf(training);
  BiLanguageModel* const start = StartOf(training);
  if (start != nullptr) json["start"] = ParametersSum(*start);
  json["text"] = TextSum(text);
  if (training.vectors != nullptr) {
    json["vectors"] = VectorsSum(*training.vectors);
  }
  if (training.validation != nullptr) {
    json["valid"] = TextSum(*training.validation);
  }
  return DumpJson(json);
}

}  // namespace firth

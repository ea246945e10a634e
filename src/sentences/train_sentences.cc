// The steps of a training run: words, examples, rows, learner, run, file.

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/checksum.h"
#include "base/json.h"
#include "base/memory_info.h"
#include "base/parallel_exceptions.h"
#include "base/rng.h"
#include "base/threads.h"
#include "firth/fields.h"
#include "firth/sentence_training.h"
#include "firth/status_macros.h"
#include "io/formats/model2vec_text.h"
#include "nlohmann/json.hpp"
#include "run/run.h"
#include "sentences/sentence_learner.h"
#include "sentences/sentence_sources.h"
#include "simd/gemm.h"
#include "tokenizers/json_tokenizer.h"
#include "tokenizers/token_table.h"
#include "vectors/principal_components.h"
#include "vectors/row_block.h"
#include "vectors/word_bag_encoder.h"

namespace firth {
namespace {

constexpr std::array<absl::string_view, 2> kTeacherLossNames = {"cosine",
                                                                "gram"};
constexpr std::array<absl::string_view, 2> kOptimizerNames = {"adam",
                                                              "adagrad"};

// Words from which the scale of n-grams is estimated.
constexpr size_t kScaleWords = 1000;
// Texts, and words of each, from which the rotation is estimated.
constexpr size_t kRotationTexts = 20000;
constexpr size_t kRotationWords = 24;
// Greatest probability with which a word is exchanged for its n-grams.
constexpr double kMostExchanged = 0.5;

double NormOf(absl::Span<const float> row) {
  double sum = 0;
  for (const float value : row) sum += double{value} * value;
  return std::sqrt(sum);
}

// The relative frequency of each word, by which its weight starts; 0 for all if
// the counts are not known.
double Frequency(const Vocabulary& vocabulary, size_t word) {
  const auto total = static_cast<double>(vocabulary.total_count());
  return total == 0
             ? 0
             : static_cast<double>(vocabulary.Count(ToWordId(word))) / total;
}

// Counts words in the examples, if the vectors have no counts.
absl::StatusOr<Vocabulary> WithCounts(const Vocabulary& vocabulary,
                                      const SentenceSources& sources) {
  if (vocabulary.total_count() > 0) return vocabulary;
  std::vector<uint64_t> counts(vocabulary.size());
  for (const ExampleSource& source : sources.kinds) {
    for (const uint32_t id : source.texts.ids()) ++counts[id];
  }
  return Vocabulary::CreateDistinct(vocabulary.Words(), std::move(counts));
}

// Returns the number of uses of each word in the examples.
std::vector<uint64_t> UsesOf(const SentenceSources& sources, size_t words) {
  std::vector<uint64_t> uses(words);
  for (const ExampleSource& source : sources.kinds) {
    for (const uint32_t id : source.texts.ids()) ++uses[id];
  }
  return uses;
}

// Lists the n-grams of all words, whose rows follow those of the words.
WordNGrams ListNGrams(const SubwordIndex& index, const Vocabulary& vocabulary,
                      const std::vector<uint64_t>& uses,
                      const SentenceTrainingOptions& options) {
  WordNGrams ngrams;
  const auto words = static_cast<uint32_t>(vocabulary.size());
  ngrams.rows.resize(words);
  ngrams.factors.resize(words);
  ngrams.probabilities.resize(words);
  ParallelExceptions exceptions;
#pragma omp parallel for schedule(dynamic, 256) \
    num_threads(NumThreads(options.threads))
  for (uint32_t w = 0; w < words; ++w) {
    exceptions.Catch([&] {
      std::vector<uint32_t>& rows = ngrams.rows[w];
      const size_t count =
          index.AppendRows(vocabulary.Word(ToWordId(w)), &rows);
      for (uint32_t& row : rows) row += words;
      if (rows.empty()) return;
      ngrams.factors[w] = 1 / static_cast<float>(count);
      ngrams.probabilities[w] = static_cast<float>(
          std::min(kMostExchanged,
                   options.ngram_examples /
                       static_cast<double>(std::max<uint64_t>(uses[w], 1))));
    });
  }
  exceptions.Rethrow();
  return ngrams;
}

// How a model reads texts.
struct TextReading {
  SentenceForm form;
  std::string tokenizer;  // TokenTable::rest, or "" to read words.
  // Whether rows are as long as they are important in a text, as in a model of
  // texts.
  bool has_weights = false;
};

absl::StatusOr<TextReading> ReadingOf(const VectorFile* start,
                                      const SentenceTrainingOptions& options) {
  TextReading reading;
  reading.form = {options.lowercase, options.split_punctuation};
  if (start == nullptr) return reading;
  const auto tokenizer = start->metadata.find(kModel2vecTokenizer);
  if (tokenizer != start->metadata.end()) {
    if (options.lowercase || options.split_punctuation) {
      return absl::InvalidArgumentError(absl::StrCat(
          options.lowercase ? "lowercase" : "split-punctuation",
          ": cannot be combined with vectors that have a tokenizer, which "
          "divides texts"));
    }
    reading.tokenizer = tokenizer->second;
    reading.has_weights = true;
  }
  const auto form = start->metadata.find(std::string(kSentencesKey));
  if (form != start->metadata.end()) {
    FIRTH_ASSIGN_OR_RETURN(reading.form,
                           ReadSentenceForm(form->second, "vectors"));
    reading.form.lowercase |= options.lowercase;
    reading.form.split_punctuation |= options.split_punctuation;
    reading.has_weights = true;
  }
  return reading;
}

absl::StatusOr<SentenceWords> WordsOf(const TextReading& reading,
                                      const Vocabulary& vocabulary) {
  if (reading.tokenizer.empty()) {
    return SentenceWords(reading.form, vocabulary);
  }
  auto tokenizer =
      JsonTokenizer::Create(ParseTokenizer(reading.tokenizer), vocabulary);
  if (!tokenizer.ok()) return At("the tokenizer", tokenizer.status());
  return SentenceWords(*std::move(tokenizer));
}

// Returns the median length of the vectors that are built from n-grams.
double LengthFromNGrams(const WordVectors& vectors) {
  const size_t count = std::min(vectors.size(), kScaleWords);
  std::vector<double> norms;
  for (size_t i = 0; i < count; ++i) {
    const size_t w = i * vectors.size() / count;
    const auto vector =
        vectors.FromNGrams(vectors.vocabulary().Word(ToWordId(w)));
    if (vector.has_value()) norms.push_back(NormOf(*vector));
  }
  if (norms.empty()) return 1;
  const auto middle = norms.begin() + static_cast<ptrdiff_t>(norms.size() / 2);
  std::nth_element(norms.begin(), middle, norms.end());
  return *middle > 0 ? *middle : 1;
}

// Rows of words are unit vectors, whose lengths become weights if they were
// weights. Rows of n-grams keep their proportions, and the means that unknown
// words have are about as long as weighted words.
void FillFrom(const WordVectors& vectors, bool has_weights, BagRows* rows) {
  const size_t words = vectors.size();
  std::vector<double> norms(words);
  for (size_t w = 0; w < words; ++w) {
    const absl::Span<float> row(rows->rows().Row(w), rows->dim());
    vectors.CopyVector(ToWordId(w), row);
    norms[w] = NormOf(row);
    if (!(norms[w] > 0)) continue;
    for (float& value : row) value = static_cast<float>(value / norms[w]);
  }
  double length = std::accumulate(norms.begin(), norms.end(), 0.0) /
                  static_cast<double>(std::max<size_t>(words, 1));
  if (!(length > 0)) length = 1;
  for (size_t w = 0; w < words && has_weights; ++w) {
    if (!(norms[w] > 0)) continue;
    *rows->logs().Row(w) = static_cast<float>(std::log(norms[w] / length));
  }
  if (vectors.subwords() == nullptr) return;
  if (!has_weights) length = LengthFromNGrams(vectors);
  const FloatTable& n_grams = vectors.subwords()->n_grams;
  for (size_t g = 0; g < n_grams.rows(); ++g) {
    for (size_t d = 0; d < rows->dim(); ++d) {
      rows->rows().Row(words + g)[d] =
          static_cast<float>(n_grams.Row(g)[d] / length);
    }
  }
}

void FillAtRandom(uint64_t seed, BagRows* rows) {
  nn::FillNormal(1 / std::sqrt(static_cast<double>(rows->dim())), seed,
                 rows->rows());
}

void FillWeights(const Vocabulary& vocabulary, double sif, BagRows* rows) {
  for (size_t w = 0; w < vocabulary.size() && sif > 0; ++w) {
    *rows->logs().Row(w) =
        static_cast<float>(std::log(sif / (sif + Frequency(vocabulary, w))));
  }
}

// Returns the unit vectors of texts that are spread over all sources.
FloatTable SampleVectors(const SentenceSources& sources, const BagRows& rows) {
  size_t texts = 0;
  for (const ExampleSource& source : sources.kinds)
    texts += source.texts.size();
  const size_t every = std::max<size_t>(1, texts / kRotationTexts);
  Bags bags;
  size_t number = 0;
  for (const ExampleSource& source : sources.kinds) {
    for (size_t t = 0; t < source.texts.size(); ++t) {
      if (number++ % every != 0 || source.texts.Text(t).empty()) continue;
      for (const uint32_t id :
           source.texts.Text(t).subspan(0, kRotationWords)) {
        bags.Push(id, 1);
      }
      bags.EndText();
    }
  }
  Matrix<float> vectors(bags.size(), rows.dim());
  rows.Forward(bags, vectors.view());
  for (size_t t = 0; t < bags.size(); ++t) {
    float* const vector = vectors.Row(t);
    const double norm = NormOf({vector, rows.dim()});
    for (size_t d = 0; d < rows.dim(); ++d) {
      vector[d] = norm > 0 ? static_cast<float>(vector[d] / norm) : 0.0f;
    }
  }
  return FloatTable(std::move(vectors));
}

// Rotates the rows so that the first dimensions are those in which texts vary
// most. Cosines do not change.
absl::Status Rotate(const SentenceSources& sources,
                    const std::atomic<bool>* stop, BagRows* rows) {
  const size_t dim = rows->dim();
  const FloatTable vectors = SampleVectors(sources, *rows);
  // Fewer texts have fewer components.
  if (vectors.rows() < 2 * dim) return absl::OkStatus();
  FIRTH_ASSIGN_OR_RETURN(
      const Components components,
      PrincipalComponents(vectors, std::vector<float>(dim), dim, stop));
  // A component in which nothing varies is zero.
  if (!(components.sums.back() > 0)) return absl::OkStatus();
  constexpr size_t kBlock = 1024;
  Matrix<float> before(kBlock, dim);
  for (size_t first = 0; first < rows->rows().rows(); first += kBlock) {
    const size_t count = std::min(kBlock, rows->rows().rows() - first);
    std::copy_n(rows->rows().Row(first), count * dim, before.data());
    Gemm(Transpose::kNo, Transpose::kYes, count, dim, dim, 1, before.data(),
         dim, components.vectors.data(), dim, 0, rows->rows().Row(first), dim);
  }
  return absl::OkStatus();
}

absl::Status CheckMemory(size_t rows, size_t dim,
                         const SentenceTrainingOptions& options) {
  const uint64_t tables = options.optimizer == RowOptimizer::kAdam ? 3 : 2;
  nn::ContrastOptions contrast;
  contrast.prefixes.assign(options.nested.begin(), options.nested.end());
  contrast.prefixes.push_back(dim);
  const uint64_t bytes =
      tables * rows * (dim + 1) * sizeof(float) +
      nn::Contrast<float>::Bytes(contrast, options.batch, options.batch) +
      6 * options.batch * dim * sizeof(float);
  return CheckMemoryFor(
      absl::StrCat("training ", rows, " rows of ", dim,
                   " dimensions in batches of ", options.batch),
      bytes);
}

// Returns the rows times their weights.
absl::StatusOr<WordVectors> WeightedRows(const Vocabulary& vocabulary,
                                         const SubwordTables* subwords,
                                         const BagRows& rows) {
  const size_t dim = rows.dim();
  const size_t words = vocabulary.size();
  const auto scaled = [&](size_t first, size_t count) {
    std::vector<float> values(count * dim);
    for (size_t r = 0; r < count; ++r) {
      const float weight = std::exp(*rows.logs().Row(first + r));
      for (size_t d = 0; d < dim; ++d) {
        values[r * dim + d] = weight * rows.rows().Row(first + r)[d];
      }
    }
    return FloatTable(std::move(values), dim);
  };
  std::optional<SubwordTables> tables;
  if (subwords != nullptr) {
    tables = SubwordTables{
        subwords->index, {}, scaled(words, subwords->index.rows())};
  }
  return WordVectors::Create(vocabulary, scaled(0, words), std::move(tables));
}

uint64_t SumOf(const BagRows& rows) {
  return Checksum(absl::MakeConstSpan(rows.rows().data(), rows.rows().size()),
                  0);
}

// Expands the given shares to all kinds of sources.
absl::Status ExpandMix(const SentenceInputs& inputs,
                       SentenceTrainingOptions* options) {
  if (options->mix.empty()) return absl::OkStatus();
  const std::array<bool, kSourceKinds> given = {
      !inputs.texts.empty(), !inputs.pairs.empty(), !inputs.paraphrases.empty(),
      !inputs.teacher_texts.empty()};
  const auto count =
      static_cast<size_t>(std::count(given.begin(), given.end(), true));
  if (options->mix.size() != count) {
    return absl::InvalidArgumentError(absl::StrCat(
        "mix: expected as many numbers as there are kinds of input (", count,
        "), found ", options->mix.size()));
  }
  if (std::all_of(options->mix.begin(), options->mix.end(),
                  [](int share) { return share == 0; })) {
    return absl::InvalidArgumentError(
        "mix: expected a number above 0, found only 0");
  }
  std::vector<int> mix(kSourceKinds);
  size_t next = 0;
  for (size_t kind = 0; kind < kSourceKinds; ++kind) {
    if (given[kind]) mix[kind] = options->mix[next++];
  }
  options->mix = std::move(mix);
  return absl::OkStatus();
}

absl::Status CheckShape(size_t dim, const SentenceInputs& inputs,
                        const SentenceSources& sources,
                        const SentenceTrainingOptions& options) {
  if (!options.nested.empty() &&
      static_cast<size_t>(options.nested.back()) > dim) {
    return absl::InvalidArgumentError(absl::StrCat(
        "nested: expected at most ", dim,
        " dimensions, those of the vectors, found ", options.nested.back()));
  }
  if (sources.teacher.rows() > 0 &&
      options.teacher_loss == TeacherLoss::kCosine &&
      sources.teacher.cols() != dim) {
    return absl::InvalidArgumentError(
        absl::StrCat(inputs.teacher_vectors, ": expected vectors of ", dim,
                     " dimensions for teacher-loss cosine, found ",
                     sources.teacher.cols(), "; use teacher-loss gram"));
  }
  return absl::OkStatus();
}

}  // namespace

FieldTable SentenceTrainingOptions::Fields() {
  using Options = SentenceTrainingOptions;
  FieldsOf<Options> fields;
  fields.Section("Texts");
  fields.Add("lowercase", &Options::lowercase,
             "convert texts to lower case; the model then does so, too",
             Field().Shape().Everyday());
  fields.Add("split-punctuation", &Options::split_punctuation,
             "separate punctuation from words at the word boundaries of "
             "Unicode; the model then does so, too",
             Field().Shape().Everyday());
  fields.Add("min-count", &Options::min_count,
             "drop words that occur less often than this, if no vectors are "
             "given",
             Field().AtLeast(1).Shape());
  fields.Add("dim", &Options::dim,
             "number of dimensions, if no vectors are given",
             Field().Range(1, 65536).Shape());
  fields.Section("Examples");
  fields.Add("min-span", &Options::min_span,
             "minimum number of words of a span of a text",
             Field().Range(1, 100000).Habit());
  fields.Add("max-span", &Options::max_span,
             "maximum number of words of a span of a text",
             Field().Range(1, 100000).Habit());
  fields.Add("mix", &Options::mix,
             "train on the kinds of inputs in these proportions, such as 3,1, "
             "in the order texts, pairs, paraphrases, teacher; by default, "
             "each is used once per epoch",
             Field().Range(0, 1000000).Habit());
  fields.Add("held-out", &Options::held_out,
             "number of examples that are not trained, and on which the loss "
             "is measured after each epoch; at most a twentieth of all",
             Field().Range(0, 1e9));
  fields.Section("Training");
  fields.Add("nested", &Options::nested,
             "numbers of dimensions, such as 32,64,128: the first ones of the "
             "vectors are trained to be useful alone",
             Field().Range(1, 65536).Shape().Everyday());
  fields.Add("temperature", &Options::temperature,
             "divide cosines by this; lower values concentrate on the most "
             "similar negatives",
             Field().Range(0.025, 10).Habit());
  fields.Choice("teacher-loss", &Options::teacher_loss, kTeacherLossNames,
                "choose how a teacher is imitated: cosine moves each vector "
                "towards that of the teacher, which must have as many "
                "dimensions; gram imitates the cosines of all pairs of a batch",
                Field().Habit());
  fields.Add("sif", &Options::sif,
             "start with the weight SIF / (SIF + p) for a word of relative "
             "frequency p; 0 starts with equal weights. The vectors of a model "
             "of texts keep their weights",
             Field().Range(0, 1e9).Habit());
  fields.Add("ngram-examples", &Options::ngram_examples,
             "exchange each word for its n-grams about this many times per "
             "epoch, so that vectors of unknown words are trained",
             Field().Range(0, 1e9).Habit());
  fields.Add("epochs", &Options::epochs, "number of passes over the examples",
             Field().Range(1, 10000).Everyday());
  fields.Add("patience", &Options::patience,
             "stop after this many epochs without a lower loss on the held-out "
             "examples; 0 means never",
             Field().Range(0, 10000));
  fields.Add("batch", &Options::batch,
             "number of pairs per step; each pair's texts are negatives for "
             "all others, so memory grows with the square",
             Field().Range(2, 65536).Habit().Everyday());
  fields.Choice("optimizer", &Options::optimizer, kOptimizerNames,
                "choose the optimizer; adagrad needs two thirds of the memory",
                Field().Habit());
  fields.Add("learning-rate", &Options::learning_rate,
             "set the learning rate of the rows, which falls to 0",
             Field().Range(1e-9, 100));
  fields.Add("weight-rate", &Options::weight_rate,
             "set the learning rate of the logarithms of the words' weights; 0 "
             "keeps the weights",
             Field().Range(0, 100));
  fields.Add("seed", &Options::seed, "set the random seed", Field());
  fields.Add("threads", &Options::threads,
             "number of threads, which does not change the result; 0 means all "
             "cores",
             Field().Range(0, kMostThreads).Work().Everyday());
  return fields;
}

absl::Status SentenceTrainingOptions::Validate() const {
  FIRTH_RETURN_IF_ERROR(CheckFields(*this));
  if (min_span > max_span) {
    return absl::InvalidArgumentError(
        absl::StrCat("min-span: expected at most max-span, ", max_span,
                     ", found ", min_span));
  }
  for (size_t i = 1; i < nested.size(); ++i) {
    if (nested[i - 1] < nested[i]) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "nested: expected increasing numbers of dimensions, found ",
        absl::StrJoin(nested, ",")));
  }
  return SentenceForm{lowercase, split_punctuation}.Prepare();
}

absl::StatusOr<VectorFile> TrainSentences(const SentenceInputs& inputs,
                                          const SentenceTrainingOptions& given,
                                          const VectorFile* start,
                                          const SentenceHooks& hooks,
                                          SentenceReport* report,
                                          const Checkpointing& checkpointing) {
  SentenceTrainingOptions options = given;
  FIRTH_RETURN_IF_ERROR(options.Validate());
  FIRTH_RETURN_IF_ERROR(ExpandMix(inputs, &options));
  Checkpointing reserved = checkpointing;
  FIRTH_RETURN_IF_ERROR(ReserveCheckpoints(&reserved));
  *report = {};
  Vocabulary vocabulary;
  if (start != nullptr) {
    vocabulary = start->vectors.vocabulary();
  } else {
    FIRTH_ASSIGN_OR_RETURN(vocabulary,
                           CountSentenceWords(inputs, options, hooks.hooks));
  }
  FIRTH_ASSIGN_OR_RETURN(const TextReading reading, ReadingOf(start, options));
  FIRTH_ASSIGN_OR_RETURN(const SentenceWords words,
                         WordsOf(reading, vocabulary));
  FIRTH_ASSIGN_OR_RETURN(
      const SentenceSources sources,
      ReadSentenceSources(inputs, options, words, hooks.hooks, report));
  if (!reading.has_weights) {
    FIRTH_ASSIGN_OR_RETURN(vocabulary, WithCounts(vocabulary, sources));
  }
  const SubwordTables* const subwords =
      start != nullptr ? start->vectors.subwords() : nullptr;
  const size_t dim = start != nullptr ? start->vectors.dim() : options.dim;
  report->rows =
      vocabulary.size() + (subwords == nullptr ? 0 : subwords->index.rows());
  FIRTH_RETURN_IF_ERROR(CheckShape(dim, inputs, sources, options));
  FIRTH_RETURN_IF_ERROR(CheckMemory(report->rows, dim, options));
  BagRows rows(report->rows, dim);
  if (start != nullptr) {
    FillFrom(start->vectors, reading.has_weights, &rows);
  } else {
    FillAtRandom(options.seed, &rows);
  }
  if (!reading.has_weights) FillWeights(vocabulary, options.sif, &rows);
  if (start != nullptr && !options.nested.empty()) {
    FIRTH_RETURN_IF_ERROR(Rotate(sources, hooks.hooks.stop, &rows));
  }
  WordNGrams ngrams;
  if (subwords != nullptr && options.ngram_examples > 0) {
    ngrams = ListNGrams(subwords->index, vocabulary,
                        UsesOf(sources, vocabulary.size()), options);
  }
  SentenceLearner learner(sources, ngrams, options, hooks, SumOf(rows), &rows,
                          report);
  const RunOptions run_options{.hooks = hooks.hooks,
                               .checkpointing = reserved,
                               .patience = options.patience};
  FIRTH_ASSIGN_OR_RETURN(const RunReport run,
                         Run(learner, run_options).Drive());
  report->interrupted = run.interrupted;
  VectorFile file;
  FIRTH_ASSIGN_OR_RETURN(file.vectors,
                         WeightedRows(vocabulary, subwords, rows));
  if (reading.tokenizer.empty()) {
    file.metadata[std::string(kSentencesKey)] =
        DescribeSentences(reading.form, options.nested);
    file.vectors = WithWordBags(std::move(file.vectors), reading.form);
    return file;
  }
  file.metadata = start->metadata;
  AddModel2vecTextEncoder("the model", &file);
  return file;
}

}  // namespace firth

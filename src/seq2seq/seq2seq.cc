// Training as a sequence of steps: words, tables, learner, run. A model does
// not change after training, so its head is prepared once.

#include "firth/seq2seq.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/memory_info.h"
#include "base/rng.h"
#include "base/threads.h"
#include "firth/span_corruption.h"
#include "firth/status_macros.h"
#include "lm/model/language_model_options.h"
#include "run/run.h"
#include "seq2seq/seq2seq_learner.h"
#include "seq2seq/seq2seq_model.h"
#include "seq2seq/text_writer.h"

namespace firth {
namespace {

constexpr size_t kManyTexts = 64;

// Sets the rows of words that have a vector, and returns their number.
uint64_t FillFrom(const WordVectors* vectors, const Vocabulary& words,
                  Matrix<float>* table) {
  uint64_t found = 0;
  for (size_t w = kMarks.size(); vectors != nullptr && w < words.size(); ++w) {
    const absl::string_view word = words.Word(ToWordId(w));
    const std::optional<WordId> id = vectors->vocabulary().Find(word);
    const std::optional<std::vector<float>> vector =
        id.has_value() ? vectors->CopyVector(*id) : vectors->FromNGrams(word);
    if (!vector.has_value()) continue;
    ++found;
    std::copy(vector->begin(), vector->end(), table->Row(w));
  }
  return found;
}

// Visits the sources or the targets of all pairs, with the marks of removed
// spans if the model denoises.
absl::StatusOr<Vocabulary> WordsOf(absl::Span<const TextPair> pairs,
                                   bool of_sources,
                                   const Seq2SeqOptions& options) {
  size_t longest = 0;
  for (const TextPair& pair : pairs) {
    longest = std::max(longest, pair.source.size());
  }
  return CountWords(
      [&](TextVisitor visit) {
        for (const TextPair& pair : pairs) {
          visit(of_sources || options.denoise ? pair.source : pair.target);
        }
        if (!options.denoise) return;
        // The number of spans depends only on the number of words.
        const TextPair most{std::vector<std::string>(longest, "-"), {}};
        std::vector<std::string> marks;
        for (std::string& word : Denoised(most, options, 0).target) {
          if (IsSpanMark(word)) marks.push_back(std::move(word));
        }
        for (uint64_t i = 0; i < options.min_count; ++i) visit(marks);
      },
      options);
}

absl::Status CheckMemory(const Seq2SeqShape& shape, const Seq2SeqSizes& sizes) {
  // Values, gradients, and the two tables of Adam.
  const double needed = 4 * static_cast<double>(ParameterBytes(shape, sizes));
  const auto available = static_cast<double>(AvailableMemoryBytes());
  if (available == 0 || needed < available) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrFormat(
      "training requires at least %.1f GB of memory for %d and %d words, but "
      "%.1f GB are available; use fewer units or words (min-count, max-vocab)",
      needed / 1e9, sizes.source_words, sizes.target_words, available / 1e9));
}

absl::Status CheckPairs(absl::Span<const TextPair> pairs, bool denoise) {
  for (size_t p = 0; p < pairs.size(); ++p) {
    if (!pairs[p].source.empty() && pairs[p].target.empty() == denoise) {
      continue;
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "pair ", p + 1, ": expected ",
        denoise ? "a source without a target" : "tokens on both sides"));
  }
  return absl::OkStatus();
}

}  // namespace

class Seq2Seq::Body {
 public:
  explicit Body(Seq2SeqModel its_model) : model(std::move(its_model)) {}
  Seq2SeqModel model;
};

Seq2Seq::Seq2Seq(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Seq2Seq::~Seq2Seq() = default;
Seq2Seq::Seq2Seq(Seq2Seq&&) noexcept = default;
Seq2Seq& Seq2Seq::operator=(Seq2Seq&&) noexcept = default;

absl::StatusOr<Seq2Seq> Seq2Seq::Train(absl::Span<const TextPair> train,
                                       absl::Span<const TextPair> dev,
                                       const Seq2SeqOptions& options,
                                       const Seq2SeqHooks& hooks,
                                       Seq2SeqReport* report,
                                       const Checkpointing& checkpointing) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  Checkpointing reserved = checkpointing;
  FIRTH_RETURN_IF_ERROR(ReserveCheckpoints(&reserved));
  if (train.empty()) {
    return absl::InvalidArgumentError("there are no pairs to learn from");
  }
  FIRTH_RETURN_IF_ERROR(CheckPairs(train, options.denoise));
  FIRTH_RETURN_IF_ERROR(CheckPairs(dev, options.denoise));
  Seq2SeqModel model;
  model.tokens = options.tokens;
  model.shape = options.shape;
  FIRTH_ASSIGN_OR_RETURN(model.source_words, WordsOf(train, true, options));
  FIRTH_ASSIGN_OR_RETURN(model.target_words, WordsOf(train, false, options));
  const auto dim_of = [&](const WordVectors* vectors) {
    return vectors != nullptr ? vectors->dim()
           : options.dim > 0  ? options.dim
                              : options.shape.units;
  };
  const Seq2SeqSizes sizes{model.source_words.size(), model.target_words.size(),
                           dim_of(options.source_vectors),
                           dim_of(options.target_vectors)};
  FIRTH_RETURN_IF_ERROR(CheckMemory(options.shape, sizes));
  model.network =
      std::make_unique<Seq2SeqNetwork>(options.shape, sizes, options.dropout,
                                       options.label_smoothing, options.seed);
  *report = {};
  report->source_vectors = FillFrom(options.source_vectors, model.source_words,
                                    &model.network->source_table());
  report->target_vectors = FillFrom(options.target_vectors, model.target_words,
                                    &model.network->target_table());
  Seq2SeqLearner learner(train, dev, options, hooks, model, report);
  const RunOptions run_options{.hooks = hooks.hooks,
                               .checkpointing = reserved,
                               .patience = options.patience};
  FIRTH_ASSIGN_OR_RETURN(const RunReport run,
                         Run(learner, run_options).Drive());
  report->interrupted = run.interrupted;
  model.network->ParametersStay();
  return Seq2Seq(std::make_unique<Body>(std::move(model)));
}

absl::StatusOr<Seq2Seq> Seq2Seq::Load(const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(Seq2SeqModel model, LoadSeq2SeqModel(path));
  return Seq2Seq(std::make_unique<Body>(std::move(model)));
}

absl::Status Seq2Seq::Save(const std::string& path) const {
  return SaveSeq2SeqModel(body_->model, path);
}

const TokenOptions& Seq2Seq::tokens() const { return body_->model.tokens; }

std::map<std::string, std::string>& Seq2Seq::metadata() {
  return body_->model.metadata;
}

bool Seq2Seq::has_attention() const {
  return body_->model.network->decoder().has_attention();
}

absl::StatusOr<std::vector<std::vector<Seq2SeqResult>>> Seq2Seq::Translate(
    absl::Span<const std::vector<std::string>> sources,
    const Seq2SeqSearch& options, const Hooks& hooks) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  if (!has_attention() &&
      (options.attention || options.coverage_normalization > 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat(options.attention ? "attention" : "coverage-normalization",
                     ": this model has no attention"));
  }
  // Texts of similar lengths are searched for together.
  std::vector<size_t> order;
  for (size_t s = 0; s < sources.size(); ++s) {
    if (!sources[s].empty()) order.push_back(s);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return sources[a].size() < sources[b].size();
  });
  std::vector<std::vector<Seq2SeqResult>> results(sources.size());
  for (size_t first = 0; first < order.size(); first += kManyTexts) {
    const auto some = absl::MakeConstSpan(order).subspan(first, kManyTexts);
    std::vector<const std::vector<std::string>*> batch;
    for (const size_t s : some) batch.push_back(&sources[s]);
    FIRTH_ASSIGN_OR_RETURN(auto found, WriteTexts(body_->model, batch, options,
                                                  {nullptr, hooks.stop}));
    for (size_t i = 0; i < some.size(); ++i) {
      results[some[i]] = std::move(found[i]);
    }
    hooks.ReportWork(first + some.size(), order.size());
  }
  return results;
}

absl::StatusOr<std::vector<double>> Seq2Seq::Score(
    absl::Span<const TextPair> pairs, const Hooks& hooks) {
  std::vector<double> scores;
  for (size_t first = 0; first < pairs.size(); first += kManyTexts) {
    if (hooks.StopRequested()) return absl::CancelledError("interrupted");
    PairBatch batch;
    for (const TextPair& pair : pairs.subspan(first, kManyTexts)) {
      batch.Add(body_->model.SourceIds(pair.source),
                body_->model.TargetIds(pair.target));
    }
    for (const double loss :
         body_->model.network->Losses(batch, NumThreads(0))) {
      if (!std::isfinite(loss)) {
        return absl::OutOfRangeError(
            absl::StrCat("pair ", scores.size() + 1, ": ln p is ", -loss,
                         "; the weights of the model are too large"));
      }
      scores.push_back(-loss);
    }
  }
  return scores;
}

absl::StatusOr<Table<float>> Seq2Seq::Encode(
    const std::vector<std::string>& source) {
  PairBatch batch;
  batch.Add(body_->model.SourceIds(source), {});
  const nn::EncodedTexts<float> encoded =
      body_->model.network->Encode(batch, NumThreads(0));
  Matrix<float> vectors(source.size(), encoded.rows.cols());
  for (size_t t = 0; t < source.size(); ++t) {
    std::copy_n(encoded.rows.Row(t), vectors.cols(), vectors.Row(t));
    if (std::all_of(vectors.Row(t), vectors.Row(t) + vectors.cols(),
                    [](float value) { return std::isfinite(value); })) {
      continue;
    }
    return absl::OutOfRangeError(absl::StrCat(
        "token ", t + 1,
        ": its vector is not finite; the weights of the model are too large"));
  }
  return Table<float>(std::move(vectors));
}

}  // namespace firth

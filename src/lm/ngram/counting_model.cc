// Counting models as TextModels, and the public functions of
// firth/counting_model.h.

#include "firth/counting_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/check_range.h"
#include "base/json.h"
#include "base/memory_info.h"
#include "corpus/compressed_file.h"
#include "corpus/token_stream.h"
#include "firth/fields.h"
#include "firth/language_model.h"
#include "firth/status_macros.h"
#include "firth/vector_training.h"
#include "lm/model/language_model_options.h"
#include "lm/model/text_words.h"
#include "lm/ngram/ngram_counts.h"
#include "lm/ngram/ngram_estimate.h"
#include "lm/ngram/ngram_file.h"
#include "lm/read/perplexity.h"
#include "lm/read/text_model.h"

namespace firth {
namespace {

// Tokens, or sentences, between two questions whether to stop.
constexpr size_t kTokensTogether = size_t{1} << 20;
constexpr size_t kScoredTogether = 1024;

constexpr uint32_t kStart = NgramTrie::NodeOf(kBeginSentenceId);

// Reads sentences word by word.
class SentenceMeter {
 public:
  explicit SentenceMeter(const NgramTrie& trie)
      : trie_(trie), start_(ContextOf(trie)), context_(start_) {}

  // Returns ln p of the word, or of the end of the sentence, after which the
  // next one begins.
  double Read(uint32_t word) {
    const NgramTrie::Step step = trie_.Read(context_, word);
    context_ = word == kEndSentenceId ? start_ : step.context;
    return step.log_probability * M_LN10;
  }
  uint32_t context() const { return context_; }

  // Returns the context at the start of a sentence.
  static uint32_t ContextOf(const NgramTrie& trie) {
    return trie.IsInner(kStart) ? kStart : NgramTrie::kRoot;
  }

 private:
  const NgramTrie& trie_;
  uint32_t start_;
  uint32_t context_;
};

// Extends a prompt. Each hypothesis is a node of the trie.
class NgramWords : public Continuation {
 public:
  NgramWords(const NgramModelData& model, const GenerateOptions& options)
      : model_(model),
        with_unknown_(options.unknown),
        prompt_(options.prompt) {}

  uint32_t end() const override { return kEndSentenceId; }

  absl::StatusOr<ConstView<float>> Start() override {
    SentenceMeter meter(model_.trie);
    for (const std::string& word : prompt_) {
      meter.Read(PredictedIdOf(model_.words, word));
    }
    contexts_ = {meter.context()};
    return Predict();
  }

  absl::StatusOr<ConstView<float>> Read(
      absl::Span<const size_t> parents,
      absl::Span<const uint32_t> words) override {
    std::vector<uint32_t> contexts;
    for (size_t i = 0; i < words.size(); ++i) {
      contexts.push_back(
          model_.trie.Read(contexts_[parents[i]], words[i]).context);
    }
    contexts_ = std::move(contexts);
    return Predict();
  }

  std::vector<std::string> Text(
      absl::Span<const uint32_t> words) const override {
    std::vector<std::string> text = prompt_;
    for (const uint32_t word : words) {
      text.emplace_back(model_.words.Word(ToWordId(word)));
    }
    return text;
  }

 private:
  ConstView<float> Predict() {
    constexpr float kNever = -std::numeric_limits<float>::infinity();
    log_probabilities_.Resize(contexts_.size(), model_.words.size());
    for (size_t i = 0; i < contexts_.size(); ++i) {
      float* const row = log_probabilities_.Row(i);
      model_.trie.LogProbabilities(contexts_[i], row);
      row[kBeginSentenceId] = kNever;
      if (!with_unknown_) row[kUnknownId] = kNever;
    }
    return std::as_const(log_probabilities_).view();
  }

  const NgramModelData& model_;
  bool with_unknown_;
  std::vector<std::string> prompt_;
  std::vector<uint32_t> contexts_;
  Matrix<float> log_probabilities_;
};

class NgramModel : public TextModel {
 public:
  explicit NgramModel(NgramModelData data) : data_(std::move(data)) {}

  absl::StatusOr<Perplexity> Measure(const Corpus& text,
                                     const MeasureOptions& options,
                                     const Hooks& hooks) override;
  absl::StatusOr<std::vector<std::vector<TokenScore>>> TokenScores(
      absl::Span<const Sentence> sentences, const Hooks& hooks) override;
  absl::StatusOr<std::unique_ptr<Continuation>> Continue(
      const GenerateOptions& options) override;
  bool has_probabilities() const override {
    return data_.smoothing != kCountSmoothingNames[static_cast<size_t>(
                                  CountSmoothing::kStupidBackoff)];
  }
  // Writes an ARPA file if the name ends in .arpa, otherwise a .safetensors.
  absl::Status Save(const std::string& path, const Hooks& hooks) override;
  std::map<std::string, std::string>& metadata() override {
    return data_.metadata;
  }

 private:
  NgramModelData data_;
};

absl::StatusOr<Perplexity> NgramModel::Measure(const Corpus& text,
                                               const MeasureOptions& options,
                                               const Hooks& hooks) {
  if (options.stateful) {
    return absl::FailedPreconditionError(
        "a counting model reads each sentence on its own; omit --stateful");
  }
  const std::vector<uint32_t> ids =
      PredictedIdsOf(data_.words, text.vocabulary);
  const absl::Span<const uint32_t> tokens = text.tokens->tokens();
  SentenceMeter meter(data_.trie);
  LossSums sums;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (i % kTokensTogether == 0 && hooks.StopRequested()) {
      return absl::CancelledError("interrupted");
    }
    const uint32_t word = tokens[i] == TokenStream::kSentenceEnd
                              ? kEndSentenceId
                              : ids[tokens[i]];
    sums.Add(-meter.Read(word), word == kUnknownId);
  }
  Perplexity perplexity;
  perplexity.forward = sums.Mean();
  return perplexity;
}

absl::StatusOr<std::vector<std::vector<TokenScore>>> NgramModel::TokenScores(
    absl::Span<const Sentence> sentences, const Hooks& hooks) {
  std::vector<std::vector<TokenScore>> scores(sentences.size());
  SentenceMeter meter(data_.trie);
  for (size_t i = 0; i < sentences.size(); ++i) {
    if (i % kScoredTogether == 0 && hooks.StopRequested()) {
      return absl::CancelledError("interrupted");
    }
    for (const absl::string_view token : sentences[i]) {
      const uint32_t word = PredictedIdOf(data_.words, token);
      scores[i].push_back({meter.Read(word), word == kUnknownId});
    }
    scores[i].push_back({meter.Read(kEndSentenceId), false});
    hooks.ReportWork(i + 1, sentences.size());
  }
  return scores;
}

absl::StatusOr<std::unique_ptr<Continuation>> NgramModel::Continue(
    const GenerateOptions& options) {
  return std::make_unique<NgramWords>(data_, options);
}

absl::Status NgramModel::Save(const std::string& path, const Hooks& hooks) {
  return absl::EndsWith(WithoutCompression(path), ".arpa")
             ? WriteArpa(data_, path, hooks)
             : SaveNgramModel(data_, path);
}

absl::StatusOr<std::optional<NgramModelData>> LoadCounting(
    const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(std::optional<NgramModelData> model,
                         LoadNgramModel(file));
  if (model.has_value()) return model;
  FIRTH_ASSIGN_OR_RETURN(const bool is_arpa, IsArpa(*file));
  if (!is_arpa) return std::nullopt;
  return ReadArpa(file);
}

absl::StatusOr<std::unique_ptr<TextModel>> OpenCounting(
    const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(std::optional<NgramModelData> model,
                         LoadCounting(file));
  if (!model.has_value()) return nullptr;
  return std::make_unique<NgramModel>(*std::move(model));
}

absl::StatusOr<std::optional<FileInfo>> DescribeCounting(
    const MappedFilePtr& file) {
  FIRTH_ASSIGN_OR_RETURN(const std::optional<NgramModelData> model,
                         LoadCounting(file));
  if (!model.has_value()) return std::nullopt;
  FileInfo info;
  info.kind = "language model";
  info.facts = {{"smoothing", model->smoothing},
                {"order", static_cast<uint64_t>(model->trie.order())},
                {"words_predicted", uint64_t{model->words.size()}}};
  const std::vector<uint32_t>& begins = model->trie.arrays().begins;
  for (int n = 1; n <= model->trie.order(); ++n) {
    info.facts.push_back({absl::StrCat("ngrams_of_order_", n),
                          uint64_t{begins[n + 1] - begins[n]}});
  }
  info.metadata = model->metadata;
  return info;
}

// Returns the threshold of each order.
std::vector<uint64_t> PruneOf(const CountingTraining& training) {
  std::vector<uint64_t> prune(training.prune.begin(), training.prune.end());
  prune.resize(training.order, prune.empty() ? 0 : prune.back());
  return prune;
}

// Returns the part of the memory that is left for counts.
uint64_t MemoryFor(const Corpus& text, uint64_t memory_bytes) {
  if (memory_bytes == 0) return AvailableMemoryBytes() / 2;
  const uint64_t ids = text.report.spooled_bytes > 0
                           ? 0
                           : text.tokens->tokens().size() * sizeof(uint32_t);
  return memory_bytes - std::min(memory_bytes, ids);
}

CountingReport ReportOf(const NgramCounts& counts,
                        const std::vector<NgramDiscounts>& discounts) {
  CountingReport report;
  for (int n = 1; n <= counts.order(); ++n) {
    const NgramOrderCounts& of_order = counts.OfOrder(n);
    CountingReport::Order& order = report.orders.emplace_back();
    order.counted = of_order.total;
    order.kept = of_order.kept;
    if (discounts.empty()) continue;
    std::copy_n(&discounts[n - 1][1], order.discounts.size(),
                order.discounts.begin());
  }
  report.temporary_bytes = counts.file_bytes();
  return report;
}

}  // namespace

absl::Status ConvertCountingModel(const std::string& input,
                                  const std::string& output) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(input));
  FIRTH_ASSIGN_OR_RETURN(const std::unique_ptr<TextModel> model,
                         OpenCounting(file));
  if (model != nullptr) return model->Save(output, {});
  return absl::InvalidArgumentError(absl::StrCat(
      input,
      ": expected an ARPA file or a model of \"firth lm train --ngram\""));
}

const TextModelKind kNgramModel = {&OpenCounting, &DescribeCounting};

FieldTable CountingTraining::Fields() {
  FieldsOf<CountingTraining> fields;
  fields.Add("ngram", &CountingTraining::order,
             "number of words of the longest n-grams",
             Field().Range(1, kMostNgramOrder).Shape());
  fields.Choice("smoothing", &CountingTraining::smoothing, kCountSmoothingNames,
                "choose how probabilities follow from counts: modified "
                "Kneser-Ney, the best, or for comparison additive smoothing "
                "(add-k) or scores that are not probabilities (stupid-backoff)",
                Field().Habit());
  fields.Add("add-k", &CountingTraining::add_k,
             "set the number that --smoothing add-k adds to each count",
             Field().Range(1e-9, 1e9).Habit().Needs({"smoothing"}, {"add-k"}));
  fields.Add("prune", &CountingTraining::prune,
             "drop n-grams with at most this many occurrences: one number per "
             "order, ascending from 0. The last one holds for higher orders "
             "too",
             Field().Habit());
  fields.Add("discount-fallback", &CountingTraining::discount_fallback,
             "use the discounts 0.5, 1 and 1.5 if a text is too small to "
             "estimate those of Kneser-Ney",
             Field().Habit().Needs({"smoothing"}, {"kneser-ney"}));
  fields.Add("interpolate-unigrams", &CountingTraining::interpolate_unigrams,
             "share the discounts of single words among all words; otherwise, "
             "<UNK> gets them",
             Field().Habit().Needs({"smoothing"}, {"kneser-ney"}));
  return fields;
}

absl::Status CountingTraining::Validate() const {
  FIRTH_RETURN_IF_ERROR(CheckFields(*this));
  FIRTH_RETURN_IF_ERROR(vocabulary.Validate());
  const bool ascends = std::is_sorted(prune.begin(), prune.end());
  if (prune.empty() || (prune[0] == 0 && ascends)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "prune: expected ascending numbers that begin with 0, such as 0,0,1");
}

absl::StatusOr<TrainedCountingModel> TrainCountingModel(
    const Corpus& text, const CountingTraining& training, const Hooks& hooks) {
  FIRTH_RETURN_IF_ERROR(training.Validate());
  FIRTH_RETURN_IF_ERROR(CheckRead(text));
  const absl::Time start = absl::Now();
  const std::vector<std::string> marks(kMarks.begin(), kMarks.end());
  FIRTH_ASSIGN_OR_RETURN(
      Vocabulary words,
      PredictedWords(marks, training.vocabulary, text, kArpaMarks));
  GiveBackFreeMemory();
  const std::vector<uint32_t> ids = PredictedIdsOf(words, text.vocabulary);
  FIRTH_ASSIGN_OR_RETURN(const NgramCounts counts,
                         NgramCounts::Count(text,
                                            {.order = training.order,
                                             .vocab_size = words.size(),
                                             .ids = ids,
                                             .prune = PruneOf(training),
                                             .memory_bytes = MemoryFor(
                                                 text, training.memory_bytes),
                                             .temp_dir = training.temp_dir},
                                            hooks));
  std::vector<NgramDiscounts> discounts;
  if (training.smoothing == CountSmoothing::kKneserNey) {
    FIRTH_ASSIGN_OR_RETURN(discounts, EstimateDiscounts(counts, training));
  }
  FIRTH_ASSIGN_OR_RETURN(NgramTrie trie,
                         EstimateTrie(counts, training, discounts, hooks));
  CountingReport report = ReportOf(counts, discounts);
  report.vocab_size = words.size();
  report.unknown_tokens = words.Count(ToWordId(kUnknownId));
  report.seconds = absl::ToDoubleSeconds(absl::Now() - start);
  return TrainedCountingModel{
      TextModel::Public(std::make_unique<NgramModel>(NgramModelData{
          std::move(words),
          std::move(trie),
          std::string(
              kCountSmoothingNames[static_cast<size_t>(training.smoothing)]),
          {}})),
      std::move(report)};
}

std::string ReportJson(const CountingFacts& facts) {
  const CountingReport& training = facts.training;
  OrderedJson orders = OrderedJson::array();
  for (const CountingReport::Order& order : training.orders) {
    orders.push_back({{"counted", order.counted},
                      {"kept", order.kept},
                      {"discounts", order.discounts}});
  }
  return DumpJson(
      OrderedJson{{"program", "firth"},
                  {"version", FIRTH_VERSION},
                  {"options", OrderedJson::parse(facts.options)},
                  {"corpus", OrderedJson::parse(ReportJson(facts.corpus))},
                  {"vocabulary", training.vocab_size},
                  {"unknown_tokens", training.unknown_tokens},
                  {"orders", std::move(orders)},
                  {"temporary_bytes", training.temporary_bytes},
                  {"seconds", training.seconds}});
}

}  // namespace firth

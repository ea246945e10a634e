// The public functions of firth/counting_model.h.

#include "firth/counting_model.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/check_range.h"
#include "base/json.h"
#include "base/memory_info.h"
#include "corpus/token_stream.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "firth/vector_training.h"
#include "lm/model/language_model_options.h"
#include "lm/model/text_words.h"
#include "lm/ngram/arpa.h"
#include "lm/ngram/ngram_counts.h"
#include "lm/ngram/ngram_estimate.h"
#include "lm/ngram/ngram_model.h"

namespace firth {
namespace {

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
             Field().Habit());
  fields.Add("interpolate-unigrams", &CountingTraining::interpolate_unigrams,
             "share the discounts of single words among all words; otherwise, "
             "<UNK> gets them",
             Field().Habit());
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

// New words first get the tags that their endings suggest. From then on no
// event is added, so the expected counts are arrays parallel to the model's
// rows.

#include "tag/baum_welch.h"

#include <cmath>
#include <numeric>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/check.h"

namespace firth {
namespace {

// Occurrences of a word that is new.
struct NewWord {
  double count = 0;
  bool only_first = true;  // in a sentence
};

// Sets each row to the relative frequencies of its counts. A row without any
// stays.
void SetRows(absl::Span<const double> counts, SparseRows* rows) {
  for (size_t row = 0; row < rows->rows(); ++row) {
    const auto of = counts.subspan(rows->offsets[row], rows->Size(row));
    const double sum = std::accumulate(of.begin(), of.end(), 0.0);
    if (sum == 0) continue;
    const absl::Span<double> values = rows->Values(row);
    for (size_t i = 0; i < of.size(); ++i) values[i] = of[i] / sum;
  }
}

}  // namespace

std::vector<WordIds> AddUntagged(absl::Span<const TaggedSentence> sentences,
                                 HmmModel* model, HmmCounts* tagged) {
  std::vector<absl::string_view> words = model->words.Words();
  const size_t known = words.size();
  absl::flat_hash_map<absl::string_view, uint32_t> numbers;
  for (const absl::string_view word : words) {
    numbers.emplace(word, static_cast<uint32_t>(numbers.size()));
  }
  std::vector<NewWord> added;
  std::vector<WordIds> ids(sentences.size());
  for (size_t s = 0; s < sentences.size(); ++s) {
    for (const std::string& token : sentences[s].tokens) {
      const auto [at, is_new] =
          numbers.try_emplace(token, static_cast<uint32_t>(words.size()));
      if (is_new) {
        words.push_back(token);
        added.emplace_back();
      }
      if (at->second >= known) {
        NewWord& word = added[at->second - known];
        ++word.count;
        word.only_first &= ids[s].empty();
      }
      ids[s].push_back(ToWordId(at->second));
    }
  }
  HmmLexicon lexicon(*model);
  SparseRows emissions = tagged->word_tags;
  for (size_t i = 0; i < added.size(); ++i) {
    const TagCandidates guess =
        lexicon.Guess(words[known + i], added[i].only_first);
    double sum = 0;
    for (size_t j = 0; j < guess.tags.size(); ++j) {
      sum += guess.emissions[j] * model->unigrams[guess.tags[j]];
    }
    for (size_t j = 0; j < guess.tags.size(); ++j) {
      const uint32_t tag = guess.tags[j];
      emissions.Add(tag, added[i].count * guess.emissions[j] *
                             model->unigrams[tag] / sum);
    }
    emissions.FinishRow();
  }
  tagged->word_tags.tags = emissions.tags;
  tagged->word_tags.offsets = emissions.offsets;
  tagged->word_tags.values.resize(emissions.values.size());
  NormalizeTags(&emissions);
  model->emissions = std::move(emissions);
  auto all = Vocabulary::CreateDistinct(words, {});
  FIRTH_CHECK(all.ok());
  model->words = tagged->words = *std::move(all);
  return ids;
}

BaumWelch::BaumWelch(HmmModel model, const HmmCounts& tagged,
                     absl::Span<const WordIds> sentences)
    : model_(std::move(model)),
      tagged_(tagged),
      sentences_(sentences),
      table_(model_),
      expected_(table_, model_.trigrams.values.size()) {}

absl::StatusOr<double> BaumWelch::Expect(const Hooks& hooks) {
  table_ = TransitionTable(model_);
  expected_ = ExpectedTransitions(table_, model_.trigrams.values.size());
  emissions_ = tagged_.word_tags.values;
  double log_p = CountTaggedEvents();
  const HmmLexicon lexicon(model_);
  HmmLattice lattice(table_);
  for (size_t s = 0; s < sentences_.size(); ++s) {
    if (hooks.StopRequested()) return absl::CancelledError("stopped");
    if (sentences_[s].empty()) continue;
    lattice.Clear();
    for (const WordId word : sentences_[s]) lattice.Add(lexicon.Of(word));
    log_p += lattice.Forward();
    lattice.Backward(&expected_);
    for (size_t i = 0; i < sentences_[s].size(); ++i) {
      const auto posteriors = lattice.Posteriors(i);
      double* const sums =
          emissions_.data() + model_.emissions.offsets[Index(sentences_[s][i])];
      for (size_t j = 0; j < posteriors.size(); ++j) sums[j] += posteriors[j];
    }
  }
  return log_p;
}

// Divides `count` events among the backoff and the trigram, if there is one.
// Returns ln p of the events.
double BaumWelch::CountTransition(uint32_t b, uint32_t c, size_t trigram,
                                  double count) {
  if (count == 0) return 0;
  const size_t pair = table_.Pair(b, c);
  const double backoff = table_.Backoff(pair);
  const double with = trigram == SparseRows::kNone
                          ? 0
                          : model_.weights[2] * model_.trigrams.values[trigram];
  const double p = backoff + with;
  expected_.Backoff(pair, count * backoff / p);
  if (with > 0) expected_.Trigram(trigram, count * with / p);
  return count * std::log(p);
}

double BaumWelch::CountTaggedEvents() {
  double log_p = 0;
  const SparseRows& bigrams = model_.bigrams;
  for (uint32_t a = 0; a <= model_.boundary(); ++a) {
    for (size_t ab = bigrams.offsets[a]; ab < bigrams.offsets[a + 1]; ++ab) {
      const uint32_t b = bigrams.tags[ab];
      if (a == model_.boundary()) {
        log_p += CountTransition(a, b, SparseRows::kNone,
                                 tagged_.bigrams.values[ab]);
      }
      for (size_t i = model_.trigrams.offsets[ab];
           i < model_.trigrams.offsets[ab + 1]; ++i) {
        log_p += CountTransition(b, model_.trigrams.tags[i], i,
                                 tagged_.trigrams.values[i]);
      }
    }
  }
  for (size_t i = 0; i < emissions_.size(); ++i) {
    if (emissions_[i] == 0) continue;
    log_p += emissions_[i] * std::log(model_.emissions.values[i]);
  }
  return log_p;
}

void BaumWelch::Maximize() {
  const auto [l1, l2, l3] = model_.weights;
  SparseRows& bigrams = model_.bigrams;
  std::vector<double> counts(bigrams.values.size());
  for (uint32_t b = 0; b <= model_.boundary(); ++b) {
    const double weight = b == model_.boundary() ? l2 + l3 : l2;
    for (size_t i = bigrams.offsets[b]; i < bigrams.offsets[b + 1]; ++i) {
      const size_t pair = table_.Pair(b, bigrams.tags[i]);
      counts[i] = expected_.backoffs[pair] * weight * bigrams.values[i] /
                  table_.Backoff(pair);
    }
  }
  SetRows(counts, &bigrams);
  SetRows(expected_.trigrams, &model_.trigrams);
  model_.emissions.values = emissions_;
  NormalizeTags(&model_.emissions);
}

}  // namespace firth

// Counts are first collected in hash maps by packed tags, then sorted into the
// rows of the model. The weights are estimated by deleted interpolation: each
// trigram votes for the order that would have predicted it best without it.

#include "tag/hmm_counts.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/quote.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

// Weight of the distribution of the next shorter ending. With 1, unknown words
// of Brown get 3 to 5 points more than with Brants' standard deviation of P(t).
constexpr double kEndingWeight = 1;
// Endings of fewer tokens than this are not kept.
constexpr double kFewestOfEnding = 2;

// Counts pairs of a row and a tag, in any order.
class SparseCounts {
 public:
  explicit SparseCounts(uint64_t width) : width_(width) {}

  void Add(uint64_t row, uint64_t tag, double count = 1) {
    counts_[row * width_ + tag] += count;
  }

  // Calls visit(row, tag, count) for all pairs in order.
  template <class Visit>
  void ForEach(Visit visit) const {
    std::vector<std::pair<uint64_t, double>> sorted(counts_.begin(),
                                                    counts_.end());
    std::sort(sorted.begin(), sorted.end());
    for (const auto& [key, count] : sorted) {
      visit(key / width_, static_cast<uint32_t>(key % width_), count);
    }
  }
  SparseRows Rows(size_t num_rows) const {
    SparseRows rows;
    ForEach([&](uint64_t row, uint32_t tag, double count) {
      while (rows.rows() < row) rows.FinishRow();
      rows.Add(tag, count);
    });
    while (rows.rows() < num_rows) rows.FinishRow();
    return rows;
  }

 private:
  uint64_t width_;
  absl::flat_hash_map<uint64_t, double> counts_;
};

// Numbers texts in the order of their first occurrence.
class TextNumbers {
 public:
  uint32_t Number(absl::string_view text) {
    const auto [at, is_new] =
        numbers_.try_emplace(text, static_cast<uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(text);
    return at->second;
  }
  absl::Span<const absl::string_view> texts() const { return texts_; }
  Vocabulary Words() const {
    auto words = Vocabulary::CreateDistinct(texts_, {});
    FIRTH_CHECK(words.ok());  // There are fewer than 2^32 - 1 tokens.
    return *std::move(words);
  }

 private:
  absl::flat_hash_map<absl::string_view, uint32_t> numbers_;
  std::vector<absl::string_view> texts_;
};

absl::Status CheckText(absl::string_view text, const char* what) {
  if (!text.empty() && text.find('\n') == text.npos) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("a ", what, " must not be empty or contain a line break, ",
                   "found ", Quote(text)));
}

// Counts the tag sequences.
void CountTransitions(absl::Span<const TaggedSentence> sentences,
                      const TagNumbers& numbers, HmmCounts* counts) {
  const auto boundary = static_cast<uint32_t>(numbers.tags().size());
  const uint64_t width = boundary + uint64_t{1};
  SparseCounts bigrams(width), trigrams(width);
  counts->unigrams.assign(width, 0);
  for (const TaggedSentence& sentence : sentences) {
    std::vector<uint32_t> tags = numbers.Numbers(sentence);
    tags.push_back(boundary);
    uint64_t a = boundary, b = boundary;
    for (const uint32_t c : tags) {
      ++counts->unigrams[c];
      bigrams.Add(b, c);
      trigrams.Add(a * width + b, c);
      a = std::exchange(b, c);
    }
  }
  counts->bigrams = bigrams.Rows(width);
  // The rows of trigrams are the values of bigrams, without (boundary,
  // boundary), which has the last row of bigrams.
  std::vector<uint64_t> pairs;
  for (uint64_t b = 0; b < width; ++b) {
    for (const uint32_t c : counts->bigrams.Tags(b)) {
      pairs.push_back(b * width + c);
    }
  }
  SparseRows& rows = counts->trigrams;
  trigrams.ForEach([&](uint64_t pair, uint32_t c, double count) {
    if (pair == width * width - 1) return;
    while (pairs[rows.rows()] < pair) rows.FinishRow();
    rows.Add(c, count);
  });
  while (rows.rows() < pairs.size()) rows.FinishRow();
}

// Keeps the most frequent tags of a word.
SparseRows WithFewTags(const SparseRows& rows) {
  SparseRows kept;
  for (size_t row = 0; row < rows.rows(); ++row) {
    const auto tags = rows.Tags(row);
    const auto values = rows.Values(row);
    std::vector<size_t> order(tags.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return values[a] > values[b]; });
    order.resize(std::min(order.size(), kMostTagsOfWord));
    std::sort(order.begin(), order.end());
    for (const size_t i : order) kept.Add(tags[i], values[i]);
    kept.FinishRow();
  }
  return kept;
}

// Counts the endings of rare words, or of all words if none is rare.
void EstimateEndings(const HmmCounts& counts, const HmmOptions& options,
                     HmmModel* model) {
  const SparseRows& tags = counts.word_tags;
  const auto is_rare = [&](size_t row) {
    return tags.Sum(row) <= static_cast<double>(options.rare_count);
  };
  bool any_rare = false;
  for (size_t row = 0; row < tags.rows(); ++row) any_rare |= is_rare(row);
  std::vector<std::string> spellings(tags.rows());  // owns the texts below
  TextNumbers endings;
  SparseCounts ending_tags(model->tags.size());
  for (size_t row = 0; row < tags.rows(); ++row) {
    if (any_rare && !is_rare(row)) continue;
    spellings[row] = HmmLexicon::SpellingOf(counts.words.Word(ToWordId(row)));
    for (const size_t begin :
         EndingsOf(spellings[row], options.ending_length)) {
      const uint32_t ending =
          endings.Number(absl::string_view(spellings[row]).substr(begin));
      for (size_t i = 0; i < tags.Size(row); ++i) {
        ending_tags.Add(ending, tags.Tags(row)[i], tags.Values(row)[i]);
      }
    }
  }
  const SparseRows all = ending_tags.Rows(endings.texts().size());
  TextNumbers kept;
  for (size_t row = 0; row < all.rows(); ++row) {
    const absl::string_view ending = endings.texts()[row];
    if (all.Sum(row) < kFewestOfEnding && ending.size() > 1) continue;
    kept.Number(ending);
    SparseRows& to = model->ending_tags;
    for (size_t i = all.offsets[row]; i < all.offsets[row + 1]; ++i) {
      to.Add(all.tags[i], all.values[i]);
    }
    to.FinishRow();
  }
  model->endings = kept.Words();
  NormalizeRows(&model->ending_tags);
}

}  // namespace

absl::Status CheckForHmm(absl::Span<const TaggedSentence> sentences) {
  for (const TaggedSentence& sentence : sentences) {
    for (const std::string& token : sentence.tokens) {
      FIRTH_RETURN_IF_ERROR(CheckText(token, "token"));
    }
    for (const std::string& tag : sentence.tags) {
      FIRTH_RETURN_IF_ERROR(CheckText(tag, "tag"));
    }
  }
  return absl::OkStatus();
}

HmmCounts CountTagged(absl::Span<const TaggedSentence> sentences,
                      const TagNumbers& numbers) {
  HmmCounts counts;
  CountTransitions(sentences, numbers, &counts);
  TextNumbers words;
  SparseCounts word_tags(numbers.tags().size());
  for (const TaggedSentence& sentence : sentences) {
    const std::vector<uint32_t> tags = numbers.Numbers(sentence);
    for (size_t i = 0; i < tags.size(); ++i) {
      word_tags.Add(words.Number(sentence.tokens[i]), tags[i]);
    }
  }
  counts.words = words.Words();
  counts.word_tags = WithFewTags(word_tags.Rows(words.texts().size()));
  return counts;
}

std::array<double, 3> DeletedInterpolation(const HmmCounts& counts) {
  const size_t boundary = counts.unigrams.size() - 1;
  const double events =
      std::accumulate(counts.unigrams.begin(), counts.unigrams.end(), 0.0);
  const auto without = [](double count, double of) {
    return of > 1 ? (count - 1) / (of - 1) : 0;
  };
  std::vector<double> sums;
  for (size_t b = 0; b <= boundary; ++b) sums.push_back(counts.bigrams.Sum(b));
  std::array<double, 3> votes = {1, 1, 1};
  for (size_t a = 0; a <= boundary; ++a) {
    for (size_t ab = counts.bigrams.offsets[a];
         ab < counts.bigrams.offsets[a + 1]; ++ab) {
      const uint32_t b = counts.bigrams.tags[ab];
      const auto tags = counts.trigrams.Tags(ab);
      const auto values = counts.trigrams.Values(ab);
      for (size_t i = 0; i < tags.size(); ++i) {
        const size_t bc = counts.bigrams.Find(b, tags[i]);
        const double p[] = {without(counts.unigrams[tags[i]], events),
                            without(counts.bigrams.values[bc], sums[b]),
                            without(values[i], counts.bigrams.values[ab])};
        const size_t best = p[2] >= std::max(p[0], p[1]) ? 2
                            : p[1] >= p[0]               ? 1
                                                         : 0;
        votes[best] += values[i];
      }
    }
  }
  const double sum = votes[0] + votes[1] + votes[2];
  return {votes[0] / sum, votes[1] / sum, votes[2] / sum};
}

HmmModel EstimateHmm(const HmmCounts& counts, std::vector<std::string> tags,
                     const HmmOptions& options) {
  HmmModel model;
  model.tags = std::move(tags);
  model.weights = DeletedInterpolation(counts);
  model.unigrams = counts.unigrams;
  const double events =
      std::accumulate(model.unigrams.begin(), model.unigrams.end(), 0.0);
  for (double& unigram : model.unigrams) unigram /= events;
  model.bigrams = counts.bigrams;
  NormalizeRows(&model.bigrams);
  model.trigrams = counts.trigrams;
  NormalizeRows(&model.trigrams);
  model.words = counts.words;
  model.emissions = counts.word_tags;
  NormalizeTags(&model.emissions);
  EstimateEndings(counts, options, &model);
  model.ending_weight = kEndingWeight;
  return model;
}

}  // namespace firth

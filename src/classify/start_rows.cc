#include "classify/start_rows.h"

#include <algorithm>
#include <cmath>

#include "absl/types/span.h"
#include "base/rng.h"

namespace firth {
namespace {

void DrawRow(uint64_t seed, size_t row, absl::Span<float> to) {
  const auto range = 2 / static_cast<float>(to.size());
  Rng rng(CombineKeys(CombineKeys(seed, 12), row));
  for (float& value : to) value = (rng.NextFloat() - 0.5f) * range;
}

// Returns whether the word has a vector.
bool CopyVectorOf(const WordVectors& vectors, const std::string& word,
                  absl::Span<float> to) {
  if (const auto id = vectors.vocabulary().Find(word)) {
    vectors.CopyVector(*id, to);
    return true;
  }
  const auto made = vectors.FromNGrams(word);
  if (made.has_value()) std::copy(made->begin(), made->end(), to.begin());
  return made.has_value();
}

// SIF of Arora, Liang and Ma, "A simple but tough-to-beat baseline for sentence
// embeddings", ICLR 2017: the weight of a word with relative frequency p is
// kSif / (kSif + p).
constexpr double kSif = 1e-3;

// Returns the relative frequency of a word. For n words without counts, sorted
// by frequency, it follows Zipf's law: the word of rank r has the fraction 1 /
// (r (1 + 1/2 + ... + 1/n)), where the sum is near ln n + .577.
double ShareOf(const Vocabulary& vocabulary, WordId word) {
  const auto total = static_cast<double>(vocabulary.total_count());
  if (total > 0) return static_cast<double>(vocabulary.Count(word)) / total;
  const double rank = static_cast<double>(Index(word)) + 1;
  return 1 / (rank * (std::log(static_cast<double>(vocabulary.size())) + .577));
}

// Subtracts the mean of all vectors, which does not distinguish texts, and
// gives frequent words low weights, because they carry little information.
void CenterAndWeigh(const FeatureIndex& index, const Vocabulary& vocabulary,
                    const std::vector<bool>& is_given, PaddedMatrix* input) {
  const size_t dim = input->cols();
  std::vector<double> mean(dim);
  double count = 0;
  for (size_t row = 0; row < index.num_words(); ++row) {
    if (!is_given[row]) continue;
    ++count;
    for (size_t d = 0; d < dim; ++d) {
      mean[d] += static_cast<double>(input->Row(row)[d]);
    }
  }
  for (size_t row = 0; row < index.num_words(); ++row) {
    if (!is_given[row]) continue;
    const auto id = vocabulary.Find(index.parts().words[row]);
    const double share = id.has_value() ? ShareOf(vocabulary, *id) : 0;
    const double weight = kSif / (kSif + share);
    float* const values = input->Row(row);
    for (size_t d = 0; d < dim; ++d) {
      values[d] = static_cast<float>(
          weight * (static_cast<double>(values[d]) - mean[d] / count));
    }
  }
}

// The mean of n words is computed from that of the first n - 1 and the last
// one.
void SetMeansOfWords(const FeatureIndex& index, PaddedMatrix* input) {
  const FeatureParts& parts = index.parts();
  std::vector<size_t> lengths(parts.word_ngrams.size());
  for (size_t i = 0; i < parts.word_ngrams.size(); ++i) {
    const auto [prefix, last] = parts.word_ngrams[i];
    const size_t before =
        prefix < index.num_words() ? 1 : lengths[prefix - index.num_words()];
    lengths[i] = before + 1;
    const float share = 1 / static_cast<float>(before + 1);
    float* const to = input->Row(index.num_words() + i);
    for (size_t d = 0; d < input->cols(); ++d) {
      to[d] = input->Row(prefix)[d] * (1 - share) + input->Row(last)[d] * share;
    }
  }
}

}  // namespace

std::vector<bool> StartRows(const FeatureIndex& index,
                            const WordVectors* vectors, uint64_t seed,
                            int threads, PaddedMatrix* input) {
  const size_t dim = input->cols();
  const size_t drawn = vectors == nullptr ? input->rows() : index.num_words();
#pragma omp parallel for schedule(static) num_threads(threads)
  for (size_t row = 0; row < input->rows(); ++row) {
    const absl::Span<float> to(input->Row(row), dim);
    if (row < drawn) {
      DrawRow(seed, row, to);
    } else {
      std::fill(to.begin(), to.end(), 0.0f);
    }
  }
  std::vector<bool> is_given(input->rows(), false);
  if (vectors == nullptr) return is_given;
  const std::vector<std::string>& words = index.parts().words;
  for (size_t word = 0; word < words.size(); ++word) {
    is_given[word] =
        CopyVectorOf(*vectors, words[word], {input->Row(word), dim});
  }
  CenterAndWeigh(index, vectors->vocabulary(), is_given, input);
  SetMeansOfWords(index, input);
  return is_given;
}

}  // namespace firth

// Scores are computed in blocks of rows that fit into a cache: for each block
// the products of all prefixes, their exponentials, and its part of the sums. A
// second pass turns the scores into gradients when all sums are known.

#include "nn/contrast.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/check.h"
#include "base/team.h"
#include "nn/contrast_rows.h"

namespace firth::nn {
namespace {

// Rows whose scores are computed together; with 2,048 columns they take half of
// a second-level cache.
constexpr size_t kBlock = 64;
// Most bytes of scores that stay in the caches until their gradients are
// computed.
constexpr size_t kCacheBytes = size_t{16} << 20;
// Padding after each row of scores, so that the elements of a column do not
// share a few sets of the caches.
constexpr size_t kPad = 16;
// Score of a masked pair; its exponential is 0.
constexpr double kMasked = -1e9;
// Product of a masked pair while the exponentials of its row are added.
constexpr double kLeftOut = -1e30;

// Returns the stride of rows of scores. All rows begin at a cache line.
size_t ScoreStride(size_t columns) {
  return (columns + kRowFloats - 1) / kRowFloats * kRowFloats + kPad;
}

size_t Blocks(size_t rows) { return (rows + kBlock - 1) / kBlock; }

// Sets factors.Row(k)[i] = 1 / |first prefixes[k] numbers of row i|, or 0.
// Returns how many are 0.
template <class T>
uint64_t InverseNorms(ConstView<T> rows, const std::vector<size_t>& prefixes,
                      Matrix<T>* factors) {
  factors->Resize(prefixes.size(), rows.rows());
  ForRows(rows.rows(), rows.cols(), [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      double sum = 0;
      size_t at = 0;
      for (size_t k = 0; k < prefixes.size(); ++k) {
        const size_t count = prefixes[k] - at;
        sum += DotProduct(count, rows.Row(i) + at, rows.Row(i) + at);
        at = prefixes[k];
        const double inverse = 1 / std::sqrt(sum);
        factors->Row(k)[i] =
            std::isfinite(inverse) ? static_cast<T>(inverse) : 0;
      }
    }
  });
  return static_cast<uint64_t>(
      std::count(factors->data(), factors->data() + factors->size(), T{0}));
}

}  // namespace

template <class T>
Contrast<T>::Contrast(ContrastOptions options) : options_(std::move(options)) {
  FIRTH_CHECK(!options_.prefixes.empty() &&
              options_.weights.size() == options_.prefixes.size());
  scores_.resize(prefixes());
  packed_.resize(prefixes());
}

template <class T>
uint64_t Contrast<T>::Bytes(const ContrastOptions& options, size_t pairs,
                            size_t negatives) {
  const uint64_t columns = pairs + negatives;
  const uint64_t prefixes = options.prefixes.size();
  const uint64_t numbers = prefixes * pairs * ScoreStride(columns) +
                           prefixes * columns * (Blocks(pairs) + 8) +
                           columns * options.prefixes.back();
  return numbers * sizeof(T);
}

template <class T>
ContrastLoss Contrast<T>::Step(ConstView<T> x, ConstView<T> y,
                               absl::Span<const ContrastPair> masked,
                               View<T> d_x, View<T> d_y) {
  FIRTH_CHECK(y.rows() >= x.rows() && x.cols() == options_.prefixes.back() &&
              y.cols() == x.cols());
  ContrastLoss loss;
  FindNorms(x, y, &loss);
  FindScores(x, y, masked);
  FindLosses(x.rows(), &loss);
  FindWeights(x.rows(), y.rows());
  for (size_t k = 0; k < prefixes(); ++k) {
    const ConstView<T> weights = scores_[k].view().Cols(0, y.rows());
    Product<T>(weights, Transpose::kNo, y.Cols(begin(k), width(k)),
               Transpose::kNo, Into::kOverwrite, d_x.Cols(begin(k), width(k)));
    Product<T>(weights, Transpose::kYes, x.Cols(begin(k), width(k)),
               Transpose::kNo, Into::kOverwrite, d_y.Cols(begin(k), width(k)));
  }
  Subtract(x.rows(), x, y, d_x, d_y);
  return loss;
}

template <class T>
void Contrast<T>::FindNorms(ConstView<T> x, ConstView<T> y,
                            ContrastLoss* loss) {
  loss->zeros = InverseNorms(x, options_.prefixes, &row_factors_) +
                InverseNorms(y, options_.prefixes, &column_factors_);
  const T inverse_temperature = static_cast<T>(1 / options_.temperature);
  std::transform(column_factors_.data(),
                 column_factors_.data() + column_factors_.size(),
                 column_factors_.data(),
                 [&](T factor) { return factor * inverse_temperature; });
}

template <class T>
void Contrast<T>::FindScores(ConstView<T> x, ConstView<T> y,
                             absl::Span<const ContrastPair> masked) {
  const size_t pairs = x.rows();
  const size_t columns = y.rows();
  masked_.assign(masked.begin(), masked.end());
  std::sort(masked_.begin(), masked_.end());
  row_sums_.Resize(prefixes(), pairs);
  column_sums_.Resize(prefixes(), columns);
  block_sums_.Resize(Blocks(pairs) * prefixes(), columns);
  block_sums_.Fill(0);
  for (size_t k = 0; k < prefixes(); ++k) {
    scores_[k].Resize(pairs, ScoreStride(columns));
    if constexpr (std::is_same_v<T, float>) {
      packed_[k].Pack(Transpose::kYes, width(k), columns, y.data() + begin(k),
                      y.stride());
    }
  }
  ForTasks(Blocks(pairs), [&](size_t block) {
    const size_t first = block * kBlock;
    ScoreRows(first, std::min(first + kBlock, pairs), x, y, masked_);
  });
  for (size_t k = 0; k < prefixes(); ++k) {
    std::vector<double> sums(columns);
    for (size_t block = 0; block < Blocks(pairs); ++block) {
      const T* const of_block = block_sums_.Row(block * prefixes() + k);
      for (size_t j = 0; j < columns; ++j) sums[j] += of_block[j];
    }
    std::copy(sums.begin(), sums.end(), column_sums_.Row(k));
  }
}

// The products of the prefixes so far are in the scores of the last prefix,
// which are computed last.
template <class T>
void Contrast<T>::ScoreRows(size_t first, size_t end, ConstView<T> x,
                            ConstView<T> y,
                            absl::Span<const ContrastPair> masked) {
  Matrix<T>& products = scores_.back();
  const size_t columns = y.rows();
  std::vector<T> kept;
  const size_t bytes = prefixes() * x.rows() * columns * sizeof(T);
  for (size_t k = 0; k < prefixes(); ++k) {
    const ConstView<T> part = x.Cols(begin(k), width(k));
    if constexpr (std::is_same_v<T, float>) {
      MultiplyPacked(end - first, part.Row(first), part.stride(), packed_[k],
                     k > 0, products.Row(first), products.stride());
    } else {
      Product<T>(part.Rows(first, end - first), Transpose::kNo,
                 y.Cols(begin(k), width(k)), Transpose::kYes,
                 k > 0 ? Into::kAdd : Into::kOverwrite,
                 products.view().Rows(first, end - first).Cols(0, columns));
    }
    auto mask =
        std::lower_bound(masked.begin(), masked.end(), ContrastPair{first, 0});
    for (size_t i = first; i < end; ++i) {
      const ContrastRow<T> row{columns,
                               static_cast<T>(1 / options_.temperature),
                               row_factors_.Row(k)[i], column_factors_.Row(k),
                               bytes > kCacheBytes && k + 1 < prefixes()};
      T* const column_sums = block_sums_.Row(first / kBlock * prefixes() + k);
      T* const of_row = products.Row(i);
      // Masked pairs are not subtracted afterwards, because they may be all of
      // the sum but its last digits.
      const auto of_masks = mask;
      kept.clear();
      for (; mask != masked.end() && mask->first == i; ++mask) {
        kept.push_back(of_row[mask->second]);
        of_row[mask->second] = static_cast<T>(kLeftOut);
      }
      T* const scores = scores_[k].Row(i);
      T sum = ContrastScores(row, of_row, scores, column_sums);
      for (auto m = of_masks; m != mask; ++m) {
        const size_t j = m->second;
        // 0, unless a vector is zero and all scores of a row or column are 0.
        const T e = std::exp(scores[j] - row.shift);
        sum -= e;
        column_sums[j] -= e;
        if (k + 1 < prefixes()) of_row[j] = kept[m - of_masks];
        scores[j] = static_cast<T>(kMasked);
      }
      row_sums_.Row(k)[i] = sum;
    }
  }
}

template <class T>
void Contrast<T>::FindLosses(size_t pairs, ContrastLoss* loss) {
  for (size_t k = 0; k < prefixes(); ++k) {
    double sum = 0;
    for (size_t i = 0; i < pairs; ++i) {
      const auto own = static_cast<double>(scores_[k].Row(i)[i]);
      sum += std::log(static_cast<double>(row_sums_.Row(k)[i])) +
             std::log(static_cast<double>(column_sums_.Row(k)[i])) +
             2 * (1 / options_.temperature - own);
    }
    loss->of_prefix.push_back(sum / (2 * static_cast<double>(pairs)));
    loss->loss += options_.weights[k] * loss->of_prefix.back();
  }
}

template <class T>
void Contrast<T>::FindWeights(size_t pairs, size_t columns) {
  column_inverses_.Resize(prefixes(), columns);
  row_terms_.Resize(prefixes(), pairs);
  column_terms_.Resize(prefixes(), columns);
  for (size_t k = 0; k < prefixes(); ++k) {
    for (size_t j = 0; j < columns; ++j) {
      // Negatives are no queries.
      column_inverses_.Row(k)[j] = j < pairs ? 1 / column_sums_.Row(k)[j] : 0;
    }
  }
  block_sums_.Fill(0);
  ForTasks(Blocks(pairs), [&](size_t block) {
    const size_t end = std::min((block + 1) * kBlock, pairs);
    for (size_t i = block * kBlock; i < end; ++i) {
      T more_term = 0;
      for (size_t k = prefixes(); k-- > 0;) {
        const T factor = row_factors_.Row(k)[i];
        const ContrastRow<T> row{columns,
                                 static_cast<T>(1 / options_.temperature),
                                 factor, column_factors_.Row(k)};
        const auto scale = static_cast<T>(options_.weights[k] /
                                          (2 * static_cast<double>(pairs)));
        T* const terms = block_sums_.Row(block * prefixes() + k);
        T* const scores = scores_[k].Row(i);
        const T own = scores[i];
        T term = ContrastGradient(
            row,
            {scale, 1 / row_sums_.Row(k)[i], column_inverses_.Row(k),
             scores_[k].stride()},
            scores, k + 1 < prefixes() ? scores_[k + 1].Row(i) : nullptr,
            scores, terms);
        // The pair itself.
        const T column_factor = column_factors_.Row(k)[i];
        scores[i] -= 2 * scale * factor * column_factor;
        term -= 2 * scale * own;
        terms[i] -= 2 * scale * own * column_factor * column_factor;
        more_term += term * factor * factor;
        row_terms_.Row(k)[i] = more_term;
      }
    }
  });
  // The factors of columns, whose squares the terms have, contain 1 / t.
  const double square = options_.temperature * options_.temperature;
  std::vector<double> sums(columns);
  for (size_t k = prefixes(); k-- > 0;) {
    for (size_t block = 0; block < Blocks(pairs); ++block) {
      const T* const of_block = block_sums_.Row(block * prefixes() + k);
      for (size_t j = 0; j < columns; ++j) sums[j] += of_block[j];
    }
    std::transform(sums.begin(), sums.end(), column_terms_.Row(k),
                   [&](double sum) { return static_cast<T>(square * sum); });
  }
}

template <class T>
void Contrast<T>::Subtract(size_t pairs, ConstView<T> x, ConstView<T> y,
                           View<T> d_x, View<T> d_y) {
  const auto subtract = [&](ConstView<T> rows, const Matrix<T>& terms,
                            View<T> d_rows) {
    ForRows(rows.rows(), rows.cols(), [&](size_t first, size_t end) {
      for (size_t i = first; i < end; ++i) {
        for (size_t k = 0; k < prefixes(); ++k) {
          AddScaled(width(k), -terms.Row(k)[i], rows.Row(i) + begin(k),
                    d_rows.Row(i) + begin(k));
        }
      }
    });
  };
  FIRTH_CHECK(d_x.rows() == pairs);
  subtract(x, row_terms_, d_x);
  subtract(y, column_terms_, d_y);
}

template class Contrast<float>;
#ifdef FIRTH_DOUBLES
template class Contrast<double>;
#endif

}  // namespace firth::nn

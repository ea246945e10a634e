#include "sentences/bag_rows.h"

#include <algorithm>
#include <cmath>

#include "nn/elementwise.h"

namespace firth {
namespace {

// Uses after which a row is needed: it is fetched from memory until then.
constexpr size_t kAhead = 4;

void Prefetch(const float* row, size_t dim) {
  constexpr size_t kLine = 16;
  for (size_t at = 0; at < std::min<size_t>(dim, 8 * kLine); at += kLine) {
    __builtin_prefetch(row + at);
  }
}

}  // namespace

BagRows::BagRows(size_t rows, size_t dim)
    : rows_("rows", rows, dim, nn::GradientKind::kSparse),
      logs_("weights", rows, 1, nn::GradientKind::kSparse),
      place_(rows) {}

void BagRows::Forward(const Bags& bags, View<float> vectors) const {
  nn::ForRows(bags.size(), 16 * dim(), [&](size_t first, size_t end) {
    for (size_t t = first; t < end; ++t) {
      float* const to = vectors.Row(t);
      std::fill_n(to, dim(), 0.0f);
      for (size_t p = bags.begin(t); p < bags.begin(t + 1); ++p) {
        if (p + kAhead < bags.num_rows()) {
          Prefetch(rows_.value.Row(bags.row(p + kAhead)), dim());
        }
        const float weight = std::exp(*logs_.value.Row(bags.row(p)));
        nn::AddScaled(dim(), bags.factor(p) * weight,
                      rows_.value.Row(bags.row(p)), to);
      }
    }
  });
}

void BagRows::Backward(const Bags& bags, ConstView<float> d_vectors) {
  // Lists the uses by row, so that each row is one sum, in the same order for
  // any number of threads.
  used_.clear();
  begins_.assign(1, 0);
  for (size_t p = 0; p < bags.num_rows(); ++p) {
    uint32_t& place = place_[bags.row(p)];
    if (place == 0) {
      used_.push_back(bags.row(p));
      begins_.push_back(0);
      place = static_cast<uint32_t>(used_.size());
    }
    ++begins_[place];
  }
  for (size_t k = 1; k < begins_.size(); ++k) begins_[k] += begins_[k - 1];
  texts_.resize(bags.num_rows());
  factors_.resize(bags.num_rows());
  std::vector<size_t> next(begins_.begin(), begins_.end() - 1);
  for (size_t t = 0; t < bags.size(); ++t) {
    for (size_t p = bags.begin(t); p < bags.begin(t + 1); ++p) {
      const size_t at = next[place_[bags.row(p)] - 1]++;
      texts_[at] = static_cast<uint32_t>(t);
      factors_[at] = bags.factor(p);
    }
  }
  for (const uint32_t row : used_) {
    rows_.gradient.Row(row);  // adds the row
    logs_.gradient.Row(row);
    place_[row] = 0;
  }
  nn::ForRows(used_.size(), 4 * dim(), [&](size_t first, size_t end) {
    for (size_t k = first; k < end; ++k) {
      const uint32_t row = used_[k];
      const float weight = std::exp(*logs_.value.Row(row));
      float* const gradient = rows_.gradient.Row(row);
      for (size_t at = begins_[k]; at < begins_[k + 1]; ++at) {
        nn::AddScaled(dim(), weight * factors_[at], d_vectors.Row(texts_[at]),
                      gradient);
      }
      *logs_.gradient.Row(row) +=
          nn::DotProduct(dim(), gradient, rows_.value.Row(row));
    }
  });
}

}  // namespace firth

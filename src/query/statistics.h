// Rank correlation and its confidence interval.

#ifndef FIRTH_QUERY_STATISTICS_H_
#define FIRTH_QUERY_STATISTICS_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "firth/proportions.h"

namespace firth {

// Returns the rank of every value, from 1. Equal values share the mean of their
// ranks. The values must not contain NaN.
std::vector<double> AverageRanks(absl::Span<const double> values);

// Returns Spearman's rank correlation in [-1, 1], which is Pearson's
// correlation of the average ranks. Returns NaN for fewer than 2 values, or if
// one side is constant. x and y must have the same size.
double SpearmanCorrelation(absl::Span<const double> x,
                           absl::Span<const double> y);

// Returns Pearson's correlation in [-1, 1], or NaN if a side is empty or
// constant. x and y must have the same size.
double PearsonCorrelation(absl::Span<const double> x,
                          absl::Span<const double> y);

// Returns the 95% interval of Spearman's r of n pairs, by Fisher's transform
// with the standard error of Bonett and Wright (2000): sqrt((1 + r^2 / 2) / (n
// - 3)). Returns all of [-1, 1] if that is undefined (n < 4, r NaN).
Interval SpearmanInterval(double r, size_t n);

}  // namespace firth

#endif  // FIRTH_QUERY_STATISTICS_H_

// Rank correlation and its interval.

#ifndef FIRTH_QUERY_STATISTICS_H_
#define FIRTH_QUERY_STATISTICS_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "firth/proportions.h"

namespace firth {

// The rank of every value, from 1; equal values share the mean of their ranks.
// The values hold no NaN.
std::vector<double> AverageRanks(absl::Span<const double> values);

// Spearman's rank correlation in [-1, 1]: Pearson's, of the average ranks. NaN
// for fewer than 2 values and where one side is constant. x and y are of one
// size.
double SpearmanCorrelation(absl::Span<const double> x,
                           absl::Span<const double> y);

// Pearson's correlation in [-1, 1]; NaN where a side is empty or constant. x
// and y are of one size.
double PearsonCorrelation(absl::Span<const double> x,
                          absl::Span<const double> y);

// The 95% interval of Spearman's r of n pairs, by Fisher's transform with the
// standard error of Bonett and Wright (2000): sqrt((1 + r^2 / 2) / (n - 3)).
// All of [-1, 1] where that is undefined (n < 4, r NaN).
Interval SpearmanInterval(double r, size_t n);

}  // namespace firth

#endif  // FIRTH_QUERY_STATISTICS_H_

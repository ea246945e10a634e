// The cheapest way to transport goods from supplies to demands.

#ifndef FIRTH_QUERY_TRANSPORT_H_
#define FIRTH_QUERY_TRANSPORT_H_

#include <cstdint>

#include "absl/types/span.h"

namespace firth {

// Returns the sum of amount times cost for the cheapest transport. supplies [n]
// and demands [m] are whole numbers with equal sums. costs: [n, m], row by row,
// are the costs of one unit, 0 or more. Exact except for rounding. Finding a
// path takes O(n m), and there are a few more paths than n + m.
double TransportCost(absl::Span<const uint64_t> supplies,
                     absl::Span<const uint64_t> demands,
                     absl::Span<const double> costs);

}  // namespace firth

#endif  // FIRTH_QUERY_TRANSPORT_H_

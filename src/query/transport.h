// The cheapest way to bring goods from where they are to where they are wanted.

#ifndef FIRTH_QUERY_TRANSPORT_H_
#define FIRTH_QUERY_TRANSPORT_H_

#include <cstdint>

#include "absl/types/span.h"

namespace firth {

// The sum of goods times cost on the cheapest way. supplies: [n], demands: [m],
// whole numbers whose sums are the same. costs: [n, m], row by row, of one
// unit, 0 or more. Exact but for rounding. A path takes O(n m), and there are
// some more of them than n + m.
double TransportCost(absl::Span<const uint64_t> supplies,
                     absl::Span<const uint64_t> demands,
                     absl::Span<const double> costs);

}  // namespace firth

#endif  // FIRTH_QUERY_TRANSPORT_H_

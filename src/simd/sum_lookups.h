// Scores of rows of codes, which are sums of numbers looked up in tables (the
// "asymmetric distance computation" of Jegou, Douze and Schmid 2011).

#ifndef FIRTH_SIMD_SUM_LOOKUPS_H_
#define FIRTH_SIMD_SUM_LOOKUPS_H_

#include <cstddef>
#include <cstdint>

namespace firth {

// Sets sums[r] to the sum of tables[p * entries + codes[r * parts + p]] over p
// < parts, for r < num_rows, with the same bits for any num_rows. Codes must be
// below `entries`.
void SumLookups(const float* tables, size_t entries, const uint8_t* codes,
                size_t num_rows, size_t parts, float* sums);

}  // namespace firth

#endif  // FIRTH_SIMD_SUM_LOOKUPS_H_

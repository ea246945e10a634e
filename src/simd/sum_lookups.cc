// Uses plain loads. A processor does two per cycle, which gather instructions,
// if available, do not surpass. One load gets eight codes, and four sums cover
// the latency of an addition.

#include "simd/sum_lookups.h"

#include <cstring>

namespace firth {
namespace {

constexpr size_t kStep = 8;  // Codes in a word of 64 bits.

float SumOfRow(const float* tables, size_t entries, const uint8_t* codes,
               size_t parts) {
  float sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
  size_t part = 0;
  const float* table = tables;
  const auto next = [&](uint64_t code) {
    const float value = table[code & 255];
    table += entries;
    return value;
  };
  for (; part + kStep <= parts; part += kStep) {
    uint64_t word;
    std::memcpy(&word, codes + part, sizeof(word));
    sum0 += next(word);
    sum1 += next(word >> 8);
    sum2 += next(word >> 16);
    sum3 += next(word >> 24);
    sum0 += next(word >> 32);
    sum1 += next(word >> 40);
    sum2 += next(word >> 48);
    sum3 += next(word >> 56);
  }
  for (; part < parts; ++part) sum0 += next(codes[part]);
  return (sum0 + sum1) + (sum2 + sum3);
}

}  // namespace

void SumLookups(const float* tables, size_t entries, const uint8_t* codes,
                size_t num_rows, size_t parts, float* sums) {
  for (size_t row = 0; row < num_rows; ++row) {
    sums[row] = SumOfRow(tables, entries, codes + row * parts, parts);
  }
}

}  // namespace firth

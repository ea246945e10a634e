// Counter-based random numbers.
//
// A generator is created from a key, such as (seed, epoch, position in the
// stream), and is not carried from one position to the next. The numbers drawn
// at a position therefore do not depend on the number of threads or on the
// order of their work. The generator is Splitmix64 (Steele, Lea and Flood 2014)
// from a mixed key. Every key starts at a different place on one orbit of 2^64
// numbers, and a position draws at most a few thousand.

#ifndef FIRTH_BASE_RNG_H_
#define FIRTH_BASE_RNG_H_

#include <cstdint>

namespace firth {

// A bijection of 64-bit numbers in which every input bit affects all output
// bits.
constexpr uint64_t Mix64(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Combines two numbers into one key; not symmetric.
constexpr uint64_t CombineKeys(uint64_t a, uint64_t b) {
  return Mix64(Mix64(a + 0x9e3779b97f4a7c15u) + b);
}

class Rng {
 public:
  explicit constexpr Rng(uint64_t key) : state_(Mix64(key)) {}

  constexpr uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15u;
    return Mix64(state_);
  }

  // Advances the generator like this many calls of Next().
  constexpr void Skip(uint64_t calls) { state_ += calls * 0x9e3779b97f4a7c15u; }

  // Returns a uniform number in [0, bound), bound > 0, from the high bits
  // (Lemire 2019, without the rejection step; the bias is below bound / 2^32).
  constexpr uint32_t Below(uint32_t bound) {
    return static_cast<uint32_t>(((Next() >> 32) * bound) >> 32);
  }

  // Returns a uniform number in [0, 1) with 24 bits.
  constexpr float NextFloat() {
    return static_cast<float>(Next() >> 40) * 0x1p-24f;
  }

 private:
  uint64_t state_;
};

}  // namespace firth

#endif  // FIRTH_BASE_RNG_H_

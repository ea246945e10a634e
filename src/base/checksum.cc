#include "base/checksum.h"

#include <bit>
#include <cstddef>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace firth {
namespace {

constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio

// A bijection of `state` for each word, and of the word for each state. A
// change of a single word therefore always changes the result.
uint64_t Mix(uint64_t state, uint64_t word) {
  return std::rotl((state ^ word) * kOdd, 29);
}

// Reads a word of up to 8 bytes; the missing ones are 0.
uint64_t Load(const char* bytes, size_t size) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, size);
  return word;
}

}  // namespace

uint64_t Checksum(absl::string_view bytes, uint64_t seed) {
  // Chains that the processor computes in parallel.
  constexpr size_t kLanes = 4;
  constexpr size_t kWord = sizeof(uint64_t);
  uint64_t lanes[kLanes];
  for (size_t lane = 0; lane < kLanes; ++lane) lanes[lane] = seed + lane;
  const uint64_t size = bytes.size();
  for (; bytes.size() >= kLanes * kWord; bytes.remove_prefix(kLanes * kWord)) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] = Mix(lanes[lane], Load(bytes.data() + lane * kWord, kWord));
    }
  }
  uint64_t sum = Mix(seed, size);
  for (const uint64_t lane : lanes) sum = Mix(sum, lane);
  while (!bytes.empty()) {
    const size_t word_bytes = bytes.size() < kWord ? bytes.size() : kWord;
    sum = Mix(sum, Load(bytes.data(), word_bytes));
    bytes.remove_prefix(word_bytes);
  }
  return Mix(sum ^ (sum >> 32), size);
}

std::string HexChecksum(uint64_t checksum) {
  return absl::StrCat(absl::Hex(checksum, absl::kZeroPad16));
}

}  // namespace firth

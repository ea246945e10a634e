#include "base/checksum.h"

#include <set>
#include <string>
#include <utility>

#include "gtest/gtest.h"

namespace firth {
namespace {

TEST(ChecksumTest, DependsOnEveryByteTheLengthAndTheSeed) {
  std::set<uint64_t> seen;
  size_t count = 0;
  for (size_t size = 0; size <= 70; ++size) {
    std::string bytes(size, 'a');
    seen.insert(Checksum(bytes, 0));
    seen.insert(Checksum(bytes, 1));
    count += 2;
    for (char& byte : bytes) {
      byte ^= 1;
      seen.insert(Checksum(bytes, 0));
      ++count;
      byte ^= 1;
    }
  }
  EXPECT_EQ(seen.size(), count);
}

TEST(ChecksumTest, DependsOnTheOrder) {
  std::string bytes(64, 0);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i);
  const uint64_t checksum = Checksum(bytes, 0);
  for (size_t i = 0; i + 8 < bytes.size(); ++i) {
    std::string swapped = bytes;
    std::swap(swapped[i], swapped[i + 8]);
    EXPECT_NE(Checksum(swapped, 0), checksum);
  }
}

// Files hold it.
TEST(ChecksumTest, StaysWhatItIs) {
  EXPECT_EQ(Checksum("firth", 0), 0x6c43cdc58f4b0a81u);
}

}  // namespace
}  // namespace firth

#include "base/byte_marks.h"

#include <string>

#include "gtest/gtest.h"

namespace firth {
namespace {

// Each byte once, at a place that differs from text to text.
std::string AllBytes(size_t turn) {
  std::string text;
  for (size_t i = 0; i < 256; ++i) text += static_cast<char>(i + turn);
  return text;
}

template <class Test, class Expected>
void ExpectMarks(const Test& test, const Expected& expected) {
  for (const size_t turn : {0, 1, 7, 63}) {
    const std::string text = AllBytes(turn);
    for (size_t from = 0; from < text.size(); from += kMarkedBytes) {
      const uint64_t marks = MarkBytes(text.data() + from, test);
      for (size_t i = 0; i < kMarkedBytes; ++i) {
        const auto byte = static_cast<uint8_t>(text[from + i]);
        EXPECT_EQ((marks >> i & 1) != 0, expected(byte)) << int{byte};
      }
    }
  }
}

TEST(ByteMarksTest, MarksEqualBytes) {
  for (const uint8_t value : {0, 10, 127, 128, 255}) {
    ExpectMarks([=](ByteVec bytes) { return AreEqual(bytes, value); },
                [=](uint8_t byte) { return byte == value; });
  }
}

TEST(ByteMarksTest, MarksBytesUpToALimitAsUnsigned) {
  for (const uint8_t limit : {0, 32, 127, 128, 254, 255}) {
    ExpectMarks([=](ByteVec bytes) { return AreAtMost(bytes, limit); },
                [=](uint8_t byte) { return byte <= limit; });
  }
}

}  // namespace
}  // namespace firth

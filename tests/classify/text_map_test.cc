#include "classify/text_map.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace firth {
namespace {

// Texts of all lengths around those of keys that differ in one byte.
std::vector<std::string> SimilarTexts() {
  std::vector<std::string> texts;
  for (size_t size = 1; size <= 40; ++size) {
    const std::string text(size, 'a');
    texts.push_back(text);
    for (size_t at = 0; at < size; ++at) {
      texts.push_back(text);
      texts.back()[at] = '\0';
    }
  }
  return texts;
}

TEST(TextMapTest, EachTextHasItsRow) {
  const std::vector<std::string> texts = SimilarTexts();
  TextMap rows;
  for (uint32_t i = 0; i < texts.size(); ++i) {
    ASSERT_EQ(rows.Find(TextKey(texts[i])), kNoFeature) << i;
    ASSERT_EQ(rows.Add(TextKey(texts[i]), i), kNoFeature) << i;
  }
  for (uint32_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(rows.Find(TextKey(texts[i])), i);
  }
}

TEST(TextMapTest, TheFirstRowOfATextStays) {
  const std::string text = "twice";
  const std::string again = text;
  TextMap rows;
  EXPECT_EQ(rows.Add(TextKey(text), 7), kNoFeature);
  EXPECT_EQ(rows.Add(TextKey(again), 8), 7);
  EXPECT_EQ(rows.Find(TextKey(again)), 7);
}

TEST(TextMapTest, RoomThatWasReservedIsKept) {
  TextMap rows;
  const std::string first = "first";
  rows.Add(TextKey(first), 1);
  rows.Reserve(1000);
  EXPECT_EQ(rows.Find(TextKey(first)), 1);
  EXPECT_EQ(rows.Find(TextKey("other")), kNoFeature);
}

}  // namespace
}  // namespace firth

#include "base/byte_marks.h"

#include <string>
#include <vector>

#include "base/rng.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

std::vector<size_t> PlainPlaces(const std::string& text) {
  std::vector<size_t> places;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte <= 0x20 || byte >= 0x80) places.push_back(i);
  }
  return places;
}

// Texts of all lengths around that of a block, with few and many spaces, in
// memory of their own length, so that a sanitizer sees what is read behind it.
TEST(FindMaybeSpaceTest, BothWaysFindEveryPlaceAndNoOther) {
  Rng rng(1);
  for (size_t size = 0; size < 200; ++size) {
    for (const uint32_t density : {2u, 8u, 100u}) {
      std::string text(size, ' ');
      for (char& c : text) {
        const bool any = rng.Below(density) == 0;
        c = static_cast<char>(any ? rng.Below(256) : 0x21 + rng.Below(0x5F));
      }
      const std::vector<char> exact(text.begin(), text.end());
      const absl::string_view view(exact.data(), exact.size());
      MaybeSpaces walk(view);
      std::vector<size_t> found;
      std::vector<size_t> walked;
      for (size_t at = 0; (at = FindMaybeSpace(view, at)) < size; ++at) {
        found.push_back(at);
      }
      for (size_t at = 0; (at = walk.Find(at)) < size; ++at) {
        walked.push_back(at);
      }
      EXPECT_EQ(found, PlainPlaces(text)) << size << " bytes";
      EXPECT_EQ(walked, PlainPlaces(text)) << size << " bytes";
    }
  }
}

TEST(FindMaybeSpaceTest, AWalkMayJump) {
  const std::string text = std::string(300, 'a') + " b";
  MaybeSpaces walk(text);
  EXPECT_EQ(walk.Find(3), 300u);
  MaybeSpaces jumping(text);
  EXPECT_EQ(jumping.Find(10), 300u);
  EXPECT_EQ(jumping.Find(301), text.size());
  EXPECT_EQ(MaybeSpaces("").Find(0), 0u);
}

}  // namespace
}  // namespace firth

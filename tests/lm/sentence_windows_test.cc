#include "lm/read/sentence_windows.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

// Sentences of tokens "0", "1" and so on.
struct Numbered {
  std::vector<std::string> words;
  std::vector<SentenceWindows::Sentence> sentences;

  explicit Numbered(const std::vector<size_t>& sizes) {
    words.reserve(100);
    for (size_t i = 0; i < 100; ++i) words.push_back(std::to_string(i));
    for (const size_t size : sizes) {
      sentences.emplace_back(words.begin(),
                             words.begin() + static_cast<ptrdiff_t>(size));
    }
  }
};

// In layer l the vector of a token is [its number + 1000 l, tokens before it in
// its window, tokens behind it there].
std::vector<TokenVectors> VectorsOf(
    const std::vector<SentenceWindows::Sentence>& windows) {
  std::vector<TokenVectors> vectors;
  for (const auto& window : windows) {
    TokenVectors& one = vectors.emplace_back();
    one = {2, window.size(), 3, {}};
    for (size_t layer = 0; layer < 2; ++layer) {
      for (size_t t = 0; t < window.size(); ++t) {
        one.values.push_back(static_cast<float>(
            std::stoi(std::string(window[t])) + 1000 * layer));
        one.values.push_back(static_cast<float>(t));
        one.values.push_back(static_cast<float>(window.size() - 1 - t));
      }
    }
  }
  return vectors;
}

TEST(SentenceWindowsTest, EveryTokenHasItsVectorOfTheWindowWhereItSeesMost) {
  for (const size_t most : {1, 2, 3, 5, 8}) {
    for (const bool causal : {false, true}) {
      std::vector<size_t> sizes = {0, 1};
      for (size_t size = 2; size < 30; ++size) sizes.push_back(size);
      const Numbered text(sizes);
      const SentenceWindows cut(text.sentences, most, causal);
      for (const auto& window : cut.windows()) EXPECT_LE(window.size(), most);
      const auto joined = cut.Join(VectorsOf(cut.windows()));
      ASSERT_EQ(joined.size(), sizes.size());
      for (size_t s = 0; s < sizes.size(); ++s) {
        ASSERT_EQ(joined[s].tokens, sizes[s]);
        for (size_t t = 0; t < sizes[s]; ++t) {
          const auto vector = joined[s].Vector(1, t);
          ASSERT_EQ(vector[0], static_cast<float>(t + 1000));
          const auto before = static_cast<size_t>(vector[1]);
          const auto behind = static_cast<size_t>(vector[2]);
          // At least half of a window before it, or all that there is.
          const size_t half = (most - 1) / 2;
          EXPECT_GE(before, std::min(t, causal ? half : half / 2))
              << most << " of " << sizes[s] << ", token " << t;
          if (causal) continue;
          EXPECT_GE(behind, std::min(sizes[s] - 1 - t, half / 2));
        }
      }
    }
  }
}

TEST(SentenceWindowsTest, ShortSentencesStayAsTheyAre) {
  const Numbered text({3, 0, 5});
  for (const size_t most : {0, 5}) {
    const SentenceWindows cut(text.sentences, most, false);
    EXPECT_EQ(cut.windows(), text.sentences);
    EXPECT_EQ(cut.Join(VectorsOf(cut.windows()))[2].tokens, 5u);
  }
}

TEST(SentenceWindowsTest, TheLastWindowIsAWholeOne) {
  const Numbered text({9});
  const SentenceWindows cut(text.sentences, 4, false);
  ASSERT_EQ(cut.windows().size(), 4u);
  EXPECT_THAT(cut.windows()[3], testing::ElementsAre("5", "6", "7", "8"));
}

TEST(MostTokensTest, IsWhatPositionsLeaveBesideTheMarks) {
  LanguageModelOptions options;
  EXPECT_EQ(MostTokens(options), 0u);  // recurrent layers
  nn::TransformerLayers layers;
  layers.context = 24;
  layers.positions = PositionKind::kRelative;
  options.layers = layers;
  EXPECT_EQ(MostTokens(options), 0u);  // relative ones slide
  layers.positions = PositionKind::kLearned;
  options.layers = layers;
  EXPECT_EQ(MostTokens(options), 22u);
  options.begin_mark = false;
  EXPECT_EQ(MostTokens(options), 23u);
  layers.context = 1;
  options.layers = layers;
  EXPECT_EQ(MostTokens(options), 1u);
}

}  // namespace
}  // namespace firth

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "firth/query.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Vocabulary MakeVocabulary(const std::vector<absl::string_view>& words) {
  return *Vocabulary::Create(words, {});
}

std::vector<std::string> Closest(const Vocabulary& vocabulary,
                                 absl::string_view word, size_t count) {
  std::vector<std::string> words;
  for (const WordId id : ClosestSpellings(vocabulary, word, count)) {
    words.emplace_back(vocabulary.Word(id));
  }
  return words;
}

TEST(ClosestSpellingsTest, FewestEditsFirstThenTheMoreFrequent) {
  const Vocabulary vocabulary = MakeVocabulary(
      {"berlin", "parish", "pars", "paris", "arts", "part", "pairs"});
  EXPECT_THAT(Closest(vocabulary, "paris", 10),
              ElementsAre("paris", "parish", "pars", "pairs"));
  EXPECT_THAT(Closest(vocabulary, "paris", 2), ElementsAre("paris", "parish"));
  EXPECT_THAT(Closest(vocabulary, "paris", 0), IsEmpty());
}

TEST(ClosestSpellingsTest, WordsHaveUpTo64Letters) {
  const std::string longest(64, 'a');
  const Vocabulary vocabulary = MakeVocabulary({longest + "b", "ab"});
  EXPECT_THAT(Closest(vocabulary, longest, 10), ElementsAre(longest + "b"));
  EXPECT_THAT(Closest(vocabulary, longest + "a", 10), IsEmpty());
}

struct EditCase {
  const char* name;
  const char* word;
  const char* candidate;
  bool close;
};

class ClosestSpellingsEditTest : public testing::TestWithParam<EditCase> {};

TEST_P(ClosestSpellingsEditTest, IsCountedAsExpected) {
  EXPECT_EQ(Closest(MakeVocabulary({GetParam().candidate}), GetParam().word, 1)
                .size(),
            GetParam().close);
}

INSTANTIATE_TEST_SUITE_P(
    All, ClosestSpellingsEditTest,
    testing::Values(
        EditCase{"Insert", "cats", "carts", true},
        EditCase{"Delete", "carts", "cars", true},
        EditCase{"Replace", "carts", "caits", true},
        EditCase{"Swap", "carts", "catrs", true},
        EditCase{"SwapAtTheStart", "carts", "acrts", true},
        EditCase{"TwoReplacesOfFive", "carts", "cbbts", false},
        EditCase{"TwoReplacesOfSix", "cartss", "cbbtss", true},
        EditCase{"SwapWithALetterBetweenIsTwo", "abc", "cba", false},
        EditCase{"LettersOfOtherScriptsCountOnce", "мост", "мест", true},
        EditCase{"TwoOfFourLettersOfOtherScripts", "мост", "месс", false},
        EditCase{"CaseOfAsciiIsIgnored", "PARIS", "paris", true},
        EditCase{"CaseOfOtherScriptsIsIgnored", "МОСКВА", "москва", true},
        EditCase{"OneLetter", "a", "b", true},
        EditCase{"EmptyToOneLetter", "", "b", true},
        EditCase{"EmptyToTwoLetters", "", "bc", false},
        EditCase{"InvalidBytesDiffer", "\xff\xff", "\xfe\xfe", false},
        EditCase{"InvalidBytesEqual",
                 "a\xff"
                 "b",
                 "a\xff", true}),
    [](const auto& info) { return info.param.name; });

// Optimal string alignment by the full table.
size_t PlainDistance(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> table(a.size() + 1,
                                         std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      size_t& edits = table[i][j];
      if (i == 0 || j == 0) {
        edits = i + j;
        continue;
      }
      edits = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1,
                        table[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        edits = std::min(edits, table[i - 2][j - 2] + 1);
      }
    }
  }
  return table[a.size()][b.size()];
}

std::string RandomWord(Rng& rng) {
  std::string word;
  for (uint32_t left = 1 + rng.Below(14); left > 0; --left) {
    word.push_back(static_cast<char>('a' + rng.Below(3)));
  }
  return word;
}

TEST(ClosestSpellingsTest, EqualsTheFullTableOnRandomWords) {
  Rng rng(4);
  std::vector<std::string> words;
  while (words.size() < 1'000) {
    words.push_back(RandomWord(rng));
    const auto same = std::find(words.begin(), words.end() - 1, words.back());
    if (same != words.end() - 1) words.pop_back();
  }
  const Vocabulary vocabulary = MakeVocabulary({words.begin(), words.end()});
  for (int query = 0; query < 60; ++query) {
    const std::string word = RandomWord(rng);
    const size_t limit = std::max<size_t>(1, word.size() / 3);
    std::vector<std::pair<size_t, size_t>> order;
    for (size_t i = 0; i < words.size(); ++i) {
      const size_t edits = PlainDistance(word, words[i]);
      if (edits <= limit) order.emplace_back(edits, i);
    }
    std::sort(order.begin(), order.end());
    for (const size_t count : {1, 3, 10, 2'000}) {
      std::vector<std::string> expected;
      for (size_t i = 0; i < std::min(count, order.size()); ++i) {
        expected.push_back(words[order[i].second]);
      }
      EXPECT_EQ(Closest(vocabulary, word, count), expected) << word;
    }
  }
}

}  // namespace
}  // namespace firth

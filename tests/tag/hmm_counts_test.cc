// Estimation of a hidden Markov model against plain counts of the same
// sentences.

#include "tag/hmm_counts.h"

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "tag/plain_hmm.h"
#include "tag/tagged_sentences.h"

namespace firth {
namespace {

using Tags = std::vector<std::string>;

class HmmCountsTest : public testing::Test {
 protected:
  HmmCountsTest() {
    for (const TaggedSentence& sentence : text) {
      Tags tags = {"|", "|"};
      tags.insert(tags.end(), sentence.tags.begin(), sentence.tags.end());
      tags.push_back("|");
      for (size_t i = 2; i < tags.size(); ++i) {
        ++f1[tags[i]];
        ++f2[{tags[i - 1], tags[i]}];
        ++before2[tags[i - 1]];
        ++f3[{tags[i - 2], tags[i - 1], tags[i]}];
        ++before3[{tags[i - 2], tags[i - 1]}];
        ++events;
      }
    }
  }
  uint32_t Number(const std::string& tag) const {
    const auto& tags = numbers.tags();
    return static_cast<uint32_t>(std::find(tags.begin(), tags.end(), tag) -
                                 tags.begin());
  }

  std::vector<TaggedSentence> text = MadeUpSentences(300, 1);
  TagNumbers numbers = *TagNumbers::Of(text);
  HmmCounts counts = CountTagged(text, numbers);
  std::map<std::string, double> f1, before2;
  std::map<std::pair<std::string, std::string>, double> f2, before3;
  std::map<std::tuple<std::string, std::string, std::string>, double> f3;
  double events = 0;
};

TEST_F(HmmCountsTest, RelativeFrequencies) {
  const HmmModel model = EstimateHmm(counts, numbers.tags(), {});
  for (const auto& [tag, count] : f1) {
    EXPECT_DOUBLE_EQ(model.unigrams[Number(tag)], count / events);
  }
  for (const auto& [tags, count] : f2) {
    EXPECT_DOUBLE_EQ(
        ValueOf(model.bigrams, Number(tags.first), Number(tags.second)),
        count / before2[tags.first]);
  }
  size_t trigrams = 0;
  for (const auto& [tags, count] : f3) {
    const auto& [a, b, c] = tags;
    if (b == "|") continue;  // the first tag of a sentence
    const size_t row = model.bigrams.Find(Number(a), Number(b));
    ASSERT_NE(row, SparseRows::kNone);
    const double found = ValueOf(model.trigrams, row, Number(c));
    EXPECT_DOUBLE_EQ(found, count / (before3[{a, b}])) << a << b << c;
    ++trigrams;
  }
  EXPECT_EQ(model.trigrams.values.size(), trigrams);
  EXPECT_EQ(model.bigrams.values.size(), f2.size());
}

TEST_F(HmmCountsTest, DeletedInterpolation) {
  const auto without = [](double count, double of) {
    return of > 1 ? (count - 1) / (of - 1) : 0;
  };
  std::array<double, 3> votes = {1, 1, 1};
  for (const auto& [tags, count] : f3) {
    const auto& [a, b, c] = tags;
    if (b == "|") continue;
    const double p1 = without(f1[c], events);
    const double p2 = without(f2[{b, c}], before2[b]);
    const double p3 = without(count, before3[{a, b}]);
    if (p3 >= p1 && p3 >= p2) {
      votes[2] += count;
    } else if (p2 >= p1) {
      votes[1] += count;
    } else {
      votes[0] += count;
    }
  }
  const double sum = votes[0] + votes[1] + votes[2];
  const std::array<double, 3> found = DeletedInterpolation(counts);
  for (int i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(found[i], votes[i] / sum);
  EXPECT_GT(votes[1], 2);  // Each order has votes.
}

// p(t | ending) by its recursion, over the words that are rare.
std::map<std::string, double> PlainGuess(
    const std::vector<TaggedSentence>& text, const std::string& token,
    size_t rare, size_t longest) {
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto lower = [&](std::string word) {
    if (is_capital(word[0])) word[0] = static_cast<char>(word[0] + 'a' - 'A');
    return word;
  };
  std::map<std::string, size_t> occurrences;
  for (const auto& s : text) {
    for (const auto& word : s.tokens) ++occurrences[word];
  }
  std::map<std::string, double> p;
  for (size_t length = 0; length <= std::min(longest, token.size()); ++length) {
    std::map<std::string, double> tags;
    double sum = 0;
    for (const auto& s : text) {
      for (size_t i = 0; i < s.tokens.size(); ++i) {
        const std::string& word = s.tokens[i];
        if (occurrences[word] > rare || word.size() < length ||
            is_capital(word[0]) != is_capital(token[0]) ||
            lower(word).substr(word.size() - length) !=
                lower(token).substr(token.size() - length)) {
          continue;
        }
        ++tags[s.tags[i]];
        ++sum;
      }
    }
    if (sum < (length == 0 ? 1 : 2)) break;
    for (auto& [tag, value] : p) value /= length == 0 ? 1 : 2;
    for (const auto& [tag, count] : tags) {
      p[tag] += count / sum / (length == 0 ? 1 : 2);
    }
  }
  return p;
}

TEST_F(HmmCountsTest, EndingsOfRareWordsGiveTagsOfUnknownWords) {
  for (const size_t longest : {size_t{0}, size_t{2}, size_t{10}}) {
    HmmOptions options;
    options.rare_count = 3;
    options.ending_length = longest;
    const HmmModel model = EstimateHmm(counts, numbers.tags(), options);
    HmmLexicon lexicon(model);
    for (const std::string token :
         {"xyzzyness", "zer", "running", "ed", "Bafy", "Zzzing", "q", "aber"}) {
      const std::map<std::string, double> expected =
          PlainGuess(text, token, 3, longest);
      ASSERT_FALSE(expected.empty());
      const TagCandidates found = lexicon.Guess(token, /*is_first=*/false);
      double left_out = 1;
      for (size_t i = 0; i < found.tags.size(); ++i) {
        const double p = found.emissions[i] * model.unigrams[found.tags[i]];
        EXPECT_NEAR(p, expected.at(numbers.tags()[found.tags[i]]), 1e-12)
            << token << " " << longest;
        left_out -= p;
      }
      EXPECT_LT(left_out, 0.01) << token;
    }
  }
}

TEST_F(HmmCountsTest, ACapitalAtTheStartMayBelongToAKnownWord) {
  const HmmModel model = EstimateHmm(counts, numbers.tags(), {});
  HmmLexicon lexicon(model);
  const auto p_of_det = [&](bool is_first) {
    const TagCandidates found = lexicon.Find("The", is_first);
    for (size_t i = 0; i < found.tags.size(); ++i) {
      if (found.tags[i] == Number("DET")) return found.emissions[i];
    }
    return 0.0;
  };
  EXPECT_EQ(p_of_det(false), 0);
  EXPECT_GT(p_of_det(true), 0);
}

TEST(HmmLexiconTest, SpellingsAndTheirEndings) {
  EXPECT_EQ(HmmLexicon::SpellingOf("B52s"), "b00sA");
  EXPECT_EQ(HmmLexicon::SpellingOf("na\xc3\xafve"), "na\xc3\xafvea");
  EXPECT_EQ(HmmLexicon::SpellingOf("\xc3\x89t\xc3\xa9"),
            "\xc3\xa9t\xc3\xa9"
            "A");
  EXPECT_EQ(HmmLexicon::SpellingOf(""), "a");
  // A letter of two bytes is one character.
  EXPECT_EQ(EndingsOf("\xc3\xa9t\xc3\xa9"
                      "A",
                      10),
            (std::vector<size_t>{5, 3, 2, 0}));
  EXPECT_EQ(EndingsOf("abca", 2), (std::vector<size_t>{3, 2, 1}));
  EXPECT_EQ(EndingsOf("a", 2), (std::vector<size_t>{0}));
}

TEST(CountTaggedTest, AWordHasItsMostFrequentTags) {
  std::vector<TaggedSentence> text;
  for (size_t tag = 0; tag < kMostTagsOfWord + 5; ++tag) {
    for (size_t i = 0; i <= tag; ++i) {
      TaggedSentence& sentence = text.emplace_back();
      sentence.tokens = {"x"};
      sentence.tags = {absl::StrCat("t", tag)};
    }
  }
  const TagNumbers numbers = *TagNumbers::Of(text);
  const HmmCounts counts = CountTagged(text, numbers);
  ASSERT_EQ(counts.word_tags.Size(0), kMostTagsOfWord);
  EXPECT_EQ(counts.word_tags.tags.front(), 5u);
  EXPECT_EQ(counts.word_tags.values.front(), 6);
}

}  // namespace
}  // namespace firth

#include "query/bm25.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace firth {
namespace {

using Words = std::vector<std::string>;

// The formula at the head of bm25.h, in a plain loop.
double PlainScore(const std::vector<Words>& documents, size_t document,
                  const Words& query, double k1, double b) {
  double total = 0;
  for (const Words& words : documents) {
    total += static_cast<double>(words.size());
  }
  const auto n = static_cast<double>(documents.size());
  const double mean = total / n;
  double score = 0;
  for (const std::string& word : query) {
    double with_word = 0, tf = 0;
    for (size_t i = 0; i < documents.size(); ++i) {
      const auto count = static_cast<double>(
          std::count(documents[i].begin(), documents[i].end(), word));
      with_word += count > 0;
      if (i == document) tf = count;
    }
    const auto length = static_cast<double>(documents[document].size());
    score += std::log(1 + (n - with_word + 0.5) / (with_word + 0.5)) * tf /
             (tf + k1 * (1 - b + b * length / mean));
  }
  return score;
}

TEST(Bm25Test, ScoresAreThoseOfTheFormula) {
  const std::vector<Words> documents = {
      {"the", "wing", "of", "the", "plane"},
      {"heat"},
      {"the", "heat", "of", "a", "wing", "the", "wing", "wing"},
      {}};
  const std::vector<std::string> texts = {"The wing of the plane.", "heat",
                                          "the heat of a wing: the wing-WING",
                                          " ... "};
  for (const Bm25Options& options :
       {Bm25Options(), Bm25Options{.k1 = 2, .b = 0.3}}) {
    const Bm25 bm25(texts, options);
    for (const Words& query :
         {Words{"the", "wing"}, Words{"wing", "wing", "heat"}, Words{"unknown"},
          Words{}}) {
      std::string text;
      for (const std::string& word : query) text += word + ", ";
      const std::vector<double> scores = bm25.Scores(text);
      ASSERT_EQ(scores.size(), 4u);
      for (size_t i = 0; i < scores.size(); ++i) {
        EXPECT_NEAR(scores[i],
                    PlainScore(documents, i, query, options.k1, options.b),
                    1e-6)
            << text << i;
      }
    }
  }
}

TEST(Bm25Test, WordsAreInLowerCaseAlsoBeyondAscii) {
  const Bm25 bm25(std::vector<std::string>{"Ночь war's", "Tag"});
  EXPECT_GT(bm25.Scores("НОЧЬ")[0], 0);
  EXPECT_GT(bm25.Scores("s")[0], 0) << "an apostrophe is between words";
  EXPECT_EQ(bm25.Scores("ноч")[0], 0);
}

}  // namespace
}  // namespace firth

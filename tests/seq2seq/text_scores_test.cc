#include "firth/text_scores.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace firth {
namespace {

struct Case {
  std::string name;
  std::vector<std::pair<std::string, std::string>> texts;
  double bleu_13a, bleu_none, chrf, brevity_13a;
};

std::vector<Case> Cases() {
  return {{"Punctuation",
           {{"The cat sat on the mat.", "The cat is on the mat ."},
            {"It cost $1,234.50 -- wow!", "It cost $1,234.5, wow!"},
            {"a-b c_d (e) 5-3", "a-b c_d [e] 5-3 f"},
            {"nothing in common here", "so anders ist dieser Satz"}},
           31.27002122283582,
           11.05842803864508,
           47.5496521084211,
           0.9310627797040228},
          {"NothingInCommon",
           {{"ein hund", "eine katze schläft"}, {"rennt", "sehr schnell"}},
           0,
           0,
           7.213793035852555,
           0.513417119032592},
          {"EntitiesAndLetters",
           {{"&quot;Hello,&quot; he said; \"3.14, 2,718.\"",
             "\"Hello,\" he said: \"3.14, 2,718\"."},
            {"ÄÖ ü ß. Größe 12,5", "ÄÖ ü ß, Größe 12.5"},
            {"x", "x y z"}},
           46.83752176216716,
           11.445353329152148,
           54.92834940665999,
           0.9048374180359595},
          {"NearlyEqual",
           {{"a b c d e f g h i j", "a b c d e f g h i k"},
            {"k l m n o p", "k l m n o q"}},
           84.08964152537145,
           84.08964152537145,
           79.70238095238096,
           1}};
}

// The expected values are those of sacreBLEU 2.6.0.
TEST(ReferenceScorerTest, ScoresAreThoseOfSacreBleu) {
  for (const Case& one : Cases()) {
    SCOPED_TRACE(one.name);
    ReferenceScorer split, whole(BleuTokens::kNone);
    for (const auto& [text, reference] : one.texts) {
      split.Add(text, reference);
      whole.Add(text, reference);
    }
    const TextScores scores = split.scores();
    EXPECT_NEAR(scores.bleu.score, one.bleu_13a, 1e-9);
    EXPECT_NEAR(scores.bleu.brevity_penalty, one.brevity_13a, 1e-12);
    EXPECT_NEAR(whole.scores().bleu.score, one.bleu_none, 1e-9);
    EXPECT_NEAR(scores.chrf, one.chrf, 1e-9);
    EXPECT_EQ(scores.bleu.signature,
              "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp");
    EXPECT_EQ(whole.scores().bleu.signature,
              "nrefs:1|case:mixed|eff:no|tok:none|smooth:exp");
  }
}

TEST(ReferenceScorerTest, CountsExactTextsAndEditsInCharacters) {
  ReferenceScorer scorer;
  scorer.Add("größe", "große");  // one letter of two bytes
  scorer.Add("same", "same");
  scorer.Add("", "abc");
  scorer.Add("kitten", "sitting");
  const TextScores scores = scorer.scores();
  EXPECT_EQ(scores.texts, 4u);
  EXPECT_EQ(scores.exact, 0.25);
  EXPECT_EQ(scores.edit_distance, (1 + 0 + 3 + 3) / 4.0);
}

TEST(ReferenceScorerTest, NoTextsHaveZeros) {
  const TextScores scores = ReferenceScorer().scores();
  EXPECT_EQ(scores.bleu.score, 0);
  EXPECT_EQ(scores.chrf, 0);
  EXPECT_EQ(scores.exact, 0);
  EXPECT_EQ(scores.edit_distance, 0);
}

}  // namespace
}  // namespace firth

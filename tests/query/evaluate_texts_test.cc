#include "firth/evaluate_texts.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/rng.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/compress.h"
#include "support/temp_files.h"
#include "support/tiny_vectors.h"
#include "vectors/word_bag_encoder.h"

namespace firth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

WordVectors Sky() {
  return MakeVectors({{"sun", {1, 0, 0}},
                      {"star", {3, 1, 0}},
                      {"moon", {1, 1, 0}},
                      {"cloud", {0, 2, 2}},
                      {"night", {-1, 1, 5}}},
                     {50, 20, 10, 10, 10});
}

SimilarityResult Pairs(absl::string_view text,
                       const EvaluateTextsOptions& options = {},
                       const WordVectors& vectors = Sky()) {
  const TestFile file(text);
  auto result = EvaluateTextSimilarity(vectors, file.path(), options);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *result : SimilarityResult();
}

std::string ErrorOfPairs(absl::string_view text,
                         const EvaluateTextsOptions& options = {}) {
  const TestFile file(text);
  const auto status =
      EvaluateTextSimilarity(Sky(), file.path(), options).status();
  EXPECT_FALSE(status.ok());
  return std::string(status.message());
}

double Cosine(const std::vector<double>& a, const std::vector<double>& b) {
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    ab += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return ab / std::sqrt(aa * bb);
}

constexpr char kScoreFirst[] =
    "5\tsun star\tstar sun\n3\tsun\tmoon star\n1\tsun\tnight cloud\n"
    "2\tsun\tnothing known\n";

TEST(EvaluateTextSimilarityTest, CorrelatesScoresWithCosinesOfMeans) {
  const SimilarityResult result = Pairs(kScoreFirst);
  EXPECT_EQ(result.asked, 3u);
  EXPECT_EQ(result.total, 4u);
  EXPECT_THAT(result.scores, ElementsAre(5, 3, 1, 2));
  ASSERT_EQ(result.cosines.size(), 4u);
  EXPECT_NEAR(result.cosines[0], 1, 1e-6);
  EXPECT_NEAR(result.cosines[1], Cosine({1, 0, 0}, {4, 2, 0}), 1e-6);
  EXPECT_NEAR(result.cosines[2], Cosine({1, 0, 0}, {-1, 3, 7}), 1e-6);
  EXPECT_TRUE(std::isnan(result.cosines[3]));
  EXPECT_NEAR(result.spearman, 1, 1e-12);
  const double x[] = {5, 3, 1};
  double xy = 0, xx = 0, yy = 0;
  const double mean =
      (result.cosines[0] + result.cosines[1] + result.cosines[2]) / 3;
  for (int i = 0; i < 3; ++i) {
    xy += (x[i] - 3) * (result.cosines[i] - mean);
    xx += (x[i] - 3) * (x[i] - 3);
    yy += (result.cosines[i] - mean) * (result.cosines[i] - mean);
  }
  EXPECT_NEAR(result.pearson, xy / std::sqrt(xx * yy), 1e-9);
  EXPECT_LT(result.pearson, 0.9999);
}

TEST(EvaluateTextSimilarityTest, ScoresAreInTheFirstOrTheThirdColumn) {
  const std::vector<double> cosines = Pairs(kScoreFirst).cosines;
  for (const char* text :
       {"score\ta\tb\n5\tsun star\tstar sun\n3\tsun\tmoon star\n",
        "sun star\tstar sun\t5\nsun\tmoon star\t3\n",
        "sentence\tother\tgold\r\nsun star\tstar sun\t5\r\n"
        "sun\tmoon star\t3\r\n",
        // The STS benchmark as published.
        "main\tnews\t2012\t0001\t5\tsun star\tstar sun\n"
        "main\tnews\t2012\t2\t3\tsun\tmoon star\tsource\tlicense\n",
        "genre\tfile\tyear\tid\tscore\ta\tb\n"
        "main\tnews\t2012test\t1\t5\tsun star\tstar sun\n"
        "main\tnews\t2012test\t2\t3\tsun\tmoon star\n"}) {
    const SimilarityResult result = Pairs(text);
    EXPECT_THAT(result.scores, ElementsAre(5, 3)) << text;
    EXPECT_THAT(result.cosines, ElementsAre(cosines[0], cosines[1])) << text;
  }
}

TEST(EvaluateTextSimilarityTest, FilesMayBeCompressed) {
  const TestFile file(Gzip(kScoreFirst));
  const auto result = EvaluateTextSimilarity(Sky(), file.path(), {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->scores, ElementsAre(5, 3, 1, 2));
}

TEST(EvaluateTextSimilarityTest, ATextMayBeginLikeAComment) {
  EXPECT_EQ(Pairs("#sun star\tsun\t5\n").total, 1u);
}

TEST(EvaluateTextSimilarityTest, OptionsOfSentencesApply) {
  const char kPair[] = "1\tsun night\tcloud\n";
  // Counts 50 and 10 of 100.
  const double sun = 0.5 / (0.5 + 0.5), night = 0.5 / (0.5 + 0.1);
  EXPECT_NEAR(Pairs(kPair, {.sif = 0.5}).cosines[0],
              Cosine({sun - night, night, 5 * night}, {0, 2, 2}), 1e-6);
  const double norm = std::sqrt(27.0);
  EXPECT_NEAR(Pairs(kPair, {.unit_words = true}).cosines[0],
              Cosine({1 - 1 / norm, 1 / norm, 5 / norm}, {0, 2, 2}), 1e-6);
  EXPECT_NEAR(Pairs("1\tstar\tcloud\n", {.dim = 2}).cosines[0],
              Cosine({3, 1}, {0, 2}), 1e-6);
  EXPECT_TRUE(std::isnan(Pairs("1\tstar\tcloud\n", {.dim = 1}).cosines[0]))
      << "the first dimension of \"cloud\" is 0";
}

TEST(EvaluateTextSimilarityTest, TextsAreFoldedForVocabulariesInLowerCase) {
  const char kPair[] = "1\tSun\tMOON\n2\tsun\tstar\n";
  const SimilarityResult folded = Pairs(kPair);
  EXPECT_TRUE(folded.folded);
  EXPECT_EQ(folded.asked, 2u);
  const WordVectors mixed =
      MakeVectors({{"sun", {1, 0}}, {"moon", {1, 1}}, {"Sonne", {4, 1}}});
  EXPECT_EQ(Pairs(kPair, {}, mixed).asked, 0u);
  EXPECT_EQ(Pairs(kPair, {.lowercase = true}, mixed).asked, 1u);
  const WordVectors encoded = WithWordBags(Sky(), {.lowercase = true});
  EXPECT_EQ(Pairs(kPair, {}, encoded).asked, 2u);
  EXPECT_FALSE(Pairs(kPair, {}, encoded).folded) << "by the model itself";
  EXPECT_EQ(Pairs(kPair, {}, WithWordBags(Sky(), {})).asked, 1u)
      << "the form of the model is not changed";
}

TEST(EvaluateTextSimilarityTest, ErrorsNameTheLine) {
  EXPECT_THAT(ErrorOfPairs("1\ta\tb\n2\tonly one\n"),
              HasSubstr(":2: expected 3 columns separated by tabs (score, "
                        "text, text, or text, text, score), or the 7 of the "
                        "STS benchmark, found 2"));
  EXPECT_THAT(ErrorOfPairs("1\ta\tb\tc\n"), HasSubstr("found 4"));
  EXPECT_THAT(ErrorOfPairs("1\ta\tb\na\tb\tc\td\t1\tx\ty\n"),
              HasSubstr(":2: expected 3 columns, like the lines before, found "
                        "7"));
  EXPECT_THAT(ErrorOfPairs("a\tb\tc\td\t1\tx\ty\na\tb\tc\td\te\tx\ty\n"),
              HasSubstr(":2: expected a number in column 5, found \"e\""));
  EXPECT_THAT(ErrorOfPairs("1\ta\tb\nmuch\tsun\tstar\n"),
              HasSubstr(":2: expected a number in column 1, found \"much\""));
  EXPECT_THAT(ErrorOfPairs("a\tb\t1\nsun\tstar\tnan\n"),
              HasSubstr(":2: expected a number in column 3, found \"nan\""));
  EXPECT_THAT(ErrorOfPairs("score\ta\tb\nx\ty\tz\n"),
              HasSubstr(":2: expected a number in column 1 or 3, found \"x\" "
                        "and \"z\""));
  EXPECT_THAT(ErrorOfPairs("7,5\tsun\tstar\n"),
              HasSubstr(":1: expected a number in column 1 or 3"));
  EXPECT_THAT(ErrorOfPairs("\n"), HasSubstr("no lines of score, text, text"));
  EXPECT_THAT(ErrorOfPairs("1\ta\tb\n", {.dim = 4}),
              HasSubstr("dim: expected at most 3"));
  EXPECT_THAT(
      std::string(
          EvaluateTextSimilarity(Sky(), "/nonexistent", {}).status().message()),
      HasSubstr("/nonexistent"));
}

// A collection in a folder.
class Collection {
 public:
  Collection(absl::string_view documents, absl::string_view queries,
             absl::string_view relevant) {
    folder_.Write("documents.tsv", documents);
    folder_.Write("queries.tsv", queries);
    folder_.Write("relevant.tsv", relevant);
  }
  absl::StatusOr<RetrievalResult> Evaluate(
      const EvaluateTextsOptions& options = {},
      const WordVectors& vectors = Sky()) const {
    return EvaluateRetrieval(vectors, folder_.path(), options);
  }

 private:
  TempFolder folder_;
};

// Cosines with "sun": d2 (1), d1 (0.95), d3 and d4 (0.71), d5 (0), d7 (-0.2).
constexpr char kDocuments[] =
    "d1\tstar\nd2\tsun sun\nd3\tmoon\nd4\tmoon\textra moon\nd5\tcloud\n"
    "d6\tno vectors\nd7\tnight\n";

TEST(EvaluateRetrievalTest, MeasuresTheRankingByCosines) {
  const Collection collection(kDocuments, "q1\tsun\nq2\tsun\nq3\tnothing\n",
                              "q1\td1\nq1\td4\t3\nq1\td6\nq1\td2\t0\n"
                              "q3\td1\n");
  const auto result = collection.Evaluate();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->documents, 7u);
  EXPECT_EQ(result->total, 3u);
  EXPECT_EQ(result->asked, 2u) << "q2 has no relevant document";
  const RankingQuality& quality = result->vectors;
  // Ranks: d2 1, d1 2, d3 and d4 3 and 4, as both are equally near.
  const double gain =
      1 / std::log2(3) + 3 * (1 / std::log2(4) + 1 / std::log2(5)) / 2;
  const double best = 3 + 1 / std::log2(3) + 1 / std::log2(4);
  ASSERT_EQ(quality.ndcgs.size(), 2u);
  EXPECT_NEAR(quality.ndcgs[0], gain / best, 1e-12);
  EXPECT_EQ(quality.ndcgs[1], 0) << "no word of q3 has a vector";
  EXPECT_NEAR(quality.ndcg, gain / best / 2, 1e-12);
  EXPECT_NEAR(quality.mrr, 0.5 / 2, 1e-12);
  EXPECT_NEAR(quality.recall, 2.0 / 3 / 2, 1e-12) << "d6 is not ranked";
  // BM25 ranks d2 alone, which is not relevant.
  EXPECT_EQ(result->bm25.ndcg, 0);
  EXPECT_EQ(result->bm25.recall, 0);
}

TEST(EvaluateRetrievalTest, HybridAddsZScores) {
  // Cosines with "sun", and BM25 scores where only d3 has the word "far".
  const Collection collection("d1\tsun\nd2\tmoon\nd3\tcloud far\n",
                              "q\tsun far\n", "q\td3\n");
  const auto result = collection.Evaluate();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_NEAR(result->vectors.mrr, 1.0 / 3, 1e-12);
  // Two words score: "sun" in d1, whose length is smaller, and "far" in d3.
  EXPECT_NEAR(result->bm25.mrr, 1.0 / 2, 1e-12);
  const std::vector<double> cosines = {1, std::sqrt(0.5), 0};
  const double idf = std::log(1 + 2.5 / 1.5);
  const auto bm25 = [&](double length) {
    return idf / (1 + 1.2 * (0.25 + 0.75 * length / (4.0 / 3)));
  };
  std::vector<double> sums(3);
  for (const auto& scores :
       {cosines, std::vector<double>{bm25(1), 0, bm25(2)}}) {
    const double mean = (scores[0] + scores[1] + scores[2]) / 3;
    double squares = 0;
    for (const double x : scores) squares += (x - mean) * (x - mean) / 3;
    for (int i = 0; i < 3; ++i) {
      sums[i] += (scores[i] - mean) / std::sqrt(squares);
    }
  }
  const double rank = 1.0 + (sums[0] > sums[2]) + (sums[1] > sums[2]);
  EXPECT_EQ(rank, 2);
  EXPECT_NEAR(result->hybrid.mrr, 1 / rank, 1e-12);
}

// Two of four equal documents are relevant: the first relevant one is at rank 1
// with probability 1/2, at rank 2 with 1/3, and at rank 3 with 1/6.
TEST(EvaluateRetrievalTest, EqualDocumentsAreInRandomOrder) {
  const double discounts = 1 + 1 / std::log2(3) + 0.5 + 1 / std::log2(5);
  for (const char* relevant :
       {"q\ta\nq\tb\n", "q\tc\nq\td\n", "q\ta\nq\td\n"}) {
    const Collection collection("a\tsun\nb\tsun\nc\tsun\nd\tsun\ne\tnight\n",
                                "q\tsun\n", relevant);
    const auto result = collection.Evaluate();
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_NEAR(result->vectors.mrr, 1.0 / 2 + 1.0 / 6 + 1.0 / 18, 1e-9);
    EXPECT_NEAR(result->vectors.ndcg, 0.5 * discounts / (1 + 1 / std::log2(3)),
                1e-9);
    EXPECT_EQ(result->vectors.recall, 1);
  }
  std::string documents, relevant;
  for (int i = 0; i < 200; ++i) {
    documents += absl::StrCat("d", i, "\tsun\n");
    if (i < 4) relevant += absl::StrCat("q\td", i, "\n");
  }
  const auto many = Collection(documents, "q\tsun\n", relevant).Evaluate();
  ASSERT_TRUE(many.ok()) << many.status();
  EXPECT_NEAR(many->vectors.recall, 0.5, 1e-9);
}

TEST(EvaluateRetrievalTest, OnlyTheFirstTenAndHundredCount) {
  std::string documents, grades;
  for (int i = 0; i < 150; ++i) {
    absl::StrAppend(&documents, "d", i, "\t");
    for (int word = 0; word < 150; ++word) {
      absl::StrAppend(&documents, word < 150 - i ? "sun " : "moon ");
    }
    absl::StrAppend(&documents, "\n");
    if (i >= 9) absl::StrAppend(&grades, "q\td", i, "\n");
  }
  const auto result = Collection(documents, "q\tsun\n", grades).Evaluate();
  ASSERT_TRUE(result.ok()) << result.status();
  double best = 0;
  for (int i = 0; i < 10; ++i) best += 1 / std::log2(i + 2);
  for (const RankingQuality& quality :
       {result->vectors, result->bm25, result->hybrid}) {
    EXPECT_NEAR(quality.ndcg, 1 / std::log2(11) / best, 1e-12);
    EXPECT_NEAR(quality.recall, 91.0 / 141, 1e-12);
    EXPECT_NEAR(quality.mrr, 0.1, 1e-12);
  }
}

TEST(EvaluateRetrievalTest, ErrorsNameTheLine) {
  const auto error = [](absl::string_view documents, absl::string_view queries,
                        absl::string_view relevant) {
    const auto result = Collection(documents, queries, relevant).Evaluate();
    EXPECT_FALSE(result.ok());
    return std::string(result.status().message());
  };
  EXPECT_THAT(error("d\tsun\nd\tstar\n", "q\tsun\n", "q\td\n"),
              HasSubstr("documents.tsv:2: expected an id that occurs only "
                        "once, found \"d\""));
  EXPECT_THAT(error("d\tsun\n", "\tsun\n", "q\td\n"),
              HasSubstr("queries.tsv:1: expected an id and a text"));
  EXPECT_THAT(error("d\tsun\n", "q\tsun\n", "q\td\nr\td\n"),
              HasSubstr("relevant.tsv:2: expected the id of a query, found "
                        "\"r\""));
  EXPECT_THAT(error("d\tsun\n", "q\tsun\n", "q\te\n"),
              HasSubstr("relevant.tsv:1: expected the id of a document"));
  EXPECT_THAT(error("d\tsun\n", "q\tsun\n", "q\td\t-1\n"),
              HasSubstr("relevant.tsv:1: expected a grade that is 0 or more"));
  EXPECT_THAT(error("d\tsun\n", "q\tsun\n", "q d\n"),
              HasSubstr("relevant.tsv:1: expected 2 or 3 columns"));
  EXPECT_THAT(error("d\tsun\n", "q\tsun\n", "q\td\nq\td\n"),
              HasSubstr("relevant.tsv:2: expected one line for each query"));
  EXPECT_THAT(error("d\tsun\n", "q\tsun\n", "q\td\t0\n"),
              HasSubstr("no query has a relevant document"));
  EXPECT_THAT(error("", "q\tsun\n", "q\td\n"),
              HasSubstr("documents.tsv: the file contains no lines"));
}

RetrievalResult ResultOf(const std::vector<double>& ndcgs) {
  RetrievalResult result;
  result.asked = ndcgs.size();
  for (const double ndcg : ndcgs) {
    result.vectors.ndcg += ndcg / static_cast<double>(ndcgs.size());
  }
  result.vectors.ndcgs = result.hybrid.ndcgs = ndcgs;
  result.bm25.ndcgs.resize(ndcgs.size());
  return result;
}

// Returns p with all exchanges of the two values of each query.
double ExactP(const std::vector<double>& a, const std::vector<double>& b) {
  double measured = 0;
  for (size_t i = 0; i < a.size(); ++i) measured += a[i] - b[i];
  int as_great = 0;
  for (uint32_t exchanged = 0; exchanged < 1u << a.size(); ++exchanged) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      sum += (exchanged >> i & 1 ? -1 : 1) * (a[i] - b[i]);
    }
    as_great += std::abs(sum) >= std::abs(measured) - 1e-12;
  }
  return static_cast<double>(as_great) / (1 << a.size());
}

TEST(CompareRetrievalTest, PIsThatOfAllExchanges) {
  const std::vector<double> a = {0.1, 0.5, 0.3, 0.9, 0.2, 0.4, 0.7, 0.1};
  for (const double better : {0.0, 0.05, 0.2}) {
    std::vector<double> b;
    for (size_t i = 0; i < a.size(); ++i) {
      b.push_back(a[i] + better * static_cast<double>(i % 3) +
                  (i % 2 == 0 ? 0.03 : -0.04));
    }
    const auto compared = Compare(ResultOf(a), ResultOf(b));
    ASSERT_TRUE(compared.ok()) << compared.status();
    EXPECT_NEAR(compared->vectors.p, ExactP(a, b), 0.02);
    EXPECT_EQ(compared->asked, 8u);
    EXPECT_NEAR(compared->vectors.ndcg[0], 0.4, 1e-12);
  }
  EXPECT_EQ(Compare(ResultOf(a), ResultOf(a))->vectors.p, 1);
}

TEST(CompareRetrievalTest, OtherCollectionsAreRefused) {
  RetrievalResult other = ResultOf({1, 2});
  other.bm25.ndcgs[1] = 0.5;
  EXPECT_FALSE(Compare(ResultOf({1, 2}), other).ok());
  EXPECT_FALSE(Compare(ResultOf({1, 2}), ResultOf({1})).ok());
}

}  // namespace
}  // namespace firth

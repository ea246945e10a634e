// gensim's KeyedVectors answers as we do, question by question, on the same
// vectors. Skipped where gensim is not installed.

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "firth/evaluate.h"
#include "firth/postprocess.h"
#include "firth/query.h"
#include "firth/text_similarity.h"
#include "firth/vector_io.h"
#include "gtest/gtest.h"
#include "io/formats/interop_support.h"
#include "io/io_test_support.h"
#include "nlohmann/json.hpp"
#include "support/tiny_vectors.h"

namespace firth {
namespace {

using nlohmann::json;

constexpr char kQuestions[] = R"(
import sys, json, numpy
from gensim.models import KeyedVectors
from gensim.corpora import Dictionary
from gensim.similarities import SparseTermSimilarityMatrix
from gensim.similarities import WordEmbeddingSimilarityIndex
folder = sys.argv[1]
v = KeyedVectors.load_word2vec_format(folder + '/v.bin', binary=True,
                                      datatype=numpy.float32)
plain = lambda pairs: [[word, float(score)] for word, score in pairs]
a = 'w1 w2 w3 w3 w4 w5'.split()
b = 'w6 w3 w7 w8 w8 w9 w10'.split()
dictionary = Dictionary([a, b])
matrix = SparseTermSimilarityMatrix(
    WordEmbeddingSimilarityIndex(v.vectors_for_all(sorted(set(a + b))),
                                 threshold=0.1, exponent=3.0),
    dictionary, nonzero_limit=None)
product = matrix.inner_product(dictionary.doc2bow(a), dictionary.doc2bow(b),
                               normalized=(True, True))
answers = dict(
    most_similar=plain(v.most_similar('w5', topn=7)),
    sums=plain(v.most_similar(positive=['w1', 'w2'], negative=['w3'], topn=7)),
    weighted=plain(v.most_similar(positive=[('w1', 2.0), ('w2', -0.5)],
                                  topn=7)),
    restricted=plain(v.most_similar('w5', topn=7, restrict_vocab=50)),
    by_vector=plain(v.similar_by_vector(v['w7'], topn=7)),
    cosmul=plain(v.most_similar_cosmul(positive=['w1', 'w2'], negative=['w3'],
                                       topn=7)),
    given=v.most_similar_to_given('w5', ['w9', 'w80', 'w7', 'w200']),
    closer=v.closer_than('w5', 'w9'),
    rank=int(v.rank('w5', 'w9')),
    similarity=float(v.similarity('w5', 'w9')),
    distance=float(v.distance('w5', 'w9')),
    distances=[float(d) for d in v.distances('w5')],
    n_similarity=float(v.n_similarity(a, b)),
    odd=v.doesnt_match(a[:3] + b[4:]),
    centrality=[[w, float(s)] for s, w in v.rank_by_centrality(a[:3] + b[4:])],
    relative=float(v.relative_cosine_similarity('w5', 'w9', topn=10)),
    mean=[float(x) for x in v.get_mean_vector(['w1', 'w2', 'w3'])],
    for_all=[[float(x) for x in v.vectors_for_all(['w3', 'w1'])[w]]
             for w in ('w3', 'w1')],
    wmd=float(v.wmdistance(a, b)),
    soft_cosine=float(product),
    spearman=float(v.evaluate_word_pairs(folder + '/pairs')[1][0]),
    accuracy=float(v.evaluate_word_analogies(folder + '/questions')[0]))
json.dump(answers, open(folder + '/answers.json', 'w'))
)";

class GensimQuestionsInteropTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!testing_io::HasGensim()) GTEST_SKIP() << "gensim is not installed";
    folder_ = testing_io::TestFolder();
    VectorFile file;
    file.vectors = vectors_;
    ASSERT_EQ(SaveVectorFile(file, folder_ + "/v.bin", ""), absl::OkStatus());
    Rng rng(5);
    std::string pairs, questions = ": all\n";
    for (int i = 0; i < 60; ++i) {
      absl::StrAppend(&pairs, "w", rng.Below(200), "\tw", rng.Below(200), "\t",
                      rng.Below(100), "\n");
    }
    // One question in four has the answer that both give.
    for (uint32_t i = 0; i < 40; ++i) {
      const WordId first = ToWordId(3 * i), second = ToWordId(3 * i + 1),
                   third = ToWordId(3 * i + 2);
      const auto best =
          neighbors_.SolveAnalogy(first, second, third, 1, AnalogyMethod::kAdd);
      absl::StrAppend(&questions, "w", 3 * i, " w", 3 * i + 1, " w", 3 * i + 2,
                      " w", i % 4 == 0 ? Index(best[0].word) : 199 - i, "\n");
    }
    testing_io::WriteBytes(folder_ + "/pairs", pairs);
    testing_io::WriteBytes(folder_ + "/questions", questions);
    testing_io::RunPython(folder_, kQuestions);
    std::ifstream(folder_ + "/answers.json") >> theirs_;
  }

  absl::Span<const float> Row(size_t word) const {
    return vectors_.Vector(ToWordId(word));
  }

  void ExpectSame(const std::vector<Neighbor>& ours,
                  const std::string& key) const {
    SCOPED_TRACE(key);
    const json& theirs = theirs_.at(key);
    ASSERT_EQ(ours.size(), theirs.size());
    for (size_t i = 0; i < ours.size(); ++i) {
      EXPECT_EQ(vectors_.vocabulary().Word(ours[i].word),
                theirs[i][0].get<std::string>());
      EXPECT_NEAR(ours[i].score, theirs[i][1].get<double>(), 1e-5);
    }
  }

  double Text(const TextSimilarityOptions& options) const {
    const std::vector<absl::string_view> a =
        absl::StrSplit("w1 w2 w3 w3 w4 w5", ' ');
    const std::vector<absl::string_view> b =
        absl::StrSplit("w6 w3 w7 w8 w8 w9 w10", ' ');
    return TextComparer::Create(vectors_, options)->Compare(a, b).value_or(-9);
  }

  const WordVectors vectors_ = RandomVectors(300, 12, 7);
  const NearestNeighbors neighbors_{vectors_};
  std::string folder_;
  json theirs_;
};

TEST_F(GensimQuestionsInteropTest, NeighborsAreTheSame) {
  ExpectSame(neighbors_.FindWord(ToWordId(5), 7), "most_similar");
  const WordId w1 = ToWordId(1), w2 = ToWordId(2), w3 = ToWordId(3);
  const SumQuery sum = {{{Row(1)}, {Row(2)}, {Row(3), -1}}, {w1, w2, w3}};
  ExpectSame(neighbors_.FindSum(sum, 7, AnalogyMethod::kAdd), "sums");
  // gensim divides by the product plus 1e-6, we, as the paper, plus 0.001.
  std::map<std::string, double> products;
  for (const Neighbor& word :
       neighbors_.FindSum(sum, 300, AnalogyMethod::kMul)) {
    products.emplace(vectors_.vocabulary().Word(word.word), word.score);
  }
  for (const json& theirs : theirs_.at("cosmul")) {
    EXPECT_NEAR(
        products.at(theirs[0].get<std::string>()) / theirs[1].get<double>(), 1,
        0.01);
  }
  ExpectSame(neighbors_.FindSum({{{Row(1), 2}, {Row(2), -0.5f}}, {w1, w2}}, 7,
                                AnalogyMethod::kAdd),
             "weighted");
  ExpectSame(NearestNeighbors(vectors_, 50).FindWord(ToWordId(5), 7),
             "restricted");
  ExpectSame(neighbors_.Find(Row(7), 7), "by_vector");

  const auto list = Vocabulary::Create({"w9", "w80", "w7", "w200"}, {});
  const auto given = SelectWords(vectors_, *list);
  ASSERT_TRUE(given.ok());
  const auto nearest = NearestNeighbors(*given).Find(Row(5), 1);
  EXPECT_EQ(given->vocabulary().Word(nearest[0].word),
            theirs_.at("given").get<std::string>());
}

TEST_F(GensimQuestionsInteropTest, OrderAndSimilarityAreTheSame) {
  const float cosine = Similarity(Row(5), Row(9));
  EXPECT_NEAR(cosine, theirs_.at("similarity"), 1e-5);
  EXPECT_NEAR(1 - cosine, theirs_.at("distance"), 1e-5);
  EXPECT_EQ(neighbors_.Rank(ToWordId(5), ToWordId(9)), theirs_.at("rank"));
  const std::vector<float> cosines = neighbors_.Cosines(Row(5));
  ASSERT_EQ(theirs_.at("distances").size(), cosines.size());
  for (size_t i = 0; i < cosines.size(); ++i) {
    EXPECT_NEAR(1 - cosines[i], theirs_.at("distances")[i], 1e-5);
  }
  std::vector<std::string> closer;
  for (const Neighbor& word :
       neighbors_.FindCloser(Row(5), cosines[9], {ToWordId(5)})) {
    closer.emplace_back(vectors_.vocabulary().Word(word.word));
  }
  auto theirs = theirs_.at("closer").get<std::vector<std::string>>();
  std::sort(closer.begin(), closer.end());
  std::sort(theirs.begin(), theirs.end());
  EXPECT_EQ(closer, theirs);
  EXPECT_GT(closer.size(), 0u);

  double sum = 0;
  for (const Neighbor& word : neighbors_.FindWord(ToWordId(5), 10)) {
    sum += word.score;
  }
  EXPECT_NEAR(cosine / sum, theirs_.at("relative"), 1e-5);
}

TEST_F(GensimQuestionsInteropTest, GroupsOfWordsAreTheSame) {
  const std::vector<absl::Span<const float>> group = {Row(1), Row(2), Row(3),
                                                      Row(8), Row(9), Row(10)};
  const std::vector<std::string> names = {"w1", "w2", "w3", "w8", "w9", "w10"};
  EXPECT_EQ(names[OddOneOut(group)], theirs_.at("odd").get<std::string>());
  const std::vector<float> belongs = Centrality(group);
  for (const json& theirs : theirs_.at("centrality")) {
    const auto place =
        std::find(names.begin(), names.end(), theirs[0].get<std::string>());
    ASSERT_NE(place, names.end());
    EXPECT_NEAR(belongs[place - names.begin()], theirs[1].get<double>(), 1e-5);
  }
  const std::vector<float> sum =
      SumOfUnitVectors({{Row(1)}, {Row(2)}, {Row(3)}});
  for (size_t i = 0; i < sum.size(); ++i) {
    EXPECT_NEAR(sum[i] / 3, theirs_.at("mean")[i], 1e-5);
  }
  for (const size_t i : {0u, 1u}) {
    const absl::Span<const float> row = Row(i == 0 ? 3 : 1);
    for (size_t j = 0; j < row.size(); ++j) {
      EXPECT_EQ(row[j], theirs_.at("for_all")[i][j].get<float>());
    }
  }
}

TEST_F(GensimQuestionsInteropTest, TextsAndTestSetsAreTheSame) {
  EXPECT_NEAR(Text({.measure = TextMeasure::kMean}), theirs_.at("n_similarity"),
              1e-5);
  EXPECT_NEAR(Text({.measure = TextMeasure::kWordMovers}), theirs_.at("wmd"),
              1e-5);
  EXPECT_NEAR(Text({.measure = TextMeasure::kSoftCosine,
                    .exponent = 3,
                    .threshold = 0.1}),
              theirs_.at("soft_cosine"), 1e-5);
  const auto pairs = EvaluateSimilarity(vectors_, folder_ + "/pairs", {});
  ASSERT_TRUE(pairs.ok());
  EXPECT_NEAR(pairs->spearman, theirs_.at("spearman"), 1e-5);
  const auto analogies =
      EvaluateAnalogies(vectors_, folder_ + "/questions", {});
  ASSERT_TRUE(analogies.ok());
  EXPECT_NEAR(static_cast<double>(analogies->correct) /
                  static_cast<double>(analogies->asked),
              theirs_.at("accuracy"), 1e-12);
  EXPECT_GE(analogies->correct, 10u);
}

}  // namespace
}  // namespace firth

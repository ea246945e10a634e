// Questions about texts: their similarity, vectors, labels and tags, and what
// language models compute for them.

#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ask/opened_example.h"
#include "firth/sentence_vectors.h"
#include "firth/text_similarity.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "serve/served_example.h"

namespace firth {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr char kOld[] = R"("model":"old",)";

const WordVectors& Old() {
  return std::get<0>(
             (*OpenedExample().Find(ModelKind::kVectors, "old"))->content)
      ->vectors();
}

const OpenedLanguageModel& Model() {
  return *std::get<1>(
      (*OpenedExample().Find(ModelKind::kLanguageModel, "lm"))->content);
}

TEST(AskTextSimilarityTest, ComparesTextsByEveryMeasure) {
  json requests = json::array();
  for (const char* measure : {"mean", "soft-cosine", "wmd", "wmd"}) {
    requests.push_back(
        {{"a", "king queen"}, {"b", "man river"}, {"measure", measure}});
  }
  requests[3]["a"] = "nobody";
  const json answers = AskExample(
      "text-similarity", json{{"model", "old"}, {"requests", requests}}.dump());
  const TextMeasure measures[] = {TextMeasure::kMean, TextMeasure::kSoftCosine,
                                  TextMeasure::kWordMovers};
  for (size_t i = 0; i < 3; ++i) {
    TextSimilarityOptions options;
    options.measure = measures[i];
    const auto comparer = TextComparer::Create(Old(), options);
    EXPECT_DOUBLE_EQ(answers[i]["value"],
                     *comparer->Compare({"king", "queen"}, {"man", "river"}));
    EXPECT_EQ(answers[i]["texts"], json({"king queen", "man river"}));
  }
  EXPECT_TRUE(answers[3]["value"].is_null());
}

TEST(AskTextSimilarityTest, WrongFieldsAreErrorsWithTheirPlace) {
  for (const auto& [request, place] :
       {std::pair(R"({"a":"x","exponent":3})", "requests[0]"),
        std::pair(R"({"a":"x","measure":"none"})", "requests[0].measure"),
        std::pair(R"({"a":3})", "requests[0].a")}) {
    EXPECT_EQ(PlaceOfError(ErrorOfExample(
                  "text-similarity",
                  absl::StrCat("{", kOld, "\"requests\":[", request, "]}"))),
              place);
  }
  const std::string text(3000, 'x');
  const json request = {{"a", text}, {"b", text}};
  const json body = {{"model", "old"},
                     {"requests", std::vector<json>(100, request)}};
  EXPECT_THAT(ErrorOfExample("text-similarity", body.dump(), {}).message(),
              HasSubstr("send fewer requests per call"));
}

TEST(AskSentenceVectorsTest, EncodesTexts) {
  const json answer =
      AskOne("sentence-vectors", R"({"text":"king river queen"})", kOld);
  const auto encoder = SentenceEncoder::Create(Old(), {});
  std::vector<float> expected(2);
  EXPECT_EQ(answer["words"],
            *encoder->Encode("king river queen", absl::MakeSpan(expected)));
  EXPECT_EQ(answer["vector"].get<std::vector<float>>(), expected);
  const json unknown = AskOne("sentence-vectors", R"({"text":"nobody"})", kOld);
  EXPECT_EQ(unknown, json({{"words", 0}, {"vector", nullptr}}));
  // The vectors have no counts. Only one of the requests needs them.
  const json answers =
      AskExample("sentence-vectors",
                 absl::StrCat("{", kOld,
                              R"("requests":[{"text":"king","sif":0.1},)"
                              R"({"text":"king"}]})"));
  EXPECT_THAT(answers[0]["error"].get<std::string>(), HasSubstr("counts"));
  EXPECT_EQ(answers[1]["words"], 1);
}

TEST(AskClassifyTest, PredictsLabels) {
  const json answers = AskExample(
      "classify",
      R"({"requests":[{"text":"the king spoke","top":2},{"text":"zzzz"},)"
      R"({"text":"the river ran"},{"text":"king","top":2,"threshold":1}]})");
  const Classifier& classifier = *std::get<3>(
      (*OpenedExample().Find(ModelKind::kClassifier, ""))->content);
  PredictOptions options;
  options.top = 2;
  std::vector<uint64_t> known;
  const auto expected =
      classifier.Predict({"the king spoke"}, options, {}, &known);
  ASSERT_EQ(answers.size(), 4u);
  ASSERT_EQ(answers[0]["labels"].size(), 2u);
  EXPECT_EQ(answers[0]["labels"][0]["label"], "court");
  EXPECT_FLOAT_EQ(answers[0]["labels"][0]["probability"],
                  (*expected)[0][0].probability);
  EXPECT_EQ(answers[0]["known"], known[0]);
  EXPECT_EQ(answers[1]["known"], 0);
  ASSERT_EQ(answers[2]["labels"].size(), 1u);
  EXPECT_EQ(answers[2]["labels"][0]["label"], "land");
  EXPECT_EQ(answers[3]["labels"], json::array());
  AskLimits limits;
  const std::map<std::string, std::vector<std::string>> no_files;
  limits.files = &no_files;
  EXPECT_EQ(
      PlaceOfError(ErrorOfExample(
          "classify", R"({"requests":[{"text":"x","threads":9}]})", limits)),
      "requests[0].threads");
}

TEST(AskTagTest, TagsTextsAndTokens) {
  const json answers = AskExample(
      "tag", R"({"requests":[{"text":"the king"},{"words":["the","king"]},)"
             R"({"text":""}]})");
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[0], answers[1]);
  EXPECT_EQ(answers[0]["words"], json({"the", "king"}));
  const OpenedTagger& model =
      *std::get<2>((*OpenedExample().Find(ModelKind::kTagger, ""))->content);
  std::vector<TaggedSentence> expected(1);
  expected[0].tokens = {"the", "king"};
  ASSERT_TRUE(
      model.tagger.Tag(absl::MakeSpan(expected), {.probabilities = true}).ok());
  EXPECT_EQ(answers[0]["tags"], json(expected[0].predicted));
  EXPECT_EQ(answers[0]["probabilities"], json(expected[0].probabilities));
  EXPECT_TRUE(answers[0]["spans"].is_null());
  EXPECT_EQ(answers[2]["words"], json::array());
}

TEST(AskEmbedTest, ReturnsTheChosenLayers) {
  const json answers =
      AskExample("embed", R"({"requests":[{"text":"the king"},)"
                          R"({"text":"the king","layers":"0"},)"
                          R"({"text":"the king","layers":"average"},)"
                          R"({"text":"the king","layers":"99"}]})");
  const auto vectors = Model().model.Embed({{"the", "king"}});
  ASSERT_TRUE(vectors.ok());
  const TokenVectors& expected = (*vectors)[0];
  const json& all = answers[0]["layers"];
  ASSERT_EQ(all.size(), expected.layers);
  for (size_t layer = 0; layer < expected.layers; ++layer) {
    for (size_t token = 0; token < 2; ++token) {
      const absl::Span<const float> vector = expected.Vector(layer, token);
      EXPECT_THAT(all[layer][token].get<std::vector<float>>(),
                  testing::Pointwise(testing::FloatNear(1e-6), vector));
    }
  }
  EXPECT_EQ(answers[1]["layers"], json::array({all[0]}));
  EXPECT_NEAR(answers[2]["layers"][0][1][0],
              (all[0][1][0].get<double>() + all[1][1][0].get<double>()) / 2,
              1e-6);
  EXPECT_THAT(answers[3]["error"].get<std::string>(),
              HasSubstr("layers: expected all, top, average, or a layer"));
}

TEST(AskContextTest, ComparesAWordInTwoSentences) {
  const std::string words =
      R"("text":"the king spoke","word":1,"other-text":"a king","other-word":1)";
  const json alone = AskOne("context", absl::StrCat("{", words, "}"));
  EXPECT_EQ(alone["words"], json({"the", "king", "spoke"}));
  ASSERT_EQ(alone["layers"].size(), Model().model.num_layers());
  // Layer 0 does not depend on the context.
  EXPECT_NEAR(alone["layers"][0]["cosine"], 1, 1e-6);
  EXPECT_LT(alone["layers"][1]["cosine"].get<double>(), 1);
  EXPECT_EQ(alone["layers"][0]["neighbors"], json::array());
  const std::string reference = json(ServedFolder().File("text.txt")).dump();
  const json near = AskOne(
      "context",
      absl::StrCat("{", words, ",\"top\":2,\"reference\":", reference, "}"));
  ASSERT_EQ(near["layers"][0]["neighbors"].size(), 2u);
  EXPECT_EQ(near["layers"][0]["neighbors"][0]["word"], "king");
  EXPECT_NEAR(near["layers"][0]["neighbors"][0]["score"], 1, 1e-6);
  EXPECT_EQ(near["layers"][0]["neighbors"][0]["context"], "the **king** spoke");
  EXPECT_EQ(near["layers"][1]["other_neighbors"].size(), 2u);
}

TEST(AskContextTest, PositionsAndFilesAreChecked) {
  const json answers = AskExample(
      "context",
      R"({"requests":[{"text":"a b","word":2,"other-text":"a"},)"
      R"({"text":"a b","other-text":"a","reference":"/no/such/file"}]})");
  EXPECT_EQ(answers[0]["error"],
            "word: expected the position of a word, at least 0 and less than "
            "2, found 2");
  EXPECT_TRUE(answers[1].contains("error"));
  EXPECT_EQ(
      PlaceOfError(ErrorOfExample("context", R"({"requests":[{"text":"a"}]})")),
      "requests[0].other-text");
}

TEST(AskLmTest, ScoresSentences) {
  const json answers = AskExample(
      "lm-score",
      R"({"requests":[{"text":"the king spoke"},{"text":"zzz"},{"text":""}]})");
  const auto expected =
      Model().model.language_model().Score({{"the", "king", "spoke"}});
  ASSERT_TRUE(expected.ok());
  EXPECT_NEAR(answers[0]["log_probability"], (*expected)[0].log_probability,
              1e-5);
  EXPECT_EQ(answers[0]["tokens"], 4);
  EXPECT_EQ(answers[0]["num_unknown"], 0);
  EXPECT_EQ(answers[1]["num_unknown"], 1);
  EXPECT_EQ(answers[2]["tokens"], 1);
}

TEST(AskLmTest, PredictsTheNextWord) {
  const json answers = AskExample(
      "next-words",
      R"({"requests":[{"text":"the king","top":1000},{"text":"the king","top":2},)"
      R"({"words":["the","king"],"of":["spoke","zzz","</S>"]},)"
      R"({"text":"","top":1}]})");
  const json& all = answers[0]["words"];
  ASSERT_GT(all.size(), 4u);
  // The words, the end and <UNK> are all that can follow; only <S> is missing.
  double sum = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    sum += all[i]["probability"].get<double>();
    if (i == 0 || i + 1 == all.size()) continue;
    EXPECT_LE(all[i]["probability"], all[i - 1]["probability"]);
  }
  EXPECT_GT(sum, 0.5);
  EXPECT_LT(sum, 1);
  EXPECT_EQ(all.back()["word"], "<UNK>");
  EXPECT_EQ(answers[1]["words"], json({all[0], all[1], all.back()}));
  EXPECT_EQ(answers[0]["query"], "the king");
  // ln p of a sentence is the sum of those of its words.
  const auto scores = Model().model.language_model().TokenScores(
      {{"the", "king", "spoke"}, {"the", "king"}});
  ASSERT_TRUE(scores.ok());
  const json& given = answers[2]["words"];
  ASSERT_EQ(given.size(), 2u);
  EXPECT_EQ(given[0]["word"], "spoke");
  EXPECT_NEAR(given[0]["probability"],
              std::exp((*scores)[0][2].log_probability), 1e-6);
  EXPECT_NEAR(given[1]["probability"],
              std::exp((*scores)[1][2].log_probability), 1e-6);
  EXPECT_EQ(answers[2]["unknown"],
            json::parse(R"([{"word":"zzz","spellings":[]}])"));
  EXPECT_EQ(answers[3]["words"].size(), 2u);
}

TEST(AskLmTest, AModelOfAnotherKindCannotAnswer) {
  EXPECT_THAT(AskOne("lm-next", R"({"first":"a","second":"b"})")["error"]
                  .get<std::string>(),
              HasSubstr("does not predict whether a sentence follows"));
  EXPECT_THAT(
      AskOne("lm-fill", R"({"words":["<MASK>"]})")["error"].get<std::string>(),
      HasSubstr("does not predict masked words"));
  EXPECT_EQ(PlaceOfError(ErrorOfExample("lm-fill", R"({"requests":[{}]})")),
            "requests[0].words");
}

}  // namespace
}  // namespace firth

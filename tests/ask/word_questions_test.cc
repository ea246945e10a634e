// Compares questions about words with plain computations on small vectors.

#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ask/ask_test_support.h"
#include "gmock/gmock.h"

namespace firth {
namespace {

using testing::HasSubstr;

const std::map<std::string, std::vector<float>>& Plain() {
  static const auto& plain =
      *new std::map<std::string, std::vector<float>>{{"king", {3, 1, 0.5}},
                                                     {"queen", {2.5, 1.5, 3}},
                                                     {"man", {1, 0.25, -1}},
                                                     {"woman", {0.5, 1, 2}},
                                                     {"river", {-2, 1, 0.125}}};
  return plain;
}

class WordQuestionsTest : public AskTest {
 protected:
  void SetUp() override {
    std::vector<WordAndVector> words;
    for (const char* word : {"king", "queen", "man", "woman", "river"}) {
      words.push_back({word, Plain().at(word)});
    }
    words.push_back({"zero", {0, 0, 0}});
    Open("tiny", MakeVectors(words, {50, 40, 30, 20, 10, 5}));
  }

  static double Cosine(const std::string& a, const std::string& b) {
    return PlainCosine(Plain().at(a), Plain().at(b));
  }
  static std::vector<float> Unit(const std::string& word) {
    std::vector<float> unit = Plain().at(word);
    double squares = 0;
    for (const float value : unit) squares += double{value} * value;
    for (float& value : unit) value /= static_cast<float>(std::sqrt(squares));
    return unit;
  }
};

TEST_F(WordQuestionsTest, EveryExampleIsAnswered) {
  Open("other", MakeVectors({{"king", {1, 0}}, {"queen", {0, 1}}}));
  Open("ngrams", VectorsWithNGrams());
  for (const Question& question : Questions()) {
    if (question.slots[0].kind != ModelKind::kVectors) continue;
    SCOPED_TRACE(question.name);
    std::string models;
    for (const Slot& slot : question.slots) {
      if (!slot.required) continue;
      const char* const name = question.name == "ngrams" ? "ngrams"
                               : slot.name == "second"   ? "other"
                                                         : "tiny";
      absl::StrAppend(&models, "\"", slot.name, "\":\"", name, "\",");
    }
    const auto text = AskText(
        question.name,
        absl::StrCat("{", models, "\"requests\":[", question.example, "]}"));
    ASSERT_TRUE(text.ok()) << text.status();
    const Json answer = Json::parse(*text)["answers"][0];
    EXPECT_FALSE(answer.contains("error")) << answer;
    std::vector<std::string> members;
    for (const AnswerMember& member : *question.answer->members) {
      members.push_back(member.name);
    }
    std::vector<std::string> found;
    for (const auto& item : answer.items()) found.push_back(item.key());
    EXPECT_EQ(found, members);
  }
}

TEST_F(WordQuestionsTest, QueriesAreRequestsOfTextsAlone) {
  struct Case {
    std::string question;
    std::string queries;
    std::string requests;
  };
  for (const Case& c :
       {Case{"neighbors", R"(["king"])", R"([{"positive":["king"]}])"},
        Case{"neighbors", R"(["king",["queen","man"]])",
             R"([{"positive":["king"]},{"positive":["queen","man"]}])"},
        Case{"similarity", R"([["king","queen"]])",
             R"([{"word":"king","other":"queen"}])"},
        Case{"words", R"(["k"])", R"([{"prefix":"k"}])"}}) {
    const auto query =
        AskText(c.question, absl::StrCat("{\"queries\":", c.queries, "}"));
    ASSERT_TRUE(query.ok()) << query.status();
    EXPECT_EQ(
        *query,
        *AskText(c.question, absl::StrCat("{\"requests\":", c.requests, "}")));
  }
  struct Wrong {
    std::string body;
    std::string message;
  };
  for (const Wrong& wrong :
       {Wrong{R"({"queries":["king"],"requests":[{}]})", "cannot be combined"},
        Wrong{R"({"queries":[]})", "queries: expected a list of 1"},
        Wrong{R"({"queries":"king"})", "found another value"},
        Wrong{R"({"queries":[7]})", "queries[0]: expected a text"},
        Wrong{R"({"queries":[["a","b","c"]]})", "expected 2 texts, found 3"},
        Wrong{R"({"queries":["king"]})",
              "queries[0]: expected 2 texts, found 1"},
        Wrong{"[]", "expected an object with \"requests\" or \"queries\""}}) {
    const auto answer = AskText("similarity", wrong.body);
    ASSERT_FALSE(answer.ok()) << wrong.body;
    EXPECT_THAT(answer.status().message(), HasSubstr(wrong.message));
  }
}

TEST_F(WordQuestionsTest, MessagesCountTheTextsOfAQuery) {
  const auto message = [this](const std::string& question,
                              const std::string& queries) {
    return std::string(
        AskText(question, absl::StrCat("{\"queries\":", queries, "}"))
            .status()
            .message());
  };
  EXPECT_THAT(message("analogy", R"(["man king woman"])"),
              HasSubstr("queries[0]: expected 3 texts, found 1"));
  EXPECT_THAT(message("spelling", R"([["a","b"]])"),
              HasSubstr("queries[0]: expected 1 text, found 2"));
}

TEST_F(WordQuestionsTest, AnalogiesAreNearTheSumOfUnitVectors) {
  const std::vector<float> man = Unit("man"), king = Unit("king"),
                           woman = Unit("woman");
  std::vector<float> sum(3);
  for (size_t i = 0; i < 3; ++i) sum[i] = king[i] - man[i] + woman[i];
  const Json answer =
      Ask("analogy", R"({"a":"man","b":"king","c":"woman","top":2})");
  EXPECT_EQ(answer["query"], "man king woman");
  EXPECT_EQ(Column(answer["neighbors"], "word"), Json({"queen", "zero"}));
  const Json& best = answer["neighbors"][0];
  EXPECT_NEAR(best["score"], PlainCosine(sum, Plain().at("queen")), 1e-6);
  EXPECT_EQ(best["id"], 1);
  EXPECT_EQ(best["count"], 40);
}

TEST_F(WordQuestionsTest, QuotientsOfAnalogiesAreThoseOfThePaper) {
  const auto shifted = [](double cosine) { return (cosine + 1) / 2; };
  const Json answer =
      Ask("analogy",
          R"({"a":"man","b":"king","c":"woman","top":1,"method":"mul"})");
  ASSERT_EQ(answer["neighbors"].size(), 1u);
  EXPECT_EQ(answer["neighbors"][0]["word"], "queen");
  EXPECT_NEAR(answer["neighbors"][0]["score"],
              shifted(Cosine("queen", "king")) *
                  shifted(Cosine("queen", "woman")) /
                  (shifted(Cosine("queen", "man")) + 0.001),
              1e-5);
}

TEST_F(WordQuestionsTest, AnUnknownWordLeavesTheAnswerEmpty) {
  const Json unknown =
      Json::parse(R"([{"word":"quen","spellings":["queen"]}])");
  const Json analogy = Ask("analogy", R"({"a":"man","b":"king","c":"quen"})");
  EXPECT_TRUE(analogy["neighbors"].empty());
  EXPECT_EQ(analogy["unknown"], unknown);
  for (const char* question : {"similarity", "rank", "closer"}) {
    const Json answer = Ask(question, R"({"word":"quen","other":"king"})");
    EXPECT_EQ(answer["unknown"], unknown) << question;
    const Json& value =
        answer[std::string(question) == "closer" ? "neighbors" : question];
    EXPECT_TRUE(value.empty()) << answer;
  }
  const Json vector = Ask("vectors", R"({"word":"quen"})");
  EXPECT_TRUE(vector["vector"].is_null());
  EXPECT_EQ(vector["unknown"], unknown);
  EXPECT_EQ(Ask("common", R"({"words":["king","quen"]})")["unknown"], unknown);
  EXPECT_THAT(Ask("similarity",
                  R"({"word":"quen","other":"king","oov":"error"})")["error"],
              HasSubstr("\"quen\" is not in the vocabulary; did you mean "
                        "queen?"));
}

TEST_F(WordQuestionsTest, TwoWordsHaveTheirCosine) {
  const Json answer = Ask("similarity", R"({"word":"king","other":"river"})");
  EXPECT_EQ(answer["query"], "king river");
  EXPECT_NEAR(answer["similarity"], Cosine("king", "river"), 1e-6);
  EXPECT_EQ(
      Ask("similarity", R"({"word":"king","other":"zero"})")["similarity"],
      0.0);
}

TEST_F(WordQuestionsTest, AMatrixHasTheCosinesOfTheKnownWords) {
  const Json answer =
      Ask("matrix", R"({"words":["king","nosuch","river","queen"]})");
  EXPECT_EQ(answer["words"], Json({"king", "river", "queen"}));
  EXPECT_EQ(answer["unknown"][0]["word"], "nosuch");
  ASSERT_EQ(answer["similarity"].size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(answer["similarity"][i][j],
                  Cosine(answer["words"][i], answer["words"][j]), 1e-6);
    }
  }
  EXPECT_THAT(Error("matrix", R"({"words":["king"]})"),
              HasSubstr("requests[0].words: expected 2 to 1000 items, found "
                        "1"));
}

TEST_F(WordQuestionsTest, TheOddWordIsFarthestFromTheMean) {
  std::vector<float> mean(3);
  for (const char* word : {"king", "river", "queen"}) {
    const std::vector<float> unit = Unit(word);
    for (size_t i = 0; i < 3; ++i) mean[i] += unit[i] / 3;
  }
  const Json answer =
      Ask("odd", R"({"words":["king","river","nosuch","queen"]})");
  EXPECT_EQ(answer["odd"], "river");
  EXPECT_EQ(Column(answer["words"], "word"), Json({"king", "river", "queen"}));
  EXPECT_NEAR(answer["words"][1]["centrality"],
              PlainCosine(mean, Plain().at("river")), 1e-6);
  EXPECT_EQ(answer["unknown"][0]["word"], "nosuch");
  const Json two = Ask("odd", R"({"words":["king","nosuch","queen"]})");
  EXPECT_TRUE(two["odd"].is_null());
  EXPECT_EQ(two["words"].size(), 2u);
}

TEST_F(WordQuestionsTest, RankCountsTheCloserWords) {
  size_t closer = 0;
  for (const auto& [word, vector] : Plain()) {
    closer += word != "king" && Cosine("king", word) > Cosine("king", "woman");
  }
  ASSERT_GT(closer, 0u);
  const std::string pair = R"("word":"king","other":"woman")";
  EXPECT_EQ(Ask("rank", "{" + pair + "}")["rank"], closer + 1);
  const Json answer = Ask("closer", "{" + pair + "}");
  ASSERT_EQ(answer["neighbors"].size(), closer);
  EXPECT_EQ(answer["neighbors"],
            Ask("neighbors", absl::StrCat(R"({"positive":["king"],"top":)",
                                          closer, "}"))["neighbors"]);
  EXPECT_EQ(Ask("closer", "{" + pair + R"(,"top":1})")["neighbors"].size(), 1u);
}

TEST_F(WordQuestionsTest, VectorsAreGivenWithAllDigits) {
  EXPECT_EQ(Ask("vectors", R"({"word":"king"})").dump(),
            R"({"word":"king","vector":[3,1,0.5],"unknown":[],)"
            R"("composed":[]})");
  EXPECT_THAT(Error("vectors", R"({"word":""})"),
              HasSubstr("requests[0].word: "));
  EXPECT_THAT(Error("vectors", R"({"words":["king"]})"), HasSubstr("words"));
}

TEST_F(WordQuestionsTest, ValuesThatAreNotFiniteAreErrors) {
  OpenedModels damaged;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  models_ = std::move(damaged);
  Open("damaged", MakeVectors({{"a", {1, 2}}, {"b", {nan, 1}}}));
  for (const auto& [question, request] :
       std::vector<std::pair<std::string, std::string>>{
           {"similarity", R"({"word":"a","other":"b"})"},
           {"matrix", R"({"words":["a","b"]})"},
           {"vectors", R"({"word":"b"})"}}) {
    EXPECT_THAT(Ask(question, request)["error"],
                HasSubstr("value 1 of the vector of \"b\": expected a finite "
                          "number, found nan"));
  }
  EXPECT_EQ(Ask("vectors", R"({"word":"a"})")["vector"], Json({1.0, 2.0}));
}

TEST_F(WordQuestionsTest, ASumWithoutADirectionIsAnError) {
  EXPECT_EQ(
      Ask("neighbors", R"({"positive":["king"],"negative":["king"]})")["error"],
      "king - king: the sum of the vectors is zero, so it has no "
      "direction");
  EXPECT_THAT(Ask("neighbors", R"({"positive":[[0,0,0]]})")["error"],
              HasSubstr("has no direction"));
  EXPECT_TRUE(
      Ask("neighbors", R"({"positive":["zero"]})")["neighbors"].empty());
  EXPECT_THAT(Ask("neighbors", R"({"positive":[[1,2]]})")["error"],
              HasSubstr("expected a vector of 3 numbers, found 2"));
  EXPECT_EQ(Ask("neighbors",
                R"({"positive":[[3,1,0.5]],"top":1})")["neighbors"][0]["word"],
            "king");
}

TEST_F(WordQuestionsTest, NeighborsOfPartOfTheWordsAreNamedByTheModel) {
  const auto opened = *models_.Find(ModelKind::kVectors, "tiny");
  const WordVectors& all = std::get<0>(opened->content)->vectors();
  OpenedModels some;
  const auto search = std::make_shared<NearestNeighbors>(
      MakeVectors({{"woman", Plain().at("woman")},
                   {"king", Plain().at("king")},
                   {"river", Plain().at("river")}}));
  ASSERT_TRUE(
      some.Add({"some", std::make_shared<const OpenedVectors>(all, search)})
          .ok());
  models_ = std::move(some);
  const std::string king = R"({"positive":["king"])";
  const Json found = Ask("neighbors", king + "}")["neighbors"];
  EXPECT_EQ(Column(found, "word"), Json({"woman", "river"}));
  EXPECT_EQ(Column(found, "id"), Json({3, 4}));
  EXPECT_EQ(Ask("neighbors",
                king + R"(,"exact":true,"top":1})")["neighbors"][0]["word"],
            "queen");
  EXPECT_EQ(Column(Ask("common", R"({"words":["king","river"]})")["neighbors"],
                   "word"),
            Json({"woman"}));
}

TEST_F(WordQuestionsTest, SpellingsAndBeginningsFindWords) {
  EXPECT_EQ(Ask("spelling", R"({"word":"womn","top":1})")["spellings"],
            Json({"woman"}));
  EXPECT_TRUE(Ask("spelling",
                  "{\"word\":\"" + std::string(300, 'q') + "\"}")["spellings"]
                  .empty());
  EXPECT_EQ(Ask("words", R"({"prefix":"k"})").dump(),
            R"({"query":"k","total":1,"words":[{"word":"king","id":0,)"
            R"("count":50}]})");
  const Json all = Ask("words", R"({"top":2})");
  EXPECT_EQ(all["total"], 6);
  EXPECT_EQ(Column(all["words"], "word"), Json({"king", "queen"}));
}

TEST_F(WordQuestionsTest, NeighborsInTwoModelsAreDividedIntoThree) {
  Open("other", MakeVectors({{"king", {1, 0}},
                             {"river", {1, 0.5}},
                             {"queen", {1, 1}},
                             {"throne", {0, 1}}}));
  const auto compare = [&](const std::string& request) {
    const auto text =
        AskText("compare", R"({"first":"tiny","second":"other","requests":[)" +
                               request + "]}");
    EXPECT_TRUE(text.ok()) << text.status();
    return text.ok() ? Json::parse(*text)["answers"][0] : Json();
  };
  const Json answer = compare(R"({"word":"king","top":2})");
  EXPECT_EQ(Column(answer["only_first"], "word"), Json({"man"}));
  EXPECT_EQ(Column(answer["only_second"], "word"), Json({"river"}));
  EXPECT_EQ(Column(answer["both"], "word"), Json({"queen"}));
  EXPECT_NEAR(answer["both"][0]["first"], Cosine("king", "queen"), 1e-6);
  EXPECT_NEAR(answer["both"][0]["second"], std::sqrt(0.5), 1e-6);
  const Json one = compare(R"({"word":"throne","top":2})");
  EXPECT_EQ(one["unknown_first"][0]["word"], "throne");
  EXPECT_TRUE(one["unknown_second"].empty());
  EXPECT_TRUE(one["only_first"].empty());
  EXPECT_EQ(one["only_second"].size(), 2u);
  EXPECT_THAT(AskText("compare", R"({"first":"tiny","requests":[{}]})")
                  .status()
                  .message(),
              HasSubstr("second: this field is required"));
}

TEST_F(WordQuestionsTest, PositionsAreCosinesWithTheAxis) {
  std::vector<float> axis(3);
  for (size_t i = 0; i < 3; ++i) {
    axis[i] = Unit("woman")[i] - (Unit("man")[i] + Unit("king")[i]) / 2;
  }
  const std::string sides = R"("from":["man","king"],"to":["woman","nosuch"])";
  const Json answer =
      Ask("axis", "{" + sides + R"(,"words":["river","queen","absent"]})");
  EXPECT_EQ(Column(answer["words"], "word"), Json({"river", "queen"}));
  EXPECT_NEAR(answer["words"][1]["position"],
              PlainCosine(axis, Plain().at("queen")), 1e-6);
  EXPECT_EQ(Column(answer["unknown"], "word"), Json({"nosuch", "absent"}));
  EXPECT_EQ(Column(Ask("axis", "{" + sides + R"(,"top":2})")["words"], "word"),
            Json({"king", "queen"}));
  const Json empty = Ask("axis", R"({"from":["nosuch"],"to":["man"]})");
  EXPECT_TRUE(empty["words"].empty());
  EXPECT_EQ(Column(empty["unknown"], "word"), Json({"nosuch"}));
  EXPECT_THAT(Ask("axis", R"({"from":["man"],"to":["man"]})")["error"],
              HasSubstr("different vectors"));
  EXPECT_THAT(Error("axis", R"({"from":["man"]})"),
              HasSubstr("requests[0].to: expected 1 to 1000 items"));
}

TEST_F(WordQuestionsTest, TheWorkOfOneCallIsLimited) {
  AskLimits limits;
  limits.most_answer_bytes = 1 << 20;
  // The model has fewer words, so the cost is below the limit.
  EXPECT_TRUE(
      AskText(
          "analogy",
          R"({"requests":[{"a":"man","b":"king","c":"queen","top":100000}]})",
          limits)
          .ok());
  EXPECT_FALSE(AskText("analogy", R"({"requests":[{"a":1}]})", limits).ok());
  std::string words = "\"king\"";
  for (int i = 1; i < 1000; ++i) words += ",\"king\"";
  EXPECT_THAT(
      AskText("matrix", "{\"requests\":[{\"words\":[" + words + "]}]}", limits)
          .status()
          .message(),
      HasSubstr("the answers would take 13 MB"));
}

// Tests with words of a model that has n-grams.
class NGramQuestionsTest : public AskTest {
 protected:
  void SetUp() override { Open("ngrams", VectorsWithNGrams()); }
};

TEST_F(NGramQuestionsTest, NGramsHaveNormsAndVectorsIfAsked) {
  const Json plain = Ask("ngrams", R"({"word":"ab"})")["ngrams"];
  EXPECT_EQ(Column(plain, "ngram"), Json({"<ab", "ab>"}));
  EXPECT_TRUE(plain[0]["vector"].is_null());
  const Json with = Ask("ngrams", R"({"word":"ab","vectors":true})")["ngrams"];
  double squares = 0;
  for (const double value : with[0]["vector"].get<std::vector<double>>()) {
    squares += value * value;
  }
  EXPECT_NEAR(plain[0]["norm"], std::sqrt(squares), 1e-6);
  EXPECT_THAT(Error("ngrams", "{\"word\":\"" + std::string(1001, 'a') + "\"}"),
              HasSubstr("expected a text of 1 to 1000 bytes, found 1001"));
}

TEST_F(NGramQuestionsTest, UnknownWordsAreComposedIfTheRequestAllowsIt) {
  const Json made = Ask("vectors", R"({"word":"abx"})");
  EXPECT_EQ(made["composed"], Json({"abx"}));
  EXPECT_EQ(made["vector"].size(), 3u);
  const Json skipped = Ask("vectors", R"({"word":"abx","oov":"skip"})");
  EXPECT_TRUE(skipped["vector"].is_null());
  EXPECT_EQ(Column(skipped["unknown"], "word"), Json({"abx"}));
  EXPECT_THAT(Ask("vectors", R"({"word":"abx","oov":"error"})")["error"],
              HasSubstr("\"abx\" is not in the vocabulary"));
  const std::string pair = R"({"word":"ab","other":"abx"})";
  const double cosine = PlainCosine(
      Ask("vectors", R"({"word":"ab"})")["vector"].get<std::vector<float>>(),
      made["vector"].get<std::vector<float>>());
  EXPECT_NEAR(Ask("similarity", pair)["similarity"], cosine, 1e-6);
  // The word itself does not count, and the composed one is not a candidate.
  const Json ab = Ask("similarity", R"({"word":"ab","other":"ac"})");
  EXPECT_EQ(Ask("rank", pair)["rank"],
            ab["similarity"].get<double>() > cosine ? 2 : 1);
  EXPECT_EQ(Ask("closer", pair)["composed"], Json({"abx"}));
}

TEST_F(WordQuestionsTest, AnEmptyWordIsNoVector) {
  EXPECT_EQ(Ask("neighbors", R"({"positive":["king",""]})")["query"],
            "king + ");
  EXPECT_EQ(Ask("neighbors", R"({"positive":[[1,0,0]]})")["query"], "(vector)");
}

TEST_F(WordQuestionsTest, AStoppedCallLeavesTheOtherRequestsUnanswered) {
  const std::atomic<bool> stop = true;
  Hooks hooks;
  hooks.stop = &stop;
  const OpenedModel* const model = *models_.Find(ModelKind::kVectors, "tiny");
  for (const char* name :
       {"neighbors", "common", "closer", "text-similarity"}) {
    const auto batch = FindQuestion(name)->new_batch();
    batch->Add(nullptr);
    batch->AnswerAll(Opened({model}, hooks));
    EXPECT_TRUE(absl::IsCancelled(batch->answer(0).status())) << name;
  }
}

}  // namespace
}  // namespace firth

// Every route: its example, what it answers, and what it refuses.

#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "serve/served_example.h"
#include "tools/serve/openapi.h"
#include "tools/serve/schema.h"
#include "tools/serve/service.h"

namespace firth::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RoutesTest : public testing::Test {
 protected:
  Json Get(const std::string& target, int status = 200) {
    return Respond(GetRequest(absl::StrCat(kApiPrefix, target)), status);
  }
  Json Post(const std::string& path, const Json& body, int status = 200) {
    return Respond(PostRequest(absl::StrCat(kApiPrefix, path), OneLine(body)),
                   status);
  }
  std::string Text(const std::string& target) {
    return *service_.Respond(GetRequest(absl::StrCat(kApiPrefix, target))).body;
  }

 private:
  Json Respond(const Request& request, int status) {
    const Response response = service_.Respond(request);
    EXPECT_EQ(response.status, status) << *response.body;
    return BodyOf(response);
  }

  const Service service_{OpenServedExample(), {}};
};

std::vector<std::string> WordsIn(const Json& list) {
  std::vector<std::string> words;
  for (const Json& item : list) words.push_back(item["word"]);
  return words;
}

// The example with a model, where the example service has two.
Json ExampleOf(const Route& route) {
  Json example = route.example;
  if (route.request["properties"].contains("model") && route.path != "/embed" &&
      route.path != "/context" && route.path != "/tag" &&
      route.path != "/classify") {
    example["model"] = "old";
  }
  return example;
}

Request ExampleRequest(const Route& route) {
  const std::string target = absl::StrCat(kApiPrefix, route.path);
  const Json example = ExampleOf(route);
  if (route.method == "POST") return PostRequest(target, OneLine(example));
  std::string query;
  for (const auto& [name, value] : example.items()) {
    absl::StrAppend(
        &query, query.empty() ? "?" : "&", name, "=",
        value.is_string() ? value.get<std::string>() : OneLine(value));
  }
  return GetRequest(target + query);
}

TEST_F(RoutesTest, EveryExampleIsAnsweredInTheShapeThatItsRouteSays) {
  const Service service(OpenServedExample(), {});
  for (const Route& route : Routes()) {
    SCOPED_TRACE(route.path);
    const Response response = service.Respond(ExampleRequest(route));
    ASSERT_EQ(response.status, 200) << *response.body;
    EXPECT_EQ(response.type, route.type);
    if (route.type != "application/json" || route.path == "/openapi.json") {
      continue;
    }
    Json body = BodyOf(response);
    const absl::Status fits = FitToSchema(route.response, "", &body);
    EXPECT_TRUE(fits.ok()) << fits << *response.body;
  }
}

TEST_F(RoutesTest, EveryFieldOfEveryRouteIsChecked) {
  const Service service(OpenServedExample(), {});
  for (const Route& route : Routes()) {
    for (const auto& [name, schema] : route.request["properties"].items()) {
      SCOPED_TRACE(absl::StrCat(route.path, " ", name));
      Request request;
      if (route.method == "POST") {
        Json wrong = ExampleOf(route);
        wrong[name] = {{"none", true}};
        request =
            PostRequest(absl::StrCat(kApiPrefix, route.path), OneLine(wrong));
      } else if (schema["type"] != "string") {
        request =
            GetRequest(absl::StrCat(kApiPrefix, route.path, "?", name, "=x"));
      } else {
        continue;
      }
      const Response response = service.Respond(request);
      EXPECT_EQ(response.status, 400);
      EXPECT_THAT(BodyOf(response)["error"]["message"],
                  HasSubstr(absl::StrCat(name, ": expected")));
    }
  }
}

TEST_F(RoutesTest, TheDescriptionHasEveryRouteWithItsShapes) {
  const Json description = Get("/openapi.json");
  EXPECT_EQ(description["openapi"], "3.1.0");
  EXPECT_EQ(description["paths"].size(), Routes().size());
  for (const Route& route : Routes()) {
    SCOPED_TRACE(route.path);
    const Json& path =
        description["paths"][absl::StrCat(kApiPrefix, route.path)];
    const Json& operation = path[route.method == "GET" ? "get" : "post"];
    EXPECT_EQ(operation["summary"], route.summary);
    if (route.method == "POST") {
      const Json& body = operation["requestBody"]["content"];
      EXPECT_EQ(body["application/json"]["schema"], route.request);
      EXPECT_EQ(body["application/json"]["example"], route.example);
    } else {
      EXPECT_EQ(operation["parameters"].size(),
                route.request["properties"].size());
    }
    EXPECT_TRUE(operation["responses"]["200"]["content"].contains(route.type));
  }
}

TEST_F(RoutesTest, InfoTellsOfEachModelWhatItCanBeAsked) {
  const Json info = Get("/info");
  ASSERT_EQ(info["models"].size(), 5u);
  EXPECT_EQ(info["models"][0]["name"], "old");
  EXPECT_EQ(info["models"][0]["words"], 5);
  EXPECT_EQ(info["models"][0]["dim"], 2);
  EXPECT_EQ(info["models"][0]["map"], true);
  EXPECT_EQ(info["models"][1]["map"], false);
  EXPECT_EQ(info["models"][2]["kind"], "language-model");
  EXPECT_EQ(info["models"][3]["tags"], Json({"D", "N", "V"}));
  EXPECT_EQ(info["models"][4]["kind"], "classifier");
  EXPECT_EQ(info["models"][4]["labels"], Json({"court", "land"}));
}

// Cosines with king (1, 0) are the words' first coordinates.
TEST_F(RoutesTest, NeighborsAreTheWordsOfGreatestCosine) {
  const Json found =
      Post("/neighbors",
           {{"model", "old"}, {"queries", {{{"plus", {"king"}}}}}, {"k", 2}});
  const Json& neighbors = found["results"][0]["neighbors"];
  EXPECT_THAT(WordsIn(neighbors), ElementsAre("queen", "man"));
  EXPECT_NEAR(neighbors[0]["score"].get<double>(), 0.8, 1e-6);
  EXPECT_EQ(neighbors[0]["id"], 1);
}

// king - queen = (0.2, -0.6), of which river (-1, 0) has the greatest cosine
// among the others: -0.316, woman -0.949, man -0.949. A vector excludes none.
TEST_F(RoutesTest, NeighborsOfSumsAndOfVectors) {
  const Json found =
      Post("/neighbors", {{"model", "old"},
                          {"queries",
                           {{{"plus", {"king"}}, {"minus", {"queen"}}},
                            {{"plus", Json::array({Json::array({0, 3})})}}}},
                          {"k", 1},
                          {"search", "exact"}});
  const Json& river = found["results"][0]["neighbors"][0];
  EXPECT_EQ(river["word"], "river");
  EXPECT_NEAR(river["score"].get<double>(), -0.316228, 1e-6);
  EXPECT_EQ(found["results"][1]["neighbors"][0]["word"], "man");
}

TEST_F(RoutesTest, WhatIsUnknownIsToldWithSpellings) {
  const Json found = Post(
      "/neighbors", {{"model", "old"}, {"queries", {{{"plus", {"quen"}}}}}});
  EXPECT_TRUE(found["results"][0]["neighbors"].empty());
  EXPECT_EQ(found["results"][0]["unknown"],
            Json({{{"word", "quen"}, {"spellings", {"queen"}}}}));
}

TEST_F(RoutesTest, ASumOfNothingHasNoNeighbors) {
  const Json found =
      Post("/neighbors",
           {{"model", "old"},
            {"queries",
             {Json::object(), {{"plus", {"king"}}, {"minus", {"king"}}}}}});
  EXPECT_TRUE(found["results"][0]["neighbors"].empty());
  EXPECT_TRUE(found["results"][1]["neighbors"].empty());
}

TEST_F(RoutesTest, VectorsOfAnotherDimensionAreRefused) {
  const Json error =
      Post("/neighbors",
           {{"model", "old"},
            {"queries", {{{"plus", Json::array({Json::array({1, 2, 3})})}}}}},
           400);
  EXPECT_EQ(error["error"]["field"], "queries[0].plus[0]");
  EXPECT_THAT(error["error"]["message"],
              HasSubstr("expected 2 numbers, found 3"));
}

TEST_F(RoutesTest, AnswersToAllQueriesTogetherAreLimited) {
  Json request = {{"model", "old"}, {"queries", Json::array()}, {"k", 1000}};
  for (int i = 0; i < 26; ++i) {
    request["queries"].push_back({{"plus", {"king"}}});
  }
  EXPECT_THAT(Post("/neighbors", request, 400)["error"]["message"],
              HasSubstr("k: all queries together may have at most 25600 "
                        "answers, found 26000"));
  request["queries"].erase(0);
  Post("/neighbors", request);
}

TEST_F(RoutesTest, NumbersBeyondFloatsAreRefused) {
  const Json error =
      Post("/neighbors",
           {{"model", "old"},
            {"queries", {{{"plus", Json::array({Json::array({1e300, 2})})}}}}},
           400);
  EXPECT_EQ(error["error"]["field"], "queries[0].plus[0]");
}

// king - man + woman = (1, 0) - (0, 1) + (-0.6, 0.8) = (0.4, -0.2): its cosine
// with queen is (0.32 - 0.12) / 0.4472, with river -0.4 / 0.4472.
TEST_F(RoutesTest, AnalogyIsTheSumOfThreeWords) {
  const Json found =
      Post("/analogy",
           {{"model", "old"}, {"a", "man"}, {"b", "king"}, {"c", "woman"}});
  EXPECT_THAT(WordsIn(found["neighbors"]), ElementsAre("queen", "river"));
  EXPECT_NEAR(found["neighbors"][0]["score"].get<double>(), 0.447214, 1e-6);
  const Json unknown = Post(
      "/analogy", {{"model", "old"}, {"a", "x"}, {"b", "king"}, {"c", "man"}});
  EXPECT_TRUE(unknown["neighbors"].empty());
  EXPECT_THAT(WordsIn(unknown["unknown"]), ElementsAre("x"));
}

TEST_F(RoutesTest, SimilarityOfPairsAndTheMatrix) {
  const Json pairs = Post(
      "/similarity", {{"model", "old"},
                      {"pairs", Json::array({Json::array({"king", "queen"}),
                                             Json::array({"king", "none"})})}});
  EXPECT_NEAR(pairs["scores"][0].get<double>(), 0.8, 1e-6);
  EXPECT_TRUE(pairs["scores"][1].is_null());
  const Json matrix =
      Post("/matrix", {{"model", "old"}, {"words", {"king", "none", "queen"}}});
  EXPECT_EQ(matrix["words"], Json({"king", "queen"}));
  EXPECT_NEAR(matrix["scores"][1][0].get<double>(), 0.8, 1e-6);
  EXPECT_NEAR(matrix["scores"][1][1].get<double>(), 1, 1e-6);
}

TEST_F(RoutesTest, VectorsReadBackAsTheFloatsThatTheyAre) {
  const Json found =
      Post("/vectors", {{"model", "old"}, {"words", {"queen", "none"}}});
  EXPECT_EQ(found["dim"], 2);
  EXPECT_EQ(OneLine(found["vectors"]), "[[0.8,0.6],null]");
}

TEST_F(RoutesTest, SentencesAreMeansOfTheirWords) {
  const Json found = Post(
      "/sentences", {{"model", "old"}, {"texts", {"king man", "none", ""}}});
  EXPECT_EQ(OneLine(found["vectors"]), "[[0.5,0.5],null,null]");
}

TEST_F(RoutesTest, TheOddOneIsFarthestFromTheMean) {
  const Json found = Post(
      "/odd", {{"model", "old"}, {"words", {"king", "queen", "river", "x"}}});
  EXPECT_EQ(found["odd"], "river");
  EXPECT_EQ(found["words"], Json({"king", "queen", "river"}));
}

TEST_F(RoutesTest, SpellingAndWords) {
  EXPECT_EQ(Get("/spelling?model=old&word=quen")["spellings"], Json({"queen"}));
  const Json words = Get("/words?model=old&prefix=k");
  EXPECT_EQ(words["total"], 1);
  EXPECT_THAT(WordsIn(words["words"]), ElementsAre("king"));
  EXPECT_EQ(Get("/words?model=old&prefix=%E2%82%AC")["total"], 0);
}

TEST_F(RoutesTest, TheMapAsAWholeAndInPart) {
  const Json map = Get("/map?model=old");
  EXPECT_EQ(map["count"], 3);
  EXPECT_EQ(OneLine(map["bounds"]), "[-2.0,-0.5,0.5,3.0]");
  const std::string bytes = Text("/map/points?model=old");
  ASSERT_EQ(bytes.size(), 24u);
  float points[6];
  std::memcpy(points, bytes.data(), sizeof(points));
  EXPECT_THAT(points, ElementsAre(0.5F, -0.5F, 0.25F, 0, -2, 3));
  EXPECT_EQ(Text("/map/words?model=old"), "king\nqueen\nman\n");
  const Json tile = Get("/map/tile?model=old&x0=0&y0=-1&x1=1&y1=1");
  EXPECT_THAT(WordsIn(tile["points"]), ElementsAre("king", "queen"));
  const Json first = Get("/map/tile?model=old&x0=0&y0=-1&x1=1&y1=1&limit=1");
  EXPECT_THAT(WordsIn(first["points"]), ElementsAre("king"));
  for (const char* number : {"nan", "inf", "1e999"}) {
    const Json refused =
        Get(absl::StrCat("/map/tile?model=old&x0=", number, "&y0=-1&x1=1&y1=1"),
            400);
    EXPECT_EQ(refused["error"]["field"], "x0") << number;
  }
}

TEST_F(RoutesTest, AModelWithoutAMapHasNone) {
  EXPECT_EQ(Get("/map?model=new", 404)["error"]["field"], "model");
}

TEST_F(RoutesTest, ModelsAreAskedByName) {
  const Json none = Get("/words", 400);
  EXPECT_THAT(
      none["error"]["message"],
      HasSubstr("model: several models are served; choose one of old, new"));
  const Json other = Get("/words?model=lm", 404);
  EXPECT_THAT(other["error"]["message"], HasSubstr("no model \"lm\""));
}

// In "old" the cosines with king are queen 0.8, man 0, woman -0.6, river -1; in
// "new" castle 0.995, queen 0.8, man 0.
TEST_F(RoutesTest, ComparesAWordInTwoModels) {
  const Json found = Post(
      "/compare", {{"models", {"old", "new"}}, {"word", "king"}, {"k", 2}});
  EXPECT_THAT(WordsIn(found["only"][0]), ElementsAre("man"));
  EXPECT_THAT(WordsIn(found["only"][1]), ElementsAre("castle"));
  ASSERT_THAT(WordsIn(found["joint"]), ElementsAre("queen"));
  EXPECT_NEAR(found["joint"][0]["scores"][1].get<double>(), 0.8, 1e-6);
  const Json unknown =
      Post("/compare", {{"models", {"old", "new"}}, {"word", "castle"}});
  EXPECT_EQ(unknown["unknown"][0]["model"], "old");
}

// From man (0, 1) to woman (-0.6, 0.8) is (-0.6, -0.2), which is 0.632456 long:
// its cosine with king (1, 0) and with queen (0.8, 0.6) is -0.948683.
TEST_F(RoutesTest, PlacesWordsOnAxes) {
  const Json found = Post(
      "/axes",
      {{"model", "old"},
       {"axes", Json::array({{{"from", {"man"}}, {"to", {"woman", "none"}}},
                             {{"from", {"king"}}, {"to", {"river"}}}})},
       {"words", {"king", "queen", "nobody"}}});
  EXPECT_EQ(found["words"], Json({"king", "queen"}));
  EXPECT_NEAR(found["points"][0][0].get<double>(), -0.948683, 1e-6);
  EXPECT_NEAR(found["points"][1][0].get<double>(), -0.948683, 1e-6);
  EXPECT_NEAR(found["points"][1][1].get<double>(), -0.8, 1e-6);
  EXPECT_THAT(WordsIn(found["unknown"]), ElementsAre("none", "nobody"));
  const Json first = Post(
      "/axes", {{"model", "old"},
                {"axes", Json::array({{{"from", {"man"}}, {"to", {"woman"}}}})},
                {"words", nullptr},
                {"top", 2}});
  EXPECT_EQ(first["words"], Json({"king", "queen"}));
  const Json none =
      Post("/axes",
           {{"model", "old"},
            {"axes", Json::array({{{"from", {"none"}}, {"to", {"man"}}}})}},
           400);
  EXPECT_EQ(none["error"]["field"], "axes[0]");
}

// s(king) = 0 - -0.6, s(river) = 0 - 0.6: means 1.2 apart, with a sample
// deviation of 0.848528; of the two divisions one is as great.
TEST_F(RoutesTest, MeasuresAssociation) {
  const Json found = Post("/weat", {{"model", "old"},
                                    {"x", {"king"}},
                                    {"y", {"river", "none"}},
                                    {"a", {"man"}},
                                    {"b", {"woman"}}});
  EXPECT_NEAR(found["effect"].get<double>(), 1.414214, 1e-6);
  EXPECT_EQ(found["p"], 0.5);
  EXPECT_EQ(found["exact"], true);
  EXPECT_THAT(WordsIn(found["unknown"]), ElementsAre("none"));
}

// In "new" the coordinates of the words of "old" are exchanged, which an
// orthogonal matrix undoes.
TEST_F(RoutesTest, WordsThatOnlyTurnedDidNotMove) {
  const Json found = Get("/moved?models=old,new&k=2");
  ASSERT_EQ(found["words"].size(), 2u);
  for (const Json& word : found["words"]) {
    EXPECT_NEAR(word["cosine"].get<double>(), 1, 1e-5);
    EXPECT_TRUE(word["chance_cosine"].is_null());
    EXPECT_TRUE(word["lost"].empty() && word["won"].empty()) << word;
  }
  EXPECT_EQ(found, Get("/moved?models=old,new&k=2"));
  EXPECT_EQ(Get("/moved?models=old", 400)["error"]["field"], "models");
  EXPECT_EQ(Get("/moved?models=old,new&chance=none", 404)["error"]["field"],
            "chance");
}

TEST_F(RoutesTest, AModelOfAnotherSeedSaysHowFarWordsMoveByChance) {
  const Json found = Get("/moved?models=old,new&chance=old&k=3");
  ASSERT_EQ(found["words"].size(), 3u);
  for (const Json& word : found["words"]) {
    EXPECT_NEAR(word["chance_cosine"].get<double>(), 1, 1e-5);
    EXPECT_EQ(word["p"], 1);
  }
}

// By the sums of AnalogyIsTheSumOfThreeWords, queen is found, river is not, and
// emperor is not known.
TEST_F(RoutesTest, EvaluationCountsAndShowsWhatWasWrong) {
  const Json measured = Get("/evaluation?model=old");
  const Json& section = measured["analogies"][0]["sections"][0];
  EXPECT_EQ(measured["analogies"][0]["file"], "analogies.txt");
  EXPECT_EQ(section["name"], "family");
  EXPECT_EQ(section["right"], 1);
  EXPECT_EQ(section["asked"], 2);
  EXPECT_EQ(section["skipped"], 1);
  EXPECT_EQ(section["wrong"],
            Json({{{"question", {"man", "king", "woman", "river"}},
                   {"answer", "queen"}}}));
  // People's order is that of the cosines 0.8, 0 and -1.
  EXPECT_EQ(measured["similarity"][0]["spearman"], 1.0);
  EXPECT_EQ(measured, Get("/evaluation?model=old"));
}

// The mark before the first line is no word; all words are folded.
TEST(EvaluationRouteTest, TakesAByteOrderMarkAndCapitalsBeyondAscii) {
  const TempFolder folder;
  ServedFiles files;
  auto models = OpenModels(
      {folder.Write("a.vec", "4 2\nönig 1 0\nb 0.8 0.6\nc 0 1\nd -1 0\n")},
      Int8Search());
  ASSERT_TRUE(models.ok()) << models.status();
  files.models = *std::move(models);
  files.analogies = {folder.Write("q.txt",
                                  "\xef\xbb\xbf: one\nÖnig b c d\nx b c d\n"
                                  ": two\nb Önig d c\n")};
  const Service service(std::move(files), {});
  const Json sections = BodyOf(service.Respond(
      GetRequest("/api/v1/evaluation")))["analogies"][0]["sections"];
  ASSERT_EQ(sections.size(), 2);
  // With the words of a question left out one remains, which is d for the first
  // and c for the second.
  EXPECT_EQ(sections[0]["right"], 1);
  EXPECT_EQ(sections[0]["skipped"], 1);
  EXPECT_EQ(sections[1]["right"], 1);
}

TEST(EvaluationRouteTest, ShowsWrongQuestionsOfEachSectionAsLookedUp) {
  const TempFolder folder;
  ServedFiles files;
  auto models = OpenModels(
      {folder.Write("a.vec", "4 2\nönig 1 0\nb 0.8 0.6\nc 0 1\nd -1 0\n")},
      Int8Search());
  ASSERT_TRUE(models.ok()) << models.status();
  files.models = *std::move(models);
  files.analogies = {folder.Write(
      "q.txt", "\xef\xbb\xbfÖnig b c b\n: two\nd c b Önig\nd c b D\n")};
  const Service service(std::move(files), {});
  const Json sections = BodyOf(service.Respond(
      GetRequest("/api/v1/evaluation")))["analogies"][0]["sections"];
  ASSERT_EQ(sections.size(), 2);
  EXPECT_EQ(sections[0]["wrong"],
            Json({{{"question", {"önig", "b", "c", "b"}}, {"answer", "d"}}}));
  EXPECT_EQ(sections[1]["wrong"],
            Json({{{"question", {"d", "c", "b", "d"}}, {"answer", "önig"}}}));
}

TEST_F(RoutesTest, EmbedsTokensInAllLayersOrOne) {
  const Json all = Post(
      "/embed", {{"sentences", {"the king spoke", ""}}, {"layers", "all"}});
  ASSERT_EQ(all["sentences"].size(), 2u);
  const Json& layers = all["sentences"][0]["layers"];
  ASSERT_EQ(layers.size(), 2u);
  ASSERT_EQ(layers[1].size(), 3u);
  const Json last =
      Post("/embed", {{"sentences", {"the king spoke"}}, {"layers", "last"}});
  EXPECT_EQ(last["sentences"][0]["layers"][0], layers[1]);
  const Json mix = Post("/embed", {{"sentences", {"the king spoke"}}});
  const double mean =
      (layers[0][1][0].get<double>() + layers[1][1][0].get<double>()) / 2;
  EXPECT_NEAR(mix["sentences"][0]["layers"][0][1][0].get<double>(), mean, 1e-6);
}

// In layer 0 the context does not count: the nearest token of the text is the
// word itself.
TEST_F(RoutesTest, ShowsAWordInTwoContexts) {
  const Json found =
      Post("/context", {{"sentences",
                         {{{"text", "the king spoke"}, {"word", 1}},
                          {{"text", "a king of spades"}, {"word", 1}}}},
                        {"k", 2}});
  const Json& layer = found["layers"][0];
  EXPECT_NEAR(layer["cosine"].get<double>(), 1, 1e-6);
  EXPECT_EQ(layer["neighbors"][0][0]["word"], "king");
  EXPECT_EQ(layer["neighbors"][0][0]["context"], "the **king** spoke");
  const Json beyond = Post("/context",
                           {{"sentences",
                             {{{"text", "the king"}, {"word", 2}},
                              {{"text", "a king"}, {"word", 1}}}}},
                           400);
  EXPECT_EQ(beyond["error"]["field"], "sentences[0].word");
}

TEST_F(RoutesTest, LabelsTexts) {
  const Json found =
      Post("/classify",
           {{"texts", {"the king and a queen", "a river ran"}}, {"k", 2}});
  ASSERT_EQ(found["results"].size(), 2u);
  const Json& court = found["results"][0]["labels"];
  ASSERT_EQ(court.size(), 2u);
  EXPECT_EQ(court[0]["label"], "court");
  EXPECT_GT(court[0]["probability"], court[1]["probability"]);
  EXPECT_EQ(found["results"][1]["labels"][0]["label"], "land");
  EXPECT_GT(found["results"][0]["known"], 1);
  EXPECT_EQ(Post("/classify", {{"texts", {""}}})["results"][0]["known"], 0);
  EXPECT_EQ(
      Post("/classify", {{"texts", Json::array()}}, 400)["error"]["field"],
      "texts");
  EXPECT_THAT(
      Post("/classify", {{"texts", {"a"}}, {"model", "old"}},
           404)["error"]["message"],
      HasSubstr("no model \"old\" is served; choose one of classifier"));
}

TEST_F(RoutesTest, TagsEveryToken) {
  const Json found = Post("/tag", {{"sentences", {"the king spoke"}}});
  const Json& sentence = found["sentences"][0];
  EXPECT_EQ(sentence["words"], Json({"the", "king", "spoke"}));
  ASSERT_EQ(sentence["labels"].size(), 3u);
  for (const Json& label : sentence["labels"]) {
    EXPECT_THAT(label.get<std::string>(), testing::AnyOf("D", "N", "V"));
  }
}

TEST_F(RoutesTest, TooManyTokensAreRefused) {
  std::string text;
  for (int i = 0; i < 2001; ++i) text += "a ";
  EXPECT_THAT(Post("/tag", {{"sentences", {text}}}, 400)["error"]["message"],
              HasSubstr("must have at most 2000 tokens, found 2001"));
}

TEST_F(RoutesTest, TheLogIsReadFromWhereItWasReadBefore) {
  const Json all = Get("/log");
  EXPECT_EQ(OneLine(all["lines"]), "[{\"t\":1},{\"done\":true}]");
  EXPECT_EQ(all["done"], true);
  EXPECT_EQ(all["next"], 22);
  const Json second = Get("/log?after=8");
  EXPECT_EQ(OneLine(second["lines"]), "[{\"done\":true}]");
  EXPECT_EQ(second["next"], 22);
  EXPECT_TRUE(Get("/log?after=22")["lines"].empty());
  // A log that was begun anew.
  EXPECT_EQ(Get("/log?after=1000")["next"], 22);
}

TEST(LogRouteTest, HalfALineIsLeftForLater) {
  const TempFolder folder;
  ServedFiles files;
  files.log = folder.Write("run.jsonl", "{\"t\":1}\n{\"t\":");
  const Service service(std::move(files), {});
  const Json log = BodyOf(service.Respond(GetRequest("/api/v1/log")));
  EXPECT_EQ(log["next"], 8);
  EXPECT_EQ(log["done"], false);
}

TEST(LogRouteTest, ALineThatNoAnswerHoldsIsPassedOver) {
  const TempFolder folder;
  ServedFiles files;
  files.log =
      folder.Write("run.jsonl", std::string(300000, 'x') + "\n{\"t\":1}\n");
  const Service service(std::move(files), {});
  const Json first = BodyOf(service.Respond(GetRequest("/api/v1/log")));
  EXPECT_EQ(first["next"], 256 << 10);
  EXPECT_TRUE(first["lines"].empty());
  const Json second =
      BodyOf(service.Respond(GetRequest("/api/v1/log?after=262144")));
  EXPECT_EQ(OneLine(second["lines"]), "[{\"t\":1}]");
  EXPECT_EQ(second["next"], 300009);
}

TEST(ModelsTest, AreNotNamedWithCommas) {
  const auto models = OpenModels({"a,b=none.vec"}, Int8Search());
  EXPECT_THAT(std::string(models.status().message()),
              HasSubstr("must not contain a comma, found \"a,b\""));
}

TEST(EmptyServiceTest, SaysWhatIsNotServed) {
  const Service service({}, {});
  for (const Route& route : Routes()) {
    if (!route.request["properties"].contains("model")) continue;
    SCOPED_TRACE(route.path);
    Json example = route.example;
    const Response response =
        service.Respond(route.method == "POST"
                            ? PostRequest(absl::StrCat(kApiPrefix, route.path),
                                          OneLine(example))
                            : ExampleRequest(route));
    EXPECT_EQ(response.status, 404) << *response.body;
    EXPECT_THAT(*response.body, HasSubstr(" served"));
  }
}

}  // namespace
}  // namespace firth::tools

// Tests the routes of the service, and the parts of questions that are specific
// to HTTP. The answers to questions are tested in tests/ask.

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "serve/served_example.h"
#include "support/tiny_vectors.h"
#include "tools/serve/route.h"
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
    return *ResponseOf(service_, GetRequest(absl::StrCat(kApiPrefix, target)))
                .body;
  }

 private:
  Json Respond(const Request& request, int status) {
    const Response response = ResponseOf(service_, request);
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

Request ExampleRequest(const Route& route) {
  const std::string target = absl::StrCat(kApiPrefix, route.path);
  if (route.question != nullptr) {
    return PostRequest(target, OneLine(ExampleBody(*route.question)));
  }
  if (route.post) {
    Json body = Json::parse(route.example);
    body["model"] = "old";
    return PostRequest(target, OneLine(body));
  }
  return GetRequest(
      absl::StrCat(target, route.example,
                   absl::StrContains(route.path, "/map")
                       ? route.example.empty() ? "?model=old" : "&model=old"
                       : ""));
}

TEST_F(RoutesTest, EveryExampleIsAnswered) {
  const Service service(OpenServedExample(), {});
  for (const Route& route : Routes()) {
    if (route.reloads) continue;
    SCOPED_TRACE(route.path);
    const Response response = ResponseOf(service, ExampleRequest(route));
    ASSERT_EQ(response.status, 200) << *response.body;
    EXPECT_EQ(response.type, route.type);
    if (route.question == nullptr) continue;
    const Json answers = BodyOf(response)["answers"];
    ASSERT_EQ(answers.size(), 1u);
    // The vectors of the example have no n-grams, and its language model
    // predicts neither sentences nor masked words.
    if (route.path == "/ngrams" || route.path == "/lm-next" ||
        route.path == "/lm-fill") {
      continue;
    }
    EXPECT_FALSE(answers[0].contains("error")) << answers;
    // Every member of the table is there, in its order.
    const auto& members = *route.question->answer->members;
    ASSERT_EQ(answers[0].size(), members.size());
    size_t i = 0;
    for (const auto& [name, value] : answers[0].items()) {
      EXPECT_EQ(name, members[i++].name);
    }
  }
}

TEST_F(RoutesTest, EveryFieldOfEveryQuestionIsChecked) {
  for (const Question& question : Questions()) {
    const Json schema = Json::parse(FieldsSchema(*question.request));
    for (const auto& [name, unused] : schema["properties"].items()) {
      SCOPED_TRACE(absl::StrCat(question.name, " ", name));
      Json body = ExampleBody(question);
      body["requests"][0][name] = {{"none", true}};
      const Json error =
          Post(absl::StrCat("/", question.name), body, 400)["error"];
      EXPECT_EQ(error["field"], absl::StrCat("requests[0].", name));
    }
  }
}

TEST_F(RoutesTest, EveryParameterIsChecked) {
  for (const Route& route : Routes()) {
    if (route.question != nullptr || route.reloads || route.post) continue;
    const Json schema = Json::parse(FieldsSchema(*route.parameters));
    for (const auto& [name, property] : schema["properties"].items()) {
      if (property["type"] == "string") continue;
      SCOPED_TRACE(absl::StrCat(route.path, " ", name));
      const Json error =
          Get(absl::StrCat(route.path, "?", name, "=x"), 400)["error"];
      EXPECT_EQ(error["field"], name);
    }
    // Probes ignore parameters.
    const bool is_probe = !route.usual_path.empty();
    const std::string target = absl::StrCat(route.path, "?none=1");
    if (is_probe) {
      EXPECT_NE(Text(target), "");
      continue;
    }
    EXPECT_THAT(Get(target, 400)["error"]["message"],
                HasSubstr("none: there is no such parameter"));
  }
}

TEST_F(RoutesTest, TheDescriptionHasEveryRoute) {
  const Json description = Get("/openapi.json");
  EXPECT_EQ(description["openapi"], "3.1.0");
  EXPECT_EQ(description["paths"].size(), Routes().size());
  for (const Route& route : Routes()) {
    SCOPED_TRACE(route.path);
    const Json& path =
        description["paths"][absl::StrCat(kApiPrefix, route.path)];
    const Json& operation = path[route.method == "GET" ? "get" : "post"];
    EXPECT_EQ(operation["summary"], route.summary);
    EXPECT_TRUE(operation["responses"]["200"]["content"].contains(route.type));
    if (route.question == nullptr) continue;
    const Json& body = operation["requestBody"]["content"]["application/json"];
    const Json schema = Json::parse(RequestSchema(*route.question));
    EXPECT_EQ(body["schema"]["required"], schema["required"]);
    EXPECT_EQ(body["example"]["requests"][0],
              Json::parse(route.question->example));
  }
}

// Programs make requests of it.
TEST_F(RoutesTest, TheDescriptionHasOnlyWhatRequestsMayContain) {
  const Json paths = Get("/openapi.json")["paths"];
  const auto requests = [&](const std::string& name) {
    return paths["/api/v1/" + name]["post"]["requestBody"]["content"]
                ["application/json"]["schema"]["properties"]["requests"];
  };
  EXPECT_EQ(requests("neighbors")["minItems"], 1);
  EXPECT_EQ(requests("neighbors")["maxItems"], AskLimits().most_requests);
  const Json eval = requests("eval")["items"]["properties"];
  EXPECT_TRUE(eval.contains("questions"));
  for (const char* refused : {"analogies", "similarity", "threads"}) {
    EXPECT_FALSE(eval.contains(refused)) << refused;
  }
}

// Returns the body of a call that asks a question about "old".
Json AskOld(const Json& request) {
  return {{"model", "old"}, {"requests", Json::array({request})}};
}

TEST_F(RoutesTest, FilesAreNotNamedInRequests) {
  for (const Question& question : Questions()) {
    for (const Field& field : question.request->fields()) {
      if (field.role != FieldRole::kPlace) continue;
      SCOPED_TRACE(absl::StrCat(question.name, " ", field.name));
      Json body = ExampleBody(question);
      body["requests"][0][field.name] = field.kind == FieldKind::kTexts
                                            ? Json({"/etc/passwd"})
                                            : Json("/etc/passwd");
      const Json error =
          Post(absl::StrCat("/", question.name), body, 400)["error"];
      EXPECT_THAT(error["message"], HasSubstr("must not name files"));
    }
  }
}

TEST_F(RoutesTest, AnswersToAllRequestsTogetherAreLimited) {
  const std::vector<std::string> words(300, "king");
  Json body = {{"model", "old"}, {"requests", Json::array()}};
  for (int i = 0; i < 4; ++i) body["requests"].push_back({{"words", words}});
  EXPECT_THAT(Post("/matrix", body, 400)["error"]["message"],
              HasSubstr("requests: the answers would take 5 MB, but the limit "
                        "is 4 MiB"));
  body["requests"].erase(0);
  Post("/matrix", body);
}

TEST_F(RoutesTest, InfoTellsOfEachModelWhatItCanBeAsked) {
  const Json info = Get("/info");
  ASSERT_EQ(info["models"].size(), 6u);
  EXPECT_EQ(info["models"][0]["name"], "old");
  EXPECT_EQ(info["models"][0]["words"], 5);
  EXPECT_EQ(info["models"][0]["dim"], 2);
  EXPECT_EQ(info["models"][0]["map"], true);
  EXPECT_EQ(info["models"][1]["map"], false);
  EXPECT_EQ(info["models"][2]["kind"], "language-model");
  EXPECT_EQ(info["models"][3]["tags"], Json({"D", "N", "V"}));
  EXPECT_EQ(info["models"][4]["kind"], "classifier");
  EXPECT_EQ(info["models"][4]["labels"], Json({"court", "land"}));
  EXPECT_EQ(info["models"][5]["kind"], "seq2seq");
  EXPECT_EQ(info["models"][5]["tokens"], "words");
}

TEST_F(RoutesTest, TheMapAsAWholeAndInPart) {
  const Json map = Get("/map/info?model=old");
  EXPECT_EQ(map["count"], 3);
  EXPECT_EQ(map["has_counts"], false);
  EXPECT_EQ(OneLine(map["bounds"]), "[-2.0,-0.5,0.5,3.0]");
  const std::string bytes = Text("/map/points?model=old");
  ASSERT_EQ(bytes.size(), 24u);
  float points[6];
  std::memcpy(points, bytes.data(), sizeof(points));
  EXPECT_THAT(points, ElementsAre(0.5F, -0.5F, 0.25F, 0, -2, 3));
  EXPECT_EQ(Text("/map/words?model=old"), "king\nqueen\nman\n");
  EXPECT_EQ(Text("/map/counts?model=old"), std::string(3 * 8, '\0'));
  const std::string years = Text("/map/column?model=old&name=year");
  std::vector<float> values(3);
  ASSERT_EQ(years.size(), sizeof(float) * values.size());
  std::memcpy(values.data(), years.data(), years.size());
  EXPECT_THAT(values, ElementsAre(1900, 2000, 1950));
  EXPECT_EQ(Get("/map/column?model=old&name=none", 404)["error"]["field"],
            "name");
  EXPECT_EQ(OneLine(map["columns"]),
            R"([{"name":"kind","type":"categorical","values":["person",)"
            R"("river"]},{"name":"year","type":"continuous","minimum":1900.0,)"
            R"("maximum":2000.0}])");
  const Json tile = Get("/map/tile?model=old&x0=0&y0=-1&x1=1&y1=1");
  EXPECT_THAT(WordsIn(tile["points"]), ElementsAre("king", "queen"));
  const Json first = Get("/map/tile?model=old&x0=0&y0=-1&x1=1&y1=1&limit=1");
  EXPECT_THAT(WordsIn(first["points"]), ElementsAre("king"));
  for (const char* number : {"nan", "1e999", "x"}) {
    const Json refused =
        Get(absl::StrCat("/map/tile?model=old&x0=", number, "&y0=-1&x1=1&y1=1"),
            400);
    EXPECT_EQ(refused["error"]["field"], "x0") << number;
  }
}

// A page that was loaded before the map was replaced learns of it.
TEST(MapRoutesTest, PartsOfAnotherVersionAreRefused) {
  Service service(OpenServedExample(), {});
  const auto get = [&](const std::string& target) {
    return ResponseOf(service,
                      GetRequest(absl::StrCat("/api/v1/map/", target)));
  };
  const std::string version = BodyOf(get("info?model=old"))["version"];
  const auto status = [&](const std::string& part) {
    return get(absl::StrCat(part, "?model=old&version=", version)).status;
  };
  const std::vector<std::string> parts = {"info",   "points", "counts",
                                          "column", "words",  "tile"};
  for (const std::string& part : parts) EXPECT_EQ(status(part), 200) << part;
  service.Replace(OpenServedExample());
  for (const std::string& part : parts) EXPECT_EQ(status(part), 200) << part;
  ServedFiles files = OpenServedExample();
  auto map = std::make_shared<ServedMap>(*files.maps["old"]);
  ASSERT_TRUE(map->AddColumns({{"more", {}, {1, 2, 3}}}).ok());
  files.maps["old"] = map;
  service.Replace(std::move(files));
  for (const std::string& part : parts) EXPECT_EQ(status(part), 409) << part;
  const Json error =
      BodyOf(get(absl::StrCat("words?model=old&version=", version)))["error"];
  EXPECT_EQ(error["code"], "conflict");
  EXPECT_EQ(error["field"], "version");
  EXPECT_THAT(std::string(error["message"]), HasSubstr(map->version()));
}

TEST(MapRoutesTest, TheVersionIsThatOfEverythingOnTheMap) {
  const std::vector<absl::string_view> words = {"a", "b"};
  const auto vectors = [](float last) {
    return std::make_shared<const OpenedVectors>(
        MakeVectors({"a", "b"}, {1, 0, 0, last}, 2, 2));
  };
  const auto map = [&](std::vector<uint64_t> counts, float x) {
    WordMap made;
    made.points =
        *WordVectors::Create(*Vocabulary::Create(words, std::move(counts)),
                             FloatTable(std::vector<float>{x, 2, 3, 4}, 2));
    return made;
  };
  const auto version = [](const WordMap& made, const auto& opened) {
    return (*ServedMap::Create(made, opened))->version();
  };
  const auto same = vectors(1);
  const std::string first = version(map({}, 1), same);
  EXPECT_EQ(version(map({}, 1), vectors(1)), first);
  EXPECT_NE(version(map({}, 5), same), first);
  EXPECT_NE(version(map({2, 1}, 1), same), first);
  EXPECT_NE(version(map({}, 1), vectors(2)), first);
  EXPECT_FALSE((*ServedMap::Create(map({}, 1), same))->has_counts());
  EXPECT_TRUE((*ServedMap::Create(map({2, 1}, 1), same))->has_counts());
}

TEST(MapRoutesTest, ColumnsOfTwoFilesHaveDifferentNames) {
  const ServedFiles files = OpenServedExample();
  ServedMap map(*files.maps.at("old"));
  EXPECT_THAT(map.AddColumns({{"year", {}, {1, 2, 3}}}).message(),
              HasSubstr("two files have a column \"year\""));
}

// The map is a file without a method; others are computed from the vectors.
TEST_F(RoutesTest, LayoutsAreComputedWhenTheyAreRequested) {
  const Json before = Get("/map/info?model=old");
  EXPECT_EQ(OneLine(before["methods"]), R"(["umap","tsne","pca"])");
  EXPECT_EQ(OneLine(before["ready"]), R"([""])");
  const std::string points = Text("/map/points?model=old&method=pca");
  EXPECT_EQ(points.size(), 3 * 2 * sizeof(float));
  EXPECT_NE(points, Text("/map/points?model=old"));
  EXPECT_EQ(Get("/map/info?model=old&method=pca")["method"], "pca");
  EXPECT_EQ(OneLine(Get("/map/info?model=old")["ready"]), R"(["","pca"])");
  EXPECT_EQ(Get("/map/points?model=old&method=x", 404)["error"]["field"],
            "method");
}

TEST_F(RoutesTest, AModelWithoutAMapHasNone) {
  EXPECT_EQ(Get("/map/info?model=new", 404)["error"]["field"], "model");
}

TEST_F(RoutesTest, ModelsAreAskedByName) {
  Json body = AskOld({{"positive", {"king"}}});
  body.erase("model");
  EXPECT_THAT(Post("/neighbors", body, 400)["error"]["message"],
              HasSubstr("model: several models are open; choose one of old, "
                        "new"));
  body["model"] = "lm";
  const Json other = Post("/neighbors", body, 404)["error"];
  EXPECT_THAT(other["message"],
              HasSubstr("\"lm\" is of the kind \"language model\""));
  EXPECT_EQ(other["field"], "model");
  body["model"] = 1;
  EXPECT_EQ(Post("/neighbors", body, 400)["error"]["field"], "model");
}

TEST_F(RoutesTest, TheFieldsOfAQuestionAreInTheBody) {
  EXPECT_EQ(Get("/neighbors", 405)["error"]["code"], "method_not_allowed");
  const Json body = AskOld({{"positive", {"king"}}});
  EXPECT_EQ(Post("/neighbors?top=1", body, 400)["error"]["field"], "top");
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
  // The log was started again.
  EXPECT_EQ(Get("/log?after=1000")["next"], 22);
}

TEST(LogRouteTest, HalfALineIsLeftForLater) {
  const TempFolder folder;
  ServedFiles files;
  files.log = folder.Write("run.jsonl", "{\"t\":1}\n{\"t\":");
  const Service service(std::move(files), {});
  const Json log = BodyOf(ResponseOf(service, GetRequest("/api/v1/log")));
  EXPECT_EQ(log["next"], 8);
  EXPECT_EQ(log["done"], false);
}

TEST(LogRouteTest, ALineThatNoAnswerHoldsIsPassedOver) {
  const TempFolder folder;
  ServedFiles files;
  files.log =
      folder.Write("run.jsonl", std::string(300000, 'x') + "\n{\"t\":1}\n");
  const Service service(std::move(files), {});
  const Json first = BodyOf(ResponseOf(service, GetRequest("/api/v1/log")));
  EXPECT_EQ(first["next"], 256 << 10);
  EXPECT_TRUE(first["lines"].empty());
  const Json second =
      BodyOf(ResponseOf(service, GetRequest("/api/v1/log?after=262144")));
  EXPECT_EQ(OneLine(second["lines"]), "[{\"t\":1}]");
  EXPECT_EQ(second["next"], 300009);
}

TEST(EmptyServiceTest, ReportsWhichModelsAreMissing) {
  const Service service({}, {});
  for (const Route& route : Routes()) {
    if (route.question == nullptr) continue;
    SCOPED_TRACE(route.path);
    const Response response =
        ResponseOf(service, PostRequest(absl::StrCat(kApiPrefix, route.path),
                                        OneLine(ExampleBody(*route.question))));
    EXPECT_EQ(response.status, 404) << *response.body;
    EXPECT_THAT(*response.body, HasSubstr(" is open"));
  }
}

// The second request would fail if it measured again.
TEST(ServiceTest, KeepsTheAnswersOfSlowQuestions) {
  const TempFolder folder;
  ServedFiles files;
  AddModel(ServedFolder().File("old.vec"), &files.models);
  const std::string path = folder.Write("q.txt", "man king woman queen\n");
  files.files["analogies"] = {path};
  const Service service(std::move(files), {});
  const Request request = PostRequest("/api/v1/eval", R"({"requests":[{}]})");
  const std::string first = *ResponseOf(service, request).body;
  EXPECT_THAT(first, HasSubstr("\"correct\":1"));
  std::filesystem::remove(path);
  EXPECT_EQ(*ResponseOf(service, request).body, first);
}

}  // namespace
}  // namespace firth::tools

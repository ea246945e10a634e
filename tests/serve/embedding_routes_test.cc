// Tests requests in the forms of OpenAI and of text-embeddings-inference.

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "serve/served_example.h"
#include "support/tiny_vectors.h"
#include "tools/serve/route.h"
#include "tools/serve/service.h"
#include "vectors/word_bag_encoder.h"

namespace firth::tools {
namespace {

using testing::HasSubstr;

// A service over one sentence model in lower case.
class EmbeddingRoutesTest : public testing::Test {
 protected:
  Json Post(const std::string& target, const Json& body, int status = 200) {
    const Response response =
        ResponseOf(service_, PostRequest(target, OneLine(body)));
    EXPECT_EQ(response.status, status) << *response.body;
    return BodyOf(response);
  }
  std::string Error(const std::string& target, const Json& body) {
    return TextOf(Post(target, body, 400)["error"]);
  }
  // The error of a body that is not JSON.
  std::string ErrorOfBody(const std::string& body) {
    const Response response = ResponseOf(service_, PostRequest("/embed", body));
    EXPECT_EQ(response.status, 400) << *response.body;
    return TextOf(BodyOf(response)["error"]);
  }

 private:
  static std::string TextOf(const Json& error) {
    return absl::StrCat(error.value("field", ""), ": ",
                        error["message"].get<std::string>());
  }
  static ServedFiles Files() {
    ServedFiles files;
    const WordVectors vectors = MakeVectors(
        {{"king", {3, 4, 0}}, {"queen", {3, 0, 4}}, {"river", {-1, 0, 0}}});
    EXPECT_TRUE(files.models
                    .Add({"texts", std::make_shared<OpenedVectors>(WithWordBags(
                                       vectors, {.lowercase = true}))})
                    .ok());
    return files;
  }

  const Service service_{Files(), {}};
};

std::vector<float> Floats(const Json& list) {
  return list.get<std::vector<float>>();
}

void ExpectNear(const std::vector<float>& found,
                const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], 1e-6) << i;
  }
}

TEST_F(EmbeddingRoutesTest, FaultsOfJsonHaveAPlace) {
  EXPECT_THAT(ErrorOfBody(R"({"inputs": "a")"),
              HasSubstr("expected a JSON object in UTF-8, found the end after "
                        "14 bytes"));
  EXPECT_THAT(ErrorOfBody(R"({"inputs": nonsense})"),
              HasSubstr("found an error at byte 13"));
  EXPECT_THAT(ErrorOfBody(R"({"inputs": "a", "inputs": "b"})"),
              HasSubstr("this name is given twice"));
}

// Mean of king and queen: (3, 2, 2), of length sqrt(17).
const double kUnit = 1 / std::sqrt(17.0);

TEST_F(EmbeddingRoutesTest, EmbeddingsHaveTheFormOfOpenAi) {
  const Json answer =
      Post("/v1/embeddings",
           {{"model", "texts"}, {"input", {"The King QUEEN", "unknown"}}});
  EXPECT_EQ(answer["object"], "list");
  EXPECT_EQ(answer["model"], "texts");
  EXPECT_EQ(answer["usage"]["prompt_tokens"], 2);
  EXPECT_EQ(answer["usage"]["total_tokens"], 2);
  ASSERT_EQ(answer["data"].size(), 2u);
  EXPECT_EQ(answer["data"][1]["object"], "embedding");
  EXPECT_EQ(answer["data"][1]["index"], 1);
  ExpectNear(Floats(answer["data"][0]["embedding"]),
             {3 * kUnit, 2 * kUnit, 2 * kUnit});
  ExpectNear(Floats(answer["data"][1]["embedding"]), {0, 0, 0});
  const Json one = Post("/v1/embeddings", {{"input", "king queen"}});
  EXPECT_EQ(one["data"].size(), 1u);
  EXPECT_EQ(one["data"][0], answer["data"][0]);
}

TEST_F(EmbeddingRoutesTest, EmbeddingsMayBeBase64AndCut) {
  const Json answer = Post("/api/v1/embeddings", {{"input", {"king queen"}},
                                                  {"encoding_format", "base64"},
                                                  {"dimensions", 2},
                                                  {"user", "someone"}});
  std::string bytes;
  ASSERT_TRUE(absl::Base64Unescape(
      answer["data"][0]["embedding"].get<std::string>(), &bytes));
  std::vector<float> vector(2);
  ASSERT_EQ(bytes.size(), 8u);
  std::memcpy(vector.data(), bytes.data(), 8);
  ExpectNear(vector, {3 / std::sqrt(13.0), 2 / std::sqrt(13.0)});
}

TEST_F(EmbeddingRoutesTest, EmbedHasTheFormOfTextEmbeddingsInference) {
  const Json unit = Post("/embed", {{"inputs", "king queen"}});
  ASSERT_EQ(unit.size(), 1u);
  ExpectNear(Floats(unit[0]), {3 * kUnit, 2 * kUnit, 2 * kUnit});
  const Json rows = Post("/embed", {{"inputs", {"king", "king queen"}},
                                    {"normalize", false},
                                    {"truncate", true}});
  ASSERT_EQ(rows.size(), 2u);
  ExpectNear(Floats(rows[0]), {3, 4, 0});
  ExpectNear(Floats(rows[1]), {3, 2, 2});
}

TEST_F(EmbeddingRoutesTest, SimilarityHasTheCosinesWithTheSource) {
  const Json cosines = Post(
      "/similarity", {{"inputs",
                       {{"source_sentence", "king"},
                        {"sentences", {"queen", "King", "river", "none"}}}}});
  ExpectNear(Floats(cosines), {9.0 / 25, 1, -0.6, 0});
}

TEST_F(EmbeddingRoutesTest, ErrorsNameTheField) {
  const std::string openai = "/v1/embeddings";
  EXPECT_THAT(Error(openai, Json::object()),
              HasSubstr("input: expected a text or a list of 1 to 2048 texts, "
                        "found nothing"));
  EXPECT_THAT(Error(openai, {{"input", Json::array()}}),
              HasSubstr("input: expected a text or a list"));
  EXPECT_THAT(Error(openai, {{"input", {"a", 5}}}),
              HasSubstr("input[1]: expected a text, found 5"));
  EXPECT_THAT(Error(openai, {{"input", std::vector<std::string>(2049, "a")}}),
              HasSubstr("found a list of 2049 items"));
  EXPECT_THAT(Error(openai, {{"input", "a"}, {"encoding_format", "int8"}}),
              HasSubstr("encoding_format: expected \"float\" or \"base64\""));
  for (const Json& dimensions : {Json(0), Json(4), Json(-1), Json("2")}) {
    EXPECT_THAT(Error(openai, {{"input", "a"}, {"dimensions", dimensions}}),
                HasSubstr("dimensions: expected 1 to 3, found"));
  }
  EXPECT_THAT(Error(openai, {{"input", "a"}, {"inputs", "a"}}),
              HasSubstr("inputs: there is no such field"));
  EXPECT_THAT(Error(openai, Json::array()),
              HasSubstr("expected a JSON object in UTF-8, found an array"));
  EXPECT_THAT(Error("/embed", {{"inputs", "a"}, {"prompt_name", "query"}}),
              HasSubstr("prompt_name: expected null, as these models have no "
                        "prompts, found \"query\""));
  EXPECT_THAT(Error("/embed", {{"inputs", "a"}, {"normalize", 1}}),
              HasSubstr("normalize: expected true or false, found 1"));
  EXPECT_THAT(Error("/similarity", {{"inputs", "a"}}),
              HasSubstr("inputs: expected an object, found \"a\""));
  EXPECT_THAT(Error("/similarity", {{"inputs", {{"sentences", {"a"}}}}}),
              HasSubstr("inputs.source_sentence: expected a text"));
  EXPECT_EQ(
      Post(openai, {{"input", "a"}, {"model", "other"}}, 404)["error"]["field"],
      "model");
}

TEST_F(EmbeddingRoutesTest, OnlyJsonIsAccepted) {
  const Service service(OpenServedExample(), {});
  Request request = PostRequest("/embed", R"({"inputs":"a","model":"old"})");
  EXPECT_EQ(ResponseOf(service, request).status, 200);
  request.content_type = "text/plain";
  EXPECT_EQ(ResponseOf(service, request).status, 415);
  request = GetRequest("/v1/embeddings");
  EXPECT_EQ(ResponseOf(service, request).status, 405);
}

// A mean of plain vectors, without a sentence model.
TEST(PlainEmbeddingRoutesTest, WordVectorsGiveMeans) {
  const Service service(OpenServedExample(), {});
  const Json rows = BodyOf(ResponseOf(
      service, PostRequest("/embed", R"({"inputs":["king man","river"],
                               "model":"old","normalize":false})")));
  ExpectNear(Floats(rows[0]), {0.5, 0.5});
  ExpectNear(Floats(rows[1]), {-1, 0});
}

}  // namespace
}  // namespace firth::tools

// Tests questions through the C interface.

#include <string>
#include <vector>

#include "base/json.h"
#include "c/c_test_support.h"
#include "firth/ask.h"
#include "firth/firth.h"
#include "firth/instruction_set.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Cosines with king (1, 0) are the first coordinates.
class CAskTest : public testing::Test {
 protected:
  CAskTest() {
    EXPECT_TRUE(Fine(firth_models_create(&models_)));
    FirthVectors* const vectors =
        VectorsOf({"king", "queen", "man"}, {1, 0, 0.8F, 0.6F, 0, 1});
    EXPECT_TRUE(Fine(firth_models_add_vectors(models_, "old", 3, vectors)));
    // The set keeps the vectors after their handle is freed.
    firth_vectors_free(vectors);
  }
  ~CAskTest() override { firth_models_free(models_); }

  FirthStatus* Ask(const std::string& question, const std::string& json) {
    return firth_ask(models_, question.data(), SizeOf(question), json.data(),
                     SizeOf(json), nullptr, nullptr, &answers_);
  }
  std::string Answers(const std::string& question, const std::string& json) {
    EXPECT_TRUE(Fine(Ask(question, json)));
    return TextOf(answers_);
  }

  FirthModels* models_ = nullptr;
  FirthBuffer* answers_ = nullptr;
};

TEST_F(CAskTest, AnswersInOrder) {
  EXPECT_EQ(Answers("neighbors",
                    R"({"requests":[{"positive":["king"],"top":1},{}]})"),
            R"({"answers":[{"query":"king","neighbors":[)"
            R"({"word":"queen","id":1,"score":0.8,"count":0}],"unknown":[],)"
            R"("composed":[]},{"error":"give at least one word or vector in )"
            R"(\"positive\" or \"negative\""}]})");
}

TEST_F(CAskTest, ASearchIsVectorsToo) {
  FirthVectors* const vectors = VectorsOf({"a", "b", "c"}, {1, 0, 1, 1, 1, 2});
  const std::string options = R"({"restrict": 2})";
  FirthSearch* search = nullptr;
  EXPECT_TRUE(Fine(firth_search_create(vectors, options.data(), SizeOf(options),
                                       nullptr, nullptr, &search)));
  EXPECT_TRUE(Fine(firth_models_add_search(models_, "few", 3, search)));
  firth_search_free(search);
  firth_vectors_free(vectors);
  const std::string answers = Answers(
      "neighbors", R"({"model":"few","requests":[{"positive":["c"]}]})");
  EXPECT_THAT(answers, HasSubstr("\"word\":\"b\""));
  EXPECT_THAT(answers, HasSubstr("\"word\":\"a\""));
}

TEST_F(CAskTest, WhatIsWrongIsNamed) {
  struct Case {
    std::string question;
    std::string json;
    int32_t code;
    const char* message;
  };
  std::string names;
  for (int i = 0; i < 90000; ++i) {
    names += "\"n" + std::to_string(i) + "\":0,";
  }
  const std::string king = R"({"requests":[{"positive":["king"]}]})";
  for (const Case& c :
       {Case{"nearest", king, FIRTH_NOT_FOUND,
             "question: there is no question with this name"},
        Case{"", king, FIRTH_NOT_FOUND, "question: "},
        Case{"neighbors", "", FIRTH_INVALID_ARGUMENT, "json: the body: "},
        Case{"neighbors", R"({"model":"new","requests":[{}]})", FIRTH_NOT_FOUND,
             "json: model: no model \"new\" is open"},
        Case{"neighbors", R"({"requests":[]})", FIRTH_INVALID_ARGUMENT,
             "json: requests: expected a list of 1 or more requests, found 0"},
        Case{"classify", R"({"model":"old","requests":[{"text":"a"}]})",
             FIRTH_NOT_FOUND,
             "json: model: \"old\" is of the kind \"vectors\""},
        Case{"neighbors", R"({"requests":[{"k":1}]})", FIRTH_INVALID_ARGUMENT,
             "json: requests[0]: fields: there is no field \"k\""},
        Case{"neighbors", "{" + names + "\"requests\":[]}",
             FIRTH_INVALID_ARGUMENT, "json: the body: an object must have at"},
        Case{"neighbors", std::string(1000000, '['), FIRTH_INVALID_ARGUMENT,
             "json: the body: "},
        Case{"neighbors", R"({"requests":[{"top":1e30}]})",
             FIRTH_INVALID_ARGUMENT, "json: requests[0].top: expected"},
        Case{"neighbors", "{\"requests\":[{\"positive\":[\"\xff\"]}]}",
             FIRTH_INVALID_ARGUMENT, "json: the body: expected JSON in UTF-8"},
        Case{"neighbors", king + std::string(1, '\0'), FIRTH_INVALID_ARGUMENT,
             "json: the body: expected JSON"}}) {
    const CFailure failure = FailureOf(Ask(c.question, c.json));
    EXPECT_EQ(failure.code, c.code) << c.message;
    EXPECT_THAT(failure.message, StartsWith(c.message));
  }
}

TEST_F(CAskTest, TwoModelsDoNotHaveOneName) {
  FirthVectors* const vectors = VectorsOf({"a"}, {1, 0});
  EXPECT_THAT(
      FailureOf(firth_models_add_vectors(models_, "old", 3, vectors)).message,
      HasSubstr("name: two models have the name \"old\""));
  firth_vectors_free(vectors);
}

TEST_F(CAskTest, AModelHasANameThatJsonCanContain) {
  FirthVectors* const vectors = VectorsOf({"a"}, {1, 0});
  for (const std::string name : {"", "\xff"}) {
    const CFailure failure = FailureOf(
        firth_models_add_vectors(models_, name.data(), SizeOf(name), vectors));
    EXPECT_EQ(failure.code, FIRTH_INVALID_ARGUMENT);
    EXPECT_THAT(failure.message, StartsWith("name: expected a name in UTF-8"));
  }
  firth_vectors_free(vectors);
}

TEST_F(CAskTest, DescribesTheBuild) {
  EXPECT_TRUE(Fine(firth_describe_build(&answers_)));
  const Json build = Json::parse(TextOf(answers_));
  EXPECT_EQ(build.at("version"), firth_version());
  EXPECT_THAT(build.at("commit").get<std::string>(),
              testing::MatchesRegex("[0-9a-f]{12}[+]?|unknown"));
  EXPECT_EQ(build.at("instruction-sets").get<std::vector<std::string>>(),
            InstructionSets());
  for (const char* library :
       {"Abseil", "Boost", "Highway", "ICU", "OpenBLAS", "utf8proc", "zstd"}) {
    EXPECT_THAT(build.at("libraries").at(library).get<std::string>(),
                testing::MatchesRegex("[0-9.]+|head"))
        << library;
  }
}

TEST_F(CAskTest, DescribesEveryQuestion) {
  EXPECT_TRUE(Fine(firth_describe_questions(&answers_)));
  const std::string described = TextOf(answers_);
  EXPECT_EQ(described, DescribeQuestions());
  for (const Question& question : Questions()) {
    EXPECT_THAT(described, HasSubstr("\"name\":\"" + question.name + "\""));
  }
}

}  // namespace
}  // namespace firth

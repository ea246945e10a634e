#include "firth/evaluate.h"

#include <map>
#include <string>
#include <vector>

#include "ask/opened_example.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "serve/served_example.h"

namespace firth {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::string Request(const json& more = json::object()) {
  json request = {{"analogies", {ServedFolder().File("analogies.txt")}},
                  {"similarity", {ServedFolder().File("pairs.txt")}}};
  request.update(more);
  return request.dump();
}

const WordVectors& Old() {
  return std::get<0>(
             (*OpenedExample().Find(ModelKind::kVectors, "old"))->content)
      ->vectors();
}

TEST(AskEvalTest, ContainsWhatTheReportsContain) {
  const json answer = AskOne("eval", Request(), R"("model":"old",)");
  const auto analogies =
      EvaluateAnalogies(Old(), ServedFolder().File("analogies.txt"), {});
  ASSERT_EQ(answer["analogies"].size(), 1u);
  const json& file = answer["analogies"][0];
  EXPECT_EQ(file["file"], "analogies.txt");
  EXPECT_EQ(file["folded"], analogies->folded);
  const auto expect = [](const json& found, const auto& expected) {
    const Interval interval = WilsonInterval(expected.correct, expected.asked);
    EXPECT_EQ(found["correct"], expected.correct);
    EXPECT_EQ(found["asked"], expected.asked);
    EXPECT_EQ(found["total"], expected.total);
    EXPECT_EQ(found["accuracy"], static_cast<double>(expected.correct) /
                                     static_cast<double>(expected.asked));
    EXPECT_EQ(found["interval"], json({interval.low, interval.high}));
  };
  expect(file["all"], *analogies);
  ASSERT_EQ(file["sections"].size(), analogies->sections.size());
  expect(file["sections"][0], analogies->sections[0]);
  EXPECT_EQ(file["sections"][0]["name"], analogies->sections[0].name);
  EXPECT_EQ(file["sections"][0]["wrong"], json::array());
  const auto similarity =
      EvaluateSimilarity(Old(), ServedFolder().File("pairs.txt"), {});
  const json& pairs = answer["similarity"][0];
  EXPECT_EQ(pairs["file"], "pairs.txt");
  EXPECT_EQ(pairs["spearman"], similarity->spearman);
  EXPECT_EQ(pairs["asked"], similarity->asked);
  EXPECT_EQ(pairs["scores"], json(similarity->scores));
  EXPECT_EQ(pairs["cosines"], json(similarity->cosines));
  EXPECT_TRUE(answer["other"].is_null());
  EXPECT_TRUE(answer["compared"].is_null());
}

TEST(AskEvalTest, QuestionsReplaceTheFilesOfTheService) {
  const std::map<std::string, std::vector<std::string>> files = {
      {"analogies", {"/nonexistent"}}};
  AskLimits limits;
  limits.files = &files;
  const auto answers = AskJson(
      *FindQuestion("eval"), OpenedExample(),
      R"({"model":"old","requests":[{"questions":"king man queen woman\n"}]})",
      limits);
  ASSERT_TRUE(answers.ok()) << answers.status();
  const json parsed = json::parse(*answers);
  const json& answer = parsed["answers"][0];
  ASSERT_EQ(answer["analogies"].size(), 1u) << answer;
  EXPECT_EQ(answer["analogies"][0]["all"]["asked"], 1);
}

TEST(AskEvalTest, ListsWrongAnswers) {
  const json answer =
      AskOne("eval", Request({{"wrong", 5}}), R"("model":"old",)");
  const json& section = answer["analogies"][0]["sections"][0];
  ASSERT_EQ(section["wrong"].size(),
            section["asked"].get<size_t>() - section["correct"].get<size_t>());
  ASSERT_FALSE(section["wrong"].empty());
  const json& wrong = section["wrong"][0];
  ASSERT_EQ(wrong["question"].size(), 4u);
  EXPECT_TRUE(wrong["answer"].is_string());
  EXPECT_NE(wrong["answer"], wrong["question"][3]);
}

TEST(AskEvalTest, ComparesTwoModels) {
  const json answer =
      AskOne("eval", Request(), R"("model":"old","other":"old",)");
  EXPECT_EQ(answer["other"]["analogies"], answer["analogies"]);
  const json& compared = answer["compared"];
  EXPECT_EQ(compared["analogies"][0]["file"], "analogies.txt");
  const json& total = compared["analogies"][0]["sections"].back();
  EXPECT_EQ(total["name"], "total");
  EXPECT_EQ(total["asked"], answer["analogies"][0]["all"]["asked"]);
  EXPECT_EQ(total["correct"][0], answer["analogies"][0]["all"]["correct"]);
  EXPECT_EQ(total["p"], 1);
  EXPECT_EQ(compared["similarity"][0]["spearman"][0],
            answer["similarity"][0]["spearman"]);
}

TEST(AskEvalTest, FilesAreRequiredAndMayBeGivenByAService) {
  const std::string body = R"({"model":"old","requests":[{"wrong":1}]})";
  EXPECT_THAT(ErrorOfExample("eval", body).message(),
              HasSubstr("give at least one test set"));
  EXPECT_TRUE(
      AskOne("eval", R"({"similarity":["/no/such/file"]})", R"("model":"old",)")
          .contains("error"));
  AskLimits limits;
  const std::map<std::string, std::vector<std::string>> files = {
      {"analogies", {ServedFolder().File("analogies.txt")}}};
  limits.files = &files;
  const json answer = AskExample("eval", body, limits)[0];
  EXPECT_EQ(answer["analogies"][0]["file"], "analogies.txt");
  EXPECT_EQ(answer["similarity"], json::array());
  EXPECT_FALSE(
      ErrorOfExample(
          "eval", R"({"model":"old","requests":[)" + Request() + "]}", limits)
          .ok());
}

}  // namespace
}  // namespace firth

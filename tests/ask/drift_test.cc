#include "firth/drift.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "ask/opened_example.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr char kModels[] = R"("old":"old","new":"new",)";

const WordVectors& Vectors(absl::string_view name) {
  return std::get<0>(
             (*OpenedExample().Find(ModelKind::kVectors, name))->content)
      ->vectors();
}

TEST(AskDriftTest, AnswersWhatDriftMeasures) {
  const json answer =
      AskOne("drift", R"({"words":["queen","king"],"neighbors":2})", kModels);
  DriftOptions options;
  options.neighbors = 2;
  const auto drift = Drift::Create(Vectors("old"), Vectors("new"), options);
  ASSERT_TRUE(drift.ok());
  EXPECT_EQ(answer["compared"], 3);
  ASSERT_EQ(answer["words"].size(), 2u);
  for (const json& word : answer["words"]) {
    const WordId id =
        *drift->vocabulary().Find(word["word"].get<std::string>());
    const WordDrift expected = drift->Measure(id);
    EXPECT_DOUBLE_EQ(word["cosine"], expected.cosine);
    EXPECT_DOUBLE_EQ(word["p"], expected.p);
    EXPECT_EQ(word["overlap"], drift->Neighbors(id).overlap);
    EXPECT_EQ(word["kept"].size(), drift->Neighbors(id).kept.size());
    EXPECT_TRUE(word["chance_cosine"].is_null());
    EXPECT_TRUE(word["chance_overlap"].is_null());
  }
  EXPECT_EQ(answer["words"][0]["word"], "queen");
}

TEST(AskDriftTest, WithoutWordsThereAreThoseThatMovedMost) {
  const json answer = AskOne("drift", R"({"top":2})", kModels);
  const auto drift = Drift::Create(Vectors("old"), Vectors("new"), {});
  const std::vector<WordDrift> most = drift->MostMoved(2);
  ASSERT_EQ(answer["words"].size(), 2u);
  EXPECT_EQ(answer["words"][0]["word"],
            std::string(drift->vocabulary().Word(most[0].word)));
  EXPECT_EQ(answer["unknown"], json::array());
}

TEST(AskDriftTest, ASecondSeedGivesWhatChanceDoes) {
  const json answer = AskOne("drift", R"({"words":["king"]})",
                             absl::StrCat(kModels, R"("chance":"old",)"));
  EXPECT_NEAR(answer["words"][0]["chance_cosine"], 1, 1e-6);
  EXPECT_EQ(answer["words"][0]["chance_overlap"], 1);
}

TEST(AskDriftTest, WordsThatAreNotComparedAreUnknown) {
  const json answer = AskOne("drift", R"({"words":["river","king"]})", kModels);
  ASSERT_EQ(answer["words"].size(), 1u);
  EXPECT_EQ(answer["unknown"][0]["word"], "river");
}

TEST(AskDriftTest, OptionsOfOneRequestDoNotConcernAnother) {
  const json answers = AskExample(
      "drift", absl::StrCat("{", kModels,
                            R"("requests":[{"words":["king"],"neighbors":1},)"
                            R"({"words":["king"],"neighbors":2},)"
                            R"({"words":["king"],"neighbors":1}]})"));
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[0], answers[2]);
  EXPECT_NE(answers[0], answers[1]);
}

TEST(AskDriftTest, ModelsAreRequired) {
  const absl::Status status =
      ErrorOfExample("drift", R"({"old":"old","requests":[{}]})");
  EXPECT_EQ(PlaceOfError(status), "new");
  EXPECT_THAT(status.message(), HasSubstr("required"));
  EXPECT_EQ(
      PlaceOfError(ErrorOfExample(
          "drift", absl::StrCat("{", kModels, R"("requests":[{"band":1}]})"))),
      "requests[0].band");
}

}  // namespace
}  // namespace firth

#include "firth/answer.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

using ::testing::ElementsAre;

struct Score {
  static AnswerTable Members() {
    return {{"word", &Score::word},
            {"score", &Score::score, "cosine, from -1 to 1"}};
  }
  std::string word;
  float score = 0;
};

struct Everything {
  static AnswerTable Members() {
    return {{"flag", &Everything::flag},     {"below", &Everything::below},
            {"most", &Everything::most},     {"real", &Everything::real},
            {"chance", &Everything::chance}, {"best", &Everything::best},
            {"scores", &Everything::scores}, {"rows", &Everything::rows}};
  }
  bool flag = true;
  int below = -3;
  uint64_t most = UINT64_MAX;
  double real = 0.1;
  std::optional<double> chance;
  std::optional<Score> best;
  std::vector<Score> scores;
  std::vector<std::vector<float>> rows;
};

TEST(AnswerTest, JsonHasMembersInTheOrderOfTheTable) {
  Everything answer;
  EXPECT_EQ(AnswerJson(answer),
            R"({"flag":true,"below":-3,"most":18446744073709551615,)"
            R"("real":0.1,"chance":null,"best":null,"scores":[],"rows":[]})");
  answer.flag = false;
  answer.chance = 0.25;
  answer.best = Score{"king", 1};
  answer.scores = {{"queen", 0.5F}, {"\"", -1e-8F}};
  answer.rows = {{1, 2}, {}};
  EXPECT_EQ(AnswerJson(answer),
            R"({"flag":false,"below":-3,"most":18446744073709551615,)"
            R"("real":0.1,"chance":0.25,"best":{"word":"king","score":1},)"
            R"("scores":[{"word":"queen","score":0.5},)"
            R"({"word":"\"","score":-1e-08}],"rows":[[1,2],[]]})");
}

TEST(AnswerTest, TypesDescribeMembers) {
  const AnswerType& type = AnswerTypeOf<Everything>();
  ASSERT_EQ(type.kind, AnswerKind::kStruct);
  std::vector<AnswerKind> kinds;
  for (const AnswerMember& member : *type.members) {
    kinds.push_back(member.type->kind);
  }
  EXPECT_THAT(kinds, ElementsAre(AnswerKind::kFlag, AnswerKind::kWhole,
                                 AnswerKind::kWhole, AnswerKind::kReal,
                                 AnswerKind::kOptional, AnswerKind::kOptional,
                                 AnswerKind::kList, AnswerKind::kList));
  const AnswerType& scores = *(*type.members)[6].type;
  EXPECT_EQ(scores.item, &AnswerTypeOf<Score>());
  EXPECT_EQ((*scores.item->members)[1].help, "cosine, from -1 to 1");
}

// Converts a number to text and reads it back.
template <class Real>
Real ReadBack(Real value) {
  std::string json;
  AppendJsonNumber(value, &json);
  const nlohmann::json parsed = nlohmann::json::parse(json);
  EXPECT_TRUE(parsed.is_number()) << json;
  return parsed.get<Real>();
}

TEST(AnswerTest, NumbersReadBackToTheBit) {
  Rng rng(7);
  for (int i = 0; i < 100000; ++i) {
    const auto bits = static_cast<uint32_t>(rng.Next());
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    if (!std::isfinite(value)) continue;
    EXPECT_EQ(ReadBack(value), value);
    EXPECT_EQ(ReadBack(double{value} / 3), double{value} / 3);
  }
  for (const double value : {0.0, -0.0, 1e300, 5e-324, 1e22, 123456789.0}) {
    EXPECT_EQ(ReadBack(value), value);
  }
}

TEST(AnswerTest, WhatIsNotFiniteIsNull) {
  for (const float value : {std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN()}) {
    std::string json;
    AppendJsonNumber(value, &json);
    AppendJsonNumber(double{value}, &json);
    EXPECT_EQ(json, "nullnull");
  }
}

TEST(AnswerTest, TextsAreThoseOfTheLibrary) {
  const auto library = [](const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false,
                                     nlohmann::json::error_handler_t::replace);
  };
  const auto ours = [](const std::string& text) {
    std::string json;
    AppendJsonText(text, &json);
    return json;
  };
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text = "a" + std::string(1, static_cast<char>(byte));
    EXPECT_EQ(ours(text), library(text)) << byte;
  }
  for (const std::string text :
       {"", "kött", "\xE4\xB8\xAD", "\xF0\x9F\x98\x80", "\u2028"}) {
    EXPECT_EQ(ours(text), library(text));
  }
}

}  // namespace
}  // namespace firth

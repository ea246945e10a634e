#include "base/json.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace firth {
namespace {

int LevelsOf(const Json& json) {
  return json.is_array() ? 1 + (json.empty() ? 0 : LevelsOf(json[0])) : 0;
}

TEST(ParseJsonTest, GivesWhatTheLibraryGives) {
  for (const char* text : {"null",
                           "true",
                           "-3",
                           "18446744073709551615",
                           "1.5e-3",
                           R"("a\u00e9")",
                           "[]",
                           "{}",
                           "[[],[{}],1]",
                           R"({"b":1,"a":{"d":[1,{"e":null}],"c":2}})",
                           R"({"a":1,"b":2,"a":[3]})",
                           "[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]",
                           "",
                           "[",
                           "{\"a\"",
                           "{\"a\":}",
                           "[1,]",
                           "nan",
                           "1e999",
                           "{} {}",
                           "\"\xff\"",
                           "\xef\xbb\xbf[1]"}) {
    const std::string bytes = text;
    EXPECT_EQ(ParseJson(text).is_discarded(), !Json::accept(bytes)) << text;
    if (!Json::accept(bytes)) continue;
    EXPECT_EQ(ParseJson(text), Json::parse(bytes)) << text;
    EXPECT_EQ(DumpJson(ParseOrderedJson(text)),
              DumpJson(OrderedJson::parse(bytes)))
        << text;
  }
}

TEST(ParseJsonTest, AZeroByteDoesNotEndTheText) {
  using namespace std::string_literals;
  for (const std::string& text : {"{}\0"s, "[1]\0{\"a\":2}"s, "[\0]"s, "\0"s}) {
    JsonFaults faults;
    EXPECT_TRUE(ParseJson(text, kMostJsonLevels, &faults).is_discarded());
    EXPECT_EQ(faults.error_place, text.find('\0') + 1);
    EXPECT_TRUE(ParseOrderedJson(text).is_discarded());
  }
}

TEST(ParseJsonTest, LeavesOutWhatIsNestedTooDeeply) {
  JsonFaults faults;
  const char* const text = R"({"a":[1,[2,[3],{"b":4}],{"c":5}],"d":6})";
  EXPECT_EQ(DumpJson(ParseJson(text, 2, &faults)), R"({"a":[1,[],{}],"d":6})");
  EXPECT_TRUE(faults.too_deep);
  EXPECT_EQ(DumpJson(ParseOrderedJson(text, 0)), "{}");
  faults = {};
  EXPECT_EQ(ParseJson(text, 4, &faults), Json::parse(text));
  EXPECT_FALSE(faults.too_deep);
}

TEST(ParseJsonTest, ReportsNamesThatComeTwiceAndWhereJsonEnds) {
  JsonFaults faults;
  ParseJson(R"({"a":{"x":1},"b":{"x":1}})", 8, &faults);
  EXPECT_EQ(faults.twice, "");
  ParseOrderedJson(R"([{"a":{"x":1,"y":2,"x":3}}])", 8, &faults);
  EXPECT_EQ(faults.twice, "x");
  faults = {};
  ParseJson(R"({"a":{"x":1,"y":2,"x":3}})", 8, &faults);
  EXPECT_EQ(faults.twice, "x");
  EXPECT_EQ(faults.error_place, 0u);
  ParseJson("[1,x]", 8, &faults);
  EXPECT_EQ(faults.error_place, 4u);
}

TEST(ParseJsonTest, StopsAtTooManyNames) {
  JsonFaults faults;
  const char* const text = R"([{"a":1,"b":{"c":1,"d":2}},{"e":1},x)";
  EXPECT_TRUE(ReadJson<OrderedJson>(text, 8, &faults, 1).is_discarded());
  EXPECT_TRUE(faults.too_many_names);
  EXPECT_EQ(faults.error_place, 0u);
  faults = {};
  EXPECT_TRUE(ReadJson<Json>(text, 8, &faults, 2).is_discarded());
  EXPECT_FALSE(faults.too_many_names);
  EXPECT_GT(faults.error_place, 0u);
}

// In quadratic time each of these would take hours.
TEST(ParseJsonTest, ReadsManyNamesAndManyObjectsInLinearTime) {
  constexpr size_t kCount = 1'000'000;
  std::string names = "{", objects = "[";
  for (size_t i = 0; i < kCount; ++i) {
    absl::StrAppend(&names, i == 0 ? "" : ",", "\"n", i, "\":0");
    absl::StrAppend(&objects, i == 0 ? "{}" : ",{}");
  }
  names += "}";
  objects += "]";
  EXPECT_EQ(ParseOrderedJson(names).size(), kCount);
  EXPECT_EQ(ParseJson(names, 2).size(), kCount);
  EXPECT_EQ(ParseOrderedJson(objects, 2).size(), kCount);
  EXPECT_EQ(ParseJson(objects, 2).size(), kCount);
}

// Levels that are left out take no memory but the library's own bit for each.
TEST(ParseJsonTest, TakesAnyDepth) {
  const std::string deep(10'000'000, '[');
  EXPECT_TRUE(ParseJson(deep).is_discarded());
  EXPECT_EQ(LevelsOf(ParseJson(deep + std::string(deep.size(), ']'))),
            kMostJsonLevels + 1);
}

}  // namespace
}  // namespace firth

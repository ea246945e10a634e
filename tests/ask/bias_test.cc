#include "firth/bias.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ask/opened_example.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/temp_files.h"

namespace firth {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr char kModel[] = R"("model":"old",)";
constexpr char kWords[] =
    R"("x":["king","nobody"],"y":["woman"],"a":["river"],"b":["man"])";

TEST(AskBiasTest, MeasuresTheTestOfItsWords) {
  const json answer = AskOne("bias", absl::StrCat("{", kWords, "}"), kModel);
  const OpenedModel* const model =
      *OpenedExample().Find(ModelKind::kVectors, "old");
  const auto expected = MeasureWeat(std::get<0>(model->content)->vectors(),
                                    {"test",
                                     {"x", {"king", "nobody"}},
                                     {"y", {"woman"}},
                                     {"a", {"river"}},
                                     {"b", {"man"}}},
                                    {});
  ASSERT_TRUE(expected.ok());
  ASSERT_EQ(answer["tests"].size(), 1u);
  const json& test = answer["tests"][0];
  EXPECT_DOUBLE_EQ(test["effect"], expected->effect);
  EXPECT_DOUBLE_EQ(test["p"], expected->p);
  EXPECT_EQ(test["exact"], expected->exact);
  EXPECT_EQ(test["permutations"], expected->permutations);
  ASSERT_EQ(test["x"].size(), 1u);
  EXPECT_NEAR(test["x"][0]["score"], expected->x[0].score, 1e-6);
  EXPECT_EQ(test["found"], json({1, 1, 1, 1}));
  EXPECT_EQ(test["unknown"][0]["word"], "nobody");
  EXPECT_TRUE(test["error"].is_null());
}

TEST(AskBiasTest, ATestOfAFileThatFailsHidesNoOther) {
  TempFolder folder;
  folder.Write("weat.txt",
               ": None\nX: q\nY: r\nA: s\nB: t\n"
               ": Some\nX: king\nY: woman\nA: river\nB: man\n");
  const json answer =
      AskOne("bias", json{{"weat", folder.File("weat.txt")}}.dump(), kModel);
  ASSERT_EQ(answer["tests"].size(), 2u);
  EXPECT_THAT(answer["tests"][0]["error"].get<std::string>(),
              HasSubstr("no word of this group has a vector"));
  EXPECT_TRUE(answer["tests"][0]["effect"].is_null());
  EXPECT_EQ(answer["tests"][1]["name"], "Some");
  EXPECT_EQ(answer["tests"][1]["groups"], json({"X", "Y", "A", "B"}));
  // The service sets the file. Words in a request replace it.
  AskLimits limits;
  const std::map<std::string, std::vector<std::string>> files = {
      {"weat", {folder.File("weat.txt")}}};
  limits.files = &files;
  const std::string of_file =
      absl::StrCat("{", kModel, "\"requests\":[{\"permutations\":10}]}");
  EXPECT_EQ(AskExample("bias", of_file, limits)[0]["tests"].size(), 2u);
  const std::string of_words = absl::StrCat(
      "{", kModel, "\"requests\":[{\"permutations\":10,", kWords, "}]}");
  EXPECT_EQ(AskExample("bias", of_words, limits)[0]["tests"].size(), 1u);
  EXPECT_EQ(
      PlaceOfError(ErrorOfExample(
          "bias", absl::StrCat("{", kModel, R"("requests":[{"weat":"x"}]})"),
          limits)),
      "requests[0].weat");
}

TEST(AskBiasTest, LargeGroupsCountAsMoreWork) {
  std::string x = "\"king\"";
  for (int i = 0; i < 800; ++i) absl::StrAppend(&x, ",\"king", i, "\"");
  const std::string rest =
      R"(,"y":["woman"],"a":["river"],"b":["man"],"permutations":1000000)";
  const auto error_of = [&](const std::string& words) {
    return ErrorOfExample("bias",
                          absl::StrCat("{", kModel, "\"requests\":[{\"x\":[",
                                       words, "]", rest, "}]}"),
                          AskLimits());
  };
  EXPECT_TRUE(error_of("\"king\"").ok());
  EXPECT_EQ(PlaceOfError(error_of(x)), "requests");
}

TEST(AskBiasTest, Stops) {
  const OpenedModel* const model =
      *OpenedExample().Find(ModelKind::kVectors, "old");
  const std::atomic<bool> stop = true;
  Hooks hooks;
  hooks.stop = &stop;
  for (const uint64_t permutations : {1, 100}) {
    const absl::StatusOr<WeatResult> result =
        MeasureWeat(std::get<0>(model->content)->vectors(),
                    {"test",
                     {"x", {"king", "queen"}},
                     {"y", {"woman"}},
                     {"a", {"river"}},
                     {"b", {"man"}}},
                    {.permutations = permutations}, hooks);
    EXPECT_EQ(absl::IsCancelled(result.status()), permutations == 1);
  }
}

TEST(AskBiasTest, ARequestNeedsAFileOrFourGroups) {
  for (const char* request : {"{}", R"({"x":["king"]})"}) {
    const absl::Status status = ErrorOfExample(
        "bias", absl::StrCat("{", kModel, "\"requests\":[", request, "]}"));
    EXPECT_EQ(PlaceOfError(status), "requests[0]");
    EXPECT_THAT(status.message(), HasSubstr("give a file of tests"));
  }
  EXPECT_TRUE(
      AskOne("bias", R"({"weat":"/no/such/file"})", kModel).contains("error"));
  EXPECT_TRUE(
      AskOne("bias", R"({"x":["q"],"y":["r"],"a":["s"],"b":["t"]})", kModel)
          .contains("error"));
}

}  // namespace
}  // namespace firth

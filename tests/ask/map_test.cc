#include <string>

#include "absl/strings/str_cat.h"
#include "ask/opened_example.h"
#include "firth/layout.h"
#include "gtest/gtest.h"

namespace firth {
namespace {

using nlohmann::json;

constexpr char kModel[] = R"("model":"old",)";

TEST(AskMapTest, LaysOutTheFirstWords) {
  const json answer = AskOne("map", R"({"words":4,"method":"pca"})", kModel);
  const OpenedModel* const model =
      *OpenedExample().Find(ModelKind::kVectors, "old");
  MapOptions options;
  options.method = PcaMethod();
  const auto all = AskOne("map", R"({"words":0,"method":"pca"})", kModel);
  const auto expected =
      MakeMap(std::get<0>(model->content)->vectors(), options);
  ASSERT_TRUE(expected.ok()) << expected.status();
  EXPECT_EQ(answer["words"], json({"king", "queen", "man", "woman"}));
  EXPECT_EQ(answer["points"].size(), 4u);
  ASSERT_EQ(all["points"].size(), expected->points.size());
  EXPECT_EQ(all["points"][0].get<std::vector<float>>(),
            expected->points.CopyVector(ToWordId(0)));
  EXPECT_EQ(all["clusters"].size(), expected->clusters.size());
}

TEST(AskMapTest, ManyEpochsCountAsMoreWork) {
  const auto error_of = [](const std::string& options) {
    std::string requests = options;
    for (int i = 0; i < 99; ++i) absl::StrAppend(&requests, ",", options);
    return ErrorOfExample(
        "map", absl::StrCat("{", kModel, "\"requests\":[", requests, "]}"),
        AskLimits());
  };
  EXPECT_TRUE(error_of(R"({"method":"umap"})").ok());
  EXPECT_EQ(PlaceOfError(error_of(R"({"method":"umap","epochs":100000})")),
            "requests");
  EXPECT_EQ(PlaceOfError(error_of(R"({"method":"tsne","epochs":100000})")),
            "requests");
}

TEST(AskMapTest, OptionsAreChecked) {
  EXPECT_EQ(
      PlaceOfError(ErrorOfExample(
          "map", absl::StrCat("{", kModel, R"("requests":[{"min-dist":2}]})"))),
      "requests[0].min-dist");
}

}  // namespace
}  // namespace firth

// The page: what the service sends with it, and the file that it becomes.

#include "tools/serve/page.h"

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "serve/served_example.h"

namespace firth::tools {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;
using testing::Pointwise;

constexpr char kPage[] =
    "<html><meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
    "'none'; script-src 'sha256-x'\"><script type=\"application/json\" "
    "id=\"firth-data\"></script></html>";

template <class Number>
std::vector<Number> Decoded(const Json& base64) {
  std::string bytes;
  EXPECT_TRUE(absl::Base64Unescape(base64.get<std::string>(), &bytes));
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

// The first model of the example alone, with its map of king, queen and man.
ServedFiles OneModel() {
  ServedFiles files = OpenServedExample();
  OpenedModels one;
  EXPECT_EQ(one.Add(files.models.all()[0]), absl::OkStatus());
  files.models = std::move(one);
  return files;
}

TEST(PageTest, ItsPolicyStandsInTheHeader) {
  const Response response = PageResponse(kPage);
  EXPECT_EQ(response.type, "text/html; charset=utf-8");
  EXPECT_THAT(response.headers,
              Contains(Pair("Content-Security-Policy",
                            "default-src 'none'; script-src 'sha256-x'; "
                            "frame-ancestors 'none'")));
  EXPECT_THAT(PageResponse("<html></html>").headers,
              Contains(Pair("Content-Security-Policy",
                            "default-src 'none'; frame-ancestors 'none'")));
}

TEST(PageTest, TheOneInTheProgramHasAPolicyAndAPlaceForData) {
  const Response response = PageResponse(PageText());
  EXPECT_THAT(response.headers,
              Contains(Pair("Content-Security-Policy",
                            HasSubstr("default-src 'none'; script-src"))));
  EXPECT_TRUE(PageWithData(PageText(), Json::object()).ok());
}

TEST(PageTest, DataCannotEndTheScript) {
  const auto page = PageWithData(kPage, {{"word", "</script><!-- <b>"}});
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(*page, HasSubstr("firth-data\">{\"word\":\"\\u003c/script>"
                               "\\u003c!-- \\u003cb>\"}</script></html>"));
  EXPECT_FALSE(PageWithData("<html></html>", {}).ok());
  EXPECT_FALSE(PageWithData(*page, {}).ok());
}

// The cosines of king (1, 0), queen (0.8, 0.6) and man (0, 1).
TEST(PageDataTest, HasWordsPlacesNeighborsAndVectors) {
  const auto data = PageData(OneModel(), 20000, /*with_vectors=*/true);
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_EQ((*data)["words"], Json({"king", "queen", "man"}));
  EXPECT_EQ((*data)["counts"].size(), 3u);
  EXPECT_THAT(Decoded<float>((*data)["maps"][0]["points"]),
              ElementsAre(0.5F, -0.5F, 0.25F, 0, -2, 3));
  const Json& neighbors = (*data)["neighbors"];
  EXPECT_EQ(neighbors["k"], 2);
  EXPECT_THAT(Decoded<uint32_t>(neighbors["ids"]),
              ElementsAre(1, 2, 0, 2, 1, 0));
  EXPECT_THAT(
      Decoded<float>(neighbors["scores"]),
      Pointwise(FloatNear(1e-6F), {0.8F, 0.0F, 0.8F, 0.6F, 0.6F, 0.0F}));
  const std::vector<float> scales =
      Decoded<float>((*data)["vectors"]["scales"]);
  const std::vector<int8_t> rows = Decoded<int8_t>((*data)["vectors"]["rows"]);
  EXPECT_THAT(rows, ElementsAre(127, 0, 127, 95, 0, 127));
  EXPECT_NEAR(scales[1] * static_cast<float>(rows[3]), 0.6, scales[1] / 2);
  EXPECT_EQ((*data)["info"]["models"].size(), 1u);
}

TEST(PageDataTest, HasTheFirstWordsAndNoVectorsUnlessAsked) {
  const auto data = PageData(OneModel(), 2, /*with_vectors=*/false);
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_EQ((*data)["words"], Json({"king", "queen"}));
  EXPECT_TRUE((*data)["vectors"].is_null());
  EXPECT_EQ((*data)["neighbors"]["k"], 1);
}

TEST(PageDataTest, WantsOneModelWithAMap) {
  const auto more = PageData(OpenServedExample(), 2, false);
  EXPECT_THAT(
      std::string(more.status().message()),
      HasSubstr("requires exactly one file of vectors, found 6 models"));
  ServedFiles files = OneModel();
  files.maps.clear();
  EXPECT_THAT(std::string(PageData(files, 2, false).status().message()),
              HasSubstr("requires the map of the vectors"));
}

}  // namespace
}  // namespace firth::tools

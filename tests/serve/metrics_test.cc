#include "tools/serve/route.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace firth::tools {
namespace {

using testing::HasSubstr;

TEST(MetricsTest, CountsByRouteAndStatusWithDurations) {
  Metrics metrics;
  metrics.Count("/words", 200, 0.002);
  metrics.Count("/words", 200, 0.02);
  metrics.Count("/words", 400, 60);
  metrics.Count("", 404, 0.0001);
  metrics.SetConnections(7);
  const std::string text = metrics.Text();
  for (const char* const line : {
           "firth_http_requests_total{route=\"/words\",status=\"200\"} 2\n",
           "firth_http_requests_total{route=\"/words\",status=\"400\"} 1\n",
           "firth_http_requests_total{route=\"other\",status=\"404\"} 1\n",
           "_bucket{route=\"/words\",le=\"0.001\"} 0\n",
           "_bucket{route=\"/words\",le=\"0.0025\"} 1\n",
           "_bucket{route=\"/words\",le=\"0.025\"} 2\n",
           "_bucket{route=\"/words\",le=\"30\"} 2\n",
           "_bucket{route=\"/words\",le=\"+Inf\"} 3\n",
           "_seconds_sum{route=\"/words\"} 60.022\n",
           "_seconds_count{route=\"/words\"} 3\n",
           "firth_http_connections 7\n",
           "# TYPE firth_http_request_duration_seconds histogram\n",
       }) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(MetricsTest, TellsHowMuchMemoryTheProcessHas) {
  const std::string text = Metrics().Text();
  const std::string name = "\nprocess_resident_memory_bytes ";
  const size_t place = text.find(name);
  ASSERT_NE(place, std::string::npos);
  EXPECT_GT(std::stoull(text.substr(place + name.size())), 1000000u);
}

}  // namespace
}  // namespace firth::tools

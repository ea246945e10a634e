#include "fuzz/fuzzed_requests.h"

#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/check.h"
#include "firth/status_macros.h"
#include "serve/served_example.h"
#include "tools/serve/service.h"
#include "tools/serve/word_labels.h"

namespace firth {
namespace {

const tools::Service& FuzzedService() {
  static const auto& service =
      *new tools::Service(OpenServedExample(), tools::AccessRules());
  return service;
}

}  // namespace

absl::Status AnswerRequest(absl::string_view bytes) {
  const std::pair<std::string, std::string> parts =
      absl::StrSplit(bytes, absl::MaxSplits('\n', 1));
  const std::pair<std::string, std::string> line =
      absl::StrSplit(parts.first, absl::MaxSplits(' ', 1));
  // libmicrohttpd hands both over as C strings.
  tools::Request request = PostRequest(line.second.c_str(), parts.second);
  request.method = line.first.c_str();
  const tools::Response response = ResponseOf(FuzzedService(), request);
  FIRTH_CHECK(response.body != nullptr);
  FIRTH_CHECK(response.status >= 200 && response.status < 600);
  const bool is_json =
      response.type == "application/json" && !response.body->empty();
  FIRTH_CHECK(!is_json || !BodyOf(response).is_discarded());
  if (response.status < 300) return absl::OkStatus();
  return absl::InvalidArgumentError(*response.body);
}

std::vector<std::string> RequestSeeds() {
  std::vector<std::string> seeds = {
      "OPTIONS /api/v1/neighbors\n", "GET /api/v1/map/info?model=%6fld\n",
      "GET /api/v1/map/tile?model=old&x0=-1&y0=-1&x1=1e3&y1=1\n"};
  for (const Question& question : Questions()) {
    seeds.push_back(absl::StrCat("POST ", tools::kApiPrefix, "/", question.name,
                                 "\n", tools::OneLine(ExampleBody(question))));
  }
  return seeds;
}

absl::Status ReadLabels(absl::string_view bytes) {
  FIRTH_ASSIGN_OR_RETURN(const tools::WordLabels labels,
                         tools::ParseWordLabels(bytes, "labels.tsv"));
  size_t found = 0;
  const std::vector<tools::LabelColumn> columns =
      tools::LabelsOf(labels, labels.words, &found);
  FIRTH_CHECK(found == labels.words.size());
  for (const tools::LabelColumn& column : columns) {
    FIRTH_CHECK(column.values.size() == found);
    for (const float value : column.values) {
      const bool is_index =
          value >= 0 && value < static_cast<float>(column.categories.size());
      FIRTH_CHECK(column.is_number() || std::isnan(value) || is_index);
    }
    FIRTH_CHECK(!tools::OneLine({column.name, column.categories}).empty());
  }
  return absl::OkStatus();
}

std::vector<std::string> LabelSeeds() {
  return {"word\tpart\tyear\nking\tnoun\t1900\nrun\tverb\t\n",
          "w\tx\r\n<script>\t=1+1\r\n"};
}

}  // namespace firth

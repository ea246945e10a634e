// A saved page is the page of the service with all its data in one file. The
// data is JSON in a script element, where "<" is escaped, so that no word can
// end the element.

#include "serve/page.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/types/span.h"
#include "firth/postprocess.h"
#include "firth/query.h"
#include "firth/status_macros.h"

// The Makefile creates these from page.html.
extern "C" {
extern const char _binary_page_html_start[];  // NOLINT
extern const char _binary_page_html_end[];    // NOLINT
}

namespace firth::tools {
namespace {

constexpr absl::string_view kPolicyStart =
    "<meta http-equiv=\"Content-Security-Policy\" content=\"";
constexpr absl::string_view kDataStart = "id=\"firth-data\">";
constexpr absl::string_view kDataEnd = "</script>";

// Returns the policy that the page contains, or one that allows nothing.
std::string PolicyOf(absl::string_view page) {
  const size_t start = page.find(kPolicyStart);
  if (start == absl::string_view::npos) return "default-src 'none'";
  const absl::string_view rest = page.substr(start + kPolicyStart.size());
  return std::string(rest.substr(0, rest.find('"')));
}

constexpr size_t kNeighbors = 10;

template <class Number>
std::string Base64(absl::Span<const Number> values) {
  return absl::Base64Escape({reinterpret_cast<const char*>(values.data()),
                             values.size() * sizeof(Number)});
}

absl::StatusOr<const OpenedModel*> OnlyModel(const ServedFiles& files) {
  const std::vector<OpenedModel>& models = files.models.all();
  for (const OpenedModel& model : models) {
    if (files.texts.contains(model.name)) return &model;
  }
  if (models.size() != 1 || models[0].kind() != ModelKind::kVectors) {
    return absl::InvalidArgumentError(
        absl::StrCat("--page requires exactly one file of vectors, found ",
                     models.size(), " models"));
  }
  if (files.maps.contains(models[0].name)) return &models[0];
  return absl::InvalidArgumentError(
      "--page requires the map of the vectors (--map FILE)");
}

// Returns the vectors of the first words of the map.
absl::StatusOr<WordVectors> VectorsOfMap(const WordVectors& vectors,
                                         const ServedMap& map, size_t words) {
  std::vector<absl::string_view> wanted;
  for (const std::string& word : map.words()) {
    if (wanted.size() == words) break;
    if (vectors.vocabulary().Find(word).has_value()) wanted.push_back(word);
  }
  FIRTH_ASSIGN_OR_RETURN(const Vocabulary vocabulary,
                         Vocabulary::Create(wanted, {}));
  return SelectWords(vectors, vocabulary);
}

// Returns the positions on the map of the words of the page.
std::vector<size_t> PlacesOf(const ServedMap& map,
                             const Vocabulary& vocabulary) {
  std::map<absl::string_view, size_t> all;
  for (size_t i = 0; i < map.words().size(); ++i) {
    all.emplace(map.words()[i], i);
  }
  std::vector<size_t> places;
  for (const absl::string_view word : vocabulary.Words()) {
    places.push_back(all.at(word));
  }
  return places;
}

Json LayoutJson(const ServedLayout& layout, const std::vector<size_t>& places) {
  std::vector<float> points;
  for (const size_t place : places) {
    points.push_back(layout.points[2 * place]);
    points.push_back(layout.points[2 * place + 1]);
  }
  return {{"method", layout.method},
          {"points", Base64<float>(points)},
          {"clusters", ClustersJson(layout)}};
}

Json ColumnsWithValues(const ServedMap& map,
                       const std::vector<size_t>& places) {
  Json columns = ColumnsJson(map);
  for (size_t i = 0; i < columns.size(); ++i) {
    std::vector<float> values;
    for (const size_t place : places) {
      values.push_back(map.columns()[i].values[place]);
    }
    columns[i]["data"] = Base64<float>(values);
  }
  return columns;
}

Json NeighborTable(const WordVectors& vectors) {
  const size_t k = std::min(kNeighbors, vectors.size() - 1);
  std::vector<WordId> words;
  for (size_t i = 0; i < vectors.size(); ++i) words.push_back(ToWordId(i));
  std::vector<uint32_t> ids;
  std::vector<float> scores;
  size_t rows = 0;
  const NearestNeighbors search(vectors);
  for (const auto& neighbors : search.FindWords(words, k)) {
    for (const Neighbor& neighbor : neighbors) {
      ids.push_back(static_cast<uint32_t>(Index(neighbor.word)));
      scores.push_back(neighbor.score);
    }
    // Zero vectors have no neighbors. The page skips ids that no word has.
    ids.resize(k * ++rows, std::numeric_limits<uint32_t>::max());
    scores.resize(ids.size());
  }
  return {{"k", k},
          {"ids", Base64<uint32_t>(ids)},
          {"scores", Base64<float>(scores)}};
}

Json RoundedVectors(const WordVectors& vectors) {
  constexpr float kGreatest = 127;
  std::vector<float> scales;
  std::vector<int8_t> rows;
  std::vector<float> row(vectors.dim());
  for (size_t i = 0; i < vectors.size(); ++i) {
    vectors.CopyVector(ToWordId(i), absl::MakeSpan(row));
    float most = 0;
    for (const float value : row) most = std::max(most, std::abs(value));
    const float scale = most / kGreatest;
    scales.push_back(scale);
    for (const float value : row) {
      rows.push_back(
          static_cast<int8_t>(scale > 0 ? std::lround(value / scale) : 0));
    }
  }
  return {{"dim", vectors.dim()},
          {"scales", Base64<float>(scales)},
          {"rows", Base64<int8_t>(rows)}};
}

Json WordTexts(const Vocabulary& vocabulary) {
  Json words = Json::array();
  for (const absl::string_view word : vocabulary.Words()) {
    words.push_back(std::string(word));
  }
  return words;
}

}  // namespace

absl::string_view PageText() {
  // Two objects, for the language: only their addresses may be subtracted.
  return {_binary_page_html_start,
          reinterpret_cast<uintptr_t>(_binary_page_html_end) -
              reinterpret_cast<uintptr_t>(_binary_page_html_start)};
}

Response PageResponse(absl::string_view page) {
  Response response;
  response.type = "text/html; charset=utf-8";
  response.body = Share(std::string(page));
  response.headers = {
      {"X-Content-Type-Options", "nosniff"},
      {"Content-Security-Policy",
       absl::StrCat(PolicyOf(page), "; frame-ancestors 'none'")},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Referrer-Policy", "no-referrer"},
      {"Cache-Control", "no-cache"}};
  return response;
}

absl::StatusOr<std::string> PageWithData(absl::string_view page,
                                         const Json& data) {
  const size_t start = page.find(kDataStart);
  const size_t place = start + kDataStart.size();
  if (start == absl::string_view::npos ||
      page.substr(place, kDataEnd.size()) != kDataEnd) {
    return absl::FailedPreconditionError(
        "the page has no empty script for data");
  }
  return absl::StrCat(page.substr(0, place),
                      absl::StrReplaceAll(OneLine(data), {{"<", "\\u003c"}}),
                      page.substr(place));
}

absl::StatusOr<Json> PageData(const ServedFiles& files, size_t words,
                              bool with_vectors,
                              const std::vector<std::string>& methods) {
  FIRTH_ASSIGN_OR_RETURN(const OpenedModel* model, OnlyModel(files));
  const ServedMap& map = *files.maps.at(model->name);
  FIRTH_ASSIGN_OR_RETURN(
      const WordVectors vectors,
      VectorsOfMap(std::get<0>(model->content)->vectors(), map, words));
  const Vocabulary& vocabulary = vectors.vocabulary();
  const std::vector<size_t> places = PlacesOf(map, vocabulary);
  Json maps = Json::array();
  for (const std::string& method :
       methods.empty() ? std::vector<std::string>{""} : methods) {
    FIRTH_ASSIGN_OR_RETURN(const auto layout, map.Layout(method));
    maps.push_back(LayoutJson(*layout, places));
  }
  Json info = InfoJson(files);
  Json shown = Json::array();
  for (const Json& one : info["models"]) {
    if (one["name"] == model->name) shown.push_back(one);
  }
  info["models"] = std::move(shown);
  return Json(
      {{"info", std::move(info)},
       {"words", WordTexts(vocabulary)},
       {"counts", vocabulary.counts()},
       {"maps", std::move(maps)},
       {"columns", ColumnsWithValues(map, places)},
       {"neighbors", NeighborTable(vectors)},
       {"vectors", with_vectors ? RoundedVectors(vectors) : Json(nullptr)}});
}

}  // namespace firth::tools

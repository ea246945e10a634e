// Makes a map in these steps: normalize the vectors that are not zero, find
// their neighbors, start from principal components or from an old map, apply
// the method, and label the clusters.

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/memory_info.h"
#include "base/parallel_exceptions.h"
#include "base/quote.h"
#include "base/rng.h"
#include "base/threads.h"
#include "firth/fields.h"
#include "firth/layout.h"
#include "firth/matrix.h"
#include "firth/status_macros.h"
#include "layout/clusters.h"
#include "layout/neighbor_graph.h"
#include "layout/point.h"
#include "layout/tsne.h"
#include "layout/umap.h"
#include "query/unit_rows.h"
#include "vectors/principal_components.h"

namespace firth {
namespace {

constexpr float kNoiseShare = 1e-4f;

float GreatestCoordinate(const std::vector<Point>& points) {
  float greatest = 0;
  for (const Point& point : points) {
    greatest = std::max({greatest, std::abs(point.x), std::abs(point.y)});
  }
  return greatest;
}

void AddNoise(float size, uint64_t seed, std::vector<Point>* points) {
  for (size_t i = 0; i < points->size(); ++i) {
    Rng rng(CombineKeys(seed, i));
    const float x = 2 * rng.NextFloat() - 1;
    const float y = 2 * rng.NextFloat() - 1;
    (*points)[i] = (*points)[i] + size * Point{x, y};
  }
}

// Returns the mean of the known positions of the word's neighbors, or nothing
// if none is known.
std::optional<Point> MeanPlace(const NeighborGraph& graph, size_t word,
                               const std::vector<std::optional<Point>>& known) {
  Point sum;
  float weights = 0;
  for (size_t i = graph.begins[word]; i < graph.begins[word + 1]; ++i) {
    const std::optional<Point>& place = known[graph.others[i]];
    if (!place.has_value()) continue;
    sum = sum + graph.weights[i] * *place;
    weights += graph.weights[i];
  }
  if (weights == 0) return std::nullopt;
  return 1 / weights * sum;
}

// Sets the positions of the words next to known ones. Returns whether there
// were any.
bool Extend(const NeighborGraph& graph,
            std::vector<std::optional<Point>>* known) {
  const std::vector<std::optional<Point>> before = *known;
  bool extended = false;
  for (size_t word = 0; word < before.size(); ++word) {
    if (before[word].has_value()) continue;
    (*known)[word] = MeanPlace(graph, word, before);
    extended = extended || (*known)[word].has_value();
  }
  return extended;
}

// Returns the projections of the rows on their first two principal components,
// relative to their mean. Missing components give zeros. Errors: those of
// PrincipalComponents().
absl::StatusOr<std::vector<Point>> ProjectOnPlane(
    const FloatTable& rows, const std::atomic<bool>* stop) {
  const std::vector<float> center = MeanRow(rows);
  FIRTH_ASSIGN_OR_RETURN(const Components components,
                         PrincipalComponents(rows, center, 2, stop));
  const size_t count = components.sums.size();
  std::vector<Point> points(rows.rows());
#pragma omp parallel for schedule(static)
  for (size_t row = 0; row < points.size(); ++row) {
    const auto values = rows.Row(row);
    double projections[2] = {};
    for (size_t k = 0; k < count; ++k) {
      const float* const component = &components.vectors[k * rows.cols()];
      for (size_t i = 0; i < values.size(); ++i) {
        projections[k] += double{values[i] - center[i]} * component[i];
      }
    }
    points[row] = {static_cast<float>(projections[0]),
                   static_cast<float>(projections[1])};
  }
  return points;
}

// Scales the points so that the maximum coordinate is `extent`, and adds noise
// of a ten thousandth of that, so that no two have the same position.
void SpreadPoints(float extent, uint64_t seed, std::vector<Point>* points) {
  const float greatest = GreatestCoordinate(*points);
  // Smaller coordinates are only rounding errors of vectors that are all equal.
  constexpr float kRounding = 1e-6f;
  for (Point& point : *points) {
    point = (greatest < kRounding ? 0 : extent / greatest) * point;
  }
  AddNoise(kNoiseShare * extent, seed, points);
}

// Puts anchored words at their positions, and the others at the mean of their
// neighbors' positions, weighted by the edges, from the anchored ones outwards.
// Words that no edge reaches keep `points`. Adds noise as above. At least one
// word must be anchored.
void PlaceByAnchors(const NeighborGraph& graph, const Anchors& anchors,
                    uint64_t seed, std::vector<Point>* points) {
  std::vector<std::optional<Point>> known = anchors.places;
  while (Extend(graph, &known)) {
  }
  for (size_t word = 0; word < known.size(); ++word) {
    if (known[word].has_value()) (*points)[word] = *known[word];
  }
  AddNoise(kNoiseShare * GreatestCoordinate(*points), seed, points);
  for (size_t word = 0; word < known.size(); ++word) {
    if (anchors.places[word].has_value()) {
      (*points)[word] = *anchors.places[word];
    }
  }
}

// Sets the number of OpenMP threads, which the searches and the methods use,
// until the end of the scope.
class ThreadsInScope {
 public:
  explicit ThreadsInScope(int count) : before_(omp_get_max_threads()) {
    omp_set_num_threads(count);
  }
  ~ThreadsInScope() { omp_set_num_threads(before_); }
  ThreadsInScope(const ThreadsInScope&) = delete;
  ThreadsInScope& operator=(const ThreadsInScope&) = delete;

 private:
  const int before_;
};

// Returns the words whose vectors are neither zero nor infinite, with their
// vectors scaled to length 1.
absl::StatusOr<WordVectors> UnitVectorsOf(const WordVectors& vectors) {
  const WordVectors normal = WithNormalRows(vectors);
  const Vocabulary& vocabulary = vectors.vocabulary();
  std::vector<absl::string_view> words;
  std::vector<uint64_t> counts;
  std::vector<WordId> kept;
  for (size_t i = 0; i < normal.size(); ++i) {
    const WordId word = ToWordId(i);
    if (normal.inverse_norms()[i] == 0) continue;
    kept.push_back(word);
    words.push_back(vocabulary.Word(word));
    counts.push_back(vocabulary.Count(word));
  }
  if (kept.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the vectors of all ", vectors.size(),
                     " words are zero, so there is nothing to lay out"));
  }
  FIRTH_ASSIGN_OR_RETURN(
      PaddedMatrix rows,
      AllocateTable("unit vectors", kept.size(), vectors.dim()));
  ParallelExceptions exceptions;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < kept.size(); ++i) {
    exceptions.Catch([&] {
      const std::vector<float> unit = UnitVector(normal.CopyVector(kept[i]));
      std::copy(unit.begin(), unit.end(), rows.Row(i));
    });
  }
  exceptions.Rethrow();
  FIRTH_ASSIGN_OR_RETURN(Vocabulary kept_words,
                         Vocabulary::Create(words, std::move(counts)));
  return WordVectors::Create(std::move(kept_words), std::move(rows));
}

// Maximum absolute value of a coordinate of an old map. With larger ones,
// floats cannot represent the distances between neighbors.
constexpr float kMostCoordinate = 1e6f;

// Returns the old positions of the words that `old_map` contains. Errors:
// InvalidArgument.
absl::StatusOr<Anchors> FindAnchors(const Vocabulary& words,
                                    const WordMap& old_map, double hold) {
  Anchors anchors = {{}, hold};
  anchors.places.resize(words.size());
  bool found = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const absl::string_view word = words.Word(ToWordId(i));
    const auto known = old_map.points.vocabulary().Find(word);
    if (!known.has_value()) continue;
    const std::vector<float> place = old_map.points.CopyVector(*known);
    for (const float coordinate : place) {
      if (std::abs(coordinate) <= kMostCoordinate) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("the old map: the coordinates of the word ", Quote(word),
                       " must be from ", -kMostCoordinate, " to ",
                       kMostCoordinate, ", found ", coordinate));
    }
    anchors.places[i] = Point{place[0], place[1]};
    found = true;
  }
  if (found) return anchors;
  return absl::InvalidArgumentError(
      absl::StrCat("none of the ", words.size(), " words is among the ",
                   old_map.points.size(), " words of the old map"));
}

absl::string_view NameOf(const MapOptions& options) {
  return std::visit([](const auto& method) { return method.kName; },
                    options.method);
}

absl::Status CheckOldMap(const WordMap& old_map, const MapOptions& options) {
  if (std::holds_alternative<PcaMethod>(options.method)) {
    return absl::InvalidArgumentError(
        "method: pca cannot start from an old map, since it always gives the "
        "same vectors the same positions; use umap or tsne");
  }
  if (old_map.points.dim() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("the old map: points must have 2 dimensions, found ",
                     old_map.points.dim()));
  }
  if (old_map.method.empty()) {
    return absl::InvalidArgumentError(
        "the old map does not record its method; use a map that \"firth map\" "
        "wrote");
  }
  if (old_map.method == NameOf(options)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("method: the old map was made with ", old_map.method,
                   ", not with ", NameOf(options), "; use the same method"));
}

// Computes the points of one map.
class Layout {
 public:
  Layout(const WordVectors& units, const MapOptions& options,
         const Hooks& hooks)
      : units_(units), options_(options), hooks_(hooks) {}

  // Returns the positions of the words. Errors: those of MakeMap().
  absl::StatusOr<std::vector<Point>> Points(const WordMap* old_map) {
    if (old_map != nullptr) {
      FIRTH_RETURN_IF_ERROR(CheckOldMap(*old_map, options_));
      FIRTH_ASSIGN_OR_RETURN(
          anchors_, FindAnchors(units_.vocabulary(), *old_map, options_.hold));
    }
    if (!Progress(0, 1)(0)) return absl::CancelledError("interrupted");
    FIRTH_ASSIGN_OR_RETURN(points_,
                           ProjectOnPlane(units_.table(), hooks_.stop));
    FIRTH_RETURN_IF_ERROR(
        std::visit([this](const auto& method) { return LayOut(method); },
                   options_.method));
    return std::move(points_);
  }

 private:
  absl::Status LayOut(const UmapMethod& method) {
    FIRTH_ASSIGN_OR_RETURN(NeighborLists lists,
                           Neighbors(method.neighbors - 1));
    if (lists.count == 0) return Start({}, kUmapExtent);
    DistancesToMemberships(&lists);
    const NeighborGraph graph = JoinLists(lists, EdgeUnion::kProbability);
    FIRTH_RETURN_IF_ERROR(Start(graph, kUmapExtent));
    return OptimizeUmap(graph, method, anchors_, options_.seed,
                        Progress(kSearchShare, 1), &points_);
  }

  absl::Status LayOut(const TsneMethod& method) {
    FIRTH_ASSIGN_OR_RETURN(NeighborLists lists,
                           Neighbors(TsneNeighbors(method)));
    if (lists.count == 0) return Start({}, kTsneExtent);
    DistancesToProbabilities(method.perplexity, &lists);
    const NeighborGraph graph = JoinLists(lists, EdgeUnion::kMean);
    FIRTH_RETURN_IF_ERROR(Start(graph, kTsneExtent));
    return OptimizeTsne(graph, method, anchors_, Progress(kSearchShare, 1),
                        &points_);
  }

  absl::Status LayOut(const PcaMethod&) {
    if (!Progress(0, 1)(1)) return absl::CancelledError("interrupted");
    return Start({}, kUmapExtent);
  }

  absl::StatusOr<NeighborLists> Neighbors(size_t count) const {
    return FindNeighborLists(units_, count, Progress(0, kSearchShare));
  }

  // Sets the initial positions. `graph` is used only with an old map.
  absl::Status Start(const NeighborGraph& graph, float extent) {
    SpreadPoints(extent, options_.seed, &points_);
    if (!anchors_.places.empty()) {
      PlaceByAnchors(graph, anchors_, options_.seed, &points_);
    }
    return absl::OkStatus();
  }

  // Returns a function that reports progress and returns whether to continue.
  // Its argument is the finished fraction of the part [begin, end] of the work.
  std::function<bool(double)> Progress(double begin, double end) const {
    return [this, begin, end](double done) {
      if (hooks_.progress != nullptr) {
        hooks_.progress->OnTrain({.fraction = begin + done * (end - begin)});
      }
      return !hooks_.StopRequested();
    };
  }

  // Maximum absolute value of the initial coordinates. UMAP's points need room,
  // and t-SNE's begin close together.
  static constexpr float kUmapExtent = 10;
  static constexpr float kTsneExtent = 1e-3f;
  // Approximate fraction of the time that the search for neighbors takes.
  static constexpr double kSearchShare = 0.5;

  const WordVectors& units_;
  const MapOptions& options_;
  const Hooks& hooks_;
  Anchors anchors_;
  std::vector<Point> points_;
};

absl::StatusOr<WordVectors> PointsOf(const Vocabulary& words,
                                     const std::vector<Point>& points) {
  std::vector<float> rows;
  rows.reserve(2 * points.size());
  for (const Point& point : points) {
    rows.insert(rows.end(), {point.x, point.y});
  }
  return WordVectors::Create(words, FloatTable(std::move(rows), 2));
}

template <class Method>
void AddEpochs(FieldsOf<Method>* fields, absl::string_view automatic) {
  fields->Add("epochs", &Method::epochs,
              "number of rounds in which points move",
              Field().Range(1, 100'000).Automatic(0, automatic));
}

}  // namespace

FieldTable UmapMethod::Fields() {
  FieldsOf<UmapMethod> fields;
  fields.Add(
      "neighbors", &UmapMethod::neighbors,
      "number of nearest neighbors that attract a word, including itself; "
      "small numbers show small groups, and large numbers show the "
      "overall structure",
      Field().Range(2, 1000).Everyday());
  fields.Add("min-dist", &UmapMethod::min_dist,
             "minimum distance between neighboring words on the map; smaller "
             "values pack groups more tightly",
             Field().Range(0, 1));
  AddEpochs(&fields, "500 with umap (200 for more than 10,000 words)");
  return fields;
}

FieldTable TsneMethod::Fields() {
  FieldsOf<TsneMethod> fields;
  fields.Add(
      "perplexity", &TsneMethod::perplexity,
      "approximate number of neighbors that affect the position of a word",
      Field().Range(1, 300).Everyday());
  AddEpochs(&fields, "1000");
  return fields;
}

FieldTable MapOptions::Fields() {
  FieldsOf<MapOptions> fields;
  fields.Variant("method", &MapOptions::method,
                 "choose the projection: umap preserves neighborhoods and some "
                 "of the overall structure; tsne preserves more neighbors but "
                 "takes several times as long; pca projects onto the first two "
                 "principal components, which is fastest",
                 Field().Everyday());
  fields.Add(
      "hold", &MapOptions::hold,
      "set how strongly words of the old map keep their positions: 1 keeps "
      "them fixed, and 0 uses the old positions only as starting points",
      Field().Range(0, 1).Everyday());
  fields.Add("seed", &MapOptions::seed, "set the random seed",
             Field().Everyday());
  fields.Add("threads", &MapOptions::threads, "number of threads")
      .Range(0, kMostThreads)
      .Default("0, which means all cores")
      .Work();
  return fields;
}

absl::Status MapOptions::Validate() const { return CheckFields(*this); }

absl::StatusOr<WordMap> MakeMap(const WordVectors& vectors,
                                const MapOptions& options,
                                const WordMap* old_map, const Hooks& hooks) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  const ThreadsInScope threads(NumThreads(options.threads));
  FIRTH_ASSIGN_OR_RETURN(const WordVectors units, UnitVectorsOf(vectors));
  FIRTH_ASSIGN_OR_RETURN(const std::vector<Point> points,
                         Layout(units, options, hooks).Points(old_map));
  WordMap map;
  FIRTH_ASSIGN_OR_RETURN(map.points, PointsOf(units.vocabulary(), points));
  map.clusters = FindClusters(points, units.vocabulary());
  map.method = std::string(NameOf(options));
  map.seed = options.seed;
  return map;
}

}  // namespace firth

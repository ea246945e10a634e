// The table of routes.

#include "serve/route.h"

namespace firth::tools {

using MakeRoute = Route();

MakeRoute InfoRoute;
MakeRoute NeighborsRoute;
MakeRoute AnalogyRoute;
MakeRoute SimilarityRoute;
MakeRoute MatrixRoute;
MakeRoute VectorsRoute;
MakeRoute SentencesRoute;
MakeRoute OddRoute;
MakeRoute SpellingRoute;
MakeRoute WordsRoute;
MakeRoute MapRoute;
MakeRoute MapPointsRoute;
MakeRoute MapWordsRoute;
MakeRoute MapTileRoute;
MakeRoute EmbedRoute;
MakeRoute ContextRoute;
MakeRoute TagRoute;
MakeRoute ClassifyRoute;
MakeRoute CompareRoute;
MakeRoute AxesRoute;
MakeRoute WeatRoute;
MakeRoute MovedRoute;
MakeRoute EvaluationRoute;
MakeRoute LogRoute;
MakeRoute HealthRoute;
MakeRoute MetricsRoute;
MakeRoute OpenapiRoute;

namespace {

constexpr MakeRoute* kRoutes[] = {
    &InfoRoute,     &NeighborsRoute, &AnalogyRoute,    &SimilarityRoute,
    &MatrixRoute,   &VectorsRoute,   &SentencesRoute,  &OddRoute,
    &SpellingRoute, &WordsRoute,     &MapRoute,        &MapPointsRoute,
    &MapWordsRoute, &MapTileRoute,   &EmbedRoute,      &ContextRoute,
    &TagRoute,      &ClassifyRoute,  &CompareRoute,    &AxesRoute,
    &WeatRoute,     &MovedRoute,     &EvaluationRoute, &LogRoute,
    &HealthRoute,   &MetricsRoute,   &OpenapiRoute};

}  // namespace

const std::vector<Route>& Routes() {
  static const auto* const routes = [] {
    auto* const made = new std::vector<Route>;
    for (MakeRoute* make : kRoutes) made->push_back(make());
    return made;
  }();
  return *routes;
}

Answer JsonAnswer(const Json& json) {
  return {"application/json", Share(OneLine(json) + "\n")};
}

}  // namespace firth::tools

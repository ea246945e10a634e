// Lays out words in two dimensions.

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "ask/question.h"
#include "firth/layout.h"
#include "firth/postprocess.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

struct MapRequest {
  uint64_t words = 2000;
  MapOptions options;

  static FieldTable Fields() {
    FieldsOf<MapRequest> fields;
    fields.Add("words", &MapRequest::words,
               "lay out this many of the most frequent words; 0 means all");
    fields.Part(&MapRequest::options);
    return fields;
  }
};

struct MapAnswer {
  std::vector<std::string> words;
  std::vector<std::vector<float>> points;
  std::vector<MapCluster> clusters;

  static AnswerTable Members() {
    return {
        {"words", &MapAnswer::words,
         "words whose vectors are not zero, most frequent first"},
        {"points", &MapAnswer::points, "x and y of each word"},
        {"clusters", &MapAnswer::clusters, "dense areas with their labels"}};
  }
};

absl::StatusOr<MapAnswer> LayOut(const Opened& opened,
                                 const MapRequest& request) {
  PostprocessOptions selection;
  selection.max_vocab = request.words;
  selection.drop_subwords = true;
  FIRTH_ASSIGN_OR_RETURN(const WordVectors vectors,
                         Postprocess(opened.vectors().vectors(), selection));
  FIRTH_ASSIGN_OR_RETURN(const WordMap map, MakeMap(vectors, request.options,
                                                    nullptr, opened.hooks()));
  MapAnswer answer{{}, {}, map.clusters};
  for (size_t i = 0; i < map.points.size(); ++i) {
    const WordId word = ToWordId(i);
    answer.words.emplace_back(map.points.vocabulary().Word(word));
    answer.points.push_back(map.points.CopyVector(word));
  }
  return answer;
}

// Returns the number of epochs of a request, 0 for the default of its method.
uint64_t EpochsOf(const MapOptions& options) {
  return std::visit(
      [](const auto& method) -> uint64_t {
        if constexpr (requires { method.epochs; }) return method.epochs;
        return 0;
      },
      options.method);
}

}  // namespace

Question MapQuestion() {
  return MakeQuestion<MapRequest, MapAnswer>(
      {.name = "map",
       .summary = "lay out words as points in two dimensions",
       .description =
           "Gives each word a position close to the words with similar "
           "vectors, finds dense areas (clusters), and labels each with its "
           "most frequent words. The same seed gives the same map.",
       .slots = {VectorsSlot(VectorAccess::kAll)},
       .example = R"({"words":4,"method":"pca"})",
       .lane = Lane::kSlow},
      &LayOut, [](const Opened& opened, const MapRequest& request) {
        const uint64_t all = opened.vectors().vectors().size();
        const uint64_t words =
            request.words == 0 ? all : std::min(all, request.words);
        // Laying out a word costs more than writing its part of the answer, and
        // the cost grows with the epochs.
        constexpr uint64_t kUsualEpochs = 1000;
        return words * 400 * std::max(EpochsOf(request.options), kUsualEpochs) /
               kUsualEpochs;
      });
}

}  // namespace firth

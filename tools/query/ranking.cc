#include "query/ranking.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/human.h"

namespace firth::tools {

std::string NeighborText(const Vocabulary& vocabulary,
                         const std::vector<Neighbor>& neighbors,
                         bool indented) {
  TextTable table("lr");
  for (const Neighbor& neighbor : neighbors) {
    table.AddRow(
        {absl::StrCat(indented ? "  " : "", vocabulary.Word(neighbor.word)),
         absl::StrFormat("%.4f", neighbor.score)});
  }
  return table.ToString();
}

void RankingOptions::Declare(OptionSet* options) {
  options->Integer("top", &top, 1, 1000000, "answers to print");
  options
      ->Integer("restrict", & restrict, 0, std::numeric_limits<uint64_t>::max(),
                "look for answers among this many words only, the most "
                "frequent ones; 0: all")
      .range.clear();
  options->Choice<Method>(
      "index", &method,
      {{"exact", Method::kExact},
       {"int8", Method::kInt8},
       {"hnsw", Method::kHnsw}},
      "how to look: at all vectors; first at the vectors rounded to bytes, "
      "faster one question at a time; through the graph "
      "that \"firth index\" built, which may miss some");
  options->Integer("breadth", &breadth, 1, 1000000,
                   "words that --index hnsw looks at last: more of them take "
                   "longer and miss fewer");
}

absl::Status RankingOptions::Check(const OptionSet& options) const {
  if (method == Method::kHnsw&& restrict > 0) {
    return absl::InvalidArgumentError(
        "--restrict does not go with --index hnsw, whose graph holds all "
        "words");
  }
  if (method != Method::kHnsw && options.Given("breadth")) {
    return absl::InvalidArgumentError("--breadth is for --index hnsw");
  }
  return absl::OkStatus();
}

absl::StatusOr<NearestNeighbors> RankingOptions::Open(
    WordVectors vectors, const std::string& path) const {
  SearchOptions search;
  if (method == Method::kInt8) search = Int8Search();
  if (method == Method::kHnsw) search = HnswSearch{HnswPath(path), breadth};
  absl::StatusOr<NearestNeighbors> neighbors =
      NearestNeighbors::Create(std::move(vectors), search, restrict);
  if (neighbors.ok() || method != Method::kHnsw) return neighbors;
  return absl::Status(neighbors.status().code(),
                      absl::StrCat(neighbors.status().message(),
                                   " (\"firth index ", path, "\" builds it)"));
}

std::string HnswPath(const std::string& vectors_path) {
  return vectors_path + ".hnsw";
}

}  // namespace firth::tools

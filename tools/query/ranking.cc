#include "query/ranking.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/human.h"

namespace firth::tools {

std::string NeighborText(const Vocabulary& vocabulary,
                         const std::vector<Neighbor>& neighbors,
                         bool indented) {
  TextTable table("ls");
  for (const Neighbor& neighbor : neighbors) {
    table.AddRow(
        {absl::StrCat(indented ? "  " : "", vocabulary.Word(neighbor.word)),
         absl::StrFormat("%.4f", neighbor.score)});
  }
  return table.ToString();
}

FieldTable FieldsFor(const RankingOptions*) {
  FieldsOf<RankingOptions> fields;
  fields.Add("top", &RankingOptions::top, "answers to print").Range(1, 1000000);
  fields.Add("restrict", &RankingOptions::restrict,
             "look for answers among this many words only, the most frequent "
             "ones; 0: all");
  fields.Variant(
      "index", &RankingOptions::search,
      "how to look: at all vectors; first at the vectors rounded to bytes, "
      "faster one question at a time; through the graph that \"firth index\" "
      "built, which may miss some");
  return fields;
}

absl::Status RankingOptions::Check() const {
  if (restrict == 0 || !std::holds_alternative<HnswSearch>(search)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "--restrict does not go with --index hnsw, whose graph holds all words");
}

absl::StatusOr<NearestNeighbors> RankingOptions::Open(
    WordVectors vectors, const std::string& path) const {
  SearchOptions with_path = search;
  auto* const hnsw = std::get_if<HnswSearch>(&with_path);
  if (hnsw != nullptr) hnsw->path = HnswPath(path);
  absl::StatusOr<NearestNeighbors> neighbors =
      NearestNeighbors::Create(std::move(vectors), with_path, restrict);
  if (neighbors.ok() || hnsw == nullptr) return neighbors;
  return absl::Status(neighbors.status().code(),
                      absl::StrCat(neighbors.status().message(),
                                   " (\"firth index ", path, "\" builds it)"));
}

std::string HnswPath(const std::string& vectors_path) {
  return vectors_path + ".hnsw";
}

}  // namespace firth::tools

#include "query/ranking.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/console.h"
#include "cli/human.h"
#include "firth/postprocess.h"
#include "firth/status_macros.h"

namespace firth::tools {

std::string DecimalText(double value, uint64_t digits) {
  return absl::StrFormat("%.*f", static_cast<int>(digits), value);
}

std::string NeighborText(const Vocabulary& vocabulary,
                         const std::vector<Neighbor>& neighbors, bool indented,
                         uint64_t digits) {
  TextTable table("ls");
  for (const Neighbor& neighbor : neighbors) {
    table.AddRow(
        {absl::StrCat(indented ? "  " : "", vocabulary.Word(neighbor.word)),
         DecimalText(neighbor.score, digits)});
  }
  return table.ToString();
}

FieldTable RankingOptions::Fields() {
  FieldsOf<RankingOptions> fields;
  fields.Add("top", &RankingOptions::top, "number of answers to print")
      .Range(1, 1000000);
  fields.Add("restrict", &RankingOptions::restrict,
             "allow only this many of the most frequent words as answers; 0 "
             "means all");
  fields.Variant(
      "index", &RankingOptions::search,
      "choose the search method: exact compares all vectors; int8 first "
      "selects candidates with vectors rounded to bytes, which is faster for "
      "single questions; hnsw searches the graph built by \"firth index\", "
      "which is fastest for large vocabularies but may miss some neighbors");
  return fields;
}

void RankingOptions::Declare(OptionSet* options) {
  options->Fields(this);
  options->Path(
      "within", "FILE", &within, Reads(),
      "path to a list of words, one per line; only these can be answers");
}

absl::Status RankingOptions::Check() const {
  if (!std::holds_alternative<HnswSearch>(search)) return absl::OkStatus();
  if (restrict == 0 && within.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      restrict != 0 ? "--restrict" : "--within",
      " cannot be combined with --index hnsw, whose graph contains all words"));
}

absl::StatusOr<WordVectors> RankingOptions::Candidates(
    const WordVectors& vectors) const {
  if (within.empty()) return vectors;
  FIRTH_ASSIGN_OR_RETURN(const Vocabulary words, LoadVocabulary(within));
  absl::StatusOr<WordVectors> selected = SelectWords(vectors, words);
  if (!selected.ok()) {
    return absl::Status(
        selected.status().code(),
        absl::StrCat(within, ": ", selected.status().message()));
  }
  if (selected->size() < words.size()) {
    PrintMessage(absl::StrCat(within, ": ",
                              Thousands(words.size() - selected->size()),
                              " of ", Counted(words.size(), "word"),
                              " have no vectors and cannot be answers"));
  }
  return selected;
}

absl::StatusOr<NearestNeighbors> RankingOptions::Open(
    const WordVectors& vectors, const std::string& path) const {
  SearchOptions with_path = search;
  auto* const hnsw = std::get_if<HnswSearch>(&with_path);
  if (hnsw != nullptr) hnsw->path = HnswPath(path);
  FIRTH_ASSIGN_OR_RETURN(WordVectors candidates, Candidates(vectors));
  absl::StatusOr<NearestNeighbors> neighbors =
      NearestNeighbors::Create(std::move(candidates), with_path, restrict);
  if (neighbors.ok() || hnsw == nullptr) return neighbors;
  return absl::Status(neighbors.status().code(),
                      absl::StrCat(neighbors.status().message(),
                                   " (\"firth index ", path, "\" builds it)"));
}

}  // namespace firth::tools

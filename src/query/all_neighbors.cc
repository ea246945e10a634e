#include "firth/all_neighbors.h"

#include <algorithm>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/output_file.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

// Returns how many words are searched for together: enough for a matrix
// product, and few enough that Ctrl-C takes effect soon and that the answers
// need little memory.
size_t BlockWords(size_t top) {
  constexpr size_t kMostWords = 1024;
  constexpr size_t kMostAnswers = size_t{1} << 20;
  return std::clamp(kMostAnswers / std::max<size_t>(top, 1), size_t{1},
                    kMostWords);
}

absl::Status CheckNoTabs(const Vocabulary& vocabulary) {
  for (const absl::string_view word : vocabulary.Words()) {
    if (word.find_first_of("\t\n\r") == word.npos) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "the word \"", Utf8SafeCHexEscape(word.substr(0, 80)),
        "\" contains a tab or a line end, which would break the table"));
  }
  return absl::OkStatus();
}

// Returns the lines of the words [begin, begin + count).
std::string BlockText(const WordVectors& vectors,
                      const NearestNeighbors& neighbors, size_t begin,
                      size_t count, size_t top) {
  const Vocabulary& candidates = neighbors.vectors().vocabulary();
  std::vector<std::vector<float>> rows;
  std::vector<NeighborQuery> queries;
  rows.reserve(count);
  for (size_t i = begin; i < begin + count; ++i) {
    const absl::string_view word = vectors.vocabulary().Word(ToWordId(i));
    rows.push_back(vectors.CopyVector(ToWordId(i)));
    queries.push_back({rows.back(), {}});
    if (const auto itself = candidates.Find(word)) {
      queries.back().exclude = {*itself};
    }
  }
  const auto found = neighbors.FindAll(queries, top);
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    const absl::string_view word =
        vectors.vocabulary().Word(ToWordId(begin + i));
    for (const Neighbor& neighbor : found[i]) {
      absl::StrAppendFormat(&text, "%s\t%s\t%.6f\n", word,
                            candidates.Word(neighbor.word), neighbor.score);
    }
  }
  return text;
}

}  // namespace

absl::Status SaveAllNeighbors(const WordVectors& vectors,
                              const NearestNeighbors& neighbors, size_t top,
                              const std::string& path, const Hooks& hooks) {
  if (vectors.dim() != neighbors.vectors().dim()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the vectors must have ", neighbors.vectors().dim(),
                     " dimensions, found ", vectors.dim()));
  }
  FIRTH_RETURN_IF_ERROR(CheckNoTabs(vectors.vocabulary()));
  FIRTH_RETURN_IF_ERROR(CheckNoTabs(neighbors.vectors().vocabulary()));
  FIRTH_ASSIGN_OR_RETURN(OutputFile out, OutputFile::Create(path));
  const size_t block = BlockWords(std::min(top, neighbors.num_candidates()));
  for (size_t begin = 0; begin < vectors.size(); begin += block) {
    if (hooks.StopRequested()) return absl::CancelledError("interrupted");
    const size_t count = std::min(block, vectors.size() - begin);
    FIRTH_RETURN_IF_ERROR(
        out.Write(BlockText(vectors, neighbors, begin, count, top)));
    if (hooks.progress == nullptr) continue;
    hooks.progress->OnTrain({.fraction = static_cast<double>(begin + count) /
                                         static_cast<double>(vectors.size())});
  }
  return out.Commit();
}

}  // namespace firth

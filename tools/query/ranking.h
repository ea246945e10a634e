// How commands look for words near a vector, and how they show them.

#ifndef FIRTH_TOOLS_QUERY_RANKING_H_
#define FIRTH_TOOLS_QUERY_RANKING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ask/open_models.h"
#include "cli/option_set.h"
#include "firth/query.h"

namespace firth::tools {

// --top, --restrict, --within, --index and --breadth.
struct RankingOptions {
  uint64_t top = 10;
  uint64_t restrict = 0;
  std::string within;  // a list of the words that can be answers
  SearchOptions search;

  static FieldTable Fields();
  void Declare(OptionSet* options);
  absl::Status Check() const;
  // `path`: of the vectors.
  absl::StatusOr<NearestNeighbors> Open(const WordVectors& vectors,
                                        const std::string& path) const;

 private:
  // Those of the words that can be answers.
  absl::StatusOr<WordVectors> Candidates(const WordVectors& vectors) const;
};

// Number of decimals of a cosine without --digits.
inline constexpr uint64_t kCosineDigits = 4;
std::string DecimalText(double value, uint64_t digits);

// Two aligned columns, word and score, for PrintStyled(); indented when under a
// label.
std::string NeighborText(const Vocabulary& vocabulary,
                         const std::vector<Neighbor>& neighbors, bool indented,
                         uint64_t digits = kCosineDigits);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_QUERY_RANKING_H_

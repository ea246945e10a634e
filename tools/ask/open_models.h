// Opens model files for questions, and chooses how vectors are searched.

#ifndef FIRTH_TOOLS_ASK_OPEN_MODELS_H_
#define FIRTH_TOOLS_ASK_OPEN_MODELS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/option_set.h"
#include "firth/ask.h"
#include "firth/opened.h"
#include "firth/query.h"

namespace firth::tools {

// --restrict, --within, --index and --breadth.
struct SearchChoice {
  uint64_t restrict = 0;
  std::string within = {};  // Path to a list of the words that can be answers.
  SearchOptions search = {};

  static FieldTable Fields();
  void Declare(OptionSet* options);
  absl::Status Check() const;
  // Returns a search of the vectors that were read from `path`.
  absl::StatusOr<NearestNeighbors> Open(const WordVectors& vectors,
                                        const std::string& path) const;

 private:
  absl::StatusOr<WordVectors> Candidates(const WordVectors& vectors) const;
};

// Returns the path of the HNSW index of a vector file.
std::string HnswPath(const std::string& vectors_path);

// Opens a file for a slot, or a file of any kind if `slot` is null. A
// supervised fastText model, which contains vectors too, is then a classifier,
// unless `prefer_vectors`. Errors: InvalidArgument, a file of another kind,
// vectors without words, or a tagger that requires another model; errors of
// loading.
absl::StatusOr<OpenedModel> OpenModel(const std::string& name,
                                      const std::string& path, const Slot* slot,
                                      const SearchChoice& search,
                                      bool prefer_vectors = false);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_ASK_OPEN_MODELS_H_

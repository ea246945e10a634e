// KeptVectors: vectors that are answers, collected for a file, each word once.

#ifndef FIRTH_TOOLS_QUERY_KEPT_VECTORS_H_
#define FIRTH_TOOLS_QUERY_KEPT_VECTORS_H_

#include <cstddef>
#include <string>
#include <unordered_set>
#include <vector>

#include "absl/status/status.h"
#include "query/word_questions.h"

namespace firth::tools {

class KeptVectors {
 public:
  void Add(const WordsAnswer& answer);
  // dim: of all vectors. Errors: as of SaveVectorFile().
  absl::Status Save(size_t dim, const std::string& path,
                    const std::string& format) const;

 private:
  std::unordered_set<std::string> known_;
  std::vector<std::string> words_;
  std::vector<float> values_;  // [words, dim]
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_QUERY_KEPT_VECTORS_H_

#include "query/kept_vectors.h"

#include <utility>

#include "absl/strings/string_view.h"
#include "cli/vector_files.h"
#include "firth/status_macros.h"

namespace firth::tools {

void KeptVectors::Add(const WordsAnswer& answer) {
  for (const auto& [label, row] : answer.rows) {
    if (!known_.insert(label).second) continue;
    values_.insert(values_.end(), row.begin(), row.end());
    words_.push_back(label);
  }
}

absl::Status KeptVectors::Save(size_t dim, const std::string& path,
                               const std::string& format) const {
  const std::vector<absl::string_view> words(words_.begin(), words_.end());
  FIRTH_ASSIGN_OR_RETURN(Vocabulary vocabulary, Vocabulary::Create(words, {}));
  VectorFile file;
  FIRTH_ASSIGN_OR_RETURN(
      file.vectors,
      WordVectors::Create(std::move(vocabulary),
                          FloatTable(std::vector<float>(values_), dim)));
  return SaveVectorFile(file, path, format);
}

}  // namespace firth::tools

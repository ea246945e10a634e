// The tensors of BERT and GPT-2, by name, and the parameters that they become.

#ifndef FIRTH_LM_PRETRAINED_TENSORS_H_
#define FIRTH_LM_PRETRAINED_TENSORS_H_

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/matrix.h"
#include "io/tensors/tensor_folder.h"
#include "lm/pretrained_config.h"

namespace firth {

// An original tensor, as columns of a parameter. A vector is a row.
struct TensorSource {
  std::string tensor;
  std::vector<uint64_t> shape;
  bool turned = false;  // whether its rows become columns
  size_t first_column = 0;
};
struct ParameterSources {
  std::string parameter;
  std::vector<TensorSource> sources;
};

// Returns the sources of the layers' parameters, whose names begin with
// `place`, without the positions, which have other sources, too.
std::vector<ParameterSources> LayerSources(const PretrainedConfig& config,
                                           const std::string& place);

// Returns the sources of BERT's head for next sentences.
std::vector<ParameterSources> NextSentenceSources(uint64_t dim);

// The tensors of a folder, under the names that the newest libraries use.
// Borrows the folder.
class PretrainedTensors {
 public:
  // Names that are the same for all models of a kind.
  struct Names {
    const char* prefix;     // optional prefix of names
    const char* table;      // [vocab_size, units]
    const char* positions;  // [context, units]
    const char* output;     // [vocab_size, units], if not tied
    // Prefixes and suffixes of the names of tensors that are not used.
    std::vector<const char*> other_begins;
    std::vector<const char*> other_ends;
  };

  PretrainedTensors(const TensorFolder& folder, PretrainedConfig::Kind kind);

  const Names& names() const { return names_; }
  bool Has(const std::string& name) const {
    return folder_.Has(NameInFolder(name));
  }
  // Like TensorFolder::Check() and TensorFolder::Read().
  absl::Status Check(const std::string& name,
                     absl::Span<const uint64_t> shape) const {
    return folder_.Check(NameInFolder(name), shape);
  }
  absl::StatusOr<Matrix<float>> Read(const std::string& name,
                                     const std::vector<uint64_t>& shape);

  // Returns the tensors that were not read, except those that models of the
  // kind may have in addition.
  std::vector<std::string> Unknown() const;

 private:
  std::string NameInFolder(const std::string& name) const;
  bool IsOther(const std::string& name) const;

  const TensorFolder& folder_;
  const Names& names_;
  std::set<std::string> read_;
};

}  // namespace firth

#endif  // FIRTH_LM_PRETRAINED_TENSORS_H_

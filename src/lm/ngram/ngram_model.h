// NgramModel: a counting model as a TextModel.

#ifndef FIRTH_LM_NGRAM_NGRAM_MODEL_H_
#define FIRTH_LM_NGRAM_NGRAM_MODEL_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/language_model.h"
#include "lm/ngram/ngram_file.h"
#include "lm/read/text_model.h"

namespace firth {

class NgramModel : public TextModel {
 public:
  explicit NgramModel(NgramModelData data) : data_(std::move(data)) {}

  absl::StatusOr<Perplexity> Measure(const Corpus& text,
                                     const MeasureOptions& options,
                                     const Hooks& hooks) override;
  absl::StatusOr<std::vector<std::vector<TokenScore>>> TokenScores(
      absl::Span<const Sentence> sentences, const Hooks& hooks) override;
  absl::StatusOr<std::unique_ptr<Continuation>> Continue(
      const GenerateOptions& options) override;
  // Writes an ARPA file if the name ends in .arpa, otherwise a .safetensors.
  absl::Status Save(const std::string& path) override;
  std::map<std::string, std::string>& metadata() override {
    return data_.metadata;
  }

 private:
  NgramModelData data_;
};

}  // namespace firth

#endif  // FIRTH_LM_NGRAM_NGRAM_MODEL_H_

#include "probe/static_context.h"

#include <algorithm>

#include "nn/elementwise.h"
#include "tag/token_features.h"

namespace firth {

void AddStaticContext(const WordVectors& vectors,
                      const std::vector<std::string>& tokens, size_t position,
                      size_t count, size_t reach, float* sum) {
  std::vector<float> vector(vectors.dim());
  const size_t behind = position + count;
  const size_t end = behind + std::min(reach, tokens.size() - behind);
  for (size_t t = position - std::min(reach, position); t < end; ++t) {
    if (t >= position && t < behind) continue;
    CopyTokenVector(vectors, tokens[t], absl::MakeSpan(vector));
    nn::AddScaled(vector.size(), 1.0f, vector.data(), sum);
  }
}

}  // namespace firth

// A text whose tokens are shown beside those of a question: where a word means
// the same as there.

#ifndef FIRTH_TOOLS_SERVE_REFERENCE_TEXT_H_
#define FIRTH_TOOLS_SERVE_REFERENCE_TEXT_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/contextualizer.h"
#include "serve/models.h"

namespace firth::tools {

// A token of the text by its place.
struct TextToken {
  size_t sentence;
  size_t token;
  float cosine;
};

class ReferenceText {
 public:
  // Reads the first sentences of a text, one a line with tokens between white
  // space, up to some ten thousand tokens. Errors: of reading; InvalidArgument,
  // no token.
  static absl::StatusOr<std::shared_ptr<const ReferenceText>> Read(
      const std::string& path);

  // The k tokens of greatest cosine with `vector` in a layer of the model, best
  // first. The first call for a model embeds the text. The caller holds
  // file.mutex. Thread-safe. Errors: of embedding.
  absl::StatusOr<std::vector<TextToken>> Nearest(const LanguageModelFile& file,
                                                 size_t layer,
                                                 absl::Span<const float> vector,
                                                 size_t k) const;

  const std::string& Word(const TextToken& at) const {
    return sentences_[at.sentence][at.token];
  }
  // The token between two stars each side, with some words around it.
  std::string Context(const TextToken& at) const;

 private:
  std::vector<std::vector<std::string>> sentences_;
  mutable std::mutex mutex_;  // of what follows, of the model asked last
  mutable const LanguageModelFile* embedded_by_ = nullptr;
  mutable std::vector<TokenVectors> vectors_;
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_REFERENCE_TEXT_H_

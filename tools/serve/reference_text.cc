#include "serve/reference_text.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "firth/query.h"
#include "firth/status_macros.h"
#include "firth/tagged_text.h"
#include "serve/tokens.h"

namespace firth::tools {
namespace {

// Their vectors take 4 bytes a dimension and layer each: with 3 layers of 1024
// dimensions 123 MB.
constexpr size_t kMostTextTokens = 10000;
constexpr size_t kWordsAround = 6;

bool IsBetter(const TextToken& a, const TextToken& b) {
  return std::tuple(-a.cosine, a.sentence, a.token) <
         std::tuple(-b.cosine, b.sentence, b.token);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const ReferenceText>> ReferenceText::Read(
    const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(
      TaggedTextReader reader,
      TaggedTextReader::Open(
          {.inputs = {path}, .form = TextForm::kText, .with_tags = false}));
  auto text = std::make_shared<ReferenceText>();
  for (size_t tokens = 0; tokens < kMostTextTokens;) {
    FIRTH_ASSIGN_OR_RETURN(std::vector<TaggedSentence> read, reader.Next(100));
    if (read.empty()) break;
    for (TaggedSentence& sentence : read) {
      tokens += sentence.tokens.size();
      if (sentence.tokens.empty() || tokens > kMostTextTokens) continue;
      text->sentences_.push_back(std::move(sentence.tokens));
    }
  }
  if (!text->sentences_.empty()) return text;
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": the file contains no sentences (one per line)"));
}

absl::StatusOr<std::vector<TextToken>> ReferenceText::Nearest(
    const LanguageModelFile& file, size_t layer, absl::Span<const float> vector,
    size_t k) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (embedded_by_ != &file) {
    FIRTH_ASSIGN_OR_RETURN(vectors_, file.model->Embed(Borrow(sentences_)));
    embedded_by_ = &file;
  }
  std::vector<TextToken> tokens;
  for (size_t s = 0; s < vectors_.size(); ++s) {
    for (size_t t = 0; t < vectors_[s].tokens; ++t) {
      tokens.push_back(
          {s, t, Similarity(vector, vectors_[s].Vector(layer, t))});
    }
  }
  k = std::min(k, tokens.size());
  std::partial_sort(tokens.begin(), tokens.begin() + static_cast<ptrdiff_t>(k),
                    tokens.end(), IsBetter);
  tokens.resize(k);
  return tokens;
}

std::string ReferenceText::Context(const TextToken& at) const {
  const std::vector<std::string>& sentence = sentences_[at.sentence];
  const size_t first = at.token - std::min(at.token, kWordsAround);
  const size_t end = std::min(sentence.size(), at.token + kWordsAround + 1);
  std::string context = first > 0 ? "... " : "";
  for (size_t t = first; t < end; ++t) {
    const char* const star = t == at.token ? "**" : "";
    absl::StrAppend(&context, t > first ? " " : "", star, sentence[t], star);
  }
  return end < sentence.size() ? context + " ..." : context;
}

}  // namespace firth::tools

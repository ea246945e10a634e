// The end of a document is represented as a sentence of one word, so that texts
// with documents are read, counted and stored like any other text.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "firth/language_model.h"
#include "firth/status_macros.h"
#include "firth/tagged_text.h"

namespace firth {
namespace {

// Sentences read per call.
constexpr size_t kMostRead = 1024;

class DocumentReader {
 public:
  // `inputs` is used in messages.
  DocumentReader(TaggedTextReader reader, std::string inputs)
      : reader_(std::move(reader)), inputs_(std::move(inputs)) {}

  absl::StatusOr<std::optional<absl::Span<const absl::string_view>>> Next() {
    bool ends = false;  // whether empty lines were read
    for (;; ++next_) {
      if (next_ == read_.size()) {
        next_ = 0;
        FIRTH_ASSIGN_OR_RETURN(read_, reader_.Next(kMostRead));
        if (read_.empty()) return End();
      }
      if (!read_[next_].tokens.empty()) break;
      ends = true;
    }
    if (ends && in_document_) {
      in_document_ = false;
      words_ = {kDocumentEnd};
      return absl::MakeConstSpan(words_);
    }
    has_text_ = in_document_ = true;
    const std::vector<std::string>& tokens = read_[next_++].tokens;
    words_.assign(tokens.begin(), tokens.end());
    return absl::MakeConstSpan(words_);
  }

 private:
  absl::StatusOr<std::optional<absl::Span<const absl::string_view>>> End()
      const {
    if (has_text_) return std::nullopt;
    return absl::InvalidArgumentError(
        absl::StrCat(inputs_, ": the input contains no text"));
  }

  TaggedTextReader reader_;
  std::string inputs_;
  bool has_text_ = false;
  std::vector<TaggedSentence> read_;
  size_t next_ = 0;
  bool in_document_ = false;
  std::vector<absl::string_view> words_;
};

}  // namespace

absl::StatusOr<SentenceSource> DocumentSentences(
    const std::vector<std::string>& inputs, const Hooks& hooks) {
  FIRTH_ASSIGN_OR_RETURN(
      TaggedTextReader reader,
      TaggedTextReader::Open(
          {.inputs = inputs, .form = TextForm::kText, .with_tags = false},
          hooks.stop));
  const auto shared = std::make_shared<DocumentReader>(
      std::move(reader), absl::StrJoin(inputs, ", "));
  return SentenceSource([shared] { return shared->Next(); });
}

}  // namespace firth

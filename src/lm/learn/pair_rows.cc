#include "lm/learn/pair_rows.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/check.h"
#include "base/rng.h"
#include "corpus/token_stream.h"
#include "firth/language_model.h"
#include "firth/status_macros.h"
#include "firth/tagged_text.h"
#include "lm/model/language_model_options.h"

namespace firth {

namespace {

constexpr size_t kPairMarks = 3;

// The end of a document is represented as a sentence of one word, so that texts
// with documents are read, counted and stored like any other text.

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

PairRows::PairRows(const Corpus& text, uint32_t first_word)
    : tokens_(text.tokens->tokens()), first_word_(first_word) {
  const std::optional<WordId> border = text.vocabulary.Find(kDocumentEnd);
  size_t begin = 0;
  const auto end_document = [&] {
    if (documents_.back() < sentences_.size()) {
      documents_.push_back(sentences_.size());
    }
  };
  for (size_t at = 0; at < tokens_.size(); ++at) {
    if (tokens_[at] != TokenStream::kSentenceEnd) continue;
    const bool ends = at == begin + 1 && border.has_value() &&
                      tokens_[begin] == Index(*border);
    if (ends) {
      end_document();
    } else {
      sentences_.push_back({begin, at});
    }
    begin = at + 1;
  }
  end_document();
}

absl::Status PairRows::Check(const Corpus& text, size_t steps) {
  if (steps <= kPairMarks + 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("unroll: pairs of sentences need steps of at least ",
                     kPairMarks + 2, " tokens, found ", steps));
  }
  const size_t documents = PairRows(text, 0).num_documents();
  if (documents >= 2) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("next-sentence: the text needs at least two documents, "
                   "separated by empty lines, found ",
                   documents));
}

bool PairRows::set_position(uint64_t position) {
  if (position >= sentences_.size()) return false;
  next_ = position;
  return true;
}

size_t PairRows::DocumentOf(size_t sentence) const {
  const auto behind =
      std::upper_bound(documents_.begin(), documents_.end(), sentence);
  return static_cast<size_t>(behind - documents_.begin()) - 1;
}

PairRows::Words PairRows::Take(size_t sentence, size_t enough,
                               size_t* end) const {
  const size_t last = documents_[DocumentOf(sentence) + 1];
  Words words = sentences_[sentence];
  size_t count = words.end - words.begin;
  for (*end = sentence + 1; *end < last && count < enough; ++*end) {
    count += sentences_[*end].end - sentences_[*end].begin;
    words.end = sentences_[*end].end;
  }
  return words;
}

size_t PairRows::DrawOther(size_t document, Rng& rng) const {
  auto other = rng.Below(static_cast<uint32_t>(num_documents() - 1));
  if (other >= document) ++other;
  const size_t first = documents_[other];
  const size_t sentences = documents_[other + 1] - first;
  return first + rng.Below(static_cast<uint32_t>(sentences));
}

// A pair does not contain the ends of the sentences inside a run.
void PairRows::Append(Words words, std::vector<uint32_t>* ids) const {
  for (size_t at = words.begin; at < words.end; ++at) {
    if (tokens_[at] == TokenStream::kSentenceEnd) continue;
    ids->push_back(tokens_[at] + first_word_);
  }
}

void PairRows::Fill(size_t pairs, size_t steps, uint64_t key,
                    PairChunk* chunk) {
  FIRTH_CHECK(steps > kPairMarks + 1);
  const size_t room = steps - kPairMarks;
  *chunk = {};
  std::vector<uint32_t> part;
  for (size_t pair = 0; pair < pairs; ++pair) {
    Rng rng(CombineKeys(key, pair));
    size_t end = 0;
    const size_t enough = 1 + rng.Below(static_cast<uint32_t>(room / 2));
    const Words first = Take(next_, enough, &end);
    const size_t document = DocumentOf(next_);
    const bool goes_on = end < documents_[document + 1];
    const bool follows = rng.NextFloat() < 0.5f && goes_on;
    const size_t begin = chunk->ids.size();
    chunk->ids.push_back(kBeginSentenceId);
    part.clear();
    Append(first, &part);
    const size_t kept = std::min(part.size(), room / 2);
    chunk->ids.insert(chunk->ids.end(),
                      part.end() - static_cast<ptrdiff_t>(kept), part.end());
    chunk->ids.push_back(kEndSentenceId);
    chunk->seconds.push_back(chunk->ids.size());
    size_t behind = 0;
    part.clear();
    Append(Take(follows ? end : DrawOther(document, rng), room - kept, &behind),
           &part);
    part.resize(std::min(part.size(), room - kept));
    chunk->ids.insert(chunk->ids.end(), part.begin(), part.end());
    chunk->ids.push_back(kEndSentenceId);
    chunk->lengths.push_back(chunk->ids.size() - begin);
    chunk->labels.push_back(follows ? 0 : 1);
    next_ = (follows ? behind : end) % sentences_.size();
  }
}

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

// Reads documents: lines become sentences of a corpus, and their tags are noted
// on the way.
//
// A filter stands between the text and the reader of the corpus. It receives
// the blocks of the text in order, counts the bytes of each line and, if the
// first column has tags, replaces this column by spaces, so that positions in
// messages stay correct.

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/quote.h"
#include "base/unicode.h"
#include "corpus/text_source.h"
#include "corpus/token_stream.h"
#include "firth/documents.h"
#include "firth/status_macros.h"
#include "firth/thousands.h"
#include "vocab/corpus_reader.h"

namespace firth {
namespace {

// Numbers tags in the order of appearance.
class TagTable {
 public:
  // Adds a tag of the current document.
  void Add(absl::string_view tag) {
    const auto [at, is_new] = ids_.try_emplace(tag, counts_.size());
    if (is_new) {
      counts_.push_back(0);
      words_.push_back(&at->first);
      last_.push_back(0);
    }
    const uint32_t id = at->second;
    if (last_[id] == begins_.size()) return;  // The document has it already.
    last_[id] = begins_.size();
    ++counts_[id];
    tag_ids_.push_back(id);
  }
  void EndDocument() { begins_.push_back(tag_ids_.size()); }

  size_t documents() const { return begins_.size() - 1; }

  // Moves the tags to the documents.
  absl::Status MoveTo(Documents* documents) {
    std::vector<absl::string_view> words;
    words.reserve(words_.size());
    for (const std::string* const word : words_) words.push_back(*word);
    FIRTH_ASSIGN_OR_RETURN(
        documents->tags, Vocabulary::CreateDistinct(words, std::move(counts_)));
    documents->tag_begins = std::move(begins_);
    documents->tag_ids = std::move(tag_ids_);
    return absl::OkStatus();
  }

 private:
  // Keys do not move, so that words_ can refer to them.
  absl::node_hash_map<std::string, uint32_t> ids_;
  std::vector<const std::string*> words_;
  std::vector<uint64_t> counts_;
  std::vector<uint64_t> last_;  // Number of the last document with the tag.
  std::vector<uint64_t> begins_ = {0};
  std::vector<uint32_t> tag_ids_;
};

class DocumentFilter : public BlockSource {
 public:
  // Borrows the tags; null if there are none.
  DocumentFilter(std::unique_ptr<BlockSource> source, DocumentTags form,
                 TagTable* tags)
      : source_(std::move(source)), form_(form), tags_(tags) {}

  absl::StatusOr<bool> Next(TextBlock* block) override {
    FIRTH_ASSIGN_OR_RETURN(const bool found, source_->Next(block));
    if (!found) return false;
    uint64_t line = block->first_line;
    uint64_t before = block->line_offset;  // Bytes of the line before `begin`.
    for (size_t begin = 0;;) {
      const absl::string_view rest = block->text().substr(begin);
      const size_t size = std::min(rest.find('\n'), rest.size());
      const bool ends = size < rest.size() || block->ends_line;
      if (rest.empty() && !(ends && inside_line_)) return true;
      FIRTH_RETURN_IF_ERROR(
          TakeLine({absl::StrCat(*block->file, ":", line), before,
                    absl::MakeSpan(block->bytes).subspan(begin, size), ends}));
      if (size == rest.size()) return true;
      begin += size + 1;
      before = 0;
      ++line;
      if (begin == block->size) return true;
    }
  }
  uint64_t files() const override { return source_->files(); }
  uint64_t bytes() const override { return source_->bytes(); }

 private:
  // A line, or a part of one.
  struct Line {
    std::string place;
    uint64_t before;  // Bytes of the line before this part.
    absl::Span<char> bytes;
    bool ends;
  };

  absl::Status TakeLine(const Line& line) {
    const uint64_t size = line.before + line.bytes.size();
    if (size > kMostDocumentBytes) {
      return absl::InvalidArgumentError(absl::StrCat(
          line.place, ": the document is longer than ",
          Thousands(kMostDocumentBytes),
          " bytes; each line is a document. Divide it into several lines, "
          "which may have the same tag"));
    }
    const bool begins = !std::exchange(inside_line_, !line.ends);
    if (tags_ == nullptr) return absl::OkStatus();
    if (begins) FIRTH_RETURN_IF_ERROR(TakeTags(line));
    if (line.ends) tags_->EndDocument();
    return absl::OkStatus();
  }

  absl::Status TakeTags(const Line& line) {
    if (form_ == DocumentTags::kLine) {
      tags_->Add(absl::StrCat(tags_->documents() + 1));
      return absl::OkStatus();
    }
    const absl::string_view text(line.bytes.data(), line.bytes.size());
    const size_t tab = text.find('\t');
    if (tab == text.npos) {
      return absl::InvalidArgumentError(absl::StrCat(
          line.place, ": expected tags, a tab and the text, found no tab in ",
          Quote(text.substr(0, 60))));
    }
    bool any = false;
    for (const absl::string_view tag :
         absl::StrSplit(text.substr(0, tab), ' ', absl::SkipEmpty())) {
      tags_->Add(tag);
      any = true;
    }
    if (!any) {
      return absl::InvalidArgumentError(
          absl::StrCat(line.place, ": expected a tag before the tab"));
    }
    std::memset(line.bytes.data(), ' ', tab + 1);
    return absl::OkStatus();
  }

  std::unique_ptr<BlockSource> source_;
  DocumentTags form_;
  TagTable* tags_;
  bool inside_line_ = false;  // Whether a part of a line was taken.
};

absl::StatusOr<Corpus> ReadKeepingLines(ReadPlan plan, const Hooks& hooks) {
  if (hooks.ranks != nullptr) {
    return absl::UnimplementedError(
        "documents: several processes cannot train document vectors together");
  }
  plan.empty = EmptySentences::kKeep;
  if (!plan.filter && !plan.options.sentences) {
    plan.filter = [](std::unique_ptr<BlockSource> source) {
      return std::make_unique<DocumentFilter>(std::move(source),
                                              DocumentTags::kLine, nullptr);
    };
  }
  return ReadAsPlanned(plan, hooks);
}

// Warns about documents without words, whose vectors are not trained.
void WarnOfEmpty(const Documents& documents, const Hooks& hooks) {
  uint64_t empty = 0;
  uint64_t first = 0;
  uint64_t document = 0;
  bool after_end = true;
  for (const uint32_t token : documents.corpus.tokens->tokens()) {
    const bool is_end = token == TokenStream::kSentenceEnd;
    if (is_end && after_end && empty++ == 0) first = document;
    document += is_end;
    after_end = is_end;
  }
  if (empty == 0 || hooks.progress == nullptr) return;
  hooks.progress->OnWarning(absl::StrCat(
      Thousands(empty), empty == 1 ? " document has" : " documents have",
      " no word of the vocabulary, ", empty == 1 ? "" : "the first of them ",
      "in line ", first + 1,
      "; tags of such documents alone get zero vectors"));
}

}  // namespace

absl::StatusOr<Documents> ReadDocuments(const DocumentTextOptions& options,
                                        const Hooks& hooks) {
  TagTable tags;
  Documents documents;
  FIRTH_ASSIGN_OR_RETURN(
      documents.corpus,
      ReadKeepingLines({.options = options.corpus,
                        .vocabulary_options = options.vocabulary,
                        .filter =
                            [&](std::unique_ptr<BlockSource> source) {
                              return std::make_unique<DocumentFilter>(
                                  std::move(source), options.tags, &tags);
                            }},
                       hooks));
  FIRTH_RETURN_IF_ERROR(tags.MoveTo(&documents));
  WarnOfEmpty(documents, hooks);
  return documents;
}

absl::StatusOr<Corpus> ReadDocumentCorpus(
    const CorpusOptions& options, const VocabularyOptions& vocabulary_options,
    const Hooks& hooks) {
  return ReadKeepingLines(
      {.options = options, .vocabulary_options = vocabulary_options}, hooks);
}

absl::StatusOr<Corpus> ReadDocumentCorpus(const CorpusOptions& options,
                                          const Vocabulary& vocabulary,
                                          const Hooks& hooks) {
  return ReadKeepingLines({.options = options, .vocabulary = &vocabulary},
                          hooks);
}

absl::StatusOr<Documents> AddTags(
    Corpus corpus, absl::Span<const std::vector<absl::string_view>> tags) {
  const auto count = static_cast<uint64_t>(
      std::count(corpus.tokens->tokens().begin(), corpus.tokens->tokens().end(),
                 TokenStream::kSentenceEnd));
  if (count != tags.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("tags: expected those of ", Thousands(count),
                     " documents, found ", Thousands(tags.size())));
  }
  TagTable table;
  for (size_t i = 0; i < tags.size(); ++i) {
    for (const absl::string_view tag : tags[i]) {
      if (tag.empty() || tag.find('\n') != tag.npos) {
        return absl::InvalidArgumentError(
            absl::StrCat("tags: a tag of document ", i + 1,
                         " is empty or contains a line end"));
      }
      table.Add(tag);
    }
    table.EndDocument();
  }
  Documents documents;
  documents.corpus = std::move(corpus);
  FIRTH_RETURN_IF_ERROR(table.MoveTo(&documents));
  return documents;
}

}  // namespace firth

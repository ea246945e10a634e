// Words get their ids in the order of the unigrams. The n-grams of an order are
// collected with packed ids, sorted, and added to the trie, so that the file
// may have any order.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/quote.h"
#include "corpus/byte_source.h"
#include "corpus/decompressor.h"
#include "firth/status_macros.h"
#include "io/codecs/text_row.h"
#include "io/codecs/text_table.h"
#include "lm/model/language_model_options.h"
#include "lm/ngram/ngram_file.h"
#include "lm/ngram/sorted_counts.h"

namespace firth {
namespace {

constexpr size_t kHeadBytes = 4096;
constexpr uint64_t kFewestLineBytes = 4;
constexpr absl::string_view kData = "\\data\\";
constexpr absl::string_view kEnd = "\\end\\";
constexpr float kNever = -100;  // log10 p of <unk> if the file lacks it
constexpr float kNoBackoff = std::numeric_limits<float>::quiet_NaN();

bool IsSpace(char c) { return c == ' ' || c == '\t'; }

// Takes the first field of the line; empty if there is none.
absl::string_view TakeField(absl::string_view* line) {
  size_t begin = 0;
  while (begin < line->size() && IsSpace((*line)[begin])) ++begin;
  size_t end = begin;
  while (end < line->size() && !IsSpace((*line)[end])) ++end;
  const absl::string_view field = line->substr(begin, end - begin);
  line->remove_prefix(end);
  return field;
}

// Returns the id of a word with a special meaning.
std::optional<uint32_t> MarkOf(absl::string_view word) {
  for (uint32_t id = 0; id < kMarks.size(); ++id) {
    if (absl::EqualsIgnoreCase(word, kMarks[id])) return id;
  }
  return std::nullopt;
}

struct Ngram {
  bool operator<(const Ngram& other) const { return words < other.words; }

  absl::uint128 words = 0;
  uint32_t line = 0;
  float log_probability = 0;
  float backoff = 0;
};

class ArpaReader {
 public:
  explicit ArpaReader(const MappedFile& file)
      : lines_({file.path()}, nullptr), file_bytes_(file.size()) {}

  absl::StatusOr<NgramModelData> Read() {
    FIRTH_RETURN_IF_ERROR(ReadCounts());
    FIRTH_RETURN_IF_ERROR(ReadUnigrams());
    for (int n = 2; n <= order(); ++n) FIRTH_RETURN_IF_ERROR(ReadOrder(n));
    if (absl::StripAsciiWhitespace(line_) != kEnd) return Expected(kEnd);
    FIRTH_ASSIGN_OR_RETURN(Vocabulary words,
                           Vocabulary::CreateDistinct(words_, {}));
    for (uint32_t node = 0; node < builder_->size(); ++node) {
      if (!builder_->IsInner(node)) break;
      float& backoff = builder_->backoff(node);
      if (std::isnan(backoff)) backoff = 0;
    }
    return NgramModelData{std::move(words),
                          std::move(*builder_).Finish(/*is_additive=*/false),
                          kArpaSmoothing,
                          {}};
  }

 private:
  int order() const { return static_cast<int>(counts_.size()); }

  absl::Status Expected(absl::string_view what) const {
    return Bad(absl::StrCat("expected ", what, ", found ",
                            at_end_ ? "the end of the file" : Quote(line_)));
  }
  // Reads the next line that is not blank into line_.
  absl::Status NextLine() {
    do {
      FIRTH_ASSIGN_OR_RETURN(const bool found, lines_.Next(&line_));
      at_end_ = !found;
    } while (!at_end_ && absl::StripAsciiWhitespace(line_).empty());
    if (at_end_) line_ = "";
    return absl::OkStatus();
  }

  absl::Status ReadCounts();
  absl::Status ReadUnigrams();
  absl::Status ReadOrder(int n);
  // Reads the title of a section, then calls read() for each of its lines.
  template <class ReadLine>
  absl::Status ReadSection(int n, const ReadLine& read);
  // Reads the values and words of line_.
  absl::Status ParseLine(int n, absl::Span<absl::string_view> words,
                         Ngram* ngram) const;
  absl::Status AddNgrams(int n, std::vector<Ngram> ngrams);
  std::string WordsOf(absl::uint128 words, int n) const;

  absl::Status Bad(absl::string_view message) const {
    return absl::InvalidArgumentError(
        absl::StrCat(lines_.Place(), ": ", message));
  }

  LineReader lines_;
  uint64_t file_bytes_;
  absl::string_view line_;
  bool at_end_ = false;
  std::vector<uint64_t> counts_;  // [order]
  std::vector<std::string> kept_;
  std::vector<absl::string_view> words_;
  absl::flat_hash_map<std::string, uint32_t> ids_;
  std::optional<NgramPacking> packing_;
  std::optional<NgramTrieBuilder> builder_;
};

absl::Status ArpaReader::ReadCounts() {
  do {
    FIRTH_RETURN_IF_ERROR(NextLine());
    if (at_end_) return Expected(kData);
  } while (absl::StripAsciiWhitespace(line_) != kData);
  for (;;) {
    FIRTH_RETURN_IF_ERROR(NextLine());
    absl::string_view rest = absl::StripAsciiWhitespace(line_);
    if (!absl::ConsumePrefix(&rest, "ngram ")) break;
    const size_t equal = rest.find('=');
    int n;
    uint64_t count;
    if (equal == rest.npos || !absl::SimpleAtoi(rest.substr(0, equal), &n) ||
        !absl::SimpleAtoi(rest.substr(equal + 1), &count)) {
      return Expected("\"ngram ORDER=COUNT\"");
    }
    if (n != order() + 1) {
      return Expected(absl::StrCat("\"ngram ", order() + 1, "=COUNT\""));
    }
    if (n > kMostNgramOrder) {
      return Bad(absl::StrCat("n-grams of more than ", kMostNgramOrder,
                              " words are not supported"));
    }
    counts_.push_back(count);
  }
  return counts_.empty() ? Expected("\"ngram 1=COUNT\"") : absl::OkStatus();
}

template <class ReadLine>
absl::Status ArpaReader::ReadSection(int n, const ReadLine& read) {
  const std::string title = absl::StrCat("\\", n, "-grams:");
  if (absl::StripAsciiWhitespace(line_) != title) return Expected(title);
  uint64_t found = 0;
  for (;; ++found) {
    FIRTH_RETURN_IF_ERROR(NextLine());
    if (at_end_ || line_.front() == '\\') break;
    if (found == counts_[n - 1]) {
      return Bad(absl::StrCat("expected ", found, " ", n,
                              "-grams, as the header states, found "
                              "more"));
    }
    FIRTH_RETURN_IF_ERROR(read());
  }
  if (found == counts_[n - 1]) return absl::OkStatus();
  return Bad(absl::StrCat("expected ", counts_[n - 1], " ", n,
                          "-grams, as the header states, found ", found,
                          at_end_ ? " to the end of the file" : ""));
}

absl::Status ArpaReader::ParseLine(int n, absl::Span<absl::string_view> words,
                                   Ngram* ngram) const {
  absl::string_view rest = line_;
  const auto parse = [&](absl::string_view field, float* value) {
    const char* const end = field.data() + field.size();
    return ParseFloat(field.data(), end, value) == end && !field.empty() &&
           std::abs(*value) <= kMostLog10;
  };
  const absl::string_view first = TakeField(&rest);
  if (!parse(first, &ngram->log_probability)) {
    return Bad(
        absl::StrCat("expected log10 of a probability, found ", Quote(first)));
  }
  if (ngram->log_probability > 0) {
    return Bad(absl::StrCat(
        "expected log10 of a probability, at most 0, found ", first));
  }
  for (int i = 0; i < n; ++i) {
    words[i] = TakeField(&rest);
    if (!words[i].empty()) continue;
    return Bad(absl::StrCat("expected ", n, " words, found ", i));
  }
  const absl::string_view last = TakeField(&rest);
  ngram->backoff = kNoBackoff;
  ngram->line = static_cast<uint32_t>(lines_.line());
  if (!last.empty() && (n == order() || !parse(last, &ngram->backoff))) {
    return Bad(absl::StrCat(
        "expected ", n == order() ? "nothing" : "log10 of a backoff weight",
        " after ", n, " words, found ", Quote(last)));
  }
  rest = absl::StripAsciiWhitespace(rest);
  if (rest.empty()) return absl::OkStatus();
  return Bad(absl::StrCat("expected the end of the line, found ", Quote(rest)));
}

absl::Status ArpaReader::ReadUnigrams() {
  std::vector<Ngram> ngrams(kMarks.size());
  std::array<bool, kMarks.size()> has_mark = {};
  for (const absl::string_view mark : kMarks) kept_.emplace_back(mark);
  ngrams[kUnknownId].log_probability = kNever;
  ngrams[kUnknownId].backoff = 0;
  FIRTH_RETURN_IF_ERROR(ReadSection(1, [&]() -> absl::Status {
    absl::string_view word;
    Ngram ngram;
    FIRTH_RETURN_IF_ERROR(ParseLine(1, absl::MakeSpan(&word, 1), &ngram));
    const std::optional<uint32_t> mark = MarkOf(word);
    const auto id = mark.value_or(static_cast<uint32_t>(ngrams.size()));
    if ((mark.has_value() && has_mark[*mark]) ||
        !ids_.emplace(word, id).second) {
      return Bad(absl::StrCat("the word ", Quote(word), " occurs twice"));
    }
    if (mark.has_value()) {
      has_mark[*mark] = true;
      ngrams[*mark] = ngram;
    } else {
      ngrams.push_back(ngram);
      kept_.emplace_back(word);
    }
    return absl::OkStatus();
  }));
  for (const uint32_t mark : {kBeginSentenceId, kEndSentenceId}) {
    if (has_mark[mark]) continue;
    return Bad(absl::StrCat("expected a unigram ", kArpaMarks[mark]));
  }
  words_.assign(kept_.begin(), kept_.end());
  FIRTH_ASSIGN_OR_RETURN(packing_,
                         NgramPacking::Create(order(), words_.size()));
  builder_.emplace(order(), words_.size());
  for (uint32_t word = 0; word < ngrams.size(); ++word) {
    const uint32_t node = NgramTrie::NodeOf(word);
    builder_->log_probability(node) = ngrams[word].log_probability;
    if (order() > 1) builder_->backoff(node) = ngrams[word].backoff;
  }
  return absl::OkStatus();
}

absl::Status ArpaReader::ReadOrder(int n) {
  std::vector<Ngram> ngrams;
  ngrams.reserve(std::min(counts_[n - 1], file_bytes_ / kFewestLineBytes));
  std::array<absl::string_view, kMostNgramOrder> fields;
  FIRTH_RETURN_IF_ERROR(ReadSection(n, [&]() -> absl::Status {
    Ngram& ngram = ngrams.emplace_back();
    FIRTH_RETURN_IF_ERROR(ParseLine(n, absl::MakeSpan(fields), &ngram));
    ngram.words = 0;
    for (int i = 0; i < n; ++i) {
      const auto id = ids_.find(fields[i]);
      if (id == ids_.end()) {
        return Bad(absl::StrCat("the word ", Quote(fields[i]),
                                " is not among the unigrams"));
      }
      ngram.words = packing_->Append(ngram.words, id->second);
    }
    return absl::OkStatus();
  }));
  return AddNgrams(n, std::move(ngrams));
}

std::string ArpaReader::WordsOf(absl::uint128 words, int n) const {
  std::vector<absl::string_view> spelled;
  for (int i = n - 1; i >= 0; --i) {
    spelled.push_back(words_[packing_->Word(words, i)]);
  }
  return Quote(absl::StrJoin(spelled, " "));
}

absl::Status ArpaReader::AddNgrams(int n, std::vector<Ngram> ngrams) {
  if (!std::is_sorted(ngrams.begin(), ngrams.end())) {
    std::sort(ngrams.begin(), ngrams.end());
  }
  builder_->StartOrder(ngrams.size());
  std::array<uint32_t, kMostNgramOrder> context = {};
  for (size_t i = 0; i < ngrams.size(); ++i) {
    const Ngram& ngram = ngrams[i];
    const auto bad = [&](absl::string_view message) {
      return BadLine(lines_.file(), ngram.line,
                     absl::StrCat(WordsOf(ngram.words, n), " ", message));
    };
    if (i > 0 && ngrams[i - 1].words == ngram.words) {
      return bad(absl::StrCat("also occurs in line ", ngrams[i - 1].line));
    }
    for (int k = 0; k + 1 < n; ++k) {
      context[k] = packing_->Word(ngram.words, n - 1 - k);
    }
    const uint32_t parent =
        builder_->FindContext(absl::MakeConstSpan(context).first(n - 1));
    if (parent == NgramTrie::kNone) {
      return bad(absl::StrCat("without its last word is not among the ", n - 1,
                              "-grams"));
    }
    if (std::isnan(builder_->backoff(parent))) {
      return bad("without its last word has no backoff weight");
    }
    const uint32_t word = packing_->Word(ngram.words, 0);
    const uint32_t suffix =
        n < order() ? builder_->SuffixOf(parent, word) : NgramTrie::kRoot;
    FIRTH_ASSIGN_OR_RETURN(const uint32_t node,
                           builder_->Add(parent, word, suffix));
    builder_->log_probability(node) = ngram.log_probability;
    if (n < order()) builder_->backoff(node) = ngram.backoff;
  }
  builder_->FinishOrder();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<bool> IsArpa(const MappedFile& file) {
  std::string head(kHeadBytes, '\0');
  const std::unique_ptr<ByteSource> source =
      Decompress(RecogniseCompression(file.bytes().substr(0, kMagicBytes)),
                 file.path(), MakeMemorySource(file.bytes()));
  size_t size = 0;
  for (size_t read = 1; read > 0 && size < head.size(); size += read) {
    FIRTH_ASSIGN_OR_RETURN(read,
                           source->Read(absl::MakeSpan(head).subspan(size)));
  }
  head.resize(size);
  return absl::StartsWith(head, kData) ||
         absl::StrContains(head, absl::StrCat("\n", kData));
}

absl::StatusOr<NgramModelData> ReadArpa(const MappedFilePtr& file) {
  return ArpaReader(*file).Read();
}

}  // namespace firth

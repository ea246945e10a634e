// Reads a corpus: a single pass over the text yields a vocabulary and a stream
// of word ids.

#ifndef FIRTH_CORPUS_H_
#define FIRTH_CORPUS_H_

#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/normalization.h"
#include "firth/progress.h"
#include "firth/vocabulary.h"

namespace firth {

class FieldTable;
class TokenStream;  // the corpus as word ids; src/corpus/token_stream.h

// Handling of bytes that are not valid UTF-8.
enum class Utf8Policy {
  kKeep,     // They stay in the token unchanged.
  kReplace,  // Each maximal invalid part becomes U+FFFD.
  kError,    // Reading fails, with file, line and byte.
};

// Yields the next sentence of a corpus in memory, or nothing after the last
// one; it is then not called again. Its words must not be empty, may contain
// any other bytes including white space, and must stay valid until the next
// call. An error stops the reading, which returns it. Must not throw.
using SentenceSource = std::function<
    absl::StatusOr<std::optional<absl::Span<const absl::string_view>>>()>;

// Returns a source of the sentences in a range of ranges of strings, such as a
// std::vector<std::vector<std::string>>. The range must outlive the source. A
// copy of the source continues independently from the position of the original.
template <class Sentences>
SentenceSource SentencesIn(const Sentences& sentences) {
  return [next = std::begin(sentences), end = std::end(sentences),
          words = std::vector<absl::string_view>()]() mutable
         -> absl::StatusOr<std::optional<absl::Span<const absl::string_view>>> {
    if (next == end) return std::nullopt;
    words.assign(std::begin(*next), std::end(*next));
    ++next;
    return absl::MakeConstSpan(words);
  };
}

template <class Sentences>
SentenceSource SentencesIn(const Sentences&& gone) = delete;

struct CorpusOptions {
  // Files, folders (every regular file below them, in sorted order, except
  // hidden ones) and "-" for standard input. Inputs may be plain or compressed
  // by gzip, bzip2, xz or zstd, which is detected from the content and not from
  // the name.
  std::vector<std::string> inputs;
  // If set, read instead of `inputs`. The bytes must outlive the call.
  std::optional<absl::string_view> text;
  // If set, read instead of both. Each sentence counts as a line in the report.
  // Calls do not overlap, but may come from other threads while the caller
  // waits, so the caller must not hold a lock that the source needs. Words are
  // normalized and counted like those of a text. A word that contains white
  // space causes an error when it is written in a file format that cannot hold
  // it.
  SentenceSource sentences;

  Utf8Policy utf8 = Utf8Policy::kKeep;
  bool lowercase =
      // Convert to lower case by simple Unicode mapping, code point by code
      // point.
      false;
  // Unicode normalization, which merges words that differ only in their Unicode
  // form. kNfkc turns a few characters into spaces and can thus split a word of
  // a text; words passed in memory keep those characters.
  Normalization normalize = Normalization::kNone;
  // Split words from punctuation at the word boundaries of Unicode annex 29. A
  // word passed in memory may become several, too. Reading fails with
  // FailedPrecondition if ICU is not installed.
  bool split_punctuation = false;
  // Maximum length of a word in bytes, 1 to 2^28. Longer words are dropped and
  // never held in memory whole: such runs without white space are data, not
  // text.
  uint64_t max_word_bytes = 65536;

  // Bytes for structures that grow while reading. Half is for the ids; beyond
  // that they go to a temporary file. The other half is for the words; beyond
  // that, rare ones are pruned, with a warning. 0 means half of the available
  // memory.
  uint64_t memory_bytes = 0;
  // Folder for the temporary file; empty means $TMPDIR or /tmp.
  std::string temp_dir;
  int threads = 0;  // 0 means all cores.

  static FieldTable Fields();
  absl::Status Validate() const;
};

// Limits on which words are kept.
struct VocabularyOptions {
  uint64_t min_count = 5;  // Minimum number of occurrences, at least 1.
  // Maximum number of words, the most frequent first; 0 means no limit.
  uint64_t max_vocab = 0;

  static FieldTable Fields();
  absl::Status Validate() const;
};

// How the counts of words known before reading are updated. Other words are
// counted in the text.
enum class KnownCounts {
  kAdd,      // Add the occurrences in the text, as if both texts were one.
  kReplace,  // Use only the occurrences in the text, which may be 0.
  kKeep,     // Keep the old count; words without a count get that in the text.
};

// Words that the vocabulary contains before the text is read. All of them are
// kept.
struct KnownWords {
  Vocabulary vocabulary;
  KnownCounts counts = KnownCounts::kAdd;
};

// Summary of one reading. `tokens` is the sum of words_kept and the five
// dropped_* counts.
struct CorpusReport {
  uint64_t files = 0;
  // Bytes of text after decompression. For sentences in memory, the bytes of
  // the words plus one per word for white space.
  uint64_t bytes = 0;
  uint64_t lines = 0;  // Lines, including a last line without a line end.
  uint64_t tokens = 0;
  uint64_t words_kept = 0;  // Tokens whose word is in the vocabulary.
  uint64_t types_seen = 0;  // Distinct words; an estimate if words were pruned.
  uint64_t types_kept = 0;
  // Words in types_kept that were known before reading (KnownWords).
  uint64_t types_known = 0;
  uint64_t dropped_min_count = 0;  // Tokens of words below min_count.
  uint64_t dropped_max_vocab = 0;  // Tokens of words beyond max_vocab.
  uint64_t dropped_pruned = 0;     // Tokens of words pruned to save memory.
  uint64_t dropped_not_given = 0;  // Tokens not in the given vocabulary.
  uint64_t dropped_too_long = 0;   // Tokens longer than max_word_bytes.
  // Invalid UTF-8 parts found, whether replaced or kept.
  uint64_t invalid_utf8 = 0;
  uint64_t tokens_with_nul = 0;
  // Bytes of ids in the temporary file; 0 if all fit in memory.
  uint64_t spooled_bytes = 0;
  double seconds = 0;
};

struct Corpus {
  Vocabulary vocabulary;
  std::shared_ptr<const TokenStream> tokens;  // Null after CountWords().
  CorpusReport report;
};

// Reads the text in one pass. The result does not depend on options.threads:
// words are ordered by count, and ties by first appearance.
//
// With hooks.ranks, each rank reads its share of the text. Only files can be
// shared; they are divided by their bytes on disk, in the order of the text,
// and compressed files are not split. Every rank gets the vocabulary and the
// report of the whole text, and the tokens of its own share, which may be
// empty. If memory forces pruning, each rank prunes its own words.
//
// Errors: NotFound (missing file, folder without files), InvalidArgument (no
// token at all, no word reaches min_count, invalid UTF-8 under kError, an empty
// word), DataLoss (corrupt or truncated compressed file), ResourceExhausted
// (full disk), Cancelled (hooks.stop), FailedPrecondition (ranks see different
// files), and errors of options.sentences.
absl::StatusOr<Corpus> ReadCorpus(const CorpusOptions& options,
                                  const VocabularyOptions& vocabulary_options,
                                  const Hooks& hooks = {});

// Reads the text with a given vocabulary, whose order is kept. Its counts are
// kept too, unless they are all 0; then words are counted in this text.
absl::StatusOr<Corpus> ReadCorpus(const CorpusOptions& options,
                                  const Vocabulary& vocabulary,
                                  const Hooks& hooks = {});

// Reads the text and extends a known vocabulary: the result contains the known
// words and the other words that the options keep. Words are ordered by their
// final counts, and ties by the known order. VocabularyOptions::max_vocab
// limits the total, but drops no known word.
absl::StatusOr<Corpus> ReadCorpus(const CorpusOptions& options,
                                  const KnownWords& known,
                                  const VocabularyOptions& vocabulary_options,
                                  const Hooks& hooks = {});

// Like ReadCorpus(), but discards the ids.
absl::StatusOr<Corpus> CountWords(const CorpusOptions& options,
                                  const VocabularyOptions& vocabulary_options,
                                  const Hooks& hooks = {});

}  // namespace firth

#endif  // FIRTH_CORPUS_H_

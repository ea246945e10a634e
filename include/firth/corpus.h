// Reading a corpus: text, read once, becomes a vocabulary and a stream of ids.

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

// How to handle bytes that are not valid UTF-8.
enum class Utf8Policy {
  kKeep,     // they stay in the token as they are
  kReplace,  // each maximal invalid part becomes U+FFFD
  kError,    // reading fails and names file, line and byte
};

// Yields the next sentence of a corpus in memory, and nothing behind the last
// one, after which it is not called again. Its words are not empty, may hold
// any other bytes, white space too, and stay where they are until the next
// call. An error ends the reading, which returns it. Must not throw.
using SentenceSource = std::function<
    absl::StatusOr<std::optional<absl::Span<const absl::string_view>>>()>;

// The source of sentences that are a range of ranges of strings, such as a
// std::vector<std::vector<std::string>>, which must outlive it. A copy of the
// source goes on by itself from where the original is.
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
  // Files, folders (every regular file below, in sorted order; hidden ones are
  // left out) and "-" for standard input. Plain, gzip, bzip2, xz or zstd: the
  // content tells, not the name.
  std::vector<std::string> inputs;
  // Read instead of `inputs` when set; the bytes must outlive the call.
  std::optional<absl::string_view> text;
  // Read instead of both when set; a line of the report is a sentence then.
  // Never called by two threads at once, though by others than the caller,
  // which waits: it must not hold a lock that the source wants. Words are
  // cleaned and counted as those of a text are. One with white space in it is
  // refused by formats of files that cannot hold it, when they are written.
  SentenceSource sentences;

  Utf8Policy utf8 = Utf8Policy::kKeep;
  bool lowercase =
      false;  // simple Unicode lower case, code point by code point
  // Joins words that differ only in their Unicode form. kNfkc turns a few
  // characters into spaces and can therefore split a word in a text; words that
  // are passed in memory keep those characters.
  Normalization normalize = Normalization::kNone;
  // Parts words from punctuation by Unicode's annex 29; words in memory may
  // become several, too. Reading fails with FailedPrecondition where ICU is not
  // installed.
  bool split_punctuation = false;
  // Longer words are dropped, and never held in memory as a whole: it is data
  // without white space that has them, no text. Bytes, 1 to 2^28.
  uint64_t max_word_bytes = 65536;

  // Bytes for what grows while reading: one half for the ids (beyond it they go
  // to a temporary file), one half for the words seen (beyond it rare ones are
  // pruned, with a warning). 0: half of the memory available.
  uint64_t memory_bytes = 0;
  std::string temp_dir;  // for the spool; empty: $TMPDIR, else /tmp
  int threads = 0;       // 0: all cores

  static FieldTable Fields();
  absl::Status Validate() const;
};

// Which of the words seen are kept.
struct VocabularyOptions {
  uint64_t min_count = 5;  // occurrences, at least 1
  uint64_t max_vocab = 0;  // the most frequent ones only; 0: no limit

  static FieldTable Fields();
  absl::Status Validate() const;
};

// How to count words that were known before the text was read. Other words are
// counted in the text.
enum class KnownCounts {
  kAdd,      // the sum of both: as if both texts had been one
  kReplace,  // those in the text, which may be 0
  kKeep,     // they stay; words that have none get that in the text
};

// Words that a vocabulary has before the text is read: it keeps all of them.
struct KnownWords {
  Vocabulary vocabulary;
  KnownCounts counts = KnownCounts::kAdd;
};

// The account of one reading. tokens = words_kept + the five dropped_*.
struct CorpusReport {
  uint64_t files = 0;
  uint64_t bytes = 0;  // of text, after decompression; of sentences in words,
                       // with a byte of white space after each
  uint64_t lines = 0;  // a last line without newline counts
  uint64_t tokens = 0;
  uint64_t words_kept = 0;  // tokens in the vocabulary
  uint64_t types_seen = 0;  // different words; an estimate after pruning
  uint64_t types_kept = 0;
  uint64_t types_known = 0;        // of them before the reading (KnownWords)
  uint64_t dropped_min_count = 0;  // tokens of words below min_count
  uint64_t dropped_max_vocab = 0;  // tokens of words beyond max_vocab
  uint64_t dropped_pruned = 0;     // tokens of words pruned to save memory
  uint64_t dropped_not_given = 0;  // tokens not in the given vocabulary
  uint64_t dropped_too_long = 0;   // tokens of more than max_word_bytes
  uint64_t invalid_utf8 = 0;       // invalid parts found (replaced or kept)
  uint64_t tokens_with_nul = 0;
  uint64_t spooled_bytes = 0;  // ids in the temporary file; 0: in memory
  double seconds = 0;
};

struct Corpus {
  Vocabulary vocabulary;
  std::shared_ptr<const TokenStream> tokens;  // null after CountWords()
  CorpusReport report;
};

// Reads the text once; with hooks.ranks, each rank its share of it: files only,
// whose bytes, as they are on the disk, are shared out in the order of the text
// (compressed files are not cut). The vocabulary and the report are those of
// the whole text on every rank, the tokens those of the share, which may be
// none; where memory forces words to be pruned, each rank prunes its own. The
// result does not depend on options.threads: words are
// ordered by count, ties by first appearance.
// Errors: NotFound (missing file, folder without files), InvalidArgument (no
// token at all, nothing reaches min_count, invalid UTF-8 under kError, an empty
// word), DataLoss (corrupt or truncated compressed file), ResourceExhausted
// (full disk), Cancelled (hooks.stop); those of options.sentences;
// FailedPrecondition, ranks see different files.
absl::StatusOr<Corpus> ReadCorpus(const CorpusOptions& options,
                                  const VocabularyOptions& vocabulary_options,
                                  const Hooks& hooks = {});

// Reads the text with a given vocabulary, which keeps its order. Its counts
// stay too, unless they are all 0: then they are counted in this text.
absl::StatusOr<Corpus> ReadCorpus(const CorpusOptions& options,
                                  const Vocabulary& vocabulary,
                                  const Hooks& hooks = {});

// Reads the text for a vocabulary that grows: of the known words and of those
// others that the options keep, ordered by the counts that they have then, ties
// by the known order. VocabularyOptions::max_vocab limits both together, but
// drops no known word.
absl::StatusOr<Corpus> ReadCorpus(const CorpusOptions& options,
                                  const KnownWords& known,
                                  const VocabularyOptions& vocabulary_options,
                                  const Hooks& hooks = {});

// Reads a corpus like ReadCorpus(), but keeps no ids.
absl::StatusOr<Corpus> CountWords(const CorpusOptions& options,
                                  const VocabularyOptions& vocabulary_options,
                                  const Hooks& hooks = {});

}  // namespace firth

#endif  // FIRTH_CORPUS_H_

// Character n-grams of words, so that what words share in spelling they share
// in meaning, and unknown words have vectors (Bojanowski et al., "Enriching
// Word Vectors with Subword Information", TACL 2017).

#ifndef FIRTH_SUBWORDS_H_
#define FIRTH_SUBWORDS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/vocabulary.h"

namespace firth {

class FieldTable;

// The n-grams of a word are those of min_n to max_n code points of "<word>",
// but for "<" and ">" alone. "</s>" has none.

// Which hash tells an n-gram's bucket.
enum class BucketHash {
  kFasttext,
  // With it "<" and ">" alone are n-grams, too, and "</s>" has some. The
  // number of buckets is a power of 2.
  kFinalfusion,
};

// Words have no n-grams.
struct NoSubwords {
  static constexpr absl::string_view kName = "none";
};

// The hash of an n-gram is its row, modulo the number of rows: different
// n-grams may share one. Hash and rows are those of fastText, or of finalfusion
// where a file says so.
struct BucketSubwords {
  static constexpr absl::string_view kName = "buckets";
  int min_n = 3;  // code points, 1 to max_n
  int max_n = 6;  // at most 100
  uint32_t buckets = 2'000'000;
  // Whether n-grams of buckets without a row count in a mean, as zeros. Pruned
  // models leave them out.
  bool missing_count = true;
  BucketHash hash = BucketHash::kFasttext;

  static FieldTable Fields();
};

// Every n-gram that is frequent enough in the text has a row of its own, as in
// finalfrontier.
struct ExplicitSubwords {
  static constexpr absl::string_view kName = "explicit";
  int min_n = 3;
  int max_n = 6;
  uint64_t min_count = 5;  // tokens of words that have the n-gram, from 1

  static FieldTable Fields();
};

// Few rows, of which each n-gram has several: two n-grams that share one row
// hardly share all. Words have no row of their own; "<word>" counts as an
// n-gram of its word, once more where max_n reaches it. Hashes and rows are
// those of floret and spaCy.
struct FloretSubwords {
  static constexpr absl::string_view kName = "floret";
  int min_n = 3;
  int max_n = 6;
  uint32_t buckets = 50'000;  // rows
  int hashes = 2;             // rows of an n-gram, 1 to 4
  uint32_t seed = 2166136261u;
  std::string word_begin = "<";  // what stands around a word
  std::string word_end = ">";

  static FieldTable Fields();
};

using SubwordOptions =
    std::variant<NoSubwords, BucketSubwords, ExplicitSubwords, FloretSubwords>;

absl::Status Validate(const SubwordOptions& options);

// Whether a word has a row besides those of its n-grams.
bool WordsHaveRows(const SubwordOptions& options);

// Finds the rows of a word's n-grams. Immutable and cheap to copy.
class SubwordIndex {
 public:
  // Creates the index of NoSubwords.
  SubwordIndex();
  // Has rows for the n-grams of the vocabulary's words only (but for floret),
  // in an order that depends on nothing but these words and their counts: what
  // no word of the vocabulary has is never trained. Errors: those of
  // Validate().
  static absl::StatusOr<SubwordIndex> Create(const SubwordOptions& options,
                                             const Vocabulary& vocabulary);
  // Creates an index from stored data: row i belongs to buckets[i], in
  // ascending order. Errors: InvalidArgument, a bucket that is out of range or
  // not above the previous one.
  static absl::StatusOr<SubwordIndex> OfBuckets(const BucketSubwords& options,
                                                std::vector<uint32_t> buckets);
  // Creates an index from stored data: n_grams[i] has row rows[i], which it may
  // share with others, or row i if `rows` is empty. Errors: InvalidArgument, an
  // n-gram that occurs twice, a row without an n-gram, or another number of
  // rows than of n-grams.
  static absl::StatusOr<SubwordIndex> OfNGrams(
      const ExplicitSubwords& options,
      absl::Span<const absl::string_view> n_grams,
      std::vector<uint32_t> rows = {});
  // All rows of floret's.
  static absl::StatusOr<SubwordIndex> OfFloret(const FloretSubwords& options);

  // This index with rows for more n-grams, those of a vocabulary that has
  // grown: what Create() would have made of it, but that no n-gram loses its
  // row. Rows of ExplicitSubwords and FloretSubwords stay where they are, and
  // so do the Buckets() that rows belong to.
  absl::StatusOr<SubwordIndex> Grown(const Vocabulary& vocabulary) const;

  const SubwordOptions& options() const;
  bool empty() const { return rows() == 0; }
  size_t rows() const;

  // Appends the rows of the word's n-grams, in the order of the word, and
  // returns how many vectors their mean is of: more than rows where a bucket
  // without one counts as zeros (see missing_count).
  size_t AppendRows(absl::string_view word, std::vector<uint32_t>* rows) const;

  static constexpr uint32_t kNoRow = UINT32_MAX;

  // The n-grams of the word, each with its rows, if it has any.
  struct NGram {
    std::string text;
    std::vector<uint32_t> rows;
  };
  std::vector<NGram> NGrams(absl::string_view word) const;

  // For storing: the bucket of each row, or its n-gram. Empty for others.
  absl::Span<const uint32_t> Buckets() const;
  std::vector<absl::string_view> RowNGrams() const;
  // The row of each of RowNGrams(), where some share one; else empty.
  absl::Span<const uint32_t> NGramRows() const;

 private:
  struct Body;
  explicit SubwordIndex(std::shared_ptr<const Body> body);
  std::shared_ptr<const Body> body_;
};

}  // namespace firth

#endif  // FIRTH_SUBWORDS_H_

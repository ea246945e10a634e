// Character n-grams of words. Words with a similar spelling share n-grams and
// thus part of their vectors, and unknown words have vectors too (Bojanowski et
// al., "Enriching Word Vectors with Subword Information", TACL 2017).

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

// The n-grams of a word are the sequences of min_n to max_n code points of
// "<word>", except "<" and ">" alone. "</s>" has none.

// Hash function that maps an n-gram to its bucket.
enum class BucketHash {
  kFasttext,
  // finalfusion's hash. "<" and ">" alone count as n-grams, "</s>" has some,
  // and the number of buckets is a power of 2.
  kFinalfusion,
};

// Words have no n-grams.
struct NoSubwords {
  static constexpr absl::string_view kName = "none";
};

// The row of an n-gram is its hash modulo the number of rows, so different
// n-grams may share a row. Hash and rows are those of fastText, or of
// finalfusion if a file requires it.
struct BucketSubwords {
  static constexpr absl::string_view kName = "buckets";
  int min_n = 3;  // In code points, 1 to max_n.
  int max_n = 6;  // In code points, at most 100.
  uint32_t buckets = 2'000'000;
  // Whether n-grams whose bucket has no row count as zeros in a mean. Pruned
  // models leave them out.
  bool missing_count = true;
  BucketHash hash = BucketHash::kFasttext;

  static FieldTable Fields();
};

// Each n-gram that is frequent enough in the text has its own row, as in
// finalfrontier.
struct ExplicitSubwords {
  static constexpr absl::string_view kName = "explicit";
  int min_n = 3;
  int max_n = 6;
  // Minimum number of tokens whose word contains the n-gram, at least 1.
  uint64_t min_count = 5;

  static FieldTable Fields();
};

// A small table in which each n-gram has several rows: two n-grams that share
// one row rarely share all. Words have no row of their own; instead "<word>"
// counts as an n-gram of its word (twice if max_n reaches its length). Hashes
// and rows are those of floret and spaCy.
struct FloretSubwords {
  static constexpr absl::string_view kName = "floret";
  int min_n = 3;
  int max_n = 6;
  uint32_t buckets = 50'000;  // Number of rows.
  int hashes = 2;             // Rows per n-gram, 1 to 4.
  uint32_t seed = 2166136261u;
  std::string word_begin = "<";  // Marks around a word.
  std::string word_end = ">";

  static FieldTable Fields();
};

using SubwordOptions =
    std::variant<NoSubwords, BucketSubwords, ExplicitSubwords, FloretSubwords>;

absl::Status Validate(const SubwordOptions& options);

// Returns whether words have a row in addition to those of their n-grams.
bool WordsHaveRows(const SubwordOptions& options);

// Finds the rows of a word's n-grams. Immutable and cheap to copy.
class SubwordIndex {
 public:
  // Creates an index of NoSubwords.
  SubwordIndex();
  // Creates an index with rows for the n-grams of the vocabulary's words only
  // (except for floret), since other n-grams would never be trained. The order
  // depends only on these words and their counts. Errors: those of Validate().
  static absl::StatusOr<SubwordIndex> Create(const SubwordOptions& options,
                                             const Vocabulary& vocabulary);
  // Restores an index in which row i belongs to buckets[i]. The buckets must be
  // strictly increasing. Errors: InvalidArgument, a bucket that is out of range
  // or not above the previous one.
  static absl::StatusOr<SubwordIndex> OfBuckets(const BucketSubwords& options,
                                                std::vector<uint32_t> buckets);
  // Restores an index in which n_grams[i] has row rows[i], which may be shared,
  // or row i if `rows` is empty. Errors: InvalidArgument, a duplicate n-gram, a
  // row without an n-gram, or different numbers of rows and n-grams.
  static absl::StatusOr<SubwordIndex> OfNGrams(
      const ExplicitSubwords& options,
      absl::Span<const absl::string_view> n_grams,
      std::vector<uint32_t> rows = {});
  // Creates an index with all rows of a floret table.
  static absl::StatusOr<SubwordIndex> OfFloret(const FloretSubwords& options);

  // Returns this index with rows for the n-grams of a vocabulary that has
  // grown: as Create() would make it, except that no n-gram loses its row. Rows
  // of ExplicitSubwords and FloretSubwords keep their positions, and rows of
  // BucketSubwords keep their Buckets().
  absl::StatusOr<SubwordIndex> Grown(const Vocabulary& vocabulary) const;

  const SubwordOptions& options() const;
  bool empty() const { return rows() == 0; }
  size_t rows() const;

  // Appends the rows of the word's n-grams, in the order of the word. Returns
  // the number of vectors to average, which is larger than the number of rows
  // if buckets without a row count as zeros (see missing_count).
  size_t AppendRows(absl::string_view word, std::vector<uint32_t>* rows) const;

  static constexpr uint32_t kNoRow = UINT32_MAX;

  // Returns the n-grams of the word, each with its rows, if it has any.
  struct NGram {
    std::string text;
    std::vector<uint32_t> rows;
  };
  std::vector<NGram> NGrams(absl::string_view word) const;

  // Return, for storing, the bucket or the n-gram of each row; empty for other
  // kinds of subwords.
  absl::Span<const uint32_t> Buckets() const;
  std::vector<absl::string_view> RowNGrams() const;
  // Returns the row of each of RowNGrams() if some share one; otherwise empty.
  absl::Span<const uint32_t> NGramRows() const;

 private:
  struct Body;
  explicit SubwordIndex(std::shared_ptr<const Body> body);
  std::shared_ptr<const Body> body_;
};

}  // namespace firth

#endif  // FIRTH_SUBWORDS_H_

// Vocabulary: the words of a model, with their counts.

#ifndef FIRTH_VOCABULARY_H_
#define FIRTH_VOCABULARY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/word_id.h"

namespace firth {

// An ordered set of words. Immutable and cheap to copy (copies share one body).
// Words are byte strings: they need not be valid UTF-8 and may contain NUL.
class Vocabulary {
 public:
  // Creates the empty vocabulary.
  Vocabulary();

  // Creates a vocabulary in which words[i] has id i. `counts` holds one count
  // per word (occurrences in the corpus), or is empty, which means that all are
  // 0 (unknown). Errors: InvalidArgument for a duplicate word (the message
  // names both positions as "entry N", from 0), for different numbers of counts
  // and words, and for 2^32 - 1 words or more.
  static absl::StatusOr<Vocabulary> Create(
      absl::Span<const absl::string_view> words, std::vector<uint64_t> counts);

  // Creates a vocabulary without checking the words: the hash table for Find()
  // is built by its first call. Duplicate words are not an error. Find() then
  // returns the first id of a duplicate, Word() works for each of them, and
  // CheckDistinct() reports them.
  static absl::StatusOr<Vocabulary> CreateLazily(
      absl::Span<const absl::string_view> words, std::vector<uint64_t> counts);

  // Creates a vocabulary of words that the caller guarantees to be distinct.
  // They are not checked.
  static absl::StatusOr<Vocabulary> CreateDistinct(
      absl::Span<const absl::string_view> words, std::vector<uint64_t> counts);

  // Checks that there are no duplicate words. Errors: as for Create().
  absl::Status CheckDistinct() const;

  size_t size() const;
  bool empty() const { return size() == 0; }

  // Returns the bytes of a word, which live as long as any copy of this
  // vocabulary.
  absl::string_view Word(WordId word) const;
  // Returns the id of a word, or nothing if it is unknown. Thread-safe.
  std::optional<WordId> Find(absl::string_view word) const;
  // Returns all words in the order of their ids, 16 bytes each.
  std::vector<absl::string_view> Words() const;
  // Returns all words concatenated without separators, for use without a copy:
  // word i is bytes()[offsets()[i], offsets()[i + 1]).
  absl::string_view bytes() const;
  // Returns the offsets of the words in bytes(), [size() + 1].
  absl::Span<const uint64_t> offsets() const;

  uint64_t Count(WordId word) const;
  absl::Span<const uint64_t> counts() const;
  // Returns the sum of all counts, in tokens.
  uint64_t total_count() const;

 private:
  struct Body;
  explicit Vocabulary(std::shared_ptr<const Body> body);
  static absl::StatusOr<std::shared_ptr<Body>> MakeBody(
      absl::Span<const absl::string_view> words, std::vector<uint64_t> counts);
  std::shared_ptr<const Body> body_;
};

// Reads a vocabulary file: one word per line, optionally followed by white
// space and its count (word2vec's -save-vocab). Either all lines have a count
// or none does. The order of the lines is the order of the ids. Errors name the
// file and line.
absl::StatusOr<Vocabulary> LoadVocabulary(const std::string& path);

// Writes "word count" lines in the order of the ids, or only the words if all
// counts are 0. The file appears whole or not at all.
absl::Status SaveVocabulary(const Vocabulary& vocabulary,
                            const std::string& path);

// Checks whether SaveVocabulary() could write these words; call it before hours
// of work. Errors: InvalidArgument, a word that is empty or contains white
// space.
absl::Status CheckVocabularyWords(const Vocabulary& vocabulary,
                                  const std::string& path);

}  // namespace firth

#endif  // FIRTH_VOCABULARY_H_

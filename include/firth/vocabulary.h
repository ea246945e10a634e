// Vocabulary: the words a model knows, with their counts.

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

// Immutable and cheap to copy (copies share one body). Words are byte strings:
// they need not be valid UTF-8 and may hold NUL.
class Vocabulary {
 public:
  // The empty vocabulary.
  Vocabulary();

  // Words keep the given order: words[i] gets id i. `counts` holds one count a
  // word (occurrences in the corpus) or is empty, which means all 0: unknown.
  // Errors: InvalidArgument for a word that stands twice (the message names
  // both places as "entry N", from 0), for a number of counts other than that
  // of the words, and for 2^32 - 1 words or more.
  static absl::StatusOr<Vocabulary> Create(
      absl::Span<const absl::string_view> words, std::vector<uint64_t> counts);

  // The same without a look at the words: the table in which Find() looks is
  // made by its first call. A word that stands twice is no error then: Find()
  // gives its first id, Word() gives it for each of them, and CheckDistinct()
  // tells.
  static absl::StatusOr<Vocabulary> CreateLazily(
      absl::Span<const absl::string_view> words, std::vector<uint64_t> counts);

  // The same of words of which the caller knows that none stands twice: nobody
  // then looks.
  static absl::StatusOr<Vocabulary> CreateDistinct(
      absl::Span<const absl::string_view> words, std::vector<uint64_t> counts);

  // Whether no word stands twice. Errors: that of Create().
  absl::Status CheckDistinct() const;

  size_t size() const;
  bool empty() const { return size() == 0; }

  // The bytes live as long as any copy of this vocabulary.
  absl::string_view Word(WordId word) const;
  // Thread-safe.
  std::optional<WordId> Find(absl::string_view word) const;
  // All words in the order of their ids, 16 bytes each.
  std::vector<absl::string_view> Words() const;
  // All words one after another with nothing between them, for those who lend
  // them on without a copy: word i is bytes()[offsets()[i], offsets()[i + 1]).
  absl::string_view bytes() const;
  absl::Span<const uint64_t> offsets() const;  // [size() + 1]

  uint64_t Count(WordId word) const;
  absl::Span<const uint64_t> counts() const;
  // The sum of all counts, in tokens.
  uint64_t total_count() const;

 private:
  struct Body;
  explicit Vocabulary(std::shared_ptr<const Body> body);
  static absl::StatusOr<std::shared_ptr<Body>> MakeBody(
      absl::Span<const absl::string_view> words, std::vector<uint64_t> counts);
  std::shared_ptr<const Body> body_;
};

// Reads a vocabulary file: a word a line, then optionally white space and its
// count (word2vec's -save-vocab). Either every line has a count or none; the
// order of the lines is the order of the ids. Errors name the file and line.
absl::StatusOr<Vocabulary> LoadVocabulary(const std::string& path);

// Writes "word count" lines in the order of the ids, or the words alone where
// all counts are 0; the file appears whole or not at all.
absl::Status SaveVocabulary(const Vocabulary& vocabulary,
                            const std::string& path);

// Whether SaveVocabulary() would write these words, to be asked before hours of
// work. Errors: InvalidArgument for one that is empty or has white space.
absl::Status CheckVocabularyWords(const Vocabulary& vocabulary,
                                  const std::string& path);

}  // namespace firth

#endif  // FIRTH_VOCABULARY_H_

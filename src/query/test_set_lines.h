// The lines of a test set: what its formats have in common.

#ifndef FIRTH_QUERY_TEST_SET_LINES_H_
#define FIRTH_QUERY_TEST_SET_LINES_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "firth/evaluate.h"
#include "firth/query.h"

namespace firth {

// Walks over the lines that are neither empty nor comments (#). Line ends may
// be CR LF; a byte order mark at the start is skipped.
class TestSetLines {
 public:
  static absl::StatusOr<TestSetLines> Open(const std::string& path);
  // Of a text, which `owner` keeps alive, if there is one; `name`: for
  // messages.
  TestSetLines(std::string name, absl::string_view text,
               std::shared_ptr<const void> owner = nullptr);

  const std::string& name() const { return name_; }

  // Sets *line, without white space at its end, and returns true; or returns
  // false after the last. The bytes live as long as this object.
  bool Next(absl::string_view* line);

  // InvalidArgument: the current line, what was expected, what was found; then
  // the line itself.
  absl::Status Error(absl::string_view expected, absl::string_view found) const;

  // A result, or its error with the place of the current line before it.
  absl::StatusOr<std::optional<WordId>> InLine(
      absl::StatusOr<std::optional<WordId>> result) const;

 private:
  std::string name_;
  std::shared_ptr<const void> owner_;
  absl::string_view rest_;
  absl::string_view line_;
  size_t line_number_ = 0;
};

// Gives the words of a file the case that those of a vocabulary have.
class CaseFold {
 public:
  // always: not only where IsLowercase(vocabulary).
  CaseFold(const Vocabulary& vocabulary, bool always)
      : folds_(always || IsLowercase(vocabulary)) {}

  std::string Fold(absl::string_view word);
  // Whether a word became another one.
  bool folded() const { return folded_; }

 private:
  bool folds_;
  bool folded_ = false;
};

// The words of a test set. Unknown ones that have vectors get ids from
// vectors.size() upward.
class TestWords {
 public:
  // Borrows both.
  TestWords(const WordVectors& vectors, const EvaluateOptions& options)
      : vectors_(vectors),
        options_(options),
        fold_(vectors.vocabulary(), options.lowercase) {}

  // Nothing for a word that is to be skipped. Errors: NotFound.
  absl::StatusOr<std::optional<WordId>> Find(absl::string_view word);

  // The word as Find() looks it up.
  std::string Fold(absl::string_view word) { return fold_.Fold(word); }
  bool folded() const { return fold_.folded(); }
  bool IsKnown(WordId word) const { return Index(word) < vectors_.size(); }
  std::vector<float> Vector(WordId word) const {
    return IsKnown(word) ? vectors_.CopyVector(word)
                         : unknown_[Index(word) - vectors_.size()];
  }

 private:
  const WordVectors& vectors_;
  const EvaluateOptions& options_;
  CaseFold fold_;
  std::vector<std::vector<float>> unknown_;
};

}  // namespace firth

#endif  // FIRTH_QUERY_TEST_SET_LINES_H_

// The lines of a test set, with what its formats have in common.

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

// Iterates over the lines that are neither empty nor comments (#). Line ends
// may be CR LF. A byte order mark at the start is skipped.
class TestSetLines {
 public:
  static absl::StatusOr<TestSetLines> Open(const std::string& path);
  // Reads texts as ReadText() does. Their lines begin with texts, so that #
  // begins no comment.
  static absl::StatusOr<TestSetLines> OpenTexts(const std::string& path);
  // Reads a text. `owner`, if any, keeps it alive; `name` is used in messages.
  TestSetLines(std::string name, absl::string_view text,
               std::shared_ptr<const void> owner = nullptr);

  const std::string& name() const { return name_; }

  // Sets *line, without white space at its end, and returns true. Returns false
  // after the last line. The bytes live as long as this object.
  bool Next(absl::string_view* line);

  // Returns InvalidArgument, with the current line number, what was expected,
  // what was found, and the line itself.
  absl::Status Error(absl::string_view expected, absl::string_view found) const;

  // Returns `result`. If it is an error, the position of the current line is
  // put before its message.
  template <class T>
  absl::StatusOr<T> InLine(absl::StatusOr<T> result) const {
    if (result.ok()) return result;
    return InLine(result.status());
  }

 private:
  absl::Status InLine(const absl::Status& status) const;

  std::string name_;
  std::shared_ptr<const void> owner_;
  absl::string_view rest_;
  absl::string_view line_;
  size_t line_number_ = 0;
  bool has_comments_ = true;
};

// Sets `asked`, `total`, the correlations and the interval of a result from its
// scores and cosines.
void Correlate(SimilarityResult* result);

// Converts the words of a file to lower case if the vocabulary is in lower
// case.
class CaseFold {
 public:
  CaseFold() : folds_(false) {}
  // If `always`, words are converted even if not IsLowercase(vocabulary).
  CaseFold(const Vocabulary& vocabulary, bool always)
      : folds_(always || IsLowercase(vocabulary)) {}

  std::string Fold(absl::string_view word);
  // Returns whether any word was changed.
  bool folded() const { return folded_; }

 private:
  bool folds_;
  bool folded_ = false;
};

// The words of a test set. Unknown words that have vectors get ids from
// vectors.size() upward.
class TestWords {
 public:
  // Borrows both arguments.
  TestWords(const WordVectors& vectors, const EvaluateOptions& options)
      : vectors_(vectors),
        options_(options),
        fold_(vectors.vocabulary(), options.lowercase) {}

  // Returns nothing if the word is to be skipped. Errors: NotFound.
  absl::StatusOr<std::optional<WordId>> Find(absl::string_view word);

  // Returns the word as Find() looks it up.
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

// What a user asks, before words are looked up: words, sums of words such as
// king - man + woman, or vectors as numbers.

#ifndef FIRTH_TOOLS_QUERY_ASKED_WORDS_H_
#define FIRTH_TOOLS_QUERY_ASKED_WORDS_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace firth::tools {

struct AskedWord {
  std::string text;
  float weight = 1;
};

struct Asked {
  std::vector<AskedWord> words;
  bool is_sum = false;        // the words are added up to one vector
  std::vector<float> vector;  // asked instead of words, which are its label
  std::string place;          // starts a message

  // As it was asked: "king - man + woman" for a sum.
  std::string Label() const;
};

// The words of a line or of a command line. They are a sum if one of them has a
// sign: a "+" or "-" between two words, or in front of a word that `is_known`
// does not hold with it.
Asked AskWords(absl::Span<const std::string> words,
               const std::function<bool(absl::string_view)>& is_known);

// The words of two lists divided by commas, those of the second subtracted.
// Errors: InvalidArgument, an empty word.
absl::StatusOr<Asked> AskLists(absl::string_view positive,
                               absl::string_view negative);

// A line of `dim` numbers, which may stand behind a label; without one,
// `place` is the label. Errors: InvalidArgument, with what was found.
absl::StatusOr<Asked> AskNumbers(absl::Span<const std::string> words,
                                 size_t dim, const std::string& place);

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_QUERY_ASKED_WORDS_H_

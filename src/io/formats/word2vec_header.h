// The common part of word2vec's two formats: the first line, "<words> <dim>",
// and the test that distinguishes them.

#ifndef FIRTH_IO_FORMATS_WORD2VEC_HEADER_H_
#define FIRTH_IO_FORMATS_WORD2VEC_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace firth {

struct Word2vecHeader {
  uint64_t words = 0;  // 2^64 - 1 for this number and more.
  uint64_t dim = 0;    // Likewise.
  size_t bytes = 0;    // Length of the line, including its end.
};

// Parses the header at the start of `bytes`: two numbers without sign, alone on
// the first line, with any spaces around them. Returns nothing if the line is
// something else.
std::optional<Word2vecHeader> ParseWord2vecHeader(absl::string_view bytes);

// Returns whether the rows after the header are text. `head` is the start of a
// file with this header. `path` decides if the content does not.
bool RowsAreText(const Word2vecHeader& header, absl::string_view head,
                 absl::string_view path);

}  // namespace firth

#endif  // FIRTH_IO_FORMATS_WORD2VEC_HEADER_H_

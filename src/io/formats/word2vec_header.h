// What word2vec's two formats share: the first line, "<words> <dim>", and the
// question which of the two a file is.

#ifndef FIRTH_IO_FORMATS_WORD2VEC_HEADER_H_
#define FIRTH_IO_FORMATS_WORD2VEC_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace firth {

struct Word2vecHeader {
  uint64_t words = 0;  // 2^64 - 1: that or more
  uint64_t dim = 0;    // likewise
  size_t bytes = 0;    // of the line, its end included
};

// The header that `bytes` start with: two numbers without sign, alone on the
// first line, with any spaces around. Nothing if the line is something else.
std::optional<Word2vecHeader> ParseWord2vecHeader(absl::string_view bytes);

// Whether the rows after the header are text. `head` is the start of a file
// with this header; `path` decides where the content does not.
bool RowsAreText(const Word2vecHeader& header, absl::string_view head,
                 absl::string_view path);

}  // namespace firth

#endif  // FIRTH_IO_FORMATS_WORD2VEC_HEADER_H_

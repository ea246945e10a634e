// Recognizes inputs that should be text but are not.
//
// Text in any encoding uses few of the 32 control characters, while rows of
// numbers, programs and pictures use nearly all of them. Text in UTF-16, which
// is not supported, has NUL in every second byte. A model that starts with a
// long list of names looks like text for megabytes, so the formats that Firth
// writes are also recognized by their first bytes.

#ifndef FIRTH_CORPUS_BINARY_CONTENT_H_
#define FIRTH_CORPUS_BINARY_CONTENT_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth {

// Bytes that are examined at the start of an input.
constexpr size_t kBinaryHeadBytes = size_t{64} << 10;

// Examines the first kBinaryHeadBytes of `head`, the start of the input `name`.
// A few NUL bytes are accepted. Errors: InvalidArgument, it is not text.
absl::Status CheckIsText(const std::string& name, absl::string_view head);

}  // namespace firth

#endif  // FIRTH_CORPUS_BINARY_CONTENT_H_

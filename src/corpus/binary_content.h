// Whether what is given as text is no text at all.
//
// Text uses few of the 32 control characters, whatever its encoding; rows of
// numbers, programs and pictures use nearly all of them. Text in UTF-16, which
// is not read, shows by every second byte being NUL. A model that starts with a
// long list of names looks like text for megabytes, so that the formats which
// Firth writes are known by their first bytes, too.

#ifndef FIRTH_CORPUS_BINARY_CONTENT_H_
#define FIRTH_CORPUS_BINARY_CONTENT_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace firth {

// As much of an input's start as is looked at, in bytes.
constexpr size_t kBinaryHeadBytes = size_t{64} << 10;

// Looks at the first kBinaryHeadBytes of `head`, the start of the input `name`.
// Some NUL bytes are no reason. Errors: InvalidArgument, it is not text.
absl::Status CheckIsText(const std::string& name, absl::string_view head);

}  // namespace firth

#endif  // FIRTH_CORPUS_BINARY_CONTENT_H_

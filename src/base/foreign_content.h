// Files that people have and Firth does not read: archives, pickles, text in
// UTF-16, pointers of Git LFS. Their first bytes identify them, so that every
// reader can explain how to get at the content.

#ifndef FIRTH_BASE_FOREIGN_CONTENT_H_
#define FIRTH_BASE_FOREIGN_CONTENT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace firth {

// Returns whether a file that starts with `head` looks like safetensors: a
// length below 4 GiB as a number of 8 bytes, then JSON.
bool LooksLikeSafetensors(absl::string_view head);

// Returns the kind of a file that starts with `head` and the way out, to follow
// "found" in a message: "a zip archive: unzip it first". Returns "" if it is
// none of the files above.
std::string FindForeignContent(absl::string_view head);

// The same for readers of models, which do not expect text either: recognizes
// web pages and comma-separated values as well, and otherwise returns the first
// bytes in quotes, or "an empty file".
std::string DescribeContent(absl::string_view head);

}  // namespace firth

#endif  // FIRTH_BASE_FOREIGN_CONTENT_H_

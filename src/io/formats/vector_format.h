// VectorFormat: one way to lay out word vectors in a file.
//
// A format is one .cc file, which says all about it, and one entry of kFormats
// in formats.cc. The public functions (firth/vector_io.h) open and check what
// is common to all formats; a format does the bytes.

#ifndef FIRTH_IO_FORMATS_VECTOR_FORMAT_H_
#define FIRTH_IO_FORMATS_VECTOR_FORMAT_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/mapped_file.h"
#include "firth/vector_io.h"

namespace firth {

// Stateless; safe to use from several threads.
class VectorFormat {
 public:
  virtual ~VectorFormat() = default;

  virtual const VectorFormatInfo& Info() const = 0;

  // Whether a file that starts with `head` looks like this format. `path` may
  // decide only between formats whose content cannot be told apart.
  virtual bool Sniff(absl::string_view head, absl::string_view path) const = 0;

  // The file that holds a part of the one at `path`; empty: there is none.
  virtual std::string FileBeside(const std::string& /*path*/) const {
    return "";
  }

  // Whether it can hold a part that `file` has; not asked about words.
  virtual bool Holds(VectorPart, const VectorFile&) const { return false; }

  virtual bool HoldsSubwords(const SubwordOptions&) const { return false; }

  // Whether rows may be in this form, as FormOf() names it, with rows of
  // n-grams beside them or without.
  virtual bool HoldsForm(absl::string_view form, bool /*has_subwords*/) const {
    return form == kFloatForm;
  }

  // Whether it can hold words with their vectors beside such n-grams.
  virtual bool HoldsWords(const SubwordOptions&) const {
    return Info().holds_words;
  }

  // What of the word the format cannot hold, such as "a line end in a word", or
  // null if it can. The word is not empty.
  virtual const char* RefusedInWord(absl::string_view) const { return nullptr; }

  // `file` is not empty. Errors: as LoadVectorFile().
  virtual absl::StatusOr<VectorFile> Load(const MappedFilePtr& file,
                                          const LoadOptions& options) const = 0;

  // `file` holds at least one dimension, finite values only and no word that is
  // empty or refused; rows in a form that it holds.
  virtual absl::Status Save(const VectorFile& file,
                            const std::string& path) const = 0;

  // Leaves the format's name, sizes and compression to the caller. Reads the
  // header, and of the rest no more than the format forces it to.
  virtual absl::StatusOr<VectorFileInfo> Describe(
      const MappedFilePtr& file) const = 0;
};

// Whether content or name say that the file holds vectors, in a format or
// compressed.
bool MayBeVectors(const MappedFile& file);

}  // namespace firth

#endif  // FIRTH_IO_FORMATS_VECTOR_FORMAT_H_

// VectorFormat: one way to lay out word vectors in a file.
//
// A format is one .cc file: its bytes are drawn at the top, and at the end
// stands a VectorFormat, which says as data what the format can hold and names
// the functions that read and write it. formats.cc has the list of them; there
// the public functions (firth/vector_io.h) open files, compare what a file has
// with what its format holds, and check what is common to all.

#ifndef FIRTH_IO_FORMATS_VECTOR_FORMAT_H_
#define FIRTH_IO_FORMATS_VECTOR_FORMAT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/mapped_file.h"
#include "firth/vector_io.h"

namespace firth {

// Which output tables a format holds.
enum class HeldOutput { kNone, kRowPerWord, kAny };

// The functions keep no state: several threads may call them.
struct VectorFormat {
  absl::string_view name;                          // for --format
  absl::Span<const absl::string_view> extensions;  // with the dot
  absl::string_view summary;                       // one line for --help

  // What it holds. Without words it holds n-grams alone.
  bool holds_words = true;
  bool holds_counts = false;
  HeldOutput holds_output = HeldOutput::kNone;
  bool holds_output_bias = false;
  bool holds_metadata = false;
  // Whether it holds n-grams of this kind. Null: it holds none.
  bool (*holds_subwords)(const SubwordOptions&) = nullptr;
  // Whether words can stand beside floret's n-grams, which do without.
  bool holds_words_beside_floret = true;
  // The forms of rows, as FormOf() names them, that it holds besides floats,
  // and whether it does so where the file has n-grams, too.
  absl::Span<const absl::string_view> quantized_forms = {};
  bool quantized_beside_n_grams = false;

  // What of a word, or of an n-gram that is stored as text, the format cannot
  // hold, such as "a line end in a word"; null if it can. Words are not empty.
  // Null: it stores none.
  const char* (*refused_in_word)(absl::string_view word) = nullptr;

  // The words stand in a second file beside the first one, which has this
  // ending instead of the first of `extensions`. Empty: there is only one.
  absl::string_view words_extension = "";

  // The format is a folder with these files, the first of which has the
  // vectors and is the one that content is told by and that load() and
  // describe() get; the others are beside it. save() makes the folder, if it is
  // not there. Empty: it is no folder.
  absl::Span<const absl::string_view> folder_files = {};

  // Whether a file that starts with `head` looks like this format. `path` may
  // decide only between formats whose content cannot be told apart.
  bool (*recognises)(absl::string_view head, absl::string_view path);

  // `file` is not empty. Errors: as LoadVectorFile(). Where options.hooks ask
  // to stop, what it returns is of no use.
  absl::StatusOr<VectorFile> (*load)(const MappedFilePtr& file,
                                     const LoadOptions& options);

  // Null: it is only read. `file` holds at least one dimension, finite values
  // only and no word that is empty or refused; rows in a form that the format
  // holds, and an output table only if it holds such a one. subwords: those of
  // the file that the format holds, or null.
  absl::Status (*save)(const VectorFile& file, const SubwordTables* subwords,
                       const std::string& path, const Hooks& hooks);

  // Leaves the format's name, sizes and compression to the caller. Reads the
  // header, and of the rest no more than the format forces it to.
  absl::StatusOr<VectorFileInfo> (*describe)(const MappedFilePtr& file);
};

// What reads files of which a network has to make the vectors, those of
// language models: src/lm has it. Null in the library without networks.
const VectorFormat* NetworkFormat();

// The file with the words that belongs to the one at `path`; empty if there is
// none.
std::string FileBeside(const VectorFormat& format, const std::string& path);
// The folder that the files of such a format lie in: `path`, without a slash
// behind it, or what `path` stands in, if that is the file with the vectors.
std::string FolderToWrite(const VectorFormat& format, const std::string& path);
// The file that has the vectors: where `path` is a folder of a format that is
// one, the first of its files; else `path`.
std::string FileOfVectors(const std::string& path);

// A vector file that is all in one, and the name of its format.
struct WholeVectors {
  MappedFilePtr file;  // not compressed
  std::string format;
};
// Errors: those of opening; InvalidArgument, words in a second file.
absl::StatusOr<WholeVectors> MapWholeVectors(const std::string& path);
// Errors: as LoadVectorFile().
absl::StatusOr<VectorFile> LoadWholeVectors(const WholeVectors& vectors,
                                            const LoadOptions& options);

// Whether content or name say that the file holds vectors, in a format or
// compressed.
bool MayBeVectors(const MappedFile& file);

}  // namespace firth

#endif  // FIRTH_IO_FORMATS_VECTOR_FORMAT_H_

// VectorFormat: a layout of word vectors in a file.
//
// Each format is one .cc file. Its head shows the layout of the bytes, and at
// the end it defines a VectorFormat, which describes as data what the format
// can store and refers to the functions that read and write it. formats.cc
// lists the formats. The public functions there (firth/vector_io.h) open files,
// compare the content of a file with what its format can store, and make the
// common checks.

#ifndef FIRTH_IO_FORMATS_VECTOR_FORMAT_H_
#define FIRTH_IO_FORMATS_VECTOR_FORMAT_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/mapped_file.h"
#include "corpus/decompressor.h"
#include "firth/progress.h"
#include "firth/vector_io.h"

namespace firth {

// The output tables that a format can store.
enum class HeldOutput { kNone, kRowPerWord, kAny };

// The functions have no state, so several threads may call them.
struct VectorFormat {
  absl::string_view name;                          // Name for --format.
  absl::Span<const absl::string_view> extensions;  // Extensions with the dot.
  absl::string_view summary;                       // One line for --help.

  // What the format can store. Without words, it stores only n-grams.
  bool holds_words = true;
  bool holds_counts = false;
  HeldOutput holds_output = HeldOutput::kNone;
  bool holds_output_bias = false;
  bool holds_metadata = false;
  // Returns whether it can store n-grams of this kind. Null if it can store
  // none.
  bool (*holds_subwords)(const SubwordOptions&) = nullptr;
  // Whether words can be stored together with floret's n-grams, which need no
  // words.
  bool holds_words_beside_floret = true;
  // The forms of rows, as named by FormOf(), that it can store in addition to
  // floats, and whether this is also possible if the file has n-grams.
  absl::Span<const absl::string_view> quantized_forms = {};
  bool quantized_beside_n_grams = false;

  // Returns what part of a word, or of an n-gram that is stored as text, the
  // format cannot store, such as "a line end in a word", or null if it can.
  // Words are not empty. Null if the format stores no words.
  const char* (*refused_in_word)(absl::string_view word) = nullptr;

  // The extension of a second file, next to the first, that contains the words.
  // It replaces the first of `extensions`. Empty if there is only one file.
  absl::string_view words_extension = "";

  // If the format is a folder, the files in it. The first one contains the
  // vectors; it identifies the format, and load() and describe() receive it.
  // The others are next to it. save() creates the folder if it does not exist.
  // Empty if the format is not a folder.
  absl::Span<const absl::string_view> folder_files = {};

  // Returns whether a file that starts with `head` looks like this format.
  // `path` may decide only between formats that the content does not
  // distinguish.
  bool (*recognises)(absl::string_view head, absl::string_view path);

  // Reads `file`, which is not empty. Errors: those of LoadVectorFile(). If
  // options.hooks request a stop, the result must be discarded.
  absl::StatusOr<VectorFile> (*load)(const MappedFilePtr& file,
                                     const LoadOptions& options);

  // Writes a file; null if the format is read-only. `file` has at least one
  // dimension, only finite values and no word that is empty or refused. Its
  // rows have a form that the format can store, and it has an output table only
  // if the format can store it. `subwords` are those of the file that the
  // format can store, or null.
  absl::Status (*save)(const VectorFile& file, const SubwordTables* subwords,
                       const std::string& path, const Hooks& hooks);

  // Describes a file, except for the format's name, sizes and compression,
  // which the caller adds. Reads the header, and no more of the rest than the
  // format requires.
  absl::StatusOr<VectorFileInfo> (*describe)(const MappedFilePtr& file);
};

// Returns the reader for files whose vectors a network computes, such as
// language models. It is in src/lm. Null in the library without networks.
const VectorFormat* NetworkFormat();

// Returns the path of the file with the words for the file at `path`, or "" if
// there is none.
std::string FileBeside(const VectorFormat& format, const std::string& path);
// Returns the folder of the files of such a format: `path` without a slash at
// the end, or the folder of `path` if that is the file with the vectors.
std::string FolderToWrite(const VectorFormat& format, const std::string& path);
// Returns the subfolder with the files of a StaticEmbedding, if `folder` is a
// model of sentence-transformers that has one, or "". See model2vec_format.cc.
std::string StaticEmbeddingFolder(const std::string& folder);
// Returns the file with the vectors: the first file of the format if `path` is
// a folder of one, or a folder with such a subfolder, otherwise `path`.
std::string FileOfVectors(const std::string& path);

// A vector file that needs no second file, and the name of its format.
struct WholeVectors {
  MappedFilePtr file;  // Not compressed.
  std::string format;
};
// Errors: those of opening; InvalidArgument, words in a second file.
absl::StatusOr<WholeVectors> MapWholeVectors(const std::string& path);
// Errors: those of LoadVectorFile().
absl::StatusOr<VectorFile> LoadWholeVectors(const WholeVectors& vectors,
                                            const LoadOptions& options);

// Returns whether the content or the name suggests a vector file, possibly
// compressed.
bool MayBeVectors(const MappedFile& file);

// Bytes at the start of a file that suffice to recognize its content.
constexpr size_t kHeadBytes = size_t{1} << 20;

// Vectors shrink to a third, but rows of n-grams that no word used are zeros,
// which shrink to almost nothing. Above this many bytes, a file that grows to
// more than a hundred times its size was made to fill a disk.
constexpr uint64_t kUnpackFreely = uint64_t{4} << 30;

struct UnpackedFile {
  // Not compressed, but its path is that of the compressed file.
  MappedFilePtr file;
  uint64_t packed_bytes = 0;  // Size of the file at that path.
  Compression compression = Compression::kNone;
};

// Maps the file. A compressed file (gzip, bzip2, xz, zstd, recognized by
// content) is unpacked into a temporary file without a name, so that it takes
// no more memory than the plain file would. `check` receives its first
// kHeadBytes before the rest is unpacked, which may be a thousand times as
// long. Errors: those of MappedFile::Open() and of `check`; DataLoss, corrupt
// or truncated; ResourceExhausted, no space, or more than 100 times the size
// and `unpack_freely` bytes; Cancelled.
absl::StatusOr<UnpackedFile> OpenUnpacked(
    const std::string& path,
    absl::FunctionRef<absl::Status(absl::string_view head)> check,
    const Hooks& hooks = {}, uint64_t unpack_freely = kUnpackFreely);

// Returns `path` without the extension of a compression, such as .gz.
absl::string_view PlainName(absl::string_view path);

}  // namespace firth

#endif  // FIRTH_IO_FORMATS_VECTOR_FORMAT_H_

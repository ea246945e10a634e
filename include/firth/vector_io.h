// Reading and writing vector files.

#ifndef FIRTH_VECTOR_IO_H_
#define FIRTH_VECTOR_IO_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/matrix.h"
#include "firth/progress.h"
#include "firth/subwords.h"
#include "firth/word_vectors.h"

namespace firth {

// All that a file can hold. Only safetensors, the native model, holds all of
// it; see LostParts().
struct VectorFile {
  WordVectors vectors;
  FloatTable output;       // prediction weights, [rows, dim]; may be empty
  FloatTable output_bias;  // [1, rows of output]; may be empty
  std::map<std::string, std::string> metadata;  // options of the training, ...
};

struct VectorFormatInfo {
  absl::string_view name;                     // for --format
  std::vector<absl::string_view> extensions;  // with the dot
  absl::string_view summary;                  // one line for --help
  bool holds_words = true;  // false: n-grams alone, of which any word is made
  // The format is a folder with these files; empty: it is a file.
  std::vector<absl::string_view> folder_files;
};
std::vector<VectorFormatInfo> VectorFormats();

// The format to write `path` in: `format` if not empty, else by extension.
// Errors: InvalidArgument, with the list of what exists.
absl::StatusOr<std::string> ChooseVectorFormat(const std::string& path,
                                               absl::string_view format);

// The files that a file of this format has beside it and that are read and
// written with it: for x.npy its words, x.vocab; for a folder those in it. An
// empty format: that of the file at `path`; none, if nothing can be read there.
std::vector<std::string> FilesBeside(const std::string& path,
                                     absl::string_view format);

// How to handle a file that contains a word twice.
enum class DuplicateWords { kError, kKeepFirst };

struct LoadOptions {
  std::string format = {};  // a name of VectorFormats(); empty: content tells
  DuplicateWords duplicates = DuplicateWords::kError;
  bool only_vectors = false;  // for queries: the output table is neither read
                              // nor checked, n-grams are not checked for NaN
  bool keep_form = false;     // rows stay in the form that the file has (see
                              // firth/row_store.h); else they are made floats
  // Values and words are not looked at until they are asked for: a mapped file
  // of float32, as the native model, opens in milliseconds, whatever its size,
  // and takes memory for its words alone. Not checked are then values that are
  // not finite, which queries pass over (their cosines are 0), and words that
  // stand twice: all keep their rows, whatever `duplicates` says, and Find()
  // gives the first. Sizes and the codes of quantized rows are checked.
  bool lazily = false;
  Hooks hooks = {};
};

// Loads a vector file, or a folder of a format that is one, or layer 0 of a
// language model (firth/language_model.h): the vectors of its words; plain or
// compressed by gzip, bzip2, xz or zstd: such a one is unpacked into a
// temporary file without a name, in $TMPDIR or /tmp. Not that of a format with
// a second file beside it (npy). Every size is checked against the length of
// the file before memory is taken; every value must be finite (but see
// LoadOptions::lazily). Errors: NotFound, InvalidArgument (malformed text,
// duplicate words, NaN), DataLoss (truncated or corrupt binary or compression),
// ResourceExhausted (no space to unpack, or far more in it than vectors can
// be), Cancelled. Each names the file and the line or byte offset, what was
// expected and what was found. Unusual text whose meaning is clear is read,
// with a warning to hooks.progress that names the line: blank lines and rows
// without a word are skipped, the last line end may be missing, and the header
// may promise more words than there are.
absl::StatusOr<VectorFile> LoadVectorFile(const std::string& path,
                                          const LoadOptions& options = {});

// Writes `file` to path in the format named, as floats where that has no other
// form of rows. The file appears whole or not at all: it is written beside its
// place under a temporary name, synced, renamed.
// Errors: InvalidArgument (a word that the format cannot hold, a value that is
// not finite), ResourceExhausted (full disk), PermissionDenied, NotFound,
// Cancelled.
absl::Status SaveVectorFile(const VectorFile& file, const std::string& path,
                            absl::string_view format, const Hooks& hooks = {});

// The parts that a file can contain.
enum class VectorPart {
  kWords,  // the vocabulary, with a vector each
  kCounts,
  kSubwords,
  kOutput,
  kOutputBias,
  kMetadata
};
// For messages: "n-grams, the output table".
std::string NamesOf(const std::vector<VectorPart>& parts);

// The parts of `file` that the format named cannot hold and SaveVectorFile()
// leaves out. Errors: InvalidArgument, an unknown format.
absl::StatusOr<std::vector<VectorPart>> LostParts(const VectorFile& file,
                                                  absl::string_view format);

// The words of `file` that the format named cannot hold, as with white space or
// not valid UTF-8, and why, as "a line end in a word"; SaveVectorFile() refuses
// them. Errors: InvalidArgument, an unknown format.
struct LostWord {
  WordId word;
  absl::string_view why;
};
absl::StatusOr<std::vector<LostWord>> LostWords(const VectorFile& file,
                                                absl::string_view format);
// Takes these words out of `file`, and its output table, which belongs to all
// words. Errors: InvalidArgument, no word is left; ResourceExhausted.
absl::Status LeaveOut(absl::Span<const LostWord> words, VectorFile* file);

// "2 words of SOURCE, such as "new york": a space or line end in a word";
// `lost` is not empty.
std::string DescribeLostWords(absl::Span<const LostWord> lost,
                              absl::string_view source, const VectorFile& file);

// How a file is fitted to a format that cannot hold all of it.
struct FitOptions {
  std::string source = "the vectors";  // what messages call the vectors
  bool lossy = false;                  // whether words and n-grams may be lost
  std::string way_out;  // ends the error: how to set `lossy`, and the effect
};
// Describes in sentences what was left out; a text is empty if nothing was.
struct FitReport {
  std::string note;     // counts, the output table and its bias, metadata
  std::string warning;  // words and n-grams, with their number
};
// Fits `file` to the format named, for SaveVectorFile(). Few formats have a
// place for counts, the output table and metadata: that is worth a note.
// Without its words or n-grams a file gives other answers: it loses them only
// if options.lossy is set. Errors: Unimplemented, it would lose some;
// InvalidArgument, an unknown format, or no word is left; ResourceExhausted.
absl::StatusOr<FitReport> FitToFormat(absl::string_view format,
                                      const FitOptions& options,
                                      VectorFile* file);

// Whether SaveVectorFile() would write these words, beside such n-grams; to be
// asked before hours of work. Errors: its own, for the first word that the
// format cannot hold.
absl::Status CheckWords(const Vocabulary& words, const SubwordOptions& subwords,
                        const std::string& path, absl::string_view format);

// Whether the format named can hold words beside such n-grams, which may be
// none; to be asked before training. Errors: InvalidArgument, an unknown
// format.
absl::StatusOr<bool> HoldsWords(absl::string_view format,
                                const SubwordOptions& options);

// Whether the format named can hold such n-grams; to be asked before training.
// Errors: InvalidArgument, an unknown format.
absl::StatusOr<bool> HoldsSubwords(absl::string_view format,
                                   const SubwordOptions& options);

// Whether the format named can hold rows in this form, as FormOf() names it,
// with rows of n-grams beside them or without; SaveVectorFile() makes floats of
// others. Errors: InvalidArgument, an unknown format.
absl::StatusOr<bool> HoldsForm(absl::string_view format, absl::string_view form,
                               bool has_subwords);

// Writes the table alone as NumPy's .npy: whole or not at all. Errors: those of
// SaveVectorFile().
absl::Status SaveNpyArray(const FloatTable& table, const std::string& path);

struct VectorFileInfo {
  std::string format;
  uint64_t bytes = 0;       // of the file
  std::string compression;  // "gzip", "bzip2", "xz", "zstd"; empty: none
  uint64_t unpacked_bytes = 0;
  uint64_t words = 0;
  uint64_t dim = 0;
  bool has_counts = false;
  bool has_output = false;
  bool has_subwords = false;
  std::string form;  // of the rows: "float32", "int8", ...; empty where
                     // the format leaves no choice
  double bits_per_value = 0;  // of the rows, codebooks and all; 0: not known
  std::map<std::string, std::string> metadata;
  // Faults that did not prevent reading, each with its place in the file.
  std::vector<std::string> warnings;
};
absl::StatusOr<VectorFileInfo> DescribeVectorFile(const std::string& path);

}  // namespace firth

#endif  // FIRTH_VECTOR_IO_H_

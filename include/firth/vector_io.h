// Reads and writes vector files.

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

// Everything that a vector file can contain. Only safetensors, the native model
// format, can store all of it; see LostParts().
struct VectorFile {
  WordVectors vectors;
  FloatTable output;  // Prediction weights, [rows, dim]; may be empty.
  // Biases of the prediction weights, [1, rows of output]; may be empty.
  FloatTable output_bias;
  // Options of the training run and other strings.
  std::map<std::string, std::string> metadata;
};

struct VectorFormatInfo {
  absl::string_view name;                     // Name for --format.
  std::vector<absl::string_view> extensions;  // Extensions with the dot.
  absl::string_view summary;                  // One line for --help.
  // False if the format holds only n-grams, from which any word can be built.
  bool holds_words = true;
  // Files in the folder if the format is a folder; empty for single files.
  std::vector<absl::string_view> folder_files;
};
std::vector<VectorFormatInfo> VectorFormats();

// Returns the format to write `path` in: `format` if it is not empty, otherwise
// the format of the extension. Errors: InvalidArgument, with a list of all
// formats.
absl::StatusOr<std::string> ChooseVectorFormat(const std::string& path,
                                               absl::string_view format);

// Returns the companion files that are read and written with `path` in this
// format: x.vocab, the words, for x.npy; the contained files for a folder. If
// `format` is empty, it is detected from the file; the result is empty if
// nothing can be read there.
std::vector<std::string> FilesBeside(const std::string& path,
                                     absl::string_view format);

// Handling of a word that a file contains twice.
enum class DuplicateWords { kError, kKeepFirst };

struct LoadOptions {
  // A name of VectorFormats(); empty detects the format from the content.
  std::string format = {};
  DuplicateWords duplicates = DuplicateWords::kError;
  // Load only what queries need: the values of the output table are neither
  // read nor checked, and n-grams are not checked for NaN.
  bool only_vectors = false;
  // Keep rows in the form of the file (see firth/row_store.h) instead of
  // converting them to floats.
  bool keep_form = false;
  // Do not read values and words before they are used. A mapped file of float32
  // rows, such as a native model, then opens in milliseconds, whatever its
  // size, and needs memory only for its words. Two checks are omitted. Values
  // may be not finite; queries skip them (their cosines are 0). Words may occur
  // twice; all keep their rows, whatever `duplicates` is, and Find() returns
  // the first. Sizes and the codes of quantized rows are still checked.
  bool lazily = false;
  Hooks hooks = {};
};

// Loads a vector file, a vector folder, or layer 0 of a language model
// (firth/language_model.h), which holds the vectors of its words. A file may be
// compressed by gzip, bzip2, xz or zstd, unless its format has a companion file
// (npy). It is then decompressed into an unnamed temporary file in $TMPDIR or
// /tmp. Every size is checked against the length of the file before memory is
// allocated, and every value must be finite (but see LoadOptions::lazily).
//
// Errors: NotFound, InvalidArgument (malformed text, duplicate words, NaN),
// DataLoss (truncated or corrupt binary or compressed data), ResourceExhausted
// (no space to decompress, or far more data than vectors can be),
// FailedPrecondition (a newer version of a format), Cancelled. Each names the
// file, the line or byte offset, and what was expected and found.
//
// Unusual text with a clear meaning is read with a warning to hooks.progress
// that names the line: blank lines and rows without a word are skipped, the
// last line end may be missing, and the header may announce more words than
// there are.
absl::StatusOr<VectorFile> LoadVectorFile(const std::string& path,
                                          const LoadOptions& options = {});

// Writes `file` to `path` in the given format, as floats if the format has no
// other form. The file appears whole or not at all: it is written under a
// temporary name in the same folder, synced and renamed. Errors:
// InvalidArgument (a word that the format cannot hold, a value that is not
// finite), ResourceExhausted (full disk), PermissionDenied, NotFound,
// Cancelled.
absl::Status SaveVectorFile(const VectorFile& file, const std::string& path,
                            absl::string_view format, const Hooks& hooks = {});

// Parts that a vector file may contain.
enum class VectorPart {
  kWords,  // The vocabulary, with one vector per word.
  kCounts,
  kSubwords,
  kOutput,
  kOutputBias,
  kMetadata
};
// Returns the names of parts for messages: "n-grams, the output table".
std::string NamesOf(const std::vector<VectorPart>& parts);

// Returns the parts of `file` that the format cannot hold and SaveVectorFile()
// would leave out. Errors: InvalidArgument, an unknown format.
absl::StatusOr<std::vector<VectorPart>> LostParts(const VectorFile& file,
                                                  absl::string_view format);

// A word that a format cannot hold, for example because of white space or
// invalid UTF-8, and the reason, such as "a line end in a word". LostWords()
// returns all such words of `file`; SaveVectorFile() rejects them. Errors:
// InvalidArgument, an unknown format.
struct LostWord {
  WordId word;
  absl::string_view why;
};
absl::StatusOr<std::vector<LostWord>> LostWords(const VectorFile& file,
                                                absl::string_view format);
// Removes these words from `file`, together with its output table, which refers
// to all words. Errors: InvalidArgument, no word is left; ResourceExhausted.
absl::Status LeaveOut(absl::Span<const LostWord> words, VectorFile* file);

// Returns a description such as "2 words of SOURCE, such as "new york": a space
// or line end in a word". `lost` must not be empty.
std::string DescribeLostWords(absl::Span<const LostWord> lost,
                              absl::string_view source, const VectorFile& file);

// Options for fitting a file to a format that cannot hold all of it.
struct FitOptions {
  std::string source = "the vectors";  // Name of the vectors in messages.
  bool lossy = false;                  // Whether words and n-grams may be lost.
  // Text appended to the error: how to set `lossy`, and the effect.
  std::string way_out;
};
// Sentences that describe what was left out; empty if nothing was.
struct FitReport {
  std::string note;     // Lost counts, output table, biases and metadata.
  std::string warning;  // Lost words and n-grams, with their number.
};
// Fits `file` to a format before SaveVectorFile(). Counts, the output table and
// metadata, which few formats can hold, are dropped with a note. Words and
// n-grams are only dropped if options.lossy is set, because queries then give
// other answers. Errors: Unimplemented, words or n-grams would be lost;
// InvalidArgument, an unknown format, or no word is left; ResourceExhausted.
absl::StatusOr<FitReport> FitToFormat(absl::string_view format,
                                      const FitOptions& options,
                                      VectorFile* file);

// Checks whether SaveVectorFile() could write these words and n-grams; call it
// before hours of work. Errors: those of SaveVectorFile(), for the first word
// that the format cannot hold.
absl::Status CheckWords(const Vocabulary& words, const SubwordOptions& subwords,
                        const std::string& path, absl::string_view format);

// Returns whether the format can hold words together with these n-grams, which
// may be none; call it before training. Errors: InvalidArgument, an unknown
// format.
absl::StatusOr<bool> HoldsWords(absl::string_view format,
                                const SubwordOptions& options);

// Returns whether the format can hold these n-grams; call it before training.
// Errors: InvalidArgument, an unknown format.
absl::StatusOr<bool> HoldsSubwords(absl::string_view format,
                                   const SubwordOptions& options);

// Returns whether the format can hold rows in this form, a name of FormOf(),
// with or without rows of n-grams. SaveVectorFile() converts other forms to
// floats. Errors: InvalidArgument, an unknown format.
absl::StatusOr<bool> HoldsForm(absl::string_view format, absl::string_view form,
                               bool has_subwords);

// Writes the table alone as NumPy's .npy, whole or not at all. Errors: those of
// SaveVectorFile().
absl::Status SaveNpyArray(const FloatTable& table, const std::string& path);

struct VectorFileInfo {
  std::string format;
  uint64_t bytes = 0;  // Size of the file.
  // Compression: "gzip", "bzip2", "xz" or "zstd"; empty if none.
  std::string compression;
  uint64_t unpacked_bytes = 0;
  uint64_t words = 0;
  uint64_t dim = 0;
  bool has_counts = false;
  bool has_output = false;
  bool has_subwords = false;
  // Form of the rows: "float32", "int8", ...; empty if the format has only one.
  std::string form;
  // Storage per value of the rows, including codebooks; 0 if not known.
  double bits_per_value = 0;
  std::map<std::string, std::string> metadata;
  // Faults that did not prevent reading, each with its position in the file.
  std::vector<std::string> warnings;
};
absl::StatusOr<VectorFileInfo> DescribeVectorFile(const std::string& path);

}  // namespace firth

#endif  // FIRTH_VECTOR_IO_H_

// The parts of a fastText model file (.bin, .ftz). Before the matrices, in
// little-endian numbers without gaps:
//
//   i32 magic 793712314, i32 version      missing in files from before 2017
//   arguments: i32 dim, window, epochs, min count, negatives, word n-grams,
//     loss (1 hs, 2 ns, 3 softmax, 4 one against all), architecture (1 cbow,
//     2 skip-gram, 3 supervised), buckets, min n, max n, update rate;
//     f64 subsampling threshold
//   dictionary: i32 entries, words, labels; i64 tokens; i64 kept n-grams, -1
//     for all (missing if the magic is missing); then each entry: its bytes,
//     NUL, i64 count, i8 type (0 word, 1 label); then (i32 bucket, i32 row) of
//     each kept n-gram
//
// The matrices:
//
//   dense      i64 rows, i64 cols, rows * cols f32
//   quantized  u8 separate norms, i64 rows, i64 cols, i32 code bytes, codes u8,
//              quantizer; with separate norms also rows u8 codes, quantizer
//   quantizer  i32 dim, parts, part dim, last part's dim; dim * 256 f32
//
// A quantized row consists of one of 256 centroids for each part, multiplied by
// its norm, which is also one of 256 (Jegou, Douze and Schmid 2011; Joulin et
// al. 2016). Centroid i of part p is at 256 p * part dim + i * (dim of that
// part).

#ifndef FIRTH_IO_FORMATS_FASTTEXT_PARTS_H_
#define FIRTH_IO_FORMATS_FASTTEXT_PARTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/mapped_file.h"
#include "base/output_file.h"
#include "firth/matrix.h"
#include "firth/subwords.h"
#include "io/codecs/byte_reader.h"

namespace firth {

constexpr int32_t kFasttextMagic = 793712314;
constexpr int32_t kFasttextVersion = 12;
constexpr int32_t kFasttextSupervised = 3;

enum FasttextLoss : int32_t {
  kFasttextTree = 1,
  kFasttextSampled = 2,
  kFasttextSoftmax = 3,
  kFasttextOneVsAll = 4,
};

struct FasttextHeader {
  // 0 for files from before there were versions.
  int32_t version = kFasttextVersion;
  int32_t dim = 0;
  int32_t window = 5;
  int32_t epochs = 5;
  int32_t min_count = 5;
  int32_t negatives = 5;
  int32_t word_n_grams = 1;
  int32_t loss = kFasttextSampled;
  int32_t architecture = 2;
  int32_t buckets = 0;
  int32_t min_n = 0;
  int32_t max_n = 0;
  int32_t update_rate = 100;
  double sample = 1e-4;

  std::vector<absl::string_view> words;
  std::vector<uint64_t> counts;
  // Labels of a supervised model, with their prefix.
  std::vector<absl::string_view> labels;
  std::vector<uint64_t> label_counts;
  uint64_t tokens = 0;
  // (bucket, row) of the n-grams that have a row, sorted by bucket. If the
  // model is not pruned, every bucket has a row, in the same order.
  bool pruned = false;
  std::vector<std::pair<uint32_t, uint32_t>> kept;

  bool has_matrix_flags() const { return version > 0; }
  bool has_n_grams() const { return max_n > 0 && buckets > 0; }
  uint64_t input_rows() const {
    return words.size() +
           (pruned ? kept.size() : static_cast<uint64_t>(buckets));
  }
};

// Returns whether a file may start like this.
bool StartsLikeFasttext(absl::string_view head);

// Errors: DataLoss.
absl::StatusOr<FasttextHeader> ReadFasttextHeader(ByteReader& reader);

absl::Status WriteFasttextHeader(const FasttextHeader& header, OutputFile& out);

// Returns the arguments as metadata, with the names of Firth's options.
std::map<std::string, std::string> FasttextMetadata(
    const FasttextHeader& header);
// Sets the arguments that the metadata contain.
void ApplyMetadata(const std::map<std::string, std::string>& metadata,
                   FasttextHeader* header);

// Reads the flag whether the matrix is quantized, and then a matrix of [rows,
// dim], or [0, dim] if `may_lack` is true. `name` is used in messages. A dense
// matrix stays in the file if it is aligned; a quantized one is converted to
// floats. Errors: DataLoss, also for a different shape; ResourceExhausted.
absl::StatusOr<FloatTable> ReadFasttextMatrix(const MappedFilePtr& file,
                                              ByteReader& reader,
                                              const FasttextHeader& header,
                                              uint64_t rows, bool may_lack,
                                              absl::string_view name);

}  // namespace firth

#endif  // FIRTH_IO_FORMATS_FASTTEXT_PARTS_H_

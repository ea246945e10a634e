// The file of a classifier: a .safetensors file (see
// io/tensors/checked_tensors.h). It contains the contextualizer that the
// classifier reads only if training tuned it. With F features and L labels:
//
//   labels            U8  [bytes]   one after another
//   label_ends        U64 [L]       where each ends
//   label_counts      I64 [L]       number of training texts that have it
//   words             U8  [bytes]   '\n' after each
//   word_ngrams       U32 [n]       row of each n-gram without its last word
//   word_ngram_words  U32 [n]       row of its last word
//   character_ngrams  U8  [bytes]   '\n' after each
//   kept_buckets      U32 [n]       hashed n-grams: buckets with a row; if
//                                   absent, all have one
//   bias, thresholds  F32 [L]       optional
//   wide...           [F, L]        in any form of safetensors_rows.h but F16
//   input...          [F, dim]      likewise
//   output...         [L, dim]      likewise; one row less for a tree; includes
//                                   the columns for a contextualizer
//   idf_values        F32 [n]       the different values of idf
//   idf               U32 [F]       for each feature, the index of its value
//   context_mean, context_scale     F32 [n]
//   tuned_contextualizer            U8 [bytes]   the file of a language model
//
// where U32 is U16 or U8 if the numbers are small enough. The metadata
// "classifier" is the rest of ClassifierModel as JSON: "options" by the names
// of their fields, "texts" (optional), "hashing", "buckets" and "label_prefix"
// if n-grams are hashed, "link", "several_labels", "interrupted" if training
// was, "wide_scale", "deep_scale", "contextualizer": {"name", "bytes",
// "checksum"}.

#ifndef FIRTH_CLASSIFY_MODEL_CLASSIFIER_FILE_H_
#define FIRTH_CLASSIFY_MODEL_CLASSIFIER_FILE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/mapped_file.h"
#include "classify/model/classifier_model.h"
#include "firth/file_info.h"
#include "firth/row_store.h"

namespace firth {

// The kind in the file's metadata, and the names of LabelLink there.
inline constexpr char kClassifierKind[] = "classifier";
inline constexpr absl::string_view kLinkNames[] = {"softmax", "sigmoid", "tree",
                                                   "table-sigmoid"};

// Name of the tensor with a contextualizer that training has tuned.
inline constexpr char kTunedContextualizer[] = "tuned_contextualizer";

// Writes the file, whole or not at all. Errors: OutOfRange, a value that is not
// finite; those of writing.
absl::Status SaveClassifierModel(const ClassifierModel& model,
                                 const std::string& path);

// Returns an upper bound for the size of the file, at most a thousand bytes too
// high.
uint64_t ClassifierFileBytes(const ClassifierModel& model);

// Reads a model whose tables stay in the file. Errors: NotFound;
// InvalidArgument, a file of something else; DataLoss, with the tensor that is
// truncated, altered or inconsistent.
absl::StatusOr<ClassifierModel> LoadClassifierModel(const MappedFilePtr& file);

// Reads a model. The input matrix stays in the file unless it is quantized.
// Errors: InvalidArgument, a model of word vectors, or one with longer
// n-grams than ClassifierModel supports; DataLoss, with the place.
absl::StatusOr<ClassifierModel> LoadFasttextClassifier(
    const MappedFilePtr& file);

// Writes a .bin file, whole or not at all. Errors: InvalidArgument, with what
// fastText's format cannot represent; those of writing.
absl::Status SaveFasttextClassifier(const ClassifierModel& model,
                                    const std::string& path);

// Describes a classifier for DescribeFile(), or returns nothing if the file is
// not one.
absl::StatusOr<std::optional<FileInfo>> DescribeClassifier(
    const MappedFilePtr& file);

// Far above any trained value, and so far below the maximum float that no
// score, a product of a few such values and codes, is infinite.
inline constexpr float kMostTableValue = 1e6f;

// Checks the values. Errors: DataLoss, "PLACE, value N: expected ..., found
// ..." with the first value that exceeds the limit or is NaN.
absl::Status CheckValues(absl::Span<const float> values,
                         absl::string_view place);
// Also checks scales, codebooks and norms.
absl::Status CheckValues(const RowStore& rows, absl::string_view place);

// Checks that the labels can form a tree (HuffmanTree). Its paths then never
// have more than a few hundred steps. Errors: DataLoss, with the path of the
// file.
absl::Status CheckTreeCounts(absl::Span<const uint64_t> label_counts,
                             absl::string_view path);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_MODEL_CLASSIFIER_FILE_H_

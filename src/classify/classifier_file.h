// The file of a classifier: a .safetensors (see io/tensors/checked_tensors.h)
// that holds all of it but the contextualizer that it reads, unless it has
// tuned that. Of F features and L labels:
//
//   labels            U8  [bytes]   one after another
//   label_ends        U64 [L]       where each ends
//   label_counts      I64 [L]       training texts that have it
//   words             U8  [bytes]   '\n' after each
//   word_ngrams       U32 [n]       the row of each without its last word,
//   word_ngram_words  U32 [n]       and that of its last word
//   character_ngrams  U8  [bytes]   '\n' after each
//   kept_buckets      U32 [n]       of hashed n-grams, those with a row; may
//                                   lack: all
//   bias, thresholds  F32 [L]       may lack
//   wide...           [F, L]        in any form of safetensors_rows.h but F16;
//   input...          [F, dim]      likewise
//   output...         [L, dim]      likewise; a row less of a tree; with the
//                                   columns for a contextualizer
//   idf_values        F32 [n]       the values that idf has,
//   idf               U32 [F]       and which of them each feature has
//   context_mean, context_scale     F32 [n]
//   tuned_contextualizer            U8 [bytes]   the file of a language model
//
// where U32 is U16 or U8 if the numbers are small enough; and as metadata
// "classifier" the rest of ClassifierModel as JSON: "options" by the names of
// their fields, "texts", which may lack, "hashing", "buckets" and
// "label_prefix" where n-grams are hashed, "link", "several_labels",
// "interrupted" where it was, "wide_scale", "deep_scale", "contextualizer":
// {"name", "bytes", "checksum"}.

#ifndef FIRTH_CLASSIFY_CLASSIFIER_FILE_H_
#define FIRTH_CLASSIFY_CLASSIFIER_FILE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/mapped_file.h"
#include "classify/classifier_model.h"
#include "firth/file_info.h"

namespace firth {

// Its kind in the file's metadata, and how it names LabelLink.
inline constexpr char kClassifierKind[] = "classifier";
inline constexpr absl::string_view kLinkNames[] = {"softmax", "sigmoid", "tree",
                                                   "table-sigmoid"};

// The tensor of a contextualizer that the training has moved.
inline constexpr char kTunedContextualizer[] = "tuned_contextualizer";

// Writes the file: whole or not at all. Errors: OutOfRange, a value that is
// not finite; those of writing.
absl::Status SaveClassifierModel(const ClassifierModel& model,
                                 const std::string& path);

// What the file will have at most, up to a thousand bytes more than it has.
uint64_t ClassifierFileBytes(const ClassifierModel& model);

// Tables stay in the file. Errors: NotFound; InvalidArgument, a file of
// something else; DataLoss, with the tensor, what is truncated, altered or
// contradicts itself.
absl::StatusOr<ClassifierModel> LoadClassifierModel(const MappedFilePtr& file);

// Describes one for DescribeFile(); returns nothing if the file is none.
absl::StatusOr<std::optional<FileInfo>> DescribeClassifier(
    const MappedFilePtr& file);

}  // namespace firth

#endif  // FIRTH_CLASSIFY_CLASSIFIER_FILE_H_

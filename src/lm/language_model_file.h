// The file of a language model: a .safetensors that holds all of it. Tensors:
//
//   <parameter>       F32 [rows, cols]  "encoder.table", "forward.0.input", ...
//   output_vectors    F32 [V, any]      what a continuous head predicts
//   vocabulary        U8 [bytes]        words that are predicted, '\n' after
//   counts            I64 [V]           each, and how often they occur
//   input_vocabulary  U8 [bytes]        words with a row in the table, if they
//                                       are others
//   ...               of words without a row: io/tensors/safetensors_subwords.h
//   merges            U8 [bytes]        of byte pairs: "LEFT RIGHT", '\n' after
//                                       each
//
// Metadata: "language_model", the options (language_model_options.h), and
// "checksums", of the options and of each tensor above, by name.

#ifndef FIRTH_LM_LANGUAGE_MODEL_FILE_H_
#define FIRTH_LM_LANGUAGE_MODEL_FILE_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mapped_file.h"
#include "firth/file_info.h"
#include "lm/language_model.h"

namespace firth {

// The metadata entry that tells a language model, with its options.
inline constexpr char kLanguageModelKind[] = "language_model";

// Writes the file: whole or not at all.
absl::Status SaveLanguageModel(BiLanguageModel& model, const std::string& path);
// The same as a file without a name, for those that hold it in theirs. `path`
// stands in messages.
absl::StatusOr<MappedFilePtr> LanguageModelFile(BiLanguageModel& model,
                                                const std::string& path);

// Errors: NotFound; InvalidArgument, a file of something else; DataLoss, with
// the tensor, if the file is truncated or altered, if a tensor has another
// shape than the options say, or a value that is not finite.
absl::StatusOr<std::unique_ptr<BiLanguageModel>> LoadLanguageModel(
    const std::string& path);
absl::StatusOr<std::unique_ptr<BiLanguageModel>> LoadLanguageModel(
    const MappedFilePtr& file);

// Describes one for DescribeFile(); returns nothing if the file is none.
absl::StatusOr<std::optional<FileInfo>> DescribeLanguageModel(
    const MappedFilePtr& file);

}  // namespace firth

#endif  // FIRTH_LM_LANGUAGE_MODEL_FILE_H_

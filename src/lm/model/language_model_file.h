// The file of a language model: a .safetensors with the whole model. Tensors:
//
//   <parameter>       F32 [rows, cols]  "encoder.table", "forward.0.input", ...
//   output_vectors    F32 [V, any]      vectors that a continuous head predicts
//   vocabulary        U8 [bytes]        predicted words, with '\n' after each
//   counts            I64 [V]           their numbers of occurrences
//   input_vocabulary  U8 [bytes]        words with a row in the table, if they
//                                       differ from the predicted words
//   ...               n-grams for other words:
//   io/tensors/safetensors_subwords.h merges            U8 [bytes]        byte
//   pairs: "LEFT RIGHT", with '\n' after
//                                       each
//
// Metadata: "language_model", the options (language_model_options.h), and
// "checksums", of the options and of each tensor above, by name.

#ifndef FIRTH_LM_MODEL_LANGUAGE_MODEL_FILE_H_
#define FIRTH_LM_MODEL_LANGUAGE_MODEL_FILE_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mapped_file.h"
#include "firth/file_info.h"
#include "lm/model/language_model.h"

namespace firth {

// The metadata key of language models, with their options.
inline constexpr char kLanguageModelKind[] = "language_model";

// Writes the file, whole or not at all.
absl::Status SaveLanguageModel(BiLanguageModel& model, const std::string& path);
// Returns the same contents as a file without a name, to be embedded in another
// file. `path` is used in messages.
absl::StatusOr<MappedFilePtr> LanguageModelFile(BiLanguageModel& model,
                                                const std::string& path);

// Loads a model. Errors: NotFound; InvalidArgument, another kind of file;
// DataLoss, with the tensor, if the file is truncated or altered, if the shape
// of a tensor does not match the options, or if a value is not finite.
absl::StatusOr<std::unique_ptr<BiLanguageModel>> LoadLanguageModel(
    const std::string& path);
absl::StatusOr<std::unique_ptr<BiLanguageModel>> LoadLanguageModel(
    const MappedFilePtr& file);

// Describes a model for DescribeFile(). Returns nothing for other files.
absl::StatusOr<std::optional<FileInfo>> DescribeLanguageModel(
    const MappedFilePtr& file);

}  // namespace firth

#endif  // FIRTH_LM_MODEL_LANGUAGE_MODEL_FILE_H_

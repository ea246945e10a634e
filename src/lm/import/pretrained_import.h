// Imports models from folders in which the libraries of Hugging Face saved a
// BERT or a GPT-2. A folder contains
//
//   config.json              sizes and kinds (lm/import/pretrained_config.h)
//   model.safetensors        the tensors, or several files with an index
//                            (io/tensors/tensor_folder.h)
//   vocab.txt                for BERT
//   vocab.json, merges.txt   for GPT-2 (pretrained_config.h)
//   tokenizer_config.json    optional
//
// and becomes a model of pieces whose layers are a Transformer. Firth's marks
// replace theirs: <S>, </S>, <UNK> and <MASK> replace [CLS], [SEP], [UNK] and
// [MASK]. In GPT-2, <S>, </S> and <UNK> are read as <|endoftext|>, and only
// </S> is predicted in its place.

#ifndef FIRTH_LM_IMPORT_PRETRAINED_IMPORT_H_
#define FIRTH_LM_IMPORT_PRETRAINED_IMPORT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "firth/progress.h"
#include "lm/model/language_model.h"

namespace firth {

// Imports a model. `hooks` receive warnings about unused tensors. Errors:
// NotFound, no such folder or file; InvalidArgument, a file that does not fit,
// with the key, the line, or the tensor that is missing or whose shape does not
// match config.json; DataLoss, a truncated file of tensors.
absl::StatusOr<std::unique_ptr<BiLanguageModel>> ReadPretrained(
    const std::string& folder, const Hooks& hooks);

}  // namespace firth

#endif  // FIRTH_LM_IMPORT_PRETRAINED_IMPORT_H_

// Reading the weights of others: folders in which the libraries of Hugging Face
// saved a BERT or a GPT-2. A folder has
//
//   config.json              sizes and kinds (lm/pretrained_config.h)
//   model.safetensors        the tensors, or several files with an index
//                            (io/tensors/tensor_folder.h)
//   vocab.txt                of BERT
//   vocab.json, merges.txt   of GPT-2 (lm/pretrained_pieces.h)
//   tokenizer_config.json    may lack
//
// and becomes a model of pieces whose layers are a Transformer. Our marks take
// the place of theirs: <S>, </S>, <UNK> and <MASK> of [CLS], [SEP], [UNK] and
// [MASK]; in GPT-2 <S>, </S> and <UNK> are read as <|endoftext|>, of which </S>
// alone is predicted.

#ifndef FIRTH_LM_PRETRAINED_IMPORT_H_
#define FIRTH_LM_PRETRAINED_IMPORT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "firth/progress.h"
#include "lm/language_model.h"

namespace firth {

// hooks: hear of tensors that nobody asked for. Errors: NotFound, no such
// folder or file; InvalidArgument, a file that does not fit, with what in it:
// a key, a line, or a tensor that lacks or has another shape than config.json
// says; DataLoss, a file of tensors that is truncated.
absl::StatusOr<std::unique_ptr<BiLanguageModel>> ReadPretrained(
    const std::string& folder, const Hooks& hooks);

}  // namespace firth

#endif  // FIRTH_LM_PRETRAINED_IMPORT_H_

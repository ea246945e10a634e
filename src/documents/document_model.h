// The file of a document model. It is a vector file of the tags, with further
// tensors (io/formats/safetensors_format.cc):
//
//   counts            I64 [tags]        documents with each tag
//   input             F32 [tags, dim]   vectors of the tags
//   vocabulary        U8  [bytes]       tags, each followed by '\n'
//   words.counts      I64 [words]       occurrences of each word
//   words.input       F32 [words, dim]  word vectors, if they were trained
//   words.output      F32 [rows, dim]   prediction weights
//   words.vocabulary  U8  [bytes]       words, each followed by '\n'
//
// The metadata entry "documents" contains the options of training and of
// reading text, as JSON.

#ifndef FIRTH_DOCUMENTS_DOCUMENT_MODEL_H_
#define FIRTH_DOCUMENTS_DOCUMENT_MODEL_H_

#include <optional>

#include "absl/status/statusor.h"
#include "base/mapped_file.h"
#include "firth/file_info.h"

namespace firth {

// Returns what DescribeFile() reports about a document model, or nothing if the
// file is not one.
absl::StatusOr<std::optional<FileInfo>> DescribeDocumentModel(
    const MappedFilePtr& file);

}  // namespace firth

#endif  // FIRTH_DOCUMENTS_DOCUMENT_MODEL_H_

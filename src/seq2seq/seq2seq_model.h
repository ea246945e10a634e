// A sequence-to-sequence model: its network, its words, and how texts become
// ids of words. Its file is a checked .safetensors file with the metadata
// "seq2seq", which contains
//
//   {"tokens": {"tokens", "lowercase", ...}, "network": {"encoder", ...},
//    "source_dim", "target_dim"}
//
// the parameters, and the tensors "source_words" and "target_words".

#ifndef FIRTH_SEQ2SEQ_SEQ2SEQ_MODEL_H_
#define FIRTH_SEQ2SEQ_SEQ2SEQ_MODEL_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/mapped_file.h"
#include "firth/file_info.h"
#include "firth/seq2seq.h"
#include "firth/vocabulary.h"
#include "seq2seq/seq2seq_network.h"

namespace firth {

struct Seq2SeqModel {
  TokenOptions tokens;
  Seq2SeqShape shape;
  // They begin with the marks of language models: <S>, </S> and <UNK>.
  Vocabulary source_words;
  Vocabulary target_words;
  std::unique_ptr<Seq2SeqNetwork> network;
  std::map<std::string, std::string> metadata = {};

  // Return ids with the end of the text.
  std::vector<uint32_t> SourceIds(absl::Span<const std::string> text) const;
  std::vector<uint32_t> TargetIds(absl::Span<const std::string> text) const;
};

// Returns the words of the marks, followed by those that are frequent enough,
// in order of falling frequency. `texts` visits all texts.
using TextVisitor = absl::FunctionRef<void(absl::Span<const std::string>)>;
absl::StatusOr<Vocabulary> CountWords(
    absl::FunctionRef<void(TextVisitor)> for_each_text,
    const Seq2SeqOptions& options);

// Writes the file, whole or not at all.
absl::Status SaveSeq2SeqModel(const Seq2SeqModel& model,
                              const std::string& path);

// Errors: NotFound; InvalidArgument, another kind of file; DataLoss, with the
// tensor, if it is truncated or altered.
absl::StatusOr<Seq2SeqModel> LoadSeq2SeqModel(const std::string& path);
// Like LoadSeq2SeqModel(), but returns nothing for another kind of file.
absl::StatusOr<std::optional<Seq2SeqModel>> LoadIfSeq2SeqModel(
    const MappedFilePtr& file);

// Describes a model for DescribeFile(). Returns nothing for other files.
absl::StatusOr<std::optional<FileInfo>> DescribeSeq2SeqModel(
    const MappedFilePtr& file);

}  // namespace firth

#endif  // FIRTH_SEQ2SEQ_SEQ2SEQ_MODEL_H_

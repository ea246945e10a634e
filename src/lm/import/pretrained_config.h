// The config.json of a model that the libraries of Hugging Face saved,
// converted to the options of Firth. BERT and GPT-2 are supported.

#ifndef FIRTH_LM_IMPORT_PRETRAINED_CONFIG_H_
#define FIRTH_LM_IMPORT_PRETRAINED_CONFIG_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/vocabulary.h"
#include "nn/transformer.h"

namespace firth {

struct PretrainedConfig {
  enum class Kind { kBert, kGpt2 };

  Kind kind = Kind::kBert;
  // Positions are learned, as many as `context`. transform_top is not set.
  nn::TransformerLayers layers;
  size_t vocab_size = 0;  // rows of the table
  size_t segments = 0;    // for BERT
  bool tied = true;       // whether words are scored by their input vectors
};

// Errors: NotFound; InvalidArgument, with the key, if it is missing, out of
// range or requires a feature that is not supported.
absl::StatusOr<PretrainedConfig> ReadPretrainedConfig(const std::string& path);

// How words are cut, read from the tokenizer_config.json in the same folder. If
// a key or the file is missing, the defaults of the libraries apply. Errors:
// InvalidArgument, with the key.
struct PretrainedCutting {
  bool lowercase = true;
  bool strip_accents = true;  // equals `lowercase` by default
  bool part_ideographs = true;
  bool space_first = false;
};
absl::StatusOr<PretrainedCutting> ReadPretrainedCutting(
    const std::string& path);

// Reads the files in which other programs store the pieces of a model: BERT's
// vocab.txt, one piece per line, whose number is that of the line; GPT-2's
// vocab.json, {"piece": number}; and merges.txt, one "LEFT RIGHT" per line, in
// the order of merging.

// Read the pieces, in the order of their numbers. Errors: NotFound;
// InvalidArgument, with the line or the piece: a piece that is empty, not valid
// UTF-8 or not unique; in vocab.json, also numbers that are not 0 to the number
// of pieces less 1.
absl::StatusOr<std::vector<std::string>> ReadPieceLines(
    const std::string& path);
absl::StatusOr<std::vector<std::string>> ReadPieceNumbers(
    const std::string& path);

// Reads one merge per line. The first line may be "#version: 0.2". Errors:
// NotFound; InvalidArgument, with the line, if it is not unique or does not
// consist of two pieces separated by a space.
absl::StatusOr<Vocabulary> ReadMerges(const std::string& path);

// The vocabulary of the imported model: the marks of Firth, followed by the
// pieces that are not marks, in their order.
struct MarkedPieces {
  Vocabulary words;
  std::vector<size_t> rows;  // [words] original number of each
};

// Makes this vocabulary. named[i] is the piece that marks[i] replaces; several
// marks may have the same piece. `path` is used in messages. Errors:
// InvalidArgument, a piece that is missing or is spelled like a mark of Firth.
absl::StatusOr<MarkedPieces> MarkPieces(const std::vector<std::string>& pieces,
                                        absl::Span<const std::string> marks,
                                        absl::Span<const std::string> named,
                                        const std::string& path);

// Names of tensors that are the same for all models of a kind.
struct TensorNames {
  const char* prefix;     // optional prefix of names
  const char* table;      // [vocab_size, units]
  const char* positions;  // [context, units]
  const char* output;     // [vocab_size, units], if not tied
  // Prefixes and suffixes of the names of tensors that are not used.
  std::vector<const char*> other_begins;
  std::vector<const char*> other_ends;
};

const TensorNames& NamesOf(PretrainedConfig::Kind kind);

}  // namespace firth

#endif  // FIRTH_LM_IMPORT_PRETRAINED_CONFIG_H_

// The files in which models of others keep the pieces that they read: vocab.txt
// of BERT, a piece a line, whose number is that of the line; vocab.json of
// GPT-2, {"piece": number}; merges.txt, "LEFT RIGHT" a line, those that were
// merged first first.

#ifndef FIRTH_LM_PRETRAINED_PIECES_H_
#define FIRTH_LM_PRETRAINED_PIECES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/vocabulary.h"

namespace firth {

// The pieces by their numbers. Errors: NotFound; InvalidArgument, with the line
// or the piece: one that is empty, not valid UTF-8 or there twice; in
// vocab.json, numbers that are not all from 0 to one less than there are
// pieces.
absl::StatusOr<std::vector<std::string>> ReadPieceLines(
    const std::string& path);
absl::StatusOr<std::vector<std::string>> ReadPieceNumbers(
    const std::string& path);

// Each entry is a line, of which the first may be "#version: 0.2". Errors:
// NotFound; InvalidArgument, with the line: one that is there twice, or not of
// two pieces with a space between them.
absl::StatusOr<Vocabulary> ReadMerges(const std::string& path);

// The vocabulary of a model of ours that reads such pieces: our marks, then
// the pieces that are none of them, in their order.
struct MarkedPieces {
  Vocabulary words;
  std::vector<size_t> rows;  // [words] the number that each has there
};

// named[i]: the piece that marks[i] stands for there; one may stand for
// several. path: for messages. Errors: InvalidArgument, a piece that lacks, or
// one that is spelled like a mark of ours.
absl::StatusOr<MarkedPieces> MarkPieces(const std::vector<std::string>& pieces,
                                        absl::Span<const std::string> marks,
                                        absl::Span<const std::string> named,
                                        const std::string& path);

}  // namespace firth

#endif  // FIRTH_LM_PRETRAINED_PIECES_H_

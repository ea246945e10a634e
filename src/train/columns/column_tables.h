// Training by columns: every rank has all words, but only some of the values of
// each vector.
//
// A score is the sum of the contributions of all ranks' columns, and everything
// that a window teaches follows from its scores. So ranks that read the same
// windows need to exchange only scores (Ordentlich et al., "Network-Efficient
// Distributed Word2vec Training System for Large Vocabularies", CIKM 2016, with
// parameter servers instead of ranks). With 5 negatives and a window of 5, a
// window has about 36 scores, or 144 bytes. Its rows would take kilobytes.

#ifndef FIRTH_TRAIN_COLUMNS_COLUMN_TABLES_H_
#define FIRTH_TRAIN_COLUMNS_COLUMN_TABLES_H_

#include <memory>

#include "absl/status/statusor.h"
#include "corpus/token_stream.h"
#include "firth/ranks.h"
#include "model/embedding_model.h"

namespace firth {

// Returns the shape of this rank's share of a model.
ModelShape ShareOfShape(ModelShape shape, const Ranks& ranks);

// Returns the streams of all ranks, concatenated in rank order, on each rank.
// Errors: those of the ranks and of a full disk, the same on all ranks.
absl::StatusOr<std::shared_ptr<const TokenStream>> JoinStreams(
    Ranks& ranks, const TokenStream& own);

}  // namespace firth

#endif  // FIRTH_TRAIN_COLUMNS_COLUMN_TABLES_H_

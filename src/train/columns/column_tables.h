// Training by columns: every rank has all words, and of each vector some of the
// values.
//
// A score is the sum of what the ranks' columns give, and all that is learnt
// from a window follows from its scores: so ranks that read the same windows
// need exchange nothing but scores (Ordentlich et al., "Network-Efficient
// Distributed Word2vec Training System for Large Vocabularies", CIKM 2016, with
// parameter servers in place of ranks). Of 5 negatives and a window of 5, a
// window has some 36 of them, 144 bytes, where its rows would be kilobytes.

#ifndef FIRTH_TRAIN_COLUMNS_COLUMN_TABLES_H_
#define FIRTH_TRAIN_COLUMNS_COLUMN_TABLES_H_

#include <memory>

#include "absl/status/statusor.h"
#include "corpus/token_stream.h"
#include "firth/ranks.h"
#include "model/embedding_model.h"

namespace firth {

// The shape of a rank's share of a model.
ModelShape ShareOfShape(ModelShape shape, const Ranks& ranks);

// The streams of all ranks one after another, on each rank. Errors: those of
// the ranks and of a full disk, the same on each.
absl::StatusOr<std::shared_ptr<const TokenStream>> JoinStreams(
    Ranks& ranks, const TokenStream& own);

}  // namespace firth

#endif  // FIRTH_TRAIN_COLUMNS_COLUMN_TABLES_H_

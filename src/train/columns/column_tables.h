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

#include <cstddef>
#include <memory>

#include "absl/status/statusor.h"
#include "corpus/token_stream.h"
#include "firth/matrix.h"
#include "firth/ranks.h"
#include "model/embedding_model.h"

namespace firth {

// Columns [first, first + count) of all.
struct ColumnShare {
  size_t first = 0;
  size_t count = 0;
};

// What a rank has of `dim` columns, which are at least as many as the ranks:
// whole cache lines, if there are as many of these.
ColumnShare ColumnsOf(size_t dim, int rank, int ranks);

// The shape of a rank's share of a model.
ModelShape ShareOfShape(ModelShape shape, const Ranks& ranks);

// The streams of all ranks one after another, on each rank. Errors: those of
// the ranks and of a full disk, the same on each.
absl::StatusOr<std::shared_ptr<const TokenStream>> JoinStreams(
    Ranks& ranks, const TokenStream& own);

// The table [rows, dim] of which each rank has its columns, on rank 0; on the
// others none. It lies in a temporary file that vanishes with it, as it may be
// larger than the memory of a rank. Errors: as JoinStreams().
absl::StatusOr<FloatTable> JoinColumns(Ranks& ranks, const FloatTable& own,
                                       size_t dim);

}  // namespace firth

#endif  // FIRTH_TRAIN_COLUMNS_COLUMN_TABLES_H_

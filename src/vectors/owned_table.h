// A matrix becomes a read-only table that owns it.

#ifndef FIRTH_VECTORS_OWNED_TABLE_H_
#define FIRTH_VECTORS_OWNED_TABLE_H_

#include "base/aligned_matrix.h"
#include "firth/matrix.h"

namespace firth {

FloatTable OwnedTable(AlignedMatrix matrix);

}  // namespace firth

#endif  // FIRTH_VECTORS_OWNED_TABLE_H_

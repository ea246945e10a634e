#include "vectors/owned_table.h"

#include <memory>
#include <utility>

namespace firth {

FloatTable OwnedTable(AlignedMatrix matrix) {
  auto owner = std::make_shared<const AlignedMatrix>(std::move(matrix));
  return FloatTable(owner->data(), owner->rows(), owner->dim(), owner->stride(),
                    owner);
}

}  // namespace firth

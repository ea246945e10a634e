// Used only in libfirth_core.a, which does not read language models.

#include "io/formats/vector_format.h"

namespace firth {

const VectorFormat* NetworkFormat() { return nullptr; }

}  // namespace firth

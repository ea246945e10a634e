// Part of libfirth_core.a alone, which reads no language models.

#include "io/formats/vector_format.h"

namespace firth {

const VectorFormat* NetworkFormat() { return nullptr; }

}  // namespace firth

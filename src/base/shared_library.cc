#include "base/shared_library.h"

#include <dlfcn.h>

namespace firth {

void* LoadSharedLibrary(const char* carried, const char* installed) {
  void* const library = dlopen(carried, RTLD_NOW | RTLD_LOCAL);
  return library != nullptr ? library
                            : dlopen(installed, RTLD_NOW | RTLD_LOCAL);
}

}  // namespace firth

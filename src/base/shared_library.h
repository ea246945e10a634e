// Shared libraries that are loaded when they are first needed.

#ifndef FIRTH_BASE_SHARED_LIBRARY_H_
#define FIRTH_BASE_SHARED_LIBRARY_H_

namespace firth {

// Loads `carried`, the file name of a library that comes with a binary
// distribution of Firth, or else `installed`, that of the system's library.
// Their names differ, because the loader takes a library of the same name that
// the process already has, such as NumPy's OpenBLAS. Returns null if neither
// can be loaded; dlerror() then describes the second.
void* LoadSharedLibrary(const char* carried, const char* installed);

}  // namespace firth

#endif  // FIRTH_BASE_SHARED_LIBRARY_H_

// Finds which memory-mapped file contains an address, for error handlers that
// must explain why it can no longer be read.

#ifndef FIRTH_MAPPED_FILES_H_
#define FIRTH_MAPPED_FILES_H_

namespace firth {

// Returns the path of the mapped file that contains `address`, or null if there
// is none. May be called by a SIGBUS handler: if another process truncates a
// mapped file, reading the missing part raises that signal.
const char* MappedFileAt(const void* address);

}  // namespace firth

#endif  // FIRTH_MAPPED_FILES_H_

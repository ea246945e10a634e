// The files that are mapped into memory, for who must explain why one of them
// cannot be read any more.

#ifndef FIRTH_MAPPED_FILES_H_
#define FIRTH_MAPPED_FILES_H_

namespace firth {

// The path of the mapped file of which `address` is a byte; null: of none. A
// handler of SIGBUS may call it: another process can make a file shorter while
// it is in use, and then reading what was cut off raises that signal.
const char* MappedFileAt(const void* address);

}  // namespace firth

#endif  // FIRTH_MAPPED_FILES_H_

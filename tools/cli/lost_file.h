// A file that another process made shorter while it was mapped into memory.

#ifndef FIRTH_TOOLS_CLI_LOST_FILE_H_
#define FIRTH_TOOLS_CLI_LOST_FILE_H_

namespace firth::tools {

// From now on, reading a byte of a mapped file that is no longer there ends the
// program with a message that names the file, and exit code 1. Any other
// SIGBUS ends it as it would have.
void EndWhenFileIsLost();

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_CLI_LOST_FILE_H_

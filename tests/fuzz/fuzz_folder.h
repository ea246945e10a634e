// Where fuzzed readers put the files that they read.

#ifndef FIRTH_TESTS_FUZZ_FUZZ_FOLDER_H_
#define FIRTH_TESTS_FUZZ_FUZZ_FOLDER_H_

#include "support/temp_files.h"

namespace firth {

inline const TempFolder& FuzzFolder() {
  static const TempFolder folder;
  return folder;
}

}  // namespace firth

#endif  // FIRTH_TESTS_FUZZ_FUZZ_FOLDER_H_

// gensim reads what we write and we read what it writes. Skipped where Python
// with gensim is not installed.

#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "firth/vector_io.h"
#include "gtest/gtest.h"
#include "io/io_test_support.h"

namespace firth {
namespace {

using testing_io::ExpectSameVectors;
using testing_io::MakeVectors;
using testing_io::TestFolder;
using testing_io::WriteBytes;

constexpr int kNoGensim = 77;

constexpr char kScript[] = R"(
import sys
try:
    import numpy
    from gensim.models import KeyedVectors
except ImportError:
    sys.exit(77)
folder = sys.argv[1]
array = numpy.load(folder + '/ours.npy')
assert array.dtype == numpy.float32 and array.shape == (3, 4), array.shape
for name, binary in (('bin', True), ('txt', False)):
    vectors = KeyedVectors.load_word2vec_format(
        folder + '/ours.' + name, binary=binary, datatype=numpy.float32)
    assert vectors.index_to_key == ['one', 'zw\u00f6lf', '\u65e5\u672c']
    assert (vectors.vectors == array).all(), name
    vectors.save_word2vec_format(folder + '/theirs.' + name, binary=binary)
)";

int RunPython(const std::string& arguments) {
  for (const char* python : {"/usr/bin/python3", "python3"}) {
    const int result =
        std::system(absl::StrCat(python, " ", arguments).c_str());
    const int code = WIFEXITED(result) ? WEXITSTATUS(result) : -1;
    if (code != kNoGensim && code != 127) return code;
  }
  return kNoGensim;
}

TEST(GensimInteropTest, BothReadWhatTheOtherWrites) {
  const std::string folder = TestFolder();
  const VectorFile ours =
      MakeVectors({"one", "zw\xc3\xb6lf", "\xe6\x97\xa5\xe6\x9c\xac"}, 4);
  for (const char* name : {"/ours.bin", "/ours.txt", "/ours.npy"}) {
    ASSERT_EQ(SaveVectorFile(ours, folder + name, ""), absl::OkStatus());
  }
  WriteBytes(folder + "/check.py", kScript);
  const int code =
      RunPython(absl::StrCat("'", folder, "/check.py' '", folder, "'"));
  if (code == kNoGensim) GTEST_SKIP() << "no Python with gensim here";
  ASSERT_EQ(code, 0);
  for (const char* name : {"/theirs.bin", "/theirs.txt"}) {
    const auto theirs = LoadVectorFile(folder + name);
    ASSERT_EQ(theirs.status(), absl::OkStatus());
    ExpectSameVectors(ours.vectors, theirs->vectors);
  }
}

}  // namespace
}  // namespace firth

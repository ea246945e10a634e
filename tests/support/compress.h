// Compressing in memory, for tests of reading.

#ifndef FIRTH_TESTS_SUPPORT_COMPRESS_H_
#define FIRTH_TESTS_SUPPORT_COMPRESS_H_

#include <string>

namespace firth {

std::string Gzip(const std::string& text);
std::string Bzip2(const std::string& text);
std::string Xz(const std::string& text);
// One frame with a checksum; window_log 0: the default.
std::string Zstd(const std::string& text, int window_log = 0);

}  // namespace firth

#endif  // FIRTH_TESTS_SUPPORT_COMPRESS_H_

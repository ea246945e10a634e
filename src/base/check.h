// FIRTH_CHECK ends the program, with the source position and the condition, if
// a condition fails that only a bug in Firth can violate. Everything that the
// outside world can cause is reported as a Status.

#ifndef FIRTH_BASE_CHECK_H_
#define FIRTH_BASE_CHECK_H_

#include <cstdio>
#include <cstdlib>

namespace firth {

[[noreturn]] inline void CheckFailed(const char* file, int line,
                                     const char* condition) {
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace firth

#define FIRTH_CHECK(condition) \
  ((condition) ? void() : firth::CheckFailed(__FILE__, __LINE__, #condition))

// For hot loops: compiled in release builds, but not executed.
#ifdef NDEBUG
#define FIRTH_DCHECK(condition) (true ? void() : void(condition))
#else
#define FIRTH_DCHECK(condition) FIRTH_CHECK(condition)
#endif

#endif  // FIRTH_BASE_CHECK_H_

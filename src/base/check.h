// FIRTH_CHECK: what can fail only by our own mistake ends the program with the
// place and the condition. What can fail because of the world is a Status.

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

// For hot loops: compiled, but not run, in release builds.
#ifdef NDEBUG
#define FIRTH_DCHECK(condition) (true ? void() : void(condition))
#else
#define FIRTH_DCHECK(condition) FIRTH_CHECK(condition)
#endif

#endif  // FIRTH_BASE_CHECK_H_

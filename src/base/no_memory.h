// Memory that the system itself does not give.

#ifndef FIRTH_BASE_NO_MEMORY_H_
#define FIRTH_BASE_NO_MEMORY_H_

#include <new>

namespace firth {

// Throws std::bad_alloc as operator new does where it gets none: the handler
// that the program has set comes first, and may end it.
[[noreturn]] inline void ThrowNoMemory() {
  const std::new_handler handler = std::get_new_handler();
  if (handler != nullptr) handler();
  throw std::bad_alloc();
}

}  // namespace firth

#endif  // FIRTH_BASE_NO_MEMORY_H_

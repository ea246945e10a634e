// Reports a failed allocation that did not use operator new.

#ifndef FIRTH_BASE_NO_MEMORY_H_
#define FIRTH_BASE_NO_MEMORY_H_

#include <new>

namespace firth {

// Throws std::bad_alloc like operator new. Calls the program's new handler
// first, if there is one; the handler may end the program.
[[noreturn]] inline void ThrowNoMemory() {
  const std::new_handler handler = std::get_new_handler();
  if (handler != nullptr) handler();
  throw std::bad_alloc();
}

}  // namespace firth

#endif  // FIRTH_BASE_NO_MEMORY_H_

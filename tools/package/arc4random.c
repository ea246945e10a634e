// glibc has arc4random() since 2.36. The static C++ library and libbsd of Debian
// 12 call it; this definition lets what is linked with them run on glibc 2.34.

#include <stdint.h>
#include <sys/random.h>

uint32_t arc4random(void) {
  uint32_t number = 0;
  while (getrandom(&number, sizeof(number), 0) != sizeof(number)) {
  }
  return number;
}

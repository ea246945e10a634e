/* Preloaded, makes reads of one file fail with EIO: of the file whose name ends
 * with $FAIL_READ_OF, from the byte $FAIL_READ_AFTER on, as a disk with a bad
 * sector does. With $SLOW_READ_OF each read of that file takes 20 ms. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_file(int fd, const char* name) {
  char link[64];
  char path[PATH_MAX];
  if (name == NULL) return 0;
  snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, path, sizeof(path) - 1);
  if (length < (ssize_t)strlen(name)) return 0;
  path[length] = '\0';
  return strcmp(path + length - strlen(name), name) == 0;
}

static long long limit_of(int fd) {
  const char* after = getenv("FAIL_READ_AFTER");
  if (is_file(fd, getenv("SLOW_READ_OF"))) usleep(20000);
  return after != NULL && is_file(fd, getenv("FAIL_READ_OF")) ? atoll(after)
                                                              : -1;
}

ssize_t read(int fd, void* to, size_t count) {
  static ssize_t (*next)(int, void*, size_t);
  if (next == NULL) {
    next = (ssize_t(*)(int, void*, size_t))dlsym(RTLD_NEXT, "read");
  }
  const long long limit = limit_of(fd);
  if (limit >= 0) {
    const long long place = lseek(fd, 0, SEEK_CUR);
    if (place >= limit) {
      errno = EIO;
      return -1;
    }
    if ((long long)count > limit - place) count = (size_t)(limit - place);
  }
  return next(fd, to, count);
}

ssize_t pread(int fd, void* to, size_t count, off_t place) {
  static ssize_t (*next)(int, void*, size_t, off_t);
  if (next == NULL) {
    next = (ssize_t(*)(int, void*, size_t, off_t))dlsym(RTLD_NEXT, "pread");
  }
  const long long limit = limit_of(fd);
  if (limit >= 0 && place + (long long)count > limit) {
    errno = EIO;
    return -1;
  }
  return next(fd, to, count, place);
}

/* Preloaded, counts the calls by which a program gets memory, maps, opens,
 * writes, names, syncs and closes files and starts threads, or lets one of them
 * fail. The environment says which:
 *
 *   FAULT_COUNT    file for the first call of each distinct stack of calls, see
 *                  struct Counted
 *   FAULT_KIND     kind of the calls that fail, see kNames
 *   FAULT_N        number of the call of this kind that fails, from 1
 *   FAULT_LATER    if set, all later calls of the kind fail, too
 *   FAULT_REPORT   file for the stack of the first failure and, if the program
 *                  dies of a signal, for that of the signal
 *
 * Nothing here allocates, takes a lock or calls the functions that it replaces,
 * so that it works in any thread and in the middle of malloc(). */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <unwind.h>

enum Kind {
  kAlloc,
  kMap,
  kWrite,
  kRename,
  kSync,
  kThread,
  kOpen,
  kClose,
  kEarly, /* all of them before main() */
  kKinds
};

static const char* const kNames[kKinds] = {"alloc",  "map",   "write",
                                           "rename", "sync",  "thread",
                                           "open",   "close", "early"};

enum { kMostStacks = 1 << 16, kTable = 1 << 18, kMostFrames = 200 };

/* The file of FAULT_COUNT. */
struct Counted {
  _Atomic uint64_t calls[kKinds]; /* all calls */
  _Atomic uint64_t stacks;        /* entries that follow */
  struct {
    uint64_t kind, n, hash;
  } first[kMostStacks]; /* the n-th call was the first of this stack */
};

static struct Counted* counted;
static _Atomic uint64_t seen[kTable];
static _Atomic uint64_t calls_of_kind;
static int failing = kKinds;
static uint64_t fail_at;
static int fail_later;
static int report = -1;
static const char* phase; /* Before main() there is none. */

/* Set while a stack is taken: calls from inside do not count. */
static _Thread_local int busy __attribute__((tls_model("initial-exec")));

struct Frames {
  int count;
  uintptr_t at[kMostFrames];
};

static _Unwind_Reason_Code AddFrame(struct _Unwind_Context* context, void* to) {
  struct Frames* const frames = to;
  const uintptr_t at = _Unwind_GetIP(context);
  if (at == 0 || frames->count == kMostFrames) return _URC_END_OF_STACK;
  frames->at[frames->count++] = at;
  return _URC_NO_REASON;
}

static void TakeFrames(struct Frames* frames) {
  frames->count = 0;
  _Unwind_Backtrace(AddFrame, frames);
}

/* The same for a stack wherever its modules are loaded. */
static uint64_t Hash(const struct Frames* frames) {
  uint64_t hash = 14695981039346656037u;
  for (int i = 0; i < frames->count; ++i) {
    struct dl_find_object found;
    uint64_t part = 0;
    if (_dl_find_object((void*)frames->at[i], &found) == 0) {
      const struct link_map* const module = found.dlfo_link_map;
      part = (frames->at[i] - module->l_addr) ^
             ((uint64_t)((uintptr_t)module->l_ld - module->l_addr) << 32);
    }
    hash = (hash ^ part) * 1099511628211u;
    hash ^= hash >> 29;
  }
  return hash | 1; /* 0 marks what is free in the table. */
}

static void Count(enum Kind kind) {
  const uint64_t n = atomic_fetch_add(&counted->calls[kind], 1) + 1;
  struct Frames frames;
  TakeFrames(&frames);
  const uint64_t hash = Hash(&frames) + 2 * (uint64_t)kind;
  for (uint64_t i = hash >> 7;; ++i) {
    uint64_t there = 0;
    if (atomic_compare_exchange_strong(&seen[i % kTable], &there, hash)) break;
    if (there == hash) return;
  }
  const uint64_t entry = atomic_fetch_add(&counted->stacks, 1);
  if (entry >= kMostStacks) {
    atomic_store(&counted->stacks, kMostStacks);
    return;
  }
  counted->first[entry].kind = kind;
  counted->first[entry].n = n;
  counted->first[entry].hash = hash;
}

static void Say(const char* text) {
  syscall(SYS_write, report, text, strlen(text));
}

static void SayFrames(const char* title) {
  struct Frames frames;
  TakeFrames(&frames);
  Say(title);
  for (int i = 0; i < frames.count; ++i) {
    struct dl_find_object found;
    if (_dl_find_object((void*)frames.at[i], &found) != 0) continue;
    const struct link_map* const module = found.dlfo_link_map;
    char number[20];
    int digits = sizeof(number);
    uint64_t rest = frames.at[i] - module->l_addr;
    number[--digits] = '\0';
    number[--digits] = '\n';
    do {
      number[--digits] = "0123456789abcdef"[rest % 16];
    } while ((rest /= 16) > 0);
    Say(module->l_name[0] != '\0' ? module->l_name : "program");
    Say(" ");
    Say(number + digits);
  }
}

/* Whether this call is to fail. */
static int Fails(enum Kind kind) {
  if (busy) return 0;
  int fails = 0;
  const int error = errno;
  busy = 1;
  if (phase == NULL) kind = kEarly;
  if (counted != NULL) {
    Count(kind);
  } else if (kind == (enum Kind)failing) {
    const uint64_t n = atomic_fetch_add(&calls_of_kind, 1) + 1;
    fails = n == fail_at || (fail_later && n > fail_at);
    if (n == fail_at) {
      Say("failure ");
      SayFrames(phase == NULL ? "before main\n" : phase);
    }
  }
  busy = 0;
  errno = error;
  return fails;
}

static int FailsWith(enum Kind kind, int error) {
  if (!Fails(kind)) return 0;
  errno = error;
  return 1;
}

static void OnDeath(int number) {
  busy = 1;
  SayFrames("death\n");
  signal(number, SIG_DFL);
  raise(number);
}

static const char* Find(char** environment, const char* name) {
  const size_t length = strlen(name);
  for (; environment != NULL && *environment != NULL; ++environment) {
    if (strncmp(*environment, name, length) == 0 &&
        (*environment)[length] == '=') {
      return *environment + length + 1;
    }
  }
  return NULL;
}

static int OpenForUs(const char* path) {
  return (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
}

static void* RealMap(void* at, size_t size, int protection, int flags, int fd,
                     off_t offset) {
  return (void*)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
}

/* Runs before the constructors of all other libraries (-z initfirst). */
__attribute__((constructor)) static void Begin(int argc, char** argv,
                                               char** environment) {
  (void)argc, (void)argv;
  const char* const count = Find(environment, "FAULT_COUNT");
  const char* const kind = Find(environment, "FAULT_KIND");
  const char* const n = Find(environment, "FAULT_N");
  const char* const to = Find(environment, "FAULT_REPORT");
  if (count != NULL) {
    void* const file =
        RealMap(NULL, sizeof(struct Counted), PROT_READ | PROT_WRITE,
                MAP_SHARED, OpenForUs(count), 0);
    if (file == MAP_FAILED) _exit(125);
    counted = file;
  }
  if (kind == NULL || n == NULL || to == NULL) return;
  report = OpenForUs(to);
  if (report < 0) _exit(125);
  fail_at = strtoull(n, NULL, 10);
  fail_later = Find(environment, "FAULT_LATER") != NULL;
  const int deadly[] = {SIGSEGV, SIGABRT, SIGILL, SIGFPE};
  for (size_t i = 0; i < sizeof(deadly) / sizeof(*deadly); ++i) {
    signal(deadly[i], OnDeath);
  }
  for (int i = 0; i < kKinds; ++i) {
    if (strcmp(kind, kNames[i]) == 0) failing = i;
  }
}

static int (*real_main)(int, char**, char**);

static int Main(int argc, char** argv, char** environment) {
  phase = "main\n";
  const int code = real_main(argc, argv, environment);
  phase = "after main\n";
  return code;
}

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv,
                      void (*init)(void), void (*fini)(void), void (*end)(void),
                      void* stack) {
  int (*const next)(int (*)(int, char**, char**), int, char**, void (*)(void),
                    void (*)(void), void (*)(void), void*) =
      dlsym(RTLD_NEXT, "__libc_start_main");
  real_main = main;
  return next(Main, argc, argv, init, fini, end, stack);
}

/* Memory. */

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

void* malloc(size_t size) {
  return FailsWith(kAlloc, ENOMEM) ? NULL : __libc_malloc(size);
}

void* calloc(size_t count, size_t size) {
  return FailsWith(kAlloc, ENOMEM) ? NULL : __libc_calloc(count, size);
}

void* realloc(void* old, size_t size) {
  return FailsWith(kAlloc, ENOMEM) ? NULL : __libc_realloc(old, size);
}

void* memalign(size_t alignment, size_t size) {
  return FailsWith(kAlloc, ENOMEM) ? NULL : __libc_memalign(alignment, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}

int posix_memalign(void** to, size_t alignment, size_t size) {
  void* const memory = memalign(alignment, size);
  if (memory == NULL) return ENOMEM;
  *to = memory;
  return 0;
}

void* mmap(void* at, size_t size, int protection, int flags, int fd,
           off_t offset) {
  const enum Kind kind = flags & MAP_ANONYMOUS ? kAlloc : kMap;
  if (FailsWith(kind, ENOMEM)) return MAP_FAILED;
  return RealMap(at, size, protection, flags, fd, offset);
}

void* mmap64(void* at, size_t size, int protection, int flags, int fd,
             off_t offset) {
  return mmap(at, size, protection, flags, fd, offset);
}

/* Files. Standard error carries the messages that are looked for, and events
 * between threads need no disk. */

static int WriteFails(int fd) {
  struct stat info;
  if (fd == STDERR_FILENO || fstat(fd, &info) != 0) return 0;
  if (!S_ISREG(info.st_mode) && !S_ISSOCK(info.st_mode)) return 0;
  return FailsWith(kWrite, ENOSPC);
}

ssize_t write(int fd, const void* from, size_t size) {
  return WriteFails(fd) ? -1 : syscall(SYS_write, fd, from, size);
}

ssize_t pwrite(int fd, const void* from, size_t size, off_t at) {
  return WriteFails(fd) ? -1 : syscall(SYS_pwrite64, fd, from, size, at);
}

ssize_t pwrite64(int fd, const void* from, size_t size, off_t at) {
  return pwrite(fd, from, size, at);
}

ssize_t writev(int fd, const struct iovec* parts, int count) {
  return WriteFails(fd) ? -1 : syscall(SYS_writev, fd, parts, count);
}

ssize_t send(int fd, const void* from, size_t size, int flags) {
  return WriteFails(fd) ? -1
                        : syscall(SYS_sendto, fd, from, size, flags, NULL, 0);
}

ssize_t sendmsg(int fd, const struct msghdr* message, int flags) {
  return WriteFails(fd) ? -1 : syscall(SYS_sendmsg, fd, message, flags);
}

ssize_t sendfile(int to, int from, off_t* at, size_t size) {
  return WriteFails(to) ? -1 : syscall(SYS_sendfile, to, from, at, size);
}

ssize_t sendfile64(int to, int from, off64_t* at, size_t size) {
  return sendfile(to, from, at, size);
}

int ftruncate(int fd, off_t size) {
  return WriteFails(fd) ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

int ftruncate64(int fd, off64_t size) { return ftruncate(fd, size); }

/* The C library writes what its streams hold without calls of write(): for the
 * time of a call, the stream's file is a full disk. */
static int FlushToFullDisk(FILE* stream, int (*flush)(FILE*)) {
  const int fd = fileno(stream);
  const int full = OpenForUs("/dev/full");
  const int kept = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 0);
  syscall(SYS_dup3, full, fd, 0);
  const int result = flush(stream);
  const int error = errno;
  syscall(SYS_dup3, kept, fd, 0);
  syscall(SYS_close, kept);
  syscall(SYS_close, full);
  errno = error;
  return result;
}

size_t fwrite(const void* from, size_t size, size_t count, FILE* to) {
  size_t (*const next)(const void*, size_t, size_t, FILE*) =
      dlsym(RTLD_NEXT, "fwrite");
  int (*const flush)(FILE*) = dlsym(RTLD_NEXT, "fflush");
  if (to != stdout || !Fails(kWrite)) return next(from, size, count, to);
  const size_t written = next(from, size, count, to);
  return FlushToFullDisk(to, flush) == 0 ? written : 0;
}

int fflush(FILE* stream) {
  int (*const next)(FILE*) = dlsym(RTLD_NEXT, "fflush");
  if (stream != stdout || !Fails(kWrite)) return next(stream);
  return FlushToFullDisk(stream, next);
}

int rename(const char* from, const char* to) {
  return FailsWith(kRename, EIO)
             ? -1
             : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  return FailsWith(kRename, EIO)
             ? -1
             : (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 0);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to,
           int flags) {
  return FailsWith(kRename, EIO) ? -1
                                 : (int)syscall(SYS_linkat, from_folder, from,
                                                to_folder, to, flags);
}

int fsync(int fd) {
  return FailsWith(kSync, EIO) ? -1 : (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd) {
  return FailsWith(kSync, EIO) ? -1 : (int)syscall(SYS_fdatasync, fd);
}

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const unsigned mode = va_arg(more, unsigned); /* Unused unless it creates. */
  va_end(more);
  const int writes = (flags & O_ACCMODE) != O_RDONLY;
  if (writes && FailsWith(kOpen, EMFILE)) return -1;
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const unsigned mode = va_arg(more, unsigned);
  va_end(more);
  return open(path, flags | O_LARGEFILE, mode);
}

int mkostemp(char* name, int flags) {
  int (*const next)(char*, int) = dlsym(RTLD_NEXT, "mkostemp");
  return FailsWith(kOpen, EMFILE) ? -1 : next(name, flags);
}

int mkostemp64(char* name, int flags) { return mkostemp(name, flags); }

/* A file that could not be written in the end is closed all the same. */
int close(int fd) {
  const int result = (int)syscall(SYS_close, fd);
  return result == 0 && FailsWith(kClose, EIO) ? -1 : result;
}

/* Threads. */

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                   void* (*work)(void*), void* of) {
  int (*const next)(pthread_t*, const pthread_attr_t*, void* (*)(void*),
                    void*) = dlsym(RTLD_NEXT, "pthread_create");
  return Fails(kThread) ? EAGAIN : next(thread, attributes, work, of);
}

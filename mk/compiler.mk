# The compiler, its options in each flavour, and the libraries that are linked.

CXX := g++
PKG_CONFIG := pkg-config
CXXSTD := -std=c++20
# More optimization takes a fifth more of the time to compile; what needs it are
# the kernels.
OPT := -O1 -DNDEBUG
# On x86-64 what all processors have since 2011 (SSE4.2), so that the kernels need
# no form without vectors. The loader refuses the program where it is missing.
MACHINE_x86_64 := -march=x86-64-v2 -DHWY_DISABLE_PCLMUL_AES
# Highway marks its functions for NEON with crypto, and only what is marked so, too,
# can inline them. Compilers make none of its instructions unasked: processors without
# it run the program.
MACHINE_aarch64 := -march=armv8-a+crypto
MACHINE := $(MACHINE_$(shell uname -m))
# Of the kernels, and of what else goes through each word or row.
KERNEL_OPT := -O3
# WERROR=1 makes warnings errors, as CI does.
WARN := -Wall -Wextra $(if $(WERROR),-Werror)
CXXFLAGS ?=
SANITIZE :=
OPENMP := -fopenmp
# Commands and tests are compiled with little optimization, which takes less time
# than it would save.
FAST_OPT := -Og

ifneq ($(filter asan tsan fuzz,$(FLAVOUR)),)
  CXX := clang++-$(CLANG_VERSION)
  FAST_OPT := -O1
endif
ifeq ($(FLAVOUR),aarch64)
  # The prefix of its tools.
  CROSS := aarch64-linux-gnu-
  CXX := $(CROSS)g++
  AR := $(CROSS)ar
  MACHINE := $(MACHINE_aarch64)
  PKG_CONFIG := PKG_CONFIG_LIBDIR=/usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig \
    pkg-config
endif
ifneq ($(filter-out release aarch64,$(FLAVOUR)),)
  KERNEL_OPT :=
endif
ifeq ($(FLAVOUR),asan)
  OPT := -O1 -g -DFIRTH_FEW_TARGETS
  SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all \
    -fno-omit-frame-pointer
else ifeq ($(FLAVOUR),pyasan)
  # Of GCC, whose OpenMP wheels have. Python does not bring the sanitizer, which
  # must be loaded first, and with it what throws.
  OPT := -O1 -g1 -DFIRTH_FEW_TARGETS
  FAST_OPT := -O1
  SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all \
    -fno-omit-frame-pointer -Wno-maybe-uninitialized
  PYTHON_ENV = ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$(foreach library,\
    asan.so ubsan.so stdc++.so.6,$(shell $(CXX) -print-file-name=lib$(library)))"
else ifeq ($(FLAVOUR),tsan)
  # GCC's OpenMP runtime is opaque to ThreadSanitizer; clang's, with Archer,
  # is not. FIRTH_RACE_FREE makes the shared rows atomic (shared_row-inl.h).
  OPT := -O1 -g -DFIRTH_FEW_TARGETS -DFIRTH_RACE_FREE
  SANITIZE := -fsanitize=thread
else ifeq ($(FLAVOUR),fuzz)
  OPT := -O1 -g -DFIRTH_FEW_TARGETS
  SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all \
    -fno-omit-frame-pointer
  # The library and the readers are instrumented, main() is libFuzzer's.
  COVERAGE := -fsanitize=fuzzer-no-link
else ifeq ($(FLAVOUR),plain)
  OPT := -O0 -g -DFIRTH_FEW_TARGETS
  FAST_OPT := -O0
else ifeq ($(FLAVOUR),coverage)
  OPT := -O0 -g -DFIRTH_FEW_TARGETS --coverage -fprofile-update=atomic
  FAST_OPT := -O0
endif

ifeq ($(findstring clang,$(shell $(CXX) --version 2>/dev/null)),)
  # GCC 12 reports overlaps in std::string's operator+ that do not exist (its bug
  # 105651), and takes sources in batches for headers, whose classes must not have
  # members of unnamed types.
  CXX_WARN := $(WARN) -Wno-psabi -Wno-restrict -Wno-subobject-linkage
  # With -Og it takes parts of std::regex for uninitialized.
  FAST_OPT += -Wno-maybe-uninitialized
  # A batch is compiled within this many kB before the compiler looks for memory to
  # free, which takes a tenth of its time and frees next to nothing.
  COLLECT := --param ggc-min-heapsize=524288
else
  CXX_WARN := $(WARN)
endif

# What the library is linked with: its headers' packages, which whoever includes
# them is linked with too, and its own. The build, firth.pc and CMake's package
# take it from here.
PUBLIC_PACKAGES := absl_function_ref absl_span absl_status absl_statusor absl_strings
PRIVATE_PACKAGES := absl_cleanup absl_flat_hash_map absl_hash absl_str_format \
  absl_time libhwy libmurmurhash libutf8proc libzstd
# These have no packages of pkg-config.
OTHER_LIBS := -lboost_iostreams $(OPENMP) -pthread
# Of these the headers alone: OpenBLAS is loaded by the first product that needs
# it (src/simd/blas.h).
HEADER_PACKAGES := openblas
# Asked when something is built (before `make deps` there may be nothing), and
# then once: asking takes as long as a small file.
# System headers: their warnings are not ours.
PKG_CFLAGS = $(eval PKG_CFLAGS := $$(patsubst -I%,-isystem%,$$(shell $(PKG_CONFIG) \
  --cflags $(PUBLIC_PACKAGES) $(PRIVATE_PACKAGES) $(HEADER_PACKAGES))))$(PKG_CFLAGS)
PKG_LIBS = $(eval PKG_LIBS := $$(shell $(PKG_CONFIG) --libs \
  $(PUBLIC_PACKAGES) $(PRIVATE_PACKAGES)))$(PKG_LIBS)

# The tests compare our HDF5 with that of its own library, which the program does
# without, and write gzip by its own.
TEST_PACKAGES := hdf5 zlib
TEST_PKG_CFLAGS = $(eval TEST_PKG_CFLAGS := \
  $$(patsubst -I%,-isystem%,$$(shell $(PKG_CONFIG) --cflags $(TEST_PACKAGES))))$(TEST_PKG_CFLAGS)
TEST_LIBS = $(eval TEST_LIBS := $$(shell $(PKG_CONFIG) --libs $(TEST_PACKAGES)))$(TEST_LIBS)

COMPILE = $(CXX) $(CXXSTD) $(MACHINE) $(OPT) $(CXX_WARN) $(OPENMP) $(SANITIZE) $(COVERAGE) -fPIC \
  -pthread -MD -MP $(COLLECT) $(PKG_CFLAGS) $(CXXFLAGS) -DFIRTH_VERSION='"$(VERSION)"'
LIBS = $(OTHER_LIBS) $(PKG_LIBS)
COMMA := ,
LINK = $(CXX) $(OPT) $(OPENMP) $(SANITIZE) -pthread $(LDFLAGS) \
  $(if $(findstring x86-64,$(MACHINE)),-Wl$(COMMA)-z$(COMMA)x86-64-v2)

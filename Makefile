# Firth: `make demo` and `make test` do everything on a fresh Debian 12 or 13;
# `make help` lists the targets. Sources are found by folder.

VERSION := 0.1.0

# Flavours keep their objects apart: release, plain, asan, pyasan, tsan, fuzz,
# coverage, aarch64.
FLAVOUR ?= release
BUILD := build/$(FLAVOUR)
# VERBOSE=1 shows the commands.
Q := $(if $(VERBOSE),,@)
PREFIX ?= /usr/local
# Shells that do not expand ~ behind "=" leave it to us.
override PREFIX := $(patsubst ~/%,$(HOME)/%,$(PREFIX))
# Debian keeps libraries by architecture: /usr/lib/x86_64-linux-gnu.
LIBDIR ?= $(PREFIX)/lib
DESTDIR ?=
# Of the shared library: another number, another interface.
ABI := 0
JOBS ?= $(shell nproc)

DEPS_BUILD := g++ make pkg-config libboost-program-options-dev \
  libboost-iostreams-dev libabsl-dev libgtest-dev libgmock-dev libhwy-dev \
  nlohmann-json3-dev libutf8proc-dev libzstd-dev libopenblas-dev libedit-dev \
  libhnswlib-dev libmurmurhash-dev libhdf5-dev zlib1g-dev libmicrohttpd-dev libicu-dev \
  esbuild
# Debian's Python: the one in PATH may be another, without these.
PYTHON ?= /usr/bin/python3
# What pip needs to build and install the Python package without a download.
DEPS_PIP := python3-dev python3-cffi python3-numpy python3-setuptools python3-wheel \
  python3-venv python3-pip
DEPS_PYTHON := $(DEPS_PIP) python3-pytest python3-hypothesis python3-tqdm mypy
# The version of clang that formats, checks, and builds the sanitizers' tests.
CLANG_VERSION ?= 14
DEPS_CHECK := cppcheck valgrind $(patsubst %,%-$(CLANG_VERSION),clang clang-format \
  clang-tidy) $(patsubst %,%-$(CLANG_VERSION)-dev,libclang-rt libomp)
DEPS_BENCH := libbenchmark-dev
DEPS_INTEROP := fasttext python3-gensim python3-pyemd python3-sklearn \
  python3-pandas python3-matplotlib python3-nbclient python3-ipykernel \
  python3-faiss
DEPS_DEB := dpkg-dev debhelper
DEPS_MPI := libopenmpi-dev openmpi-bin
# Other packages of node.js bring npm with them, and conflict with Debian's.
DEPS_WEB = esbuild node-typescript chromium \
  $(if $(shell command -v npm),,nodejs npm)
# The cross compiler, the emulator, and what the kernels and their tests need.
DEPS_ARM := g++-aarch64-linux-gnu qemu-user-static make pkg-config \
  nlohmann-json3-dev $(addsuffix :arm64,libabsl-dev \
  libboost-iostreams-dev libgmock-dev libgtest-dev libhwy-dev libmurmurhash-dev \
  libopenblas-dev libutf8proc-dev libzstd-dev)

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
  CXX := aarch64-linux-gnu-g++
  AR := aarch64-linux-gnu-ar
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

# The C interface is a library of its own, around the other.
C_SOURCES := $(wildcard src/c/*.cc)
# The one file that includes MPI's header is a module, which is loaded when it is
# asked for.
MPI_SOURCE := src/distributed/mpi_module.cc
# What stands in libfirth_core.a for what it lacks.
CORE_SOURCES := src/io/formats/without_networks.cc
LIB_SOURCES := $(filter-out $(C_SOURCES) $(CORE_SOURCES) $(MPI_SOURCE),\
  $(shell find src -name '*.cc'))
TOOL_SOURCES := $(shell find tools -name '*.cc')
FUZZ_SOURCES := tests/fuzz/fuzzer.cc
TEST_SOURCES := $(filter-out $(FUZZ_SOURCES),\
  $(shell find tests -name '*.cc' -not -path 'tests/bench/*' \
    -not -path 'tests/examples/*'))
# Those of the kernels and the layers of networks, which need nothing above them.
KERNEL_TEST_SOURCES := $(addprefix tests/support/,main.cc stuck_tests.cc window_kernel.cc) \
  $(filter-out tests/simd/instruction_set_test.cc tests/nn/torch_parity_test.cc, \
    $(wildcard tests/simd/*.cc tests/nn/*.cc))
BENCH_SOURCES := $(wildcard tests/bench/*.cc)
FORMATTED := $(shell find src include tools tests -path '*/node_modules' -prune -o \
  \( -name '*.cc' -o -name '*.h' -o -name '*.ts' -o -name '*.mjs' \) -print)

# Files with code for each instruction set.
KERNELS := $(shell grep -rl --include=*.cc hwy/foreach_target.h src)

# Of the library, what handles options, headers, reports and whole files, and
# calls for the work that others do: compiled like the commands, in two thirds
# of the time.
COLD_SOURCES := $(filter src/info/% src/probe/% src/recipe/% src/run/% \
  src/io/exports/% src/io/tensors/% src/base/fields% src/lm/elmo_% src/lm/json_% \
  src/lm/language_model_% src/lm/training_% src/query/evaluate_% src/tag/tagge% \
  src/train/train% %_file.cc %_header.cc %_json.cc %_options.cc \
  $(addprefix src/classify/,classifier_file_reader.cc classifier_io.cc \
    classifier_learner.cc fasttext_classifier.cc feature_estimate.cc \
    labelled_csv.cc labelled_folders.cc option_space.cc successive_halving.cc \
    training_plan.cc tune.cc) \
  $(addprefix src/lm/pretrained_,config.cc import.cc tensors.cc) \
  src/io/formats/formats.cc src/layout/word_map.cc src/lm/describe_embeddings.cc \
  $(addprefix src/query/,align.cc bias.cc compare_results.cc drift.cc \
    semantic_axis.cc test_set_lines.cc word_comparison.cc) \
  src/tag/tag_set.cc, \
  $(filter-out $(KERNELS),$(LIB_SOURCES)))

# Layers of networks are templates on the number type. Only the tests' gradient
# checks work with doubles, so they have objects of their own of these files.
DOUBLED_SOURCES := $(shell grep -rl --include=*.cc FIRTH_DOUBLES src)

# Files of one folder are compiled together, BATCH of them at most, as
# FOLDER/batch_N: what they include is parsed once then, and the templates that
# they share are compiled once, which takes half of the time. BATCH=1 gives each
# file an object, so that a change compiles less. Alone are files with code for
# each instruction set, which include themselves; formats, which all give the
# same names to the same steps; and what is linked one by one.
BATCH ?= 16
ALONE := $(KERNELS) $(filter-out src/nn/%,$(DOUBLED_SOURCES)) $(shell grep -rl --include=*.cc hwy/foreach_target.h tests) \
  $(wildcard src/io/formats/*_format.cc tests/fuzz/*.cc) tools/firth.cc \
  tests/serve/served_example.cc tests/support/compress.cc
# The files $(2) as words "FOLDER/batch_$(1)N=FILE=FILE...".
batches = $(if $(filter-out 0 1,$(BATCH)),$(shell \
  printf '%s\n' $(sort $(filter-out $(ALONE),$(2))) | awk -v most=$(BATCH) \
  '{ folder = $$0; sub("/[^/]*$$", "", folder); \
     of[folder, count[folder]++] = $$0 } \
   END { for (folder in count) { \
     n = count[folder]; if (n == 1) continue; parts = int((n + most - 1) / most); \
     for (i = part = 0; part < parts; ++part) { \
       printf " %s/batch_$(1)%d", folder, part + 1; \
       for (; i < n * (part + 1) / parts; ++i) printf "=%s", of[folder, i] } } }'))
batch_objects = $(foreach batch,$(1),$(BUILD)/$(firstword $(subst =, ,$(batch))).o)
# The objects of the sources $(1), of which $(2) are in batches.
objects = $(patsubst %.cc,$(BUILD)/%.o,$(filter-out $(subst =, ,$(2)),$(1))) \
  $(call batch_objects,$(2))

COLD_BATCHES := $(call batches,cold,$(COLD_SOURCES))
HOT_SOURCES := $(filter-out $(COLD_SOURCES),$(LIB_SOURCES))
HOT_BATCHES := $(call batches,,$(HOT_SOURCES))
C_BATCHES := $(call batches,,$(C_SOURCES))
TOOL_BATCHES := $(call batches,,$(TOOL_SOURCES))
TEST_BATCHES := $(call batches,,$(TEST_SOURCES))
KERNEL_TEST_BATCHES := $(call batches,kernel,$(KERNEL_TEST_SOURCES))
COLD_OBJECTS := $(call objects,$(COLD_SOURCES),$(COLD_BATCHES))
HOT_OBJECTS := $(call objects,$(HOT_SOURCES),$(HOT_BATCHES))
LIB_OBJECTS := $(HOT_OBJECTS) $(COLD_OBJECTS)
C_OBJECTS := $(call objects,$(C_SOURCES),$(C_BATCHES))
# What trains, reads, writes and queries vectors needs nothing of the rest.
CORE_OBJECTS := $(filter $(addprefix $(BUILD)/src/,$(addsuffix /%, \
  base distributed simd corpus vocab vectors io model objective run train query layout recipe)),$(LIB_OBJECTS)) \
  $(CORE_SOURCES:%.cc=$(BUILD)/%.o)
TOOL_OBJECTS := $(call objects,$(TOOL_SOURCES),$(TOOL_BATCHES)) \
  $(BUILD)/demo_data.o $(BUILD)/page.o
# Of the tests, what is C shows that the public header is.
C_TEST_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/c/*.c))
TEST_OBJECTS := $(call objects,$(TEST_SOURCES),$(TEST_BATCHES))
# They replace those of the library.
SINGLE_OBJECTS := $(filter-out $(patsubst %.cc,$(BUILD)/%.o,\
    $(filter-out $(DOUBLED_SOURCES),$(KERNELS))),\
  $(filter $(BUILD)/src/nn/% $(DOUBLED_SOURCES:%.cc=$(BUILD)/%.o),$(LIB_OBJECTS)))
DOUBLED_OBJECTS := $(SINGLE_OBJECTS:$(BUILD)/%=$(BUILD)/doubled/%)
KERNEL_TEST_OBJECTS := $(call objects,$(KERNEL_TEST_SOURCES),$(KERNEL_TEST_BATCHES)) \
  $(DOUBLED_OBJECTS)
# What the tests use of the program: all but main().
TESTED_TOOL_OBJECTS := $(filter-out $(BUILD)/tools/firth.o,$(TOOL_OBJECTS))
BENCH_OBJECTS := $(BENCH_SOURCES:%.cc=$(BUILD)/%.o) \
  $(BUILD)/tests/support/window_kernel.o
FUZZ_OBJECTS := $(FUZZ_SOURCES:%.cc=$(BUILD)/%.o)
FUZZED_READERS := $(filter $(addprefix $(BUILD)/tests/,fuzz/fuzzed_% \
  serve/served_example.o support/compress.o),$(TEST_OBJECTS))

LIBFIRTH := $(BUILD)/libfirth.a
LIBCORE := $(BUILD)/libfirth_core.a
FIRTH_C := $(BUILD)/libfirth_c.so.1
# The same with its types, for `make abi`: no program needs them.
TYPED_C := $(BUILD)/typed/libfirth_c.so.1
TYPED_C_OBJECTS := $(C_OBJECTS:$(BUILD)/%=$(BUILD)/typed/%)
FIRTH := $(BUILD)/firth
MPI_MODULE := $(BUILD)/firth_mpi.so
DEMO := build/demo.safetensors
FIRTH_TEST := $(BUILD)/firth_test
KERNEL_TEST := $(BUILD)/kernel_test
FIRTH_BENCH := $(BUILD)/firth_bench
FUZZER := $(BUILD)/fuzzer
PYTHON_SITE := $(if $(filter release,$(FLAVOUR)),build,$(BUILD))/python/site
# That which the Python tests compare with.
PYTHON_PROGRAM := $(FIRTH)
FAILING_READ := $(BUILD)/failing_read.so
WEB_PAGE := build/web/page.html
WEB_TESTS := build/web/tests
WEB_MODULES := tests/web/node_modules/.package-lock.json
# Of each reader. FUZZ_READERS chooses some: FUZZ_READERS="text npy".
FUZZ_SECONDS ?= 600
FUZZ_READERS ?=
# Of trainings, and of conversions.
FAULT_KILLS ?= 200

.PHONY: all options-reference core deps deps-build deps-check demo test test-program run-tests plain asan tsan bench \
  python python-check python-asan run-python-tests \
  coverage format tidy cppcheck valgrind layers abi install clean help interop \
  faults fuzz fuzzer examples kernel-test arm deb web web-check web-test deps-web \
  deps-mpi mpi-test
.DEFAULT_GOAL := all

# MPI=1 builds the module for training on several machines, too.
all: $(LIBFIRTH) $(BUILD)/libfirth.so $(FIRTH_C) $(FIRTH) $(if $(MPI),$(MPI_MODULE))  ## build the libraries and the program

# Installs the Debian packages in the list $(1) that are missing, or checks that what they
# provide is here. DEPS=skip does neither.
install_packages = @CXX="$(CXX)" PYTHON="$(PYTHON)" mk/packages $(1)

deps:  ## install what is missing to build and test (Debian packages)
	$(call install_packages,$(DEPS_BUILD) $(DEPS_PYTHON))

deps-build:
	$(call install_packages,$(DEPS_BUILD))

deps-mpi:  ## install OpenMPI, for MPI=1
	$(call install_packages,$(DEPS_BUILD) $(DEPS_MPI))

deps-check:
	$(call install_packages,$(DEPS_BUILD) $(DEPS_CHECK))

# That nothing is missing shows when all of it is linked.
core: $(LIBCORE)  ## libfirth_core.a: the library without networks
	@$(LINK) -shared -Wl,--no-undefined -Wl,--whole-archive $< \
	  -Wl,--no-whole-archive $(LIBS) -o $(BUILD)/core_check.so
	@rm $(BUILD)/core_check.so

demo:  ## build, train on the built-in corpus, show what it learned
	$(call install_packages,$(DEPS_BUILD) $(DEPS_PIP))
	@$(MAKE) --no-print-directory -j$(JOBS) $(FIRTH)
	$(FIRTH) demo --output $(DEMO)

test: deps layers  ## build and run all tests
	@$(MAKE) --no-print-directory -j$(JOBS) all core test-program $(PYTHON_SITE)
	@$(MAKE) --no-print-directory run-python-tests
	@$(MAKE) --no-print-directory run-tests

test-program: $(FIRTH) $(FIRTH_TEST)

# ThreadSanitizer and gcov write files of their own, which the test's limit on
# the size of files cuts.
NO_FULL_DISK := --gtest_filter=-*FullDisk*:LmTest.ACheckpointThatFails*
# The tests find the program and the test data by these variables.
run-tests:
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && TMPDIR=$$folder \
	  FIRTH_PROGRAM=$(abspath $(FIRTH)) FIRTH_SOURCE=$(CURDIR) \
	  $(FIRTH_TEST) --gtest_brief=1 $(TEST_ARGS)

# They stand before those in C++, whose summary is the end of "make test".
run-python-tests: $(PYTHON_PROGRAM) $(PYTHON_SITE)
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && TMPDIR=$$folder \
	  FIRTH_PROGRAM=$(abspath $(PYTHON_PROGRAM)) \
	  PYTHONPATH=$(abspath $(PYTHON_SITE)) \
	  PYTHONDONTWRITEBYTECODE=1 $(PYTHON_ENV) $(PYTHON) -m pytest -q -p no:cacheprovider \
	  --basetemp $$folder/pytest $(PYTEST_ARGS) tests/python

python: deps  ## the wheel of the Python package, into build/python
	@$(MAKE) --no-print-directory -j$(JOBS) $(PYTHON_SITE)
	@ls build/python/*.whl

python-check: python  ## mypy --strict and stubtest over the Python package
	@cd tools/python && $(PYTHON) -m mypy
	@cd $(PYTHON_SITE) && MYPYPATH=. $(PYTHON) -m mypy.stubtest firth._firth_c \
	  --mypy-config-file $(CURDIR)/tools/python/pyproject.toml

# The program is not instrumented; that are the tests in C++.
python-asan: deps  ## the Python tests, the library under AddressSanitizer and UBSan
	@$(MAKE) --no-print-directory -j$(JOBS) $(FIRTH)
	@$(MAKE) --no-print-directory -j$(JOBS) FLAVOUR=pyasan \
	  PYTHON_PROGRAM=$(FIRTH) run-python-tests

asan: deps-check  ## all tests under AddressSanitizer and UBSan (clang)
	@$(MAKE) --no-print-directory -j$(JOBS) FLAVOUR=asan test-program
	@ASAN_OPTIONS=detect_leaks=1 \
	  $(MAKE) --no-print-directory FLAVOUR=asan run-tests

deps-web:
	$(call install_packages,$(DEPS_WEB))

web: deps-build $(WEB_PAGE)  ## the page of `firth explore`: build/web/page.html

web-check: deps-web  ## types and tests of the page's parts
	@$(MAKE) --no-print-directory -j$(JOBS) $(FIRTH_C)
	@mkdir -p build/web
	@tests/web/question_types $(abspath $(FIRTH_C)) >build/web/questions.ts
	@tsc -p tools/web
	@tsc -p tests/web/unit
	@rm -rf $(WEB_TESTS)
	@esbuild tests/web/unit/*_test.ts --bundle --platform=node --format=esm \
	  --out-extension:.js=.mjs --log-level=warning --outdir=$(WEB_TESTS)
	@node --test $(WEB_TESTS)/*.mjs

# Those of the whole page, in Debian's Chromium.
web-test: web-check $(WEB_PAGE) $(WEB_MODULES)  ## the page in a browser: mouse, keyboard, axe
	@cd tests/web && FIRTH_PAGE=$(CURDIR)/$(WEB_PAGE) \
	  FIRTH_PROGRAM=$(wildcard $(abspath $(FIRTH))) node --test browser/*_test.mjs

# Archer of LLVM 14 crashes where a team works for another thread than the first,
# as in the long calls of the C interface: their tests run without it, and teams
# are left out there. (ThreadSanitizer does not follow a fork with threads.)
# Replicas learn together by exchanges in time, which is not slowed down.
OWN_THREADS := CClassifier*:CCorpus*:CLongCall*:CStopping*:CTrain*:CEvaluation*:CSentence*:CText*:CLanguage*:CTagger*:CDescribe*:CVectors*:CSearch*:EveryCall*:Handles*:Answer*
tsan: deps-check  ## all tests under ThreadSanitizer (clang, libomp, Archer)
	@$(MAKE) --no-print-directory -j$(JOBS) FLAVOUR=tsan test-program
	@TSAN_OPTIONS="ignore_noninstrumented_modules=1 halt_on_error=1" \
	  OMP_TOOL_LIBRARIES=/usr/lib/llvm-$(CLANG_VERSION)/lib/libarcher.so \
	  $(MAKE) --no-print-directory FLAVOUR=tsan run-tests \
	  TEST_ARGS='$(NO_FULL_DISK):$(OWN_THREADS):Fork*:ReplicasTest.LearnTogether*'
	@TSAN_OPTIONS="ignore_noninstrumented_modules=1 halt_on_error=1 \
	  suppressions=$(CURDIR)/tests/support/tsan_teams.supp" OMP_TOOL=disabled \
	  $(MAKE) --no-print-directory FLAVOUR=tsan run-tests \
	  TEST_ARGS='--gtest_filter=$(OWN_THREADS)'

plain: deps-build  ## all tests without optimization: what inlining hides is seen
	@$(MAKE) --no-print-directory -j$(JOBS) FLAVOUR=plain test-program
	@$(MAKE) --no-print-directory FLAVOUR=plain run-tests

interop: deps  ## tests beside fastText, gensim, scikit-learn; the notebook
	$(call install_packages,$(DEPS_INTEROP))
	@$(MAKE) --no-print-directory -j$(JOBS) test-program $(PYTHON_SITE)
	@$(MAKE) --no-print-directory run-python-tests \
	  PYTEST_ARGS='-rs -k "compat or sklearn or notebook"'
	@FIRTH_INTEROP=1 $(MAKE) --no-print-directory run-tests \
	  TEST_ARGS=--gtest_filter='*Interop*'

examples: deps-build  ## tests/examples against an installed tree, by pkg-config and CMake
	$(call install_packages,cmake)
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	  $(MAKE) --no-print-directory install DESTDIR= PREFIX=$$folder/firth \
	    LIBDIR=$$folder/firth/lib >/dev/null && \
	  CXX="$(CXX)" tests/examples/run $$folder/firth

kernel-test: $(KERNEL_TEST)
	$(RUN_TEST) $(KERNEL_TEST) --gtest_brief=1 $(TEST_ARGS)

# The emulator runs no program that a program starts, as those tests do in which
# one must die.
arm:  ## tests of the kernels, built for 64-bit ARM (NEON), in an emulator
	@dpkg --print-foreign-architectures | grep -qx arm64 || \
	  { echo "make arm: expected libraries for arm64; allow them with" \
	    "dpkg --add-architecture arm64" >&2; exit 1; }
	$(call install_packages,$(DEPS_ARM))
	@$(MAKE) --no-print-directory -j$(JOBS) FLAVOUR=aarch64 \
	  RUN_TEST=qemu-aarch64-static TEST_ARGS=--gtest_filter=-*DeathTest* kernel-test

deb: deps-build  ## Debian packages: firth, libfirth0, libfirth-c1, libfirth-dev
	$(call install_packages,$(DEPS_DEB))
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@rm -rf build/deb && mkdir -p build/deb/firth
	@cp -r tools/package/debian build/deb/firth
	@printf 'firth (%s) unstable; urgency=medium\n\n  * %s\n\n -- %s  %s\n' \
	  $(VERSION) 'See CHANGELOG.md of the source.' \
	  "$$(sed -n 's/^Maintainer: //p' tools/package/debian/control)" \
	  "$$(date -R -r CHANGELOG.md)" \
	  >build/deb/firth/debian/changelog
	@cd build/deb/firth && MAKEFLAGS= DEB_RULES_REQUIRES_ROOT=no \
	  DEB_BUILD_OPTIONS=noautodbgsym \
	  INSTALL='$(MAKE) -C $(CURDIR) BUILD=$(BUILD) install' \
	  PC_FILES='$(addsuffix .pc,$(PUBLIC_PACKAGES) $(PRIVATE_PACKAGES))' \
	  LIBRARIES='$(patsubst -l%,lib%.so,$(filter -l%,$(OTHER_LIBS)))' \
	  debian/rules binary
	@ls build/deb/*.deb

faults: deps-build  ## kills, full disks, failing reads, no memory (FAULT_KILLS)
	$(call install_packages,python3)
	@$(MAKE) --no-print-directory -j$(JOBS) $(FIRTH) $(FAILING_READ)
	@tests/faults/run $(FIRTH) $(FAILING_READ) --kills $(FAULT_KILLS)

fuzz: deps-check  ## libFuzzer on every reader (FUZZ_SECONDS, FUZZ_READERS)
	@$(MAKE) --no-print-directory -j$(JOBS) FLAVOUR=fuzz fuzzer
	@tests/fuzz/run build/fuzz $(FUZZ_SECONDS) $(FUZZ_READERS)

fuzzer: $(FUZZER)

coverage: deps-build  ## line coverage of src/ by the tests (needs gcovr)
	$(call install_packages,gcovr)
	@$(MAKE) --no-print-directory -j$(JOBS) FLAVOUR=coverage test-program
	@find build/coverage -name '*.gcda' -delete
	@$(MAKE) --no-print-directory FLAVOUR=coverage run-tests \
	  TEST_ARGS=$(NO_FULL_DISK)
	gcovr --root . --filter src/ --object-directory build/coverage \
	  --exclude-unreachable-branches --sort-percentage

# Two to four processes on this machine. MPI_KILLS=20 kills ranks more often.
mpi-test: deps-mpi  ## what processes learn together over MPI
	$(call install_packages,iproute2 python3)
	@$(MAKE) --no-print-directory -j$(JOBS) MPI=1 $(FIRTH) $(MPI_MODULE)
	@tests/distributed/run $(FIRTH)
	@tests/distributed/kills $(FIRTH) $(MPI_KILLS)

bench: deps-build  ## kernels and trainer over a grid (BENCH_ARGS, GRID_ARGS)
	$(call install_packages,$(DEPS_BENCH))
	@$(MAKE) --no-print-directory -j$(JOBS) $(FIRTH) $(FIRTH_BENCH)
	@mkdir -p build/bench
	$(FIRTH_BENCH) --benchmark_out=build/bench/kernels.json \
	  --benchmark_counters_tabular=true $(BENCH_ARGS)
	tests/bench/grid --firth $(FIRTH) $(GRID_ARGS)

format: deps-check  ## fail if clang-format would change a file (FIX=1: change it)
	@clang-format-$(CLANG_VERSION) $(if $(FIX),-i,--dry-run -Werror) $(FORMATTED)

tidy: deps-check $(BUILD)/demo_data.cc  ## clang-tidy over all sources
	@printf '%s\n' $(LIB_SOURCES) $(C_SOURCES) $(TOOL_SOURCES) $(TEST_SOURCES) | \
	  xargs -P $(JOBS) -n 4 sh -c 'clang-tidy-$(CLANG_VERSION) --quiet "$$@" -- \
	    $(CXXSTD) $(OPENMP) -Wall -Wextra $(PKG_CFLAGS) $(TEST_PKG_CFLAGS) \
	    -DFIRTH_VERSION=\"$(VERSION)\" -DFIRTH_FEW_TARGETS -Iinclude -Isrc -Itools -Itests -I. \
	    2>/dev/null' clang-tidy

# What it says of ours that is not so: views are as small as pointers, mapped
# bytes are of the type that they are read as, scratch members are filled before
# they are read, and some C++20 it does not parse.
CPPCHECK_SUPPRESSED := passedByValue invalidPointerCast uninitMemberVar \
  invalidFunctionArg constStatement internalAstError missingIncludeSystem
cppcheck: deps-check  ## cppcheck over the library and the program
	cppcheck --enable=warning,performance,portability --error-exitcode=1 -q \
	  --std=c++20 --language=c++ -j $(JOBS) -Iinclude -Isrc -Itools \
	  $(CPPCHECK_SUPPRESSED:%=--suppress=%) src tools

valgrind: deps-check  ## a training, queries and a conversion under memcheck
	@$(MAKE) --no-print-directory -j$(JOBS) BUILD=build/valgrind \
	  CXXFLAGS='-DFIRTH_FEW_TARGETS -g1' build/valgrind/firth
	@tests/faults/valgrind build/valgrind/firth

# What programs see of the C library: functions, their types, nothing else.
ABIDW = abidw --exported-interfaces-only --header-file include/firth/firth.h \
  --drop-private-types --drop-undefined-syms --no-corpus-path --no-comp-dir-path \
  --no-elf-needed --no-show-locs --type-id-style hash
abi: deps-build  ## fail if the C library breaks programs (UPDATE=1: describe it anew)
	$(call install_packages,abigail-tools)
	@$(MAKE) --no-print-directory -j$(JOBS) $(TYPED_C)
	@$(ABIDW) --out-file $(BUILD)/firth_c.abi $(TYPED_C)
	@$(if $(UPDATE),cp $(BUILD)/firth_c.abi tests/c/firth_c.abi,\
	  abidiff tests/c/firth_c.abi $(BUILD)/firth_c.abi || \
	  { abidiff --no-added-syms tests/c/firth_c.abi $(BUILD)/firth_c.abi \
	      >$(BUILD)/firth_c.abidiff && \
	    echo "make abi: functions were added; make abi UPDATE=1 keeps them"; })

layers:  ## check that every include is one that src/LAYERS allows
	@sh tests/support/check_layers.sh

# A file of tools/package with the names between @ replaced. CMake keeps each
# flag once, which pairs of linker flags do not survive: they go.
SPACE := $(subst ,, )
cmake_list = $(subst $(SPACE),;,$(strip $(filter-out -Wl$(COMMA)%,$(1))))
fill_in = sed \
  -e 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(VERSION)|' \
  -e 's|@ABI@|$(ABI)|; s|@OTHER_LIBS@|$(OTHER_LIBS)|' \
  -e 's|@PUBLIC_PACKAGES@|$(PUBLIC_PACKAGES)|' \
  -e 's|@PRIVATE_PACKAGES@|$(PRIVATE_PACKAGES)|' \
  -e 's|@PUBLIC_LIBS@|$(call cmake_list,$(shell $(PKG_CONFIG) --libs $(PUBLIC_PACKAGES)))|' \
  -e 's|@ALL_LIBS@|$(call cmake_list,$(LIBS))|' tools/package/$(1).in >$(2)/$(1)

options-reference: $(FIRTH)  ## renew docs/reference/options.md
	$(FIRTH) help --markdown >$(BUILD)/options.md
	cp $(BUILD)/options.md docs/reference/options.md

install: all  ## install to $(DESTDIR)$(PREFIX)
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,bin include/firth share/man/man1 \
	  share/bash-completion/completions share/zsh/site-functions \
	  share/fish/vendor_completions.d) \
	  $(addprefix $(DESTDIR)$(LIBDIR)/,pkgconfig cmake/firth)
	install -s -m755 $(FIRTH) $(DESTDIR)$(PREFIX)/bin/firth
	$(if $(MPI),install -D -s -m755 $(MPI_MODULE) $(DESTDIR)$(PREFIX)/lib/firth/firth_mpi.so)
	install -m644 $(LIBFIRTH) $(DESTDIR)$(LIBDIR)/
	install -m755 $(BUILD)/libfirth.so $(DESTDIR)$(LIBDIR)/libfirth.so.$(VERSION)
	ln -sf libfirth.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libfirth.so.$(ABI)
	ln -sf libfirth.so.$(ABI) $(DESTDIR)$(LIBDIR)/libfirth.so
	install -s -m755 $(FIRTH_C) $(DESTDIR)$(LIBDIR)/
	ln -sf $(notdir $(FIRTH_C)) $(DESTDIR)$(LIBDIR)/libfirth_c.so
	install -m644 include/firth/*.h $(DESTDIR)$(PREFIX)/include/firth/
	$(FIRTH) help --man $(DESTDIR)$(PREFIX)/share/man/man1
	$(FIRTH) help --bash-completion \
	  >$(DESTDIR)$(PREFIX)/share/bash-completion/completions/firth
	$(FIRTH) help --zsh-completion \
	  >$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_firth
	$(FIRTH) help --fish-completion \
	  >$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/firth.fish
	@$(call fill_in,firth.pc,$(DESTDIR)$(LIBDIR)/pkgconfig)
	@$(call fill_in,firth_c.pc,$(DESTDIR)$(LIBDIR)/pkgconfig)
	@$(call fill_in,firth-config.cmake,$(DESTDIR)$(LIBDIR)/cmake/firth)
	@$(call fill_in,firth-config-version.cmake,$(DESTDIR)$(LIBDIR)/cmake/firth)
	@# Without it the loader does not find a library new in /usr/local.
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi
	@case ":$$PATH:" in *":$(PREFIX)/bin:"*) ;; *) [ -n "$(DESTDIR)" ] || \
	  echo 'firth is not on PATH yet: export PATH="$(PREFIX)/bin:$$PATH"';; esac

clean:  ## remove everything built
	rm -rf build

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

$(LIBFIRTH): $(LIB_OBJECTS)
$(LIBCORE): $(CORE_OBJECTS)
$(LIBFIRTH) $(LIBCORE):
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$(BUILD)/libfirth.so: $(LIB_OBJECTS)
	@echo "  link $@"
	$(Q)$(LINK) -shared -Wl,-soname,libfirth.so.$(ABI) $^ $(LIBS) -o $@

# What C programs see of it is what src/c/firth_c.map names.
$(FIRTH_C): $(C_OBJECTS)
$(TYPED_C): $(TYPED_C_OBJECTS)
$(FIRTH_C) $(TYPED_C): $(LIB_OBJECTS) src/c/firth_c.map
	@echo "  link $@"
	$(Q)$(LINK) -shared -Wl,-soname,$(@F) -Wl,--version-script,src/c/firth_c.map \
	  $(filter %.o,$^) $(LIBS) -o $@

$(FIRTH): $(TOOL_OBJECTS) $(LIBFIRTH)
	@echo "  link $@"
	$(Q)$(LINK) $^ -lboost_program_options -ledit $(LIBS) -o $@

# MPI in C: the C++ bindings, which OpenMPI still has, are not wanted.
MPI_FLAGS = -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX \
  $(patsubst -I%,-isystem%,$(shell $(PKG_CONFIG) --cflags --libs ompi-c))
$(MPI_MODULE): $(MPI_SOURCE) src/distributed/mpi_module.h
	@echo "  link $@"
	@mkdir -p $(@D)
	$(Q)$(CXX) $(CXXSTD) $(OPT) $(CXX_WARN) -fPIC -shared -Isrc $< $(MPI_FLAGS) \
	  -Wl,--no-undefined -o $@

$(FIRTH_TEST): $(TEST_OBJECTS) $(C_TEST_OBJECTS) $(C_OBJECTS) \
  $(TESTED_TOOL_OBJECTS) $(DOUBLED_OBJECTS) $(LIBFIRTH)
	@echo "  link $@"
	$(Q)$(LINK) $^ -lgmock -lgtest -lboost_program_options -ledit $(LIBS) \
	  $(TEST_LIBS) -o $@

$(KERNEL_TEST): $(KERNEL_TEST_OBJECTS) $(LIBFIRTH)
	@echo "  link $@"
	$(Q)$(LINK) $^ -lgmock -lgtest $(LIBS) -o $@

$(FIRTH_BENCH): $(BENCH_OBJECTS) $(LIBFIRTH)
	@echo "  link $@"
	$(Q)$(LINK) $^ -lbenchmark $(LIBS) -o $@

# The wheel, and its content for the tests.
PYTHON_FILES := $(shell find tools/python -name '*.py' -o -name '*.pyi' \
  -o -name '*.toml')
$(PYTHON_SITE): $(FIRTH_C) include/firth/firth.h $(PYTHON_FILES)
	@echo "  wheel $(@D)"
	@rm -rf $(@D) && mkdir -p $(@D)
	@cd tools/python && PYTHONDONTWRITEBYTECODE=1 FIRTH_BUILD=$(abspath $(BUILD)) \
	  $(PYTHON) -c 'import backend; backend.build_wheel("../../$(@D)")' \
	  >../../$(@D)/log 2>&1 || { cat ../../$(@D)/log; exit 1; }
	@$(PYTHON) -m zipfile -e $(@D)/*.whl $@

$(WEB_MODULES): tests/web/package-lock.json
	@cd tests/web && npm ci --silent --no-audit --no-fund
	@touch $@

# Style and script go into the page, which is one file. Its policy allows these
# and no others, by the hash of what stands between the tags: a line end, the file.
csp_hash = { echo; cat $(1); } | sha256sum | cut -c1-64 | tr a-f A-F | \
  basenc --decode --base16 | base64
WEB_SOURCES := $(shell find tools/web -name '*.ts' -o -name '*.css' -o -name '*.html') datasets/weat.txt
ESBUILD = esbuild --bundle --minify --charset=utf8 --log-level=warning \
  --target=chrome90,firefox90,safari15
$(WEB_PAGE): $(WEB_SOURCES) Makefile
	@echo "  bundle $@"
	@mkdir -p $(@D)
	$(Q)$(ESBUILD) tools/web/main.ts --outfile=$(@D)/page.js
	$(Q)$(ESBUILD) tools/web/style.css --outfile=$(@D)/page.css
	$(Q)sed -e '/^@STYLE@$$/{r $(@D)/page.css' -e 'd}' \
	  -e '/^@SCRIPT@$$/{r $(@D)/page.js' -e 'd}' \
	  -e "s|@STYLE_HASH@|$$($(call csp_hash,$(@D)/page.css))|" \
	  -e "s|@SCRIPT_HASH@|$$($(call csp_hash,$(@D)/page.js))|" \
	  tools/web/page.html >$@.new
	$(Q)mv $@.new $@

# The page as bytes of the program: _binary_page_html_start.
$(BUILD)/page.o: $(WEB_PAGE)
	@mkdir -p $(@D)
	$(Q)cd $(<D) && $(LD) -r -b binary -z noexecstack $(<F) -o $(abspath $@)
	$(Q)objcopy --rename-section .data=.rodata,alloc,load,readonly,data,contents $@

$(FAILING_READ): tests/faults/failing_read.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(OPT) $(WARN) -shared -fPIC $< -ldl -o $@

$(FUZZER): $(FUZZ_OBJECTS) $(FUZZED_READERS) $(TESTED_TOOL_OBJECTS) $(LIBFIRTH)
	@echo "  link $@"
	$(Q)$(LINK) -fsanitize=fuzzer $^ -lgtest -lboost_program_options -ledit $(LIBS) \
	  $(TEST_LIBS) -o $@

# How far a build from nothing is: objects that are there, of all.
OBJECTS = $(LIB_OBJECTS) $(C_OBJECTS) $(TOOL_OBJECTS) \
  $(if $(filter test-program,$(MAKECMDGOALS)),$(TEST_OBJECTS) $(DOUBLED_OBJECTS))
define say_compile
@mkdir -p $(@D)
@printf '  [%3d/%d] compile %s\n' \
  $$(ls $(OBJECTS) 2>/dev/null | wc -l) $(words $(OBJECTS)) $<
endef

# What each object is compiled with, says FLAGS.
define compile
$(say_compile)
$(Q)$(COMPILE) $(FLAGS) -c $< -o $@
endef
# The files of a batch that does not compile are compiled one by one.
define compile_batch
$(say_compile)
$(Q)mk/compile_batch $< $@ $(COMPILE) $(FLAGS)
endef
$(BUILD)/%.o: %.cc
	$(compile)
$(BUILD)/%.o: %.c
	$(say_compile)
	$(Q)$(CC) -std=c11 -O1 -g $(WARN) -pedantic -fPIC -Iinclude -MD -MP -c $< -o $@
$(BUILD)/%.o: $(BUILD)/%.cc
	$(compile_batch)
$(BUILD)/typed/%.o: %.cc
	$(compile)
$(BUILD)/typed/%.o: $(BUILD)/%.cc
	$(compile_batch)
$(BUILD)/doubled/%.o: %.cc
	$(compile)
$(BUILD)/doubled/%.o: $(BUILD)/%.cc
	$(compile_batch)

# A batch includes its files. Tests, which like to use one name each for itself,
# are copied, with the file's name for the unnamed namespace. Where nothing has
# changed, the time stays, so that nothing is compiled anew.
define batch_source
$(BUILD)/$(1).cc: FORCE
	@mkdir -p $$(@D)
	@for file in $(2); do case $$$$file in \
	  *_test.cc) echo "#line 1 \"$$$$file\""; sed "s/^namespace {$$$$/$$\
	      namespace $$$$(basename $$$$file .cc)_file {/" $$$$file;; \
	  *) echo "#include \"$$$$file\"";; esac; done >$$@.new
	@if cmp -s $$@.new $$@; then rm $$@.new; else mv $$@.new $$@; fi
endef
BATCHES := $(COLD_BATCHES) $(HOT_BATCHES) $(C_BATCHES) $(TOOL_BATCHES) $(TEST_BATCHES) \
  $(KERNEL_TEST_BATCHES)
$(foreach batch,$(BATCHES),$(eval $(call batch_source,$(firstword \
  $(subst =, ,$(batch))),$(wordlist 2,999,$(subst =, ,$(batch))))))
FORCE:

# Headers that are parsed once, for each level of optimization: precompiled headers are
# valid for one only. PCH= does without. Where the compiler cannot use what it has
# made of one, the header itself is included, which is all that its name has.
PCH ?= 1
parsed = $(if $(PCH),-include $(BUILD)/parsed/$(1).h)
LIB_FLAGS := -Iinclude -Isrc -I.
TOOL_FLAGS := $(FAST_OPT) -Iinclude -Itools -I.
TEST_FLAGS := $(FAST_OPT) -Iinclude -Isrc -Itools -Itests -I.
KERNEL_OBJECTS := $(filter $(KERNELS:%.cc=$(BUILD)/%.o) \
  $(addprefix $(BUILD)/src/,corpus/% vocab/% train/% query/% nn/% classify/%),$(HOT_OBJECTS))
DOUBLED_KERNEL_OBJECTS := $(filter $(BUILD)/doubled/src/nn/%,$(DOUBLED_OBJECTS))
KERNEL_TEST_PARTS := $(filter $(BUILD)/tests/%,$(KERNEL_TEST_OBJECTS))
$(KERNEL_OBJECTS): private FLAGS = $(KERNEL_OPT) $(LIB_FLAGS) $(call parsed,kernel)
$(DOUBLED_KERNEL_OBJECTS): private FLAGS = -DFIRTH_DOUBLES $(KERNEL_OPT) $(LIB_FLAGS) \
  $(call parsed,kernel)
$(filter-out $(KERNEL_OBJECTS),$(HOT_OBJECTS)): private FLAGS = $(LIB_FLAGS) $(call parsed,lib)
$(filter-out $(DOUBLED_KERNEL_OBJECTS),$(DOUBLED_OBJECTS)): private FLAGS = -DFIRTH_DOUBLES \
  $(LIB_FLAGS) $(call parsed,lib)
$(COLD_OBJECTS) $(C_OBJECTS): private FLAGS = $(FAST_OPT) $(LIB_FLAGS) $(call parsed,fast)
$(CORE_SOURCES:%.cc=$(BUILD)/%.o): private FLAGS = $(LIB_FLAGS)
# Parsed headers hold no types.
$(TYPED_C_OBJECTS): private FLAGS = -O0 -g $(LIB_FLAGS)
$(TOOL_OBJECTS): private FLAGS = $(TOOL_FLAGS) $(call parsed,fast)
$(TEST_OBJECTS): private FLAGS = $(TEST_FLAGS) $(TEST_PKG_CFLAGS) $(call parsed,tests)
$(KERNEL_TEST_PARTS): private FLAGS = $(TEST_FLAGS) $(call parsed,tests)
$(BENCH_OBJECTS): private FLAGS = -Iinclude -Isrc -Itests
$(FUZZ_OBJECTS): private FLAGS = $(TEST_FLAGS)

ifneq ($(PCH),)
  parsed_header = $(BUILD)/parsed/$(1).h
  $(KERNEL_OBJECTS) $(DOUBLED_KERNEL_OBJECTS): $(call parsed_header,kernel)
  $(filter-out $(KERNEL_OBJECTS),$(HOT_OBJECTS)): $(call parsed_header,lib)
  $(filter-out $(DOUBLED_KERNEL_OBJECTS),$(DOUBLED_OBJECTS)): $(call parsed_header,lib)
  $(COLD_OBJECTS) $(C_OBJECTS) $(TOOL_OBJECTS): $(call parsed_header,fast)
  $(TEST_OBJECTS) $(KERNEL_TEST_PARTS): $(call parsed_header,tests)
endif
$(BUILD)/parsed/kernel.h: private FLAGS = $(KERNEL_OPT) -I.
$(BUILD)/parsed/lib.h: private FLAGS = -I.
$(BUILD)/parsed/fast.h $(BUILD)/parsed/tests.h: private FLAGS = $(FAST_OPT) -I.
$(BUILD)/parsed/kernel.h $(BUILD)/parsed/lib.h $(BUILD)/parsed/fast.h: src/base/precompiled.h
$(BUILD)/parsed/tests.h: tests/support/precompiled.h
$(BUILD)/parsed/%.h:
	$(say_compile)
	$(Q)mk/parse_header $< $@ $(COMPILE) $(FLAGS)

# The demo's grammar travels inside the program, as a raw string.
$(BUILD)/demo_data.cc: datasets/demo.grammar Makefile
	@mkdir -p $(@D)
	@{ echo '#include "demo/demo_data.h"'; echo 'namespace firth::tools {'; \
	  echo 'const char kDemoGrammar[] = R"--('; cat datasets/demo.grammar; \
	  echo ')--";'; echo '}'; } >$@

-include $(LIB_OBJECTS:.o=.d) $(DOUBLED_OBJECTS:.o=.d) $(CORE_SOURCES:%.cc=$(BUILD)/%.d) $(C_OBJECTS:.o=.d) $(TYPED_C_OBJECTS:.o=.d) $(C_TEST_OBJECTS:.o=.d) \
  $(TOOL_OBJECTS:.o=.d) $(TEST_OBJECTS:.o=.d) \
  $(BENCH_OBJECTS:.o=.d) $(FUZZ_OBJECTS:.o=.d) $(KERNEL_TEST_OBJECTS:.o=.d) \
  $(wildcard $(BUILD)/parsed/*.d)

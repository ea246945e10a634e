# Firth: `make demo` and `make test` do everything on a fresh Debian 12 or 13;
# `make help` lists the targets. Sources are found by folder. This is the table of
# contents; variables and rules are in mk/*.mk, by topic.

VERSION := 0.9.0

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

include mk/packages.mk  # Debian packages and their installation
include mk/compiler.mk  # the compiler, its options in each flavour, libraries
include mk/sources.mk   # sources, batches, objects, names of what is built
include mk/build.mk     # how objects, the libraries and the program are built
include mk/tests.mk     # test programs, and the targets that run them
include mk/checks.mk    # checks of the sources and of the interface
include mk/python.mk    # the Python package
include mk/web.mk       # the page of `firth explore`
include mk/install.mk   # installation, Debian packages of Firth
include mk/dist.mk      # binary distributions

.PHONY: all options-reference core deps deps-build deps-check demo test test-program run-tests plain asan tsan bench bench-pytorch \
  python python-check python-asan run-python-tests \
  coverage format tidy cppcheck valgrind layers abi compdb install clean help interop interop-peers \
  faults faults-all fuzz fuzzer examples kernel-test arm deb dist dist-aarch64 dist-parts dist-sdist \
  dist-tarball dist-wheel install-texts web web-check web-test deps-web \
  deps-mpi mpi-test
.DEFAULT_GOAL := all

# The targets for people, which `make help` lists. Their rules are in mk/*.mk.
all:  ## build the libraries and the program
deps:  ## install what is missing to build and test (Debian packages)
deps-mpi:  ## install OpenMPI, for MPI=1
core:  ## libfirth_core.a: the library without networks
demo:  ## build, train on the built-in corpus, show what it learned
test:  ## build and run all tests
python:  ## the wheel of the Python package, into build/python
python-check:  ## mypy --strict and stubtest over the Python package
python-asan:  ## the Python tests, the library under AddressSanitizer and UBSan
asan:  ## all tests under AddressSanitizer and UBSan (clang)
web:  ## the page of `firth explore`: build/web/page.html
web-check:  ## types and tests of the page's parts
web-test:  ## the page in a browser: mouse, keyboard, axe
tsan:  ## all tests under ThreadSanitizer (clang, libomp, Archer)
plain:  ## all tests without optimization: what inlining hides is seen
interop:  ## tests beside fastText, gensim, scikit-learn; the notebook
interop-peers:  ## tests beside the peers that pip installs (PEERS=folder)
examples:  ## tests/examples against an installed tree, by pkg-config and CMake
cmake:  ## a project that adds Firth by CMake: its library, examples and program
arm:  ## tests of the kernels, built for 64-bit ARM (NEON), in an emulator
dist:  ## binary distributions, wheels and sources, into build/dist (on Debian 12)
deb:  ## Debian packages: firth, libfirth0, libfirth-c1, libfirth-dev
faults:  ## kills, full disks, failing reads, no memory (FAULT_KILLS)
faults-all:  ## single failing calls in all commands (FAULT_MINUTES, FAULT_ARGS)
fuzz:  ## libFuzzer on every reader (FUZZ_SECONDS, FUZZ_READERS)
coverage:  ## line coverage of src/ by the tests (needs gcovr)
mpi-test:  ## what processes learn together over MPI
bench:  ## kernels and trainer over a grid (BENCH_ARGS, GRID_ARGS)
format:  ## fail if clang-format would change a file (FIX=1: change it)
tidy:  ## clang-tidy over all sources
cppcheck:  ## cppcheck over the library and the program
valgrind:  ## a training, queries and a conversion under memcheck
abi:  ## fail if the C library breaks programs (UPDATE=1: describe it anew)
compdb:  ## compile_commands.json, for editors and clang tools
lint-recipes:  ## recipes of other channels and workflows, each with its own tool
layers:  ## check that every include is one that src/LAYERS allows
options-reference:  ## renew docs/reference/options.md
install:  ## install to $(DESTDIR)$(PREFIX)
clean:  ## remove everything built
help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

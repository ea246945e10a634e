# The Debian packages of each kind of target, and how they are installed.

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

# The same for a whole distribution: what `make dist` links for the other architecture.
DEPS_DIST_ARM = $(DEPS_DIST) g++-aarch64-linux-gnu gfortran-aarch64-linux-gnu \
  $(patsubst %,%:arm64,libpython3-dev $(filter-out dpkg-dev libgtest-dev libgmock-dev \
    libhdf5-dev libhnswlib-dev nlohmann-json3-dev python3-dev,$(filter %-dev,$(DEPS_DIST))))

# Installs the Debian packages in the list $(1) that are missing, or checks that what they
# provide is here. DEPS=skip does neither.
install_packages = @CXX="$(CXX)" PYTHON="$(PYTHON)" mk/packages $(1)

deps:
	$(call install_packages,$(DEPS_BUILD) $(DEPS_PYTHON))

deps-build:
	$(call install_packages,$(DEPS_BUILD))

deps-mpi:
	$(call install_packages,$(DEPS_BUILD) $(DEPS_MPI))

deps-check:
	$(call install_packages,$(DEPS_BUILD) $(DEPS_CHECK))

deps-web:
	$(call install_packages,$(DEPS_WEB))

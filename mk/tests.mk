# Test programs and benchmarks, and the targets that run them.

test: deps layers
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

asan: deps-check
	@$(MAKE) --no-print-directory -j$(JOBS) FLAVOUR=asan test-program
	@ASAN_OPTIONS=detect_leaks=1 \
	  $(MAKE) --no-print-directory FLAVOUR=asan run-tests

# Archer of LLVM 14 crashes where a team works for another thread than the first,
# as in the long calls of the C interface: their tests run without it, and teams
# are left out there. (ThreadSanitizer does not follow a fork with threads.)
# Replicas and copies of nodes learn together by exchanges in time, which is
# not slowed down.
OWN_THREADS := CClassifier*:CCorpus*:CLongCall*:CStopping*:CTrain*:CEvaluation*:CSentence*:CText*:CLanguage*:CTagger*:CDescribe*:CVectors*:CSearch*:EveryCall*:Handles*:Answer*
IN_TIME := ReplicasTest.LearnTogether*:TrainTest.ManyThreadsDoNotOvershoot*
tsan: deps-check
	@$(MAKE) --no-print-directory -j$(JOBS) FLAVOUR=tsan test-program
	@TSAN_OPTIONS="ignore_noninstrumented_modules=1 halt_on_error=1" \
	  OMP_TOOL_LIBRARIES=/usr/lib/llvm-$(CLANG_VERSION)/lib/libarcher.so \
	  $(MAKE) --no-print-directory FLAVOUR=tsan run-tests \
	  TEST_ARGS='$(NO_FULL_DISK):$(OWN_THREADS):Fork*:$(IN_TIME)'
	@TSAN_OPTIONS="ignore_noninstrumented_modules=1 halt_on_error=1 \
	  suppressions=$(CURDIR)/tests/support/tsan_teams.supp" OMP_TOOL=disabled \
	  $(MAKE) --no-print-directory FLAVOUR=tsan run-tests \
	  TEST_ARGS='--gtest_filter=$(OWN_THREADS)'

plain: deps-build
	@$(MAKE) --no-print-directory -j$(JOBS) FLAVOUR=plain test-program
	@$(MAKE) --no-print-directory FLAVOUR=plain run-tests

# nginx and Caddy are unpacked, because installing them would start them.
PROXIES := build/proxies
$(PROXIES)/unpacked:
	@mkdir -p $(@D) && cd $(@D) && { apt-get -qq download nginx caddy 2>/dev/null && \
	  for package in *.deb; do dpkg -x $$package .; done && touch $(@F); } || \
	  echo 'nginx and Caddy cannot be downloaded; their tests are skipped'

interop: deps $(PROXIES)/unpacked
	$(call install_packages,$(DEPS_INTEROP))
	@$(MAKE) --no-print-directory -j$(JOBS) test-program $(PYTHON_SITE)
	@FIRTH_NGINX=$(CURDIR)/$(PROXIES)/usr/sbin/nginx \
	  FIRTH_CADDY=$(CURDIR)/$(PROXIES)/usr/bin/caddy \
	  $(MAKE) --no-print-directory run-python-tests \
	  PYTEST_ARGS='-rs -k "compat or sklearn or notebook or proxy"'
	@FIRTH_INTEROP=1 $(MAKE) --no-print-directory run-tests \
	  TEST_ARGS=--gtest_filter='*Interop*'

# pip downloads a few GB into the folder PEERS.
PEERS ?= build/peers
interop-peers: deps
	@$(MAKE) --no-print-directory -j$(JOBS) $(FIRTH)
	@PYTHON=$(PYTHON) tests/peers/run $(FIRTH) $(PEERS)

examples: deps-build
	$(call install_packages,cmake)
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	  $(MAKE) --no-print-directory install DESTDIR= PREFIX=$$folder/firth \
	    LIBDIR=$$folder/firth/lib >/dev/null && \
	  CXX="$(CXX)" tests/examples/run $$folder/firth

# This is a second full build.
.PHONY: cmake
cmake: deps-build
	$(call install_packages,cmake)
	@CXX="$(CXX)" JOBS=$(JOBS) tests/examples/embedding/run build/cmake

kernel-test: $(KERNEL_TEST)
	$(RUN_TEST) $(KERNEL_TEST) --gtest_brief=1 $(TEST_ARGS)

# The emulator runs no program that a program starts, as those tests do in which
# one must die.
define check_arm
@dpkg --print-foreign-architectures | grep -qx arm64 || \
  { echo "make $@: expected libraries for arm64; allow them with" \
    "dpkg --add-architecture arm64" >&2; exit 1; }
endef
arm:
	$(check_arm)
	$(call install_packages,$(DEPS_ARM))
	@$(MAKE) --no-print-directory -j$(JOBS) FLAVOUR=aarch64 \
	  RUN_TEST=qemu-aarch64-static TEST_ARGS=--gtest_filter=-*DeathTest* kernel-test

faults: deps-build
	$(call install_packages,python3)
	@$(MAKE) --no-print-directory -j$(JOBS) $(FIRTH) $(FAILING_READ)
	@tests/faults/run $(FIRTH) $(FAILING_READ) --kills $(FAULT_KILLS)

faults-all: deps-build
	$(call install_packages,python3)
	@$(MAKE) --no-print-directory -j$(JOBS) $(FIRTH) $(NTH_FAILURE)
	@tests/faults/every $(FIRTH) $(NTH_FAILURE) --minutes $(FAULT_MINUTES) \
	  $(FAULT_ARGS)

fuzz: deps-check
	@$(MAKE) --no-print-directory -j$(JOBS) FLAVOUR=fuzz fuzzer
	@tests/fuzz/run build/fuzz $(FUZZ_SECONDS) $(FUZZ_READERS)

fuzzer: $(FUZZER)

coverage: deps-build
	$(call install_packages,gcovr)
	@$(MAKE) --no-print-directory -j$(JOBS) FLAVOUR=coverage test-program
	@find build/coverage -name '*.gcda' -delete
	@$(MAKE) --no-print-directory FLAVOUR=coverage run-tests \
	  TEST_ARGS=$(NO_FULL_DISK)
	gcovr --root . --filter src/ --object-directory build/coverage \
	  --exclude-unreachable-branches --exclude-throw-branches --sort-percentage

# Two to four processes on this machine. MPI_KILLS=20 kills ranks more often.
mpi-test: deps-mpi
	$(call install_packages,iproute2 python3)
	@$(MAKE) --no-print-directory -j$(JOBS) MPI=1 $(FIRTH) $(MPI_MODULE)
	@tests/distributed/run $(FIRTH)
	@tests/distributed/kills $(FIRTH) $(MPI_KILLS)

bench: deps-build
	$(call install_packages,$(DEPS_BENCH))
	@$(MAKE) --no-print-directory -j$(JOBS) $(FIRTH) $(FIRTH_BENCH)
	@mkdir -p build/bench
	$(FIRTH_BENCH) --benchmark_out=build/bench/kernels.json \
	  --benchmark_counters_tabular=true $(BENCH_ARGS)
	tests/bench/grid --firth $(FIRTH) $(GRID_ARGS)

# PyTorch is large, so nothing else installs it. FIRTH_DATA has the texts.
bench-pytorch: deps-build
	$(call install_packages,python3-venv)
	@$(MAKE) --no-print-directory -j$(JOBS) $(FIRTH)
	@test -x build/pytorch/bin/python || python3 -m venv build/pytorch
	build/pytorch/bin/pip install --quiet torch numpy
	tests/bench/translation --multi30k $(FIRTH_DATA)/parallel \
	  --firth $(FIRTH) --python build/pytorch/bin/python $(BENCH_ARGS)

valgrind: deps-check
	@$(MAKE) --no-print-directory -j$(JOBS) BUILD=build/valgrind \
	  CXXFLAGS='-DFIRTH_FEW_TARGETS -g1' build/valgrind/firth
	@tests/faults/valgrind build/valgrind/firth

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

$(FAILING_READ): tests/faults/failing_read.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(OPT) $(WARN) -shared -fPIC $< -ldl -o $@

$(NTH_FAILURE): tests/faults/nth_failure.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(OPT) $(WARN) -shared -fPIC -Wl,-z,initfirst $< -ldl -lgcc_s -o $@

$(FUZZER): $(FUZZ_OBJECTS) $(FUZZED_READERS) $(TESTED_TOOL_OBJECTS) $(LIBFIRTH)
	@echo "  link $@"
	$(Q)$(LINK) $(FUZZ_ENGINE) $^ -lgtest -lboost_program_options -ledit $(LIBS) \
	  $(TEST_LIBS) -o $@

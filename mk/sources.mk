# The sources, the objects that they become, and the files that are built of them.

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

# Folders whose code goes through each word or row, except for cold sources.
KERNEL_FOLDERS := $(addprefix src/,corpus/% vocab/% train/% query/% nn/% classify/%)

# The files of the library that handle options, headers, reports, questions and
# whole files, and call others for the work. They are compiled like the commands,
# in two thirds of the time.
COLD_SOURCES := $(filter src/ask/% src/info/% src/probe/% src/recipe/% src/run/% \
  src/io/exports/% src/io/tensors/% src/base/fields% src/lm/import/% \
  src/lm/model/json_% src/lm/model/language_model_% \
  src/lm/learn/language_model_% src/lm/learn/training_% src/query/evaluate_% src/tag/tagge% \
  src/train/train% %_file.cc %_header.cc %_json.cc %_options.cc \
  $(addprefix src/classify/,model/fasttext_classifier.cc texts/labelled_folders.cc \
    train/classifier_learner.cc train/training_plan.cc tune/option_space.cc \
    tune/successive_halving.cc tune/tune.cc) \
  src/io/formats/formats.cc src/layout/word_map.cc \
  $(addprefix src/query/,align.cc bias.cc compare_results.cc drift.cc \
    semantic_axis.cc test_set_lines.cc word_comparison.cc) \
  src/tag/tag_set.cc, \
  $(filter-out $(KERNELS),$(LIB_SOURCES)))

# Layers of networks are templates on the number type. Only the tests' gradient
# checks work with doubles, so they have objects of their own of these files.
DOUBLED_SOURCES := $(shell grep -rl --include=*.cc FIRTH_DOUBLES src)

# Files of one folder, or of a layer whose tiers are small, are compiled together, BATCH of them at most, as
# FOLDER/batch_N: what they include is parsed once then, and the templates that
# they share are compiled once, which takes half of the time. BATCH=1 gives each
# file an object, so that a change compiles less. Alone are files with code for
# each instruction set, which include themselves; formats, which all give the
# same names to the same steps; and what is linked one by one.
BATCH ?= 16
# The commit, which changes often, is an option of its compilation.
BUILD_INFO := src/info/build_info.cc
ALONE := $(KERNELS) $(filter-out src/nn/%,$(DOUBLED_SOURCES)) $(shell grep -rl --include=*.cc hwy/foreach_target.h tests) \
  $(wildcard src/io/formats/*_format.cc tests/fuzz/*.cc) tools/firth.cc $(BUILD_INFO) \
  tests/serve/served_example.cc tests/support/compress.cc
# The files $(2) as words "FOLDER/batch_$(1)N=FILE=FILE...".
batches = $(if $(filter-out 0 1,$(BATCH)),$(shell \
  printf '%s\n' $(sort $(filter-out $(ALONE),$(2))) | awk -v most=$(BATCH) \
  '{ folder = $$0; sub("/[^/]*$$", "", folder); \
     sub("^src/lm/.*", "src/lm", folder); \
     sub("^src/classify/.*", "src/classify", folder); \
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
KERNEL_SOURCES := $(filter $(KERNELS) $(KERNEL_FOLDERS),$(HOT_SOURCES))
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
  base distributed simd corpus vocab tokenizers vectors io model objective run train query layout recipe)),$(LIB_OBJECTS)) \
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
# The program and the C library for this machine, which run during a cross build.
NATIVE_FIRTH := $(if $(filter aarch64,$(FLAVOUR)),build/release/firth,$(FIRTH))
NATIVE_C := $(if $(filter aarch64,$(FLAVOUR)),build/release/libfirth_c.so.1,$(FIRTH_C))
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
NTH_FAILURE := $(BUILD)/nth_failure.so
WEB_PAGE := build/web/page.html
WEB_TESTS := build/web/tests
WEB_MODULES := tests/web/node_modules/.package-lock.json
# Of each reader. FUZZ_READERS chooses some: FUZZ_READERS="text npy".
FUZZ_SECONDS ?= 600
FUZZ_READERS ?=
# Provides main(); OSS-Fuzz sets its own.
FUZZ_ENGINE ?= -fsanitize=fuzzer
# Of trainings, and of conversions.
FAULT_KILLS ?= 200
# Limit for all commands together.
FAULT_MINUTES ?= 60

# Prints the variables that SHOW names, one per line; CMakeLists.txt reads them.
.PHONY: show
show:
	@:$(foreach name,$(SHOW),$(info $(name)=$(strip $($(name)))))

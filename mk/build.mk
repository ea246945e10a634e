# The libraries and the program: how objects are compiled and linked.

# MPI=1 builds the module for training on several machines, too.
all: $(LIBFIRTH) $(BUILD)/libfirth.so $(FIRTH_C) $(FIRTH) $(if $(MPI),$(MPI_MODULE))

# That nothing is missing shows when all of it is linked.
core: $(LIBCORE)
	@$(LINK) -shared -Wl,--no-undefined -Wl,--whole-archive $< \
	  -Wl,--no-whole-archive $(LIBS) -o $(BUILD)/core_check.so
	@rm $(BUILD)/core_check.so

demo:
	$(call install_packages,$(DEPS_BUILD) $(DEPS_PIP))
	@$(MAKE) --no-print-directory -j$(JOBS) $(FIRTH)
	$(FIRTH) demo --output $(DEMO)

options-reference: $(FIRTH)
	$(FIRTH) help --markdown >$(BUILD)/options.md
	cp $(BUILD)/options.md docs/reference/options.md

clean:
	rm -rf build

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
  $(addprefix $(BUILD)/,$(KERNEL_FOLDERS)),$(HOT_OBJECTS))
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

# A source distribution has no history, but a file with its commit.
COMMIT = $(shell cat tools/package/commit 2>/dev/null || \
  git describe --always --abbrev=12 --exclude '*' --dirty=+ 2>/dev/null || echo unknown)
$(BUILD)/commit: FORCE
	@mkdir -p $(@D)
	@echo '$(COMMIT)' | cmp -s - $@ || echo '$(COMMIT)' >$@
$(BUILD_INFO:%.cc=$(BUILD)/%.o): $(BUILD)/commit
$(BUILD_INFO:%.cc=$(BUILD)/%.o): private FLAGS += -DFIRTH_COMMIT='"$(shell cat $(BUILD)/commit)"'

# All objects are compiled with the version.
$(BUILD)/version: FORCE
	@mkdir -p $(@D)
	@echo '$(VERSION)' | cmp -s - $@ || echo '$(VERSION)' >$@
$(OBJECTS): $(BUILD)/version

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
$(addprefix $(BUILD)/parsed/,$(addsuffix .h,kernel lib fast tests)): $(BUILD)/version
$(BUILD)/parsed/%.h:
	$(say_compile)
	$(Q)mk/parse_header $< $@ $(COMPILE) $(FLAGS)

# The demo's grammar travels inside the program, as a raw string.
$(BUILD)/demo_data.cc: datasets/demo.grammar mk/build.mk
	@mkdir -p $(@D)
	@{ echo '#include "demo/demo_corpus.h"'; echo 'namespace firth::tools {'; \
	  echo 'const char kDemoGrammar[] = R"--('; cat datasets/demo.grammar; \
	  echo ')--";'; echo '}'; } >$@

-include $(LIB_OBJECTS:.o=.d) $(DOUBLED_OBJECTS:.o=.d) $(CORE_SOURCES:%.cc=$(BUILD)/%.d) $(C_OBJECTS:.o=.d) $(TYPED_C_OBJECTS:.o=.d) $(C_TEST_OBJECTS:.o=.d) \
  $(TOOL_OBJECTS:.o=.d) $(TEST_OBJECTS:.o=.d) \
  $(BENCH_OBJECTS:.o=.d) $(FUZZ_OBJECTS:.o=.d) $(KERNEL_TEST_OBJECTS:.o=.d) \
  $(wildcard $(BUILD)/parsed/*.d)

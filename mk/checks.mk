# Checks of the sources and of the interface.

format: deps-check
	@clang-format-$(CLANG_VERSION) $(if $(FIX),-i,--dry-run -Werror) $(FORMATTED)

tidy: deps-check $(BUILD)/demo_data.cc
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
cppcheck: deps-check
	cppcheck --enable=warning,performance,portability --error-exitcode=1 -q \
	  --std=c++20 --language=c++ -j $(JOBS) -Iinclude -Isrc -Itools \
	  $(CPPCHECK_SUPPRESSED:%=--suppress=%) src tools

# What programs see of the C library: functions, their types, nothing else.
ABIDW = abidw --exported-interfaces-only --header-file include/firth/firth.h \
  --drop-private-types --drop-undefined-syms --no-corpus-path --no-comp-dir-path \
  --no-elf-needed --no-show-locs --type-id-style hash
abi: deps-build
	$(call install_packages,abigail-tools)
	@$(MAKE) --no-print-directory -j$(JOBS) $(TYPED_C)
	@$(ABIDW) --out-file $(BUILD)/firth_c.abi $(TYPED_C)
	@$(if $(UPDATE),cp $(BUILD)/firth_c.abi tests/c/firth_c.abi,\
	  abidiff tests/c/firth_c.abi $(BUILD)/firth_c.abi || \
	  { abidiff --no-added-syms tests/c/firth_c.abi $(BUILD)/firth_c.abi \
	      >$(BUILD)/firth_c.abidiff && \
	    echo "make abi: functions were added; make abi UPDATE=1 keeps them"; })

# Each tool that is missing is named; none of them is installed.
.PHONY: lint-recipes
lint-recipes:
	@tools/package/lint

layers:
	@sh tests/support/check_layers.sh

# Objects one by one and without parsed headers, as tools that read one file want it.
compdb:
	@$(MAKE) --no-print-directory -Bn BATCH=1 PCH= VERBOSE=1 all test-program | \
	  mk/compile_commands >compile_commands.json

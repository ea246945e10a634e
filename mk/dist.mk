# Binary distributions, built on Debian 12: they run on any Linux with glibc 2.34, on
# which nothing needs to be installed. All libraries but those of C are linked into
# the program and the C library, or are carried beside them in lib/firth. The objects
# are those of the release.

DIST := build/dist
DIST_ARCH := $(if $(filter aarch64,$(FLAVOUR)),aarch64,$(shell uname -m))
# What is built for one architecture; $(DIST_SOURCES) is shared by all.
PARTS := $(BUILD)/dist
DIST_SOURCES := $(DIST)/sources
CARRIED := $(addprefix $(PARTS)/,libgomp-firth.so.1 libicuuc-firth.so \
  libopenblas-firth.so)
# Only the program contains the HTTP service.
CARRIED_MICROHTTPD := $(PARTS)/libmicrohttpd.so.12
DIST_FIRTH := $(PARTS)/firth
DIST_C := $(PARTS)/libfirth_c.so.1
DIST_CC = $(CROSS)gcc
MULTIARCH = $(shell $(CXX) -print-multiarch)

# Most of Debian's static libraries can be linked as they are. Some cannot be a part of a
# shared library, because they are not position-independent, and Highway has no static
# library: these are compiled from Debian's sources.
DEPS_DIST := $(DEPS_BUILD) $(DEPS_PIP) dpkg-dev file icu-devtools libbsd-dev libbz2-dev \
  liblzma-dev libmd-dev libncurses-dev libopenblas-pthread-dev patchelf
REBUILT := $(PARTS)/librebuilt.a
DIST_LIBS = -Wl,-Bstatic $(filter-out -labsl% -lhwy -pthread $(OPENMP),$(LIBS)) \
  $(REBUILT) -llzma -lz
DIST_PROGRAM_LIBS := -Wl,-Bstatic -lboost_program_options -ledit -ltinfo -lbsd -lmd
DIST_LINK = $(CXX) -static-libstdc++ -pthread -s -Wl,--gc-sections,--build-id=none \
  $(if $(findstring x86-64,$(MACHINE)),-Wl$(COMMA)-z$(COMMA)x86-64-v2)
# Links the objects and archives $(3), with the compiler $(1), to a shared library that
# exports only the functions $(2).
define carried_library
@echo "  link $@"
@mkdir -p $(@D)
@printf '{ global: %s local: *; };\n' '$(2:%=%;)' >$(@:.so=).map
$(Q)$(1) -shared -s -o $@ -Wl,-soname,$(@F),--gc-sections,--build-id=none \
  -Wl,--version-script,$(@:.so=).map $(2:%=-Wl,-u,%) $(3)
endef

$(PARTS)/%.o: tools/package/%.c
	@mkdir -p $(@D)
	$(Q)$(DIST_CC) -O2 -fPIC -c $< -o $@

$(DIST_SOURCES)/fetched: tools/package/fetch_sources mk/dist.mk
	@mkdir -p $(@D)
	$(Q)tools/package/fetch_sources $(@D) libabsl-dev libbz2-dev libhwy-dev \
	  libmicrohttpd-dev
	@touch $@

# Highway consists of headers, except for the choice of an instruction set.
REBUILT_FOLDERS := $(addprefix libabsl-dev/absl/,base container debugging hash numeric \
  profiling status strings synchronization time types)
REBUILT_FILES := $(addprefix libhwy-dev/hwy/,per_target.cc targets.cc) \
  $(addprefix libbz2-dev/,blocksort.c huffman.c crctable.c randtable.c compress.c \
    decompress.c bzlib.c)
$(REBUILT): $(DIST_SOURCES)/fetched
	@echo "  compile Abseil, bzip2 and Highway"
	@rm -rf $(PARTS)/rebuilt $@ && mkdir -p $(PARTS)/rebuilt
	$(Q)cd $(DIST_SOURCES) && { printf '%s\n' $(REBUILT_FILES); \
	    find $(REBUILT_FOLDERS) -name '*.cc' | grep -vE 'test|benchmark|mock'; } | \
	  xargs -P $(JOBS) -I FILE sh -c 'case FILE in *.c) compile="$(DIST_CC)";; \
	    *) compile="$(CXX) $(CXXSTD)";; esac; \
	    $$compile -O2 -DNDEBUG -w -fPIC -Ilibhwy-dev -c FILE \
	      -o $(CURDIR)/$(PARTS)/rebuilt/$$(echo FILE | tr / _).o'
	$(Q)$(AR) rcsD $@ $$(find $(PARTS)/rebuilt -name '*.o' | LC_ALL=C sort)

# GCC's static OpenMP library can only be linked into programs. The shared one gets another
# name, because other libraries of the process may need it in another version.
CARRIED_GOMP := $(PARTS)/libgomp-firth.so.1
$(CARRIED_GOMP):
	@mkdir -p $(@D)
	$(Q)cp $(shell $(CXX) -print-file-name=libgomp.so.1) $@
	$(Q)patchelf --set-soname $(@F) $@

MICROHTTPD := $(PARTS)/microhttpd/src/microhttpd/.libs/libmicrohttpd.a
MICROHTTPD_FUNCTIONS := $(addprefix MHD_,get_version start_daemon quiesce_daemon \
  stop_daemon suspend_connection resume_connection get_connection_info \
  get_connection_values lookup_connection_value \
  create_response_from_buffer_with_free_callback_cls add_response_header \
  queue_response destroy_response)
# Messages contain the files' paths as they were given to the compiler: relative ones.
$(MICROHTTPD): $(DIST_SOURCES)/fetched
	@echo "  make libmicrohttpd"
	@rm -rf $(PARTS)/microhttpd && mkdir -p $(PARTS)/microhttpd
	@cd $(PARTS)/microhttpd && \
	  { "$$(realpath --relative-to=. $(CURDIR)/$(DIST_SOURCES))"/libmicrohttpd-dev/configure \
	    --host=$(MULTIARCH) --disable-shared --with-pic --disable-https --disable-doc \
	    --disable-examples --disable-curl --disable-tools --disable-bauth --disable-dauth \
	    --disable-postprocessor CFLAGS=-O2 && $(MAKE) -j$(JOBS); } >log 2>&1 || \
	  { tail -n 20 log; exit 1; }
$(CARRIED_MICROHTTPD): $(MICROHTTPD)
	$(call carried_library,$(DIST_CC),$(MICROHTTPD_FUNCTIONS),$< -lpthread)

BLAS_FUNCTIONS := cblas_sgemm cblas_dgemm dgesdd_ dsyevd_ blas_memory_alloc \
  blas_memory_free openblas_set_num_threads
$(PARTS)/libopenblas-firth.so:
	$(call carried_library,$(DIST_CC),$(BLAS_FUNCTIONS),\
	  /usr/lib/$(MULTIARCH)/openblas-pthread/libopenblas.a -Wl$(COMMA)-Bstatic \
	  -lgfortran $(if $(findstring x86_64,$(MULTIARCH)),-lquadmath) \
	  -Wl$(COMMA)-Bdynamic -lm -lpthread)

# Keeps the tenth of ICU's data that finds word boundaries. Regular expressions need no
# data. ICU looks for items under the file name that the data had when they were packed.
ICU_VERSION = $(shell $(PKG_CONFIG) --modversion icu-uc | cut -d. -f1)
ICU_DATA = icudt$(ICU_VERSION)l
ICU_KEPT := brkitr/.*|nfkc\.nrm
ICU_FUNCTIONS = $(addsuffix _$(ICU_VERSION),ubrk_open ubrk_close ubrk_setUText \
  ubrk_next utext_openUTF8 utext_close $(addprefix uregex_,open clone close setText \
  setTimeLimit setStackLimit findNext start end))
$(PARTS)/icu_data.o: mk/dist.mk
	@mkdir -p $(@D)
	@cd $(@D) && ar x /usr/lib/$(MULTIARCH)/libicudata.a $(ICU_DATA)_dat.o && \
	  $(CROSS)objcopy -O binary -j .rodata $(ICU_DATA)_dat.o $(ICU_DATA).dat && \
	  icupkg -l $(ICU_DATA).dat | grep -vxE '$(ICU_KEPT)' >dropped.txt && \
	  mkdir -p kept && icupkg -r dropped.txt $(ICU_DATA).dat kept/$(ICU_DATA).dat
	@printf '.section .rodata\n.balign 16\n.globl %s\n%s:\n.incbin "%s"\n%s\n' \
	  icudt$(ICU_VERSION)_dat icudt$(ICU_VERSION)_dat $(@D)/kept/$(ICU_DATA).dat \
	  '.section .note.GNU-stack,"",%progbits' >$(@:.o=.s)
	$(Q)$(DIST_CC) -c $(@:.o=.s) -o $@
$(PARTS)/libicuuc-firth.so: $(PARTS)/icu_data.o $(PARTS)/arc4random.o \
    $(PARTS)/no_time_zone.o
	$(call carried_library,$(CXX) -static-libstdc++,$(ICU_FUNCTIONS),$^ \
	  /usr/lib/$(MULTIARCH)/libicui18n.a /usr/lib/$(MULTIARCH)/libicuuc.a)

$(DIST_FIRTH): $(TOOL_OBJECTS) $(LIBFIRTH) $(PARTS)/arc4random.o $(REBUILT)
	@echo "  link $@"
	$(Q)$(DIST_LINK) $(filter-out $(REBUILT),$^) $(DIST_PROGRAM_LIBS) $(DIST_LIBS) -lgomp \
	  -Wl,-Bdynamic -Wl,--exclude-libs,ALL -Wl,-rpath,'$$ORIGIN/../lib/firth' -o $@
# The run path covers the tarball (lib/firth) and the wheel (the library's own folder).
$(DIST_C): $(C_OBJECTS) $(LIB_OBJECTS) $(PARTS)/arc4random.o $(REBUILT) \
    $(CARRIED_GOMP) src/c/firth_c.map
	@echo "  link $@"
	$(Q)$(DIST_LINK) -shared -Wl,-soname,$(@F) \
	  -Wl,--version-script,src/c/firth_c.map $(filter %.o,$^) $(DIST_LIBS) \
	  -Wl,-Bdynamic $(CARRIED_GOMP) -Wl,-rpath,'$$ORIGIN/firth:$$ORIGIN' -o $@

dist-parts: $(DIST_FIRTH) $(DIST_C) $(CARRIED) $(CARRIED_MICROHTTPD)

# Files get the time of the last commit, so that two builds have the same bytes.
# Asking git takes time, so it happens once, and only when something is packed.
EPOCH = $(eval EPOCH := $$(shell git log -1 --format=%ct 2>/dev/null || \
  date -r CHANGELOG.md +%s))$(EPOCH)
BILL = SOURCE_DATE_EPOCH=$(EPOCH) tools/package/bill_of_materials $(VERSION)
archive = tar --sort=name --mtime=@$(EPOCH) --owner=0 --group=0 \
  --numeric-owner --mode=u=rwX,go=rX -C $(1) -cf - $(2) | gzip -9n >$(3)

TREE := firth-$(VERSION)-linux-$(DIST_ARCH)
STAGE := $(PARTS)/$(TREE)
dist-tarball: dist-parts
	@echo "  pack $(DIST)/$(TREE).tar.gz"
	@rm -rf $(STAGE)
	@$(MAKE) --no-print-directory install-texts DESTDIR=$(STAGE) PREFIX= >/dev/null
	@install -d $(addprefix $(STAGE)/,bin lib/firth lib/pkgconfig include/firth \
	  share/doc/firth)
	@install -m755 $(DIST_FIRTH) $(STAGE)/bin/
	@install -m755 $(DIST_C) $(STAGE)/lib/
	@ln -s $(notdir $(DIST_C)) $(STAGE)/lib/libfirth_c.so
	@install -m755 $(CARRIED) $(CARRIED_MICROHTTPD) $(STAGE)/lib/firth/
	@install -m644 include/firth/firth.h $(STAGE)/include/firth/
	@$(call fill_in,firth_c.pc,$(STAGE)/lib/pkgconfig) && \
	  sed -i 's|^prefix=.*|prefix=$${pcfiledir}/../..|; s|^libdir=.*|libdir=$${prefix}/lib|' \
	    $(STAGE)/lib/pkgconfig/firth_c.pc
	@cp -r README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE docs \
	  $(STAGE)/share/doc/firth/
	@$(BILL) program \
	  >$(STAGE)/share/doc/firth/firth.spdx.json
	@$(BILL) program \
	  --notices $(STAGE)/share/doc/firth/third-party
	@$(call archive,$(PARTS),$(TREE),$(DIST)/$(TREE).tar.gz)

# The wheel contains the libraries that the C library loads. The Python methods for
# questions are generated with a library that runs on this machine.
WHEEL_PLATFORM := manylinux_2_34_$(DIST_ARCH)
WHEEL := firth-$(VERSION)-cp311-abi3-$(WHEEL_PLATFORM).whl
DIST_WHEEL_ENV = SOURCE_DATE_EPOCH=$(EPOCH) FIRTH_BUILD=$(abspath $(PARTS)) FIRTH_CARRIED="$(abspath $(CARRIED))" \
  FIRTH_DESCRIBING=$(abspath $(NATIVE_C)) FIRTH_PLATFORM=$(WHEEL_PLATFORM) \
  FIRTH_NOTICES=$(abspath $(PARTS)/third-party) \
  CC=$(DIST_CC) LDSHARED="$(DIST_CC) -shared -s -Wl,--build-id=none" CFLAGS=-g0 \
  PYTHONDONTWRITEBYTECODE=1
dist-wheel: $(DIST_C) $(CARRIED) $(NATIVE_C) $(PYTHON_FILES)
	@echo "  wheel $(DIST)/$(WHEEL)"
	@rm -rf $(PARTS)/third-party && mkdir -p $(DIST)
	@$(BILL) library --notices $(PARTS)/third-party
	@$(BILL) library \
	  >$(PARTS)/third-party/firth.spdx.json
	@cd tools/python && $(DIST_WHEEL_ENV) $(PYTHON) -c \
	  'import backend; backend.build_wheel("../../$(DIST)")' \
	  >$(CURDIR)/$(PARTS)/wheel.log 2>&1 || { cat $(CURDIR)/$(PARTS)/wheel.log; exit 1; }

# The sources of this commit, from which pip and the recipes build. pip needs
# pyproject.toml in the top folder, and a package index needs PKG-INFO there.
SDIST := firth-$(VERSION)
dist-sdist:
	@echo "  pack $(DIST)/$(SDIST).tar.gz"
	@rm -rf $(DIST)/$(SDIST) && mkdir -p $(DIST)/$(SDIST)
	@git ls-files -z | tar -c --null -T - | tar -x -C $(DIST)/$(SDIST)
	@echo $(COMMIT) >$(DIST)/$(SDIST)/tools/package/commit
	@sed 's|^backend-path = .*|backend-path = ["tools/python"]|' \
	  tools/python/pyproject.toml >$(DIST)/$(SDIST)/pyproject.toml
	@cd tools/python && PYTHONDONTWRITEBYTECODE=1 $(PYTHON) -c \
	  'import backend; backend.prepare_metadata_for_build_wheel("../../$(DIST)")' \
	  >/dev/null
	@mv $(DIST)/firth-$(VERSION).dist-info/METADATA $(DIST)/$(SDIST)/PKG-INFO
	@rm -rf $(DIST)/firth-$(VERSION).dist-info $(DIST)/firth.egg-info
	@$(call archive,$(DIST),$(SDIST),$(DIST)/$(SDIST).tar.gz)
	@rm -r $(DIST)/$(SDIST)

dist-aarch64:
	$(check_arm)
	$(call install_packages,$(DEPS_DIST_ARM))
	@$(MAKE) --no-print-directory -j$(JOBS) FLAVOUR=aarch64 dist-parts
	@$(MAKE) --no-print-directory FLAVOUR=aarch64 dist-tarball dist-wheel

# DIST_ARCHES names the architectures. SIGN=KEY signs the sums with GnuPG.
DIST_ARCHES ?= x86_64 aarch64
dist:
	$(call install_packages,$(DEPS_DIST))
	@mkdir -p $(DIST) && rm -f $(DIST)/firth-* $(DIST)/SHA256SUMS*
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@$(MAKE) --no-print-directory dist-tarball dist-wheel dist-sdist
	$(if $(filter aarch64,$(DIST_ARCHES)),@$(MAKE) --no-print-directory dist-aarch64)
	@cd $(DIST) && sha256sum firth-*.* >SHA256SUMS
	$(if $(SIGN),@gpg --batch --yes --local-user '$(SIGN)' --armor --detach-sign \
	  $(DIST)/SHA256SUMS)
	@cat $(DIST)/SHA256SUMS

# Installation, and the Debian packages of Firth.

# Who publishes the packages gives a name and an address.
MAINTAINER ?= Firth developers <firth-developers@users.noreply.github.com>
# Packages for several systems, each with the libraries of its own, can be in one folder.
DEB_VERSION = $(VERSION)+$(shell . /etc/os-release && \
  echo $${ID%ian}$${VERSION_ID:-$$VERSION_CODENAME})
deb: deps-build
	$(call install_packages,$(DEPS_DEB))
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@rm -rf build/deb && mkdir -p build/deb/firth
	@cp -r tools/package/debian build/deb/firth
	@sed -i 's|@MAINTAINER@|$(MAINTAINER)|' build/deb/firth/debian/control
	@printf 'firth (%s) unstable; urgency=medium\n\n  * %s\n\n -- %s  %s\n' \
	  $(DEB_VERSION) 'See CHANGELOG.md of the source.' \
	  '$(MAINTAINER)' \
	  "$$(date -R -r CHANGELOG.md)" \
	  >build/deb/firth/debian/changelog
	@cd build/deb/firth && MAKEFLAGS= DEB_RULES_REQUIRES_ROOT=no \
	  DEB_BUILD_OPTIONS=noautodbgsym \
	  INSTALL='$(MAKE) -C $(CURDIR) BUILD=$(BUILD) install' \
	  PC_FILES='$(addsuffix .pc,$(PUBLIC_PACKAGES) $(PRIVATE_PACKAGES))' \
	  LIBRARIES='$(patsubst -l%,lib%.so,$(filter -l%,$(OTHER_LIBS)))' \
	  debian/rules binary
	@ls build/deb/*.deb

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

# Manual pages and completions, which the program writes.
INSTALLED_TEXTS := share/man/man1 share/bash-completion/completions \
  share/zsh/site-functions share/fish/vendor_completions.d
install-texts: $(NATIVE_FIRTH)
	install -d $(INSTALLED_TEXTS:%=$(DESTDIR)$(PREFIX)/%)
	$< help --man $(DESTDIR)$(PREFIX)/share/man/man1
	$< help --bash-completion \
	  >$(DESTDIR)$(PREFIX)/share/bash-completion/completions/firth
	$< help --zsh-completion >$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_firth
	$< help --fish-completion \
	  >$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/firth.fish

install: all install-texts
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,bin include/firth) \
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
	@$(call fill_in,firth.pc,$(DESTDIR)$(LIBDIR)/pkgconfig)
	@$(call fill_in,firth_c.pc,$(DESTDIR)$(LIBDIR)/pkgconfig)
	@$(call fill_in,firth-config.cmake,$(DESTDIR)$(LIBDIR)/cmake/firth)
	@$(call fill_in,firth-config-version.cmake,$(DESTDIR)$(LIBDIR)/cmake/firth)
	@# Without it the loader does not find a library new in /usr/local.
	@if [ -z "$(DESTDIR)" ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi
	@case ":$$PATH:" in *":$(PREFIX)/bin:"*) ;; *) [ -n "$(DESTDIR)" ] || \
	  echo 'firth is not on PATH yet: export PATH="$(PREFIX)/bin:$$PATH"';; esac

# The page of `firth explore`, which is bundled into the program, and its tests.

WEB_LISTS := build/web/weat.txt

web: deps-build $(WEB_PAGE)

web-check: deps-web $(WEB_LISTS)
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
web-test: web-check $(WEB_PAGE) $(WEB_MODULES)
	@cd tests/web && FIRTH_PAGE=$(CURDIR)/$(WEB_PAGE) \
	  FIRTH_PROGRAM=$(wildcard $(abspath $(FIRTH))) node --test browser/*_test.mjs

$(WEB_MODULES): tests/web/package-lock.json
	@cd tests/web && npm ci --silent --no-audit --no-fund
	@touch $@

# Style and script go into the page, which is one file. Its policy allows these
# and no others, by the hash of what stands between the tags: a line end, the file.
csp_hash = { echo; cat $(1); } | sha256sum | cut -c1-64 | tr a-f A-F | \
  basenc --decode --base16 | base64
WEB_SOURCES := $(shell find tools/web -name '*.ts' -o -name '*.css' -o -name '*.html')
# The lists of the WEAT without comments, spaces and the names of groups. A line that
# comes again is the number of its first place.
$(WEB_LISTS): datasets/weat.txt
	@mkdir -p $(@D)
	$(Q)sed -e '/^#/d' -e '/^$$/d' -e 's/^[^:][^:]*://' -e 's/\(^\|[:,]\) */\1/g' $< | \
	  awk '{ print $$0 in first ? first[$$0] : $$0 } !($$0 in first) { first[$$0] = NR }' >$@

ESBUILD = esbuild --bundle --minify --charset=utf8 --log-level=warning \
  --target=chrome91,firefox90,safari15
$(WEB_PAGE): $(WEB_SOURCES) $(WEB_LISTS) mk/web.mk
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
	$(Q)cd $(<D) && $(CROSS)ld -r -b binary -z noexecstack $(<F) -o $(abspath $@)
	$(Q)$(CROSS)objcopy --rename-section .data=.rodata,alloc,load,readonly,data,contents $@

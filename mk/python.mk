# The Python package: the wheel, its tests and its checks.

# They stand before those in C++, whose summary is the end of "make test".
run-python-tests: $(PYTHON_PROGRAM) $(PYTHON_SITE)
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && TMPDIR=$$folder \
	  FIRTH_PROGRAM=$(abspath $(PYTHON_PROGRAM)) \
	  PYTHONPATH=$(abspath $(PYTHON_SITE)) \
	  PYTHONDONTWRITEBYTECODE=1 $(PYTHON_ENV) $(PYTHON) -m pytest -q -p no:cacheprovider \
	  --basetemp $$folder/pytest $(PYTEST_ARGS) tests/python

python: deps
	@$(MAKE) --no-print-directory -j$(JOBS) $(PYTHON_SITE)
	@ls build/python/*.whl

python-check: python
	@cd tools/python && $(PYTHON) -m mypy
	@cd $(PYTHON_SITE) && MYPYPATH=. $(PYTHON) -m mypy.stubtest firth._firth_c \
	  --mypy-config-file $(CURDIR)/tools/python/pyproject.toml

# The program is not instrumented; that are the tests in C++.
python-asan: deps
	@$(MAKE) --no-print-directory -j$(JOBS) $(FIRTH)
	@$(MAKE) --no-print-directory -j$(JOBS) FLAVOUR=pyasan \
	  PYTHON_PROGRAM=$(FIRTH) run-python-tests

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

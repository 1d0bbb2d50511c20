# Needs CPython 3.11 or newer with pip, make and git; everything else goes into .venv, once.
.DELETE_ON_ERROR:
.PHONY: help render test lint bench clean

PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; \
	done)
BIN := .venv/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
# pip compiles what it installs, but not what it installs to be edited.
COMPILE := $(BIN)/python -m compileall -q renderer
INSTALLED := .venv/.installed
READY := .venv/.ready-for-development

help:  ## what there is to make
	@awk -F ':.*  ## ' '/^[a-z]+:.*  ## / { printf "%-8s %s\n", $$1, $$2 }' Makefile

render: $(INSTALLED)  ## render overlays/* into rendered/
	$(BIN)/vmrender render

test: lint  ## everything that CI checks
	$(BIN)/pytest --quiet --numprocesses auto

lint: $(READY)  ## style and types
	$(BIN)/ruff check --quiet
	$(BIN)/ruff format --quiet --check
	$(BIN)/mypy

bench: $(READY)  ## the figures of BENCHMARKS.md, measured here and now
	$(COMPILE)
	$(BIN)/python -m tests.benchmarks

clean:  ## remove what the above made, but for rendered/
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist

# Debian's Python makes an environment with pip in it only where python3-venv is installed.
$(INSTALLED): pyproject.toml
	$(PYTHON) -m venv .venv || { $(PYTHON) -m venv --without-pip .venv && $(PYTHON) -m pip --quiet --python .venv install pip; }
	$(PIP) install --editable .
	$(COMPILE)
	@touch $@

# Dependency groups are new in pip 25.1.
$(READY): $(INSTALLED)
	$(PIP) install --upgrade 'pip>=25.1'
	$(PIP) install --group dev
	@touch $@

# Needs CPython 3.11 or newer with pip, make and git; everything else goes into .venv, once.
.DELETE_ON_ERROR:
.PHONY: help render test pytest test-editor test-install test-image fuzz lint house test-lowest bench bench-check docs lock \
	pyz release-check clean

PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; \
	done)
BIN := .venv/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
# Whatever is fetched is fetched by hash; .ci/README.md says what is in which file.
LOCKS := .ci/lock
FETCH := $(PIP) install --require-hashes
LOCK := $(BIN)/uv pip compile --quiet --upgrade --exclude-newer "7 days" --universal --python-version 3.11 \
	--generate-hashes --custom-compile-command "make lock"
# pip compiles what it installs, but not what it installs to be edited.
COMPILE := $(BIN)/python -m compileall -q "$(CURDIR)/renderer"
INSTALLED := .venv/.installed
READY := .venv/.ready-for-development
FOR_DOCS := .venv/.ready-for-docs
PROSE := docs renderer/explanations README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md SECURITY.md \
	catalog/README.md overlays/README.md schemas/README.md
FOR_RELEASE := .venv/.ready-for-release
WHEELHOUSE := .venv/wheelhouse

help:  ## this list
	@awk -F ':.*  ## ' '/^[a-z-]+:.*  ## / { printf "%-13s %s\n", $$1, $$2 }' Makefile

render: $(INSTALLED)  ## render overlays/* into rendered/
	$(BIN)/vmrender render

test: $(READY)  ## all checks of CI
	$(MAKE) --no-print-directory --jobs 2 lint pytest # mypy has one process, and leaves a processor idle

pytest: $(READY)  ## all tests
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/pytest --quiet --numprocesses auto --dist worksteal

test-lowest: $(READY)  ## run the tests with the oldest versions that pyproject.toml allows
	@rm $(READY) # holds for the locked versions
	$(FETCH) -r .ci/lowest.txt
	$(BIN)/pytest --quiet --numprocesses auto

EDITOR := .venv/editor/node_modules/.bin/yaml-language-server
test-editor: $(READY)  ## try exported schemas in yaml-language-server, which npm installs
	npm install --silent --no-save --ignore-scripts --prefix .venv/editor yaml-language-server@1.25.0
	YAML_LANGUAGE_SERVER="$(CURDIR)/$(EDITOR)" $(BIN)/pytest --quiet tests/integration/test_editor.py

test-install: $(FOR_RELEASE)  ## try every way to install, with the real tools
	@mkdir -p $(WHEELHOUSE)
	$(PIP) download --require-hashes --only-binary :all: -r $(LOCKS)/vmrender.txt -r $(LOCKS)/release.txt --dest $(WHEELHOUSE)
	PATH="$(CURDIR)/$(BIN):$$PATH" VMRENDER_WHEELHOUSE="$(CURDIR)/$(WHEELHOUSE)" $(BIN)/pytest --quiet tests/packaging

test-image: $(FOR_RELEASE)  ## try the images without a daemon: as root on Debian, with buildah, bubblewrap and debootstrap
	@mkdir -p $(WHEELHOUSE)
	$(PIP) download --require-hashes --only-binary :all: --python-version 3.11 -r $(LOCKS)/vmrender.txt -r $(LOCKS)/build.txt \
		--dest $(WHEELHOUSE)
	bash .ci/release/debian_root.sh .venv/base
	VMRENDER_BASE="$(CURDIR)/.venv/base" VMRENDER_WHEELHOUSE="$(CURDIR)/$(WHEELHOUSE)" \
		$(BIN)/pytest --quiet tests/packaging/test_image.py

pyz: $(FOR_RELEASE)  ## dist/: sdist, wheel and vmrender.pyz for this Python and platform
	rm -rf dist
	$(BIN)/python .ci/release/build.py dist --pyz

release-check: $(INSTALLED)  ## what is missing for a release of this commit
	@$(BIN)/python .ci/release/check.py

fuzz: $(READY)  ## try random Go templates, changed repositories and secrets in all places, a minute each
	$(BIN)/python -m tests.fuzz.go_templates --calls 1000000 --seconds 60
	$(BIN)/python -m tests.fuzz --minutes 1 command_line
	$(BIN)/python -m tests.security.canaries --minutes 1

lint: $(READY)  ## check style, spelling and types
	$(BIN)/ruff check --quiet
	$(BIN)/ruff format --quiet --check
	$(BIN)/codespell $(PROSE) renderer .ci/site
	$(BIN)/mypy

house: $(READY)  ## figures of the code and its English; ALL=1 names the places
	$(BIN)/python -m tests.house $(if $(ALL),--all)

bench: $(READY)  ## measure the figures of BENCHMARKS.md on this machine
	$(COMPILE)
	$(BIN)/python -m tests.benchmarks --write

bench-check: $(INSTALLED)  ## fail if a command takes 30 % more instructions
	$(BIN)/python -m tests.benchmarks.regression

docs: $(FOR_DOCS)  ## build the site into site/; check links and style
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --config-file .ci/site/mkdocs.yml
	$(BIN)/proselint check --config .ci/proselint.json $(PROSE)

lock: $(READY)  ## write newer versions into the lock files
	$(FETCH) -r $(LOCKS)/uv.txt
	$(LOCK) --output-file $(LOCKS)/development.txt --group dev pyproject.toml
	$(LOCK) --output-file $(LOCKS)/vmrender.txt --constraint $(LOCKS)/development.txt pyproject.toml
	$(LOCK) --output-file $(LOCKS)/build.txt --constraint $(LOCKS)/development.txt --group build
	$(LOCK) --output-file $(LOCKS)/docs.txt --constraint $(LOCKS)/development.txt --group docs
	$(LOCK) --output-file .ci/lowest.txt --resolution lowest-direct pyproject.toml
	$(LOCK) --output-file $(LOCKS)/uv.txt --group lock
	$(LOCK) --output-file $(LOCKS)/release.txt --constraint $(LOCKS)/development.txt --constraint $(LOCKS)/uv.txt \
		--group release
	$(LOCK) --output-file $(LOCKS)/publish.txt --constraint $(LOCKS)/uv.txt --group publish
	$(BIN)/python .ci/sbom.py

clean:  ## remove everything that these targets made, except rendered/
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist site

# Debian's Python makes an environment with pip in it only where python3-venv is installed.
$(INSTALLED): pyproject.toml $(LOCKS)/vmrender.txt $(LOCKS)/build.txt
	$(PYTHON) -m venv .venv || { $(PYTHON) -m venv --without-pip .venv \
		&& $(PYTHON) -m pip --quiet --python .venv install --require-hashes -r $(LOCKS)/build.txt; }
	$(FETCH) -r $(LOCKS)/vmrender.txt -r $(LOCKS)/build.txt
	$(PIP) install --no-index --no-deps --no-build-isolation --editable .
	$(COMPILE)
	@touch $@

$(READY): $(INSTALLED) $(LOCKS)/development.txt
	$(FETCH) -r $(LOCKS)/development.txt
	@touch $@

$(FOR_DOCS): $(INSTALLED) $(LOCKS)/docs.txt
	$(FETCH) -r $(LOCKS)/docs.txt
	@touch $@

$(FOR_RELEASE): $(READY) $(LOCKS)/release.txt
	$(FETCH) -r $(LOCKS)/release.txt
	@touch $@

# `make` lists what there is. Needs a Python of at least 3.11 and make; everything else goes into .venv.
# Another interpreter or place: make PYTHON3=/opt/python/bin/python3.12 VENV=/tmp/venv test

VENV ?= .venv
CACHE ?= .cache
export SHARPEN_CACHE ?= $(abspath $(CACHE))/sharpen
PYTHON := $(VENV)/bin/python
RUNTIME := $(VENV)/.sharpen-runtime
DEV := $(VENV)/.sharpen-dev
PIP := $(PYTHON) -m pip --disable-pip-version-check --quiet install
RECENT := import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo demo-simulated test test-all test-clients check format docs bench wheel-test clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1|\2/' \
		| while IFS='|' read -r name what; do printf '  %-12s %s\n' "$$name" "$$what"; done

demo: $(RUNTIME) ## train skills for a real small model on this machine: minutes, no account
	@$(PYTHON) -m sharpen demo

demo-simulated: $(RUNTIME) ## train a skill in a simulated world: seconds, no download
	@$(PYTHON) -m sharpen demo --simulated

test: $(DEV) ## the tests, the long ones with reduced counts
	$(PYTHON) -m pytest

test-all: $(DEV) ## the tests with full counts: many minutes
	SHARPEN_TEST_FULL=1 $(PYTHON) -m pytest

test-clients: $(DEV) ## real coding agents against a model on loopback; gets them from npm once (2 GB)
	$(PYTHON) tests/clients/install.py $(CACHE)/clients
	SHARPEN_CLIENTS=$(CACHE)/clients SHARPEN_CLIENTS_STRICT=1 $(PYTHON) -m pytest tests/clients -m clients

check: $(DEV) ## format, lint, types, layers, generated pages
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m ruff check .
	$(PYTHON) -m mypy
	$(VENV)/bin/lint-imports
	$(PYTHON) -m sharpen.cli.helpdoc --check docs/cli.md
	$(PYTHON) tools/tree.py --check docs/tree.md

format: $(DEV) ## rewrite the code in the house format
	$(PYTHON) -m ruff format .
	$(PYTHON) -m ruff check --fix .

docs: $(RUNTIME) ## write docs/cli.md and docs/tree.md again from the program
	$(PYTHON) -m sharpen.cli.helpdoc docs/cli.md
	$(PYTHON) tools/tree.py docs/tree.md

bench: $(DEV) ## the measured tables: every world, 20 seeds, against the peers (long)
	$(PYTHON) benchmarks/ruleworld.py --markdown
	$(PYTHON) benchmarks/nulls.py --markdown
	$(PYTHON) benchmarks/overhead.py --markdown
	$(PYTHON) benchmarks/sandbox.py --markdown
	$(PYTHON) benchmarks/models.py --markdown

wheel-test: $(DEV) ## build the wheel, install it in a clean environment, run the demo from there
	rm -rf $(CACHE)/wheel
	mkdir -p $(CACHE)/wheel/elsewhere
	$(PYTHON) -m build --wheel --outdir $(CACHE)/wheel/dist . > $(CACHE)/wheel/build.log 2>&1 \
		|| { cat $(CACHE)/wheel/build.log; exit 1; }
	$(PYTHON) tools/check_wheel.py $(CACHE)/wheel/dist
	$(PYTHON) -m venv $(CACHE)/wheel/venv
	$(CACHE)/wheel/venv/bin/python -m pip --disable-pip-version-check --quiet install $(CACHE)/wheel/dist/*.whl
	cd $(CACHE)/wheel/elsewhere && PYTHONPATH= ../venv/bin/sharpen demo --simulated

clean: ## remove what make made; runs/ stays
	rm -rf $(VENV) $(CACHE) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(PYTHON):
	@found="$(PYTHON3)"; \
	for python in $${found:-python3 python3.14 python3.13 python3.12 python3.11 python}; do \
		if "$$python" -c '$(RECENT)' > /dev/null 2>&1; then \
			echo "making $(VENV) with $$("$$python" --version)"; \
			"$$python" -m venv $(VENV) && exit 0; \
			rm -rf $(VENV); exit 1; \
		fi; \
	done; \
	echo "sharpen needs Python 3.11 or newer with its venv module, and none of these is one:" \
		"$${found:-python3, python3.14 … python3.11, python}." \
		"Install it (Debian and Ubuntu: apt install python3-venv) or name it: make PYTHON3=…" >&2; \
	exit 1

# The stamps say what was installed for which pyproject.toml. The second contains the first.
$(RUNTIME): pyproject.toml | $(PYTHON)
	@echo "installing sharpen into $(VENV)"
	@$(PIP) -e .
	@touch $@

$(DEV): pyproject.toml | $(PYTHON)
	@echo "installing sharpen and its development tools into $(VENV)"
	@$(PIP) -e '.[dev]'
	@touch $(RUNTIME) $@

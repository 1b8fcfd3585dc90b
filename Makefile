# Site Indexer. `make help` lists every target.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
ARGS ?=

# The certificates of the machine rather than those of the tool: company networks need it.
export UV_SYSTEM_CERTS := 1
export PYTHONPATH := $(CURDIR)/include
# Else each process that is started compiles all modules anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help
help: ## List every target
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  \033[1m%-14s\033[0m %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: setup
setup: $(STAMP) ## Create .venv with every pinned package

$(STAMP): requirements-dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not ((3, 11) <= sys.version_info < (3, 14)))' \
	  || { echo "Python 3.11, 3.12 or 3.13 is needed; found $$($(PYTHON) --version). Set PYTHON=/path/to/python3.11"; exit 1; }
	@echo "Installing the pinned packages into $(VENV) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@# uv installs the lock in seconds where pip needs minutes; it comes from the lock itself.
	@test -x $(BIN)/uv || { $(PYTHON) .ci/extract_pin.py uv requirements-dev.txt > $(VENV)/uv.txt; \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(VENV)/uv.txt; }
	@$(BIN)/uv pip sync --quiet --python $(BIN)/python --require-hashes requirements-dev.txt
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation --editable .
	@touch $@

.PHONY: demo
demo: setup ## Set all up, run a site through Airflow and show the result (ARGS=--once ends by itself)
	@$(BIN)/python -m local_stack demo $(ARGS)

# The parts of check and test that do not wait for each other run side by side, on two cores.
SIDE_BY_SIDE := $(MAKE) --no-print-directory --jobs=2

.PHONY: check
check: setup ## Lint, types, import contracts and unit tests: for every save
	@$(SIDE_BY_SIDE) lint types unit

.PHONY: lint
lint: setup ## Lint and format, check only
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

.PHONY: types
types: setup ## Check the types
	@$(BIN)/mypy

# A minute of random scripts, and programs of the guides that are run: not for every save.
ORDER := tests/unit/indexing/order/test_order.py
GUIDES := tests/docs/test_guides.py

.PHONY: unit
unit: setup ## Unit, architecture and documentation tests, but for the slow ones of each
	@$(BIN)/python -m pytest -q tests/unit tests/architecture tests/docs $(addprefix --ignore=,$(ORDER) $(GUIDES))

.PHONY: test
test: check ## Run all tests: check, then integration, Dags and end to end
	@$(SIDE_BY_SIDE) --jobs=3 integration end-to-end airflow processes order

.PHONY: integration
integration: setup ## Tests against real OpenSearch and real HTTP
	@$(BIN)/python -m pytest -q tests/integration --ignore tests/integration/cli --ignore tests/integration/local_opensearch

.PHONY: processes
processes: setup ## Tests of the shell, of the guides and of the local node, through real processes
	@$(BIN)/python -m pytest -q tests/integration/cli tests/integration/local_opensearch $(GUIDES)

.PHONY: order
order: setup ## Random scripts, held against a reference that runs block by block
	@$(BIN)/python -m pytest -q $(ORDER)

.PHONY: airflow
airflow: setup ## Tests of the Dags and of the deployment
	@$(BIN)/python -m pytest -q tests/dags tests/deployment

.PHONY: end-to-end
end-to-end: setup ## Tests through a real scheduler
	@$(BIN)/python -m pytest -q tests/end_to_end

.PHONY: format
format: setup ## Format the code and mend what the linter can
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

.PHONY: lock
lock: setup ## Renew requirements.txt and requirements-dev.txt from pyproject.toml
	@$(BIN)/uv pip compile pyproject.toml --group deployment --universal --generate-hashes --python-version 3.11 --quiet --output-file requirements.txt
	@$(BIN)/uv pip compile pyproject.toml --group dev --constraints requirements.txt --universal --generate-hashes --python-version 3.11 --quiet --output-file requirements-dev.txt

.PHONY: dag-reference
dag-reference: setup ## Write docs/reference/dags.md anew from the Dags' own docs
	@AIRFLOW_HOME=$(CURDIR)/.state/airflow $(BIN)/python -m site_indexer.orchestration.dag_reference

.PHONY: clean
clean: ## Remove the virtual environment and all local state
	@rm -rf $(VENV) .state .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# `make demo` and `make test` do everything on a machine with Python 3.11+, pip, venv and make.
# Each command says at its end that it is done.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check --constraint constraints.txt
MANIFESTS := pyproject.toml constraints.txt dev-requirements.txt $(wildcard */pyproject.toml)

.PHONY: help demo test check format docs benchmarks clean

help:  ## list the targets (this is what make does without one)
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(VENV)/.ready  ## set up .venv and play the whole loop
	@$(BIN)/swamp demo

test: $(VENV)/.ready  ## run every test
	$(BIN)/pytest
	@echo "All tests passed."

check: $(VENV)/.ready  ## lint, formatting, types, import layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@echo "Lint, types and import layers are clean."

format: $(VENV)/.ready  ## mend what can be mended
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	@echo "The code is formatted."

docs: $(VENV)/.ready  ## bring the generated reference and the sessions in the docs up to date
	$(BIN)/python -m tests.docs.regenerate
	@echo "The generated reference and the sessions in the docs are up to date."

benchmarks: $(VENV)/.ready  ## measure; benchmarks/README.md says what the figures mean
	$(BIN)/python -m benchmarks
	@echo "The benchmarks are done; benchmarks/README.md says what the figures mean."

# The build backend comes first and builds without isolation, so that constraints.txt pins all that runs here.
$(VENV)/.ready: $(MANIFESTS)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Swamp needs Python 3.11 or newer; name one with: make PYTHON=python3.12" >&2; exit 1; }
	@echo "Setting up $(VENV) (about a minute, once) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) hatchling editables
	@$(PIP) --no-build-isolation --requirement dev-requirements.txt
	@touch $@

clean:  ## remove .venv
	rm -rf $(VENV)
	@echo "$(VENV) is removed."

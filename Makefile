# `make demo` and `make test` do everything on a machine with Python 3.11+, pip, venv and make.
# Each command says at its end that it is done.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check --constraint constraints.txt
MANIFESTS := pyproject.toml constraints.txt dev-requirements.txt $(wildcard */pyproject.toml)

.PHONY: demo test check format docs benchmarks clean

demo: $(VENV)/.ready
	@$(BIN)/swamp demo

test: $(VENV)/.ready
	$(BIN)/pytest
	@echo "All tests passed."

check: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@echo "Lint, types and import layers are clean."

format: $(VENV)/.ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	@echo "The code is formatted."

docs: $(VENV)/.ready
	$(BIN)/python -m tests.docs.regenerate
	@echo "The generated reference and the sessions in the docs are up to date."

benchmarks: $(VENV)/.ready
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

clean:
	rm -rf $(VENV)
	@echo "$(VENV) is removed."

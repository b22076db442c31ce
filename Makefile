# `make demo` and `make test` do everything on a machine with Python 3.11+, pip, venv and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
MANIFESTS := pyproject.toml constraints.txt dev-requirements.txt $(wildcard */pyproject.toml)

.PHONY: demo test check format benchmarks clean

demo: $(VENV)/.ready
	$(BIN)/swamp demo

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

benchmarks: $(VENV)/.ready
	$(BIN)/python -m benchmarks

$(VENV)/.ready: $(MANIFESTS)
	$(PYTHON) -m venv $(VENV)
	PIP_CONSTRAINT=constraints.txt $(BIN)/pip install --quiet --disable-pip-version-check -r dev-requirements.txt
	@touch $@

clean:
	rm -rf $(VENV)

# Two commands on a fresh machine: `make demo` and `make test`. Everything goes into .venv.
PYTHON ?= python3
TORCH  ?= torch==2.13.0
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check

.PHONY: demo test test-train test-postgres check format docs clean
.DEFAULT_GOAL := help

docs: $(VENV)/.dev
	$(BIN)/python scripts/write_commands.py
	$(BIN)/python scripts/write_reproductions.py $(if $(DATA),--data $(DATA))

help:
	@echo "make demo        evaluate the bundled sample with an embedded language model; writes demo-run/report/"
	@echo "make test        set up and run the tests (everything that needs no torch)"
	@echo "make test-postgres  run the tests of studies on a PostgreSQL server of their own"
	@echo "make test-train  set up torch and transformers and run the tests that need them"
	@echo "make check       lint, types, import directions, generated documents"
	@echo "make format      format the code"

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; name one with: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(VENV)/bin/python pyproject.toml
	@echo "Installing (once) ..."
	$(PIP) install --quiet --editable '.[local]'
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml
	@echo "Installing what the tests need (once) ..."
	$(PIP) install --quiet --editable '.[dev]'
	@touch $@

$(VENV)/.train: $(VENV)/.dev
	@echo "Installing torch and transformers (once) ..."
	$(PIP) install --quiet '$(TORCH)'
	$(PIP) install --quiet --editable '.[dev,train]'
	@touch $@

demo: $(VENV)/.demo
	$(BIN)/attunement demo --out demo-run

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto --dist worksteal -m 'not train'

test-postgres: $(VENV)/.dev
	scripts/with_postgres.sh $(BIN)/python -m pytest tests/studies -n auto -m 'not browser'

test-train: $(VENV)/.train
	$(BIN)/python -m pytest -n auto -m train

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev
	$(BIN)/ruff check --fix --quiet .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) demo-run .mypy_cache .ruff_cache .pytest_cache

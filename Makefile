# Two commands do everything on a machine with Python 3.11+ and Rust:
#   make demo    build, and run the main job on embedded data
#   make test    build, and run all tests
# Everything is installed into .venv; PYTHON chooses the interpreter.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
SOURCES := Cargo.toml Cargo.lock pyproject.toml $(shell find src -name '*.rs')

# How long `make fuzz` tries inputs at random.
FUZZ_SECONDS ?= 600

.PHONY: demo test test-rust test-python fuzz soak lint lint-rust lint-python bench-smoke \
  docs faults notices test-wheel develop clean need-python need-rust

demo: develop
	$(BIN)/python -m hinge.demo

# What is missing is said before anything is built.
test: need-python need-rust test-rust test-python

test-rust: need-rust
	cargo test --quiet

test-python: develop
	$(BIN)/python -m pytest
	$(BIN)/python -m pytest --doctest-modules python/hinge -p no:cacheprovider

fuzz: develop need-rust
	$(BIN)/python tests/python/fuzz.py --seconds $(FUZZ_SECONDS)

# Long runs, about five minutes: interrupts, memory, limits, budgets, processes. SOAK names some.
soak: develop
	cd tests && $(abspath $(BIN))/python -m soak $(SOAK)

lint: lint-rust lint-python

lint-rust: need-rust
	cargo fmt --check
	cargo clippy --all-targets --quiet -- -D warnings
	cargo clippy --all-targets --features python --quiet -- -D warnings

lint-python: develop
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest hinge._core

bench-smoke: need-rust
	cargo bench --quiet --profile test -- --test

# The site, into site/; warnings are errors. Needs no Rust: docstrings are read, not imported.
docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# docs/faults.md, from the tests.
faults: develop
	$(BIN)/python -m pytest -q --collect-only --fault-table docs/faults.md tests/python >/dev/null

# Licences of the crates in the wheel.
notices: need-rust
	$(PYTHON) .github/notices.py >NOTICES

# All tests of Python on the wheel alone, without Rust and without the checkout.
test-wheel: develop
	rm -rf dist
	$(BIN)/maturin build --release --quiet --out dist
	.github/test-wheel dist

develop: $(VENV)/.built

$(VENV)/.built: $(VENV)/.dev $(SOURCES)
	VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/maturin develop --release --quiet
	@touch $@

$(VENV)/.dev: pyproject.toml | need-python need-rust
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --group dev
	@$(BIN)/python -m pip install --quiet --group oracles 2>/dev/null \
	  || echo "libsvm-official needs a C++ compiler: tests against LIBSVM's own library are skipped."
	@touch $@

$(VENV)/.docs: pyproject.toml | need-python
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --group docs
	@touch $@

need-python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	  || { echo "hinge needs Python 3.11 or newer; '$(PYTHON)' is missing or older. Install it, or call make PYTHON=/path/to/python3.11." >&2; exit 1; }

need-rust:
	@cargo --version >/dev/null 2>&1 \
	  || { echo "hinge is built with Rust, but 'cargo' was not found. Install Rust 1.89 or newer from https://rustup.rs." >&2; exit 1; }
	@cargo --version | awk '{ split($$2, v, "."); exit !(v[1] > 1 || v[2] >= 89) }' \
	  || { echo "hinge needs Rust 1.89 or newer, but this is $$(cargo --version). Run: rustup update stable." >&2; exit 1; }

clean:
	rm -rf $(VENV) target site

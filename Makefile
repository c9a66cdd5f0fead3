# Two commands do everything on a machine with Python 3.11+ and Rust:
#   make demo    build, and run nested cross-validation on bundled data
#   make test    build, and run all tests
# Everything is installed into .venv; PYTHON chooses the interpreter. `make help` lists the rest.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
SOURCES := Cargo.toml Cargo.lock pyproject.toml $(shell find src -name '*.rs')

# Build profile of the extension: `fast` compiles quickly, `release` is what wheels contain.
PROFILE ?= fast
# Number of processes that run the Python tests.
WORKERS ?= 2
# Seconds that `make fuzz` tries random inputs.
FUZZ_SECONDS ?= 600

.PHONY: help demo test test-rust test-python fuzz soak lint lint-rust lint-python bench-smoke \
  docs pictures faults notices test-wheel develop clean need-python need-rust

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  %-14s %s\n", $$1, $$2 }'

demo: develop ## build, and compare nested cross-validation with scikit-learn
	@$(BIN)/python -m softmargin.demo

# Missing tools are reported before anything is built.
test: need-python need-rust test-rust test-python ## build everything and run all tests

test-rust: need-rust ## run the Rust tests
	cargo test --quiet

test-python: $(VENV)/.dev develop ## run the Python tests
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

fuzz: $(VENV)/.dev develop need-rust ## try random inputs for FUZZ_SECONDS
	$(BIN)/python tests/python/support/fuzz.py --seconds $(FUZZ_SECONDS)

# Long runs, about five minutes: interrupts, memory, limits, budgets, processes. SOAK names some.
soak: $(VENV)/.dev develop ## run the soak programs, about five minutes; SOAK names some
	cd tests && $(abspath $(BIN))/python -m soak $(SOAK)

lint: lint-rust lint-python ## formatting, clippy, ruff, mypy, stubs

lint-rust: need-rust
	cargo fmt --check
	cargo clippy --all-targets --quiet -- -D warnings
	cargo clippy --all-targets --features python --quiet -- -D warnings

lint-python: $(VENV)/.dev develop
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest softmargin._core

bench-smoke: need-rust ## run every micro-benchmark once
	cargo bench --quiet --profile test -- --test

# Builds the site into site/; warnings are errors. Needs no Rust, since docstrings are read, not imported.
docs: $(VENV)/.docs ## build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

pictures: $(VENV)/.dev develop ## redraw the pictures in docs/assets; PICTURES names some
	$(BIN)/python docs/pictures $(PICTURES)

# docs/faults.md is generated from the tests.
faults: $(VENV)/.dev develop ## regenerate docs/faults.md from the tests
	$(BIN)/python -m pytest -q --collect-only --fault-table docs/faults.md tests/python >/dev/null

# NOTICES contains the licences of the crates in the wheel.
notices: need-rust ## regenerate NOTICES
	$(PYTHON) .github/notices.py >NOTICES

# All Python tests on the wheel, without Rust and outside of the checkout.
test-wheel: develop ## run the Python tests on the wheel alone
	rm -rf dist
	$(BIN)/maturin build --release --quiet --out dist
	.github/test-wheel dist

develop: $(VENV)/.built ## build the extension into .venv

$(VENV)/.built: $(VENV)/.run $(SOURCES)
	@echo "Compiling the Rust core (profile $(PROFILE)); about two minutes the first time."
	@VIRTUAL_ENV=$(abspath $(VENV)) PIP_QUIET=1 $(BIN)/maturin develop --profile $(PROFILE)
	@touch $@

# For the demo: maturin, and the dependencies of the package.
$(VENV)/.run: pyproject.toml | need-python need-rust
	@echo "Installing Python packages into $(VENV)."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade pip
	@$(BIN)/python -m pip install --quiet --group build
	@touch $@

# For tests and lint.
$(VENV)/.dev: pyproject.toml | $(VENV)/.run
	@echo "Installing test dependencies into $(VENV)."
	@$(BIN)/python -m pip install --quiet --group dev
	@$(BIN)/python -m pip install --quiet --group oracles 2>/dev/null \
	  || echo "libsvm-official needs a C++ compiler: tests against LIBSVM's own library are skipped."
	@touch $@

$(VENV)/.docs: pyproject.toml | need-python
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade pip
	@$(BIN)/python -m pip install --quiet --group docs
	@touch $@

need-python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	  || { echo "softmargin needs Python 3.11 or newer; '$(PYTHON)' is missing or older. Install it, or call make PYTHON=/path/to/python3.11." >&2; exit 1; }

need-rust:
	@cargo --version >/dev/null 2>&1 \
	  || { echo "softmargin is built with Rust, but 'cargo' was not found. Install Rust 1.89 or newer from https://rustup.rs." >&2; exit 1; }
	@cargo --version | awk '{ split($$2, v, "."); exit !(v[1] > 1 || v[2] >= 89) }' \
	  || { echo "softmargin needs Rust 1.89 or newer, but this is $$(cargo --version). Run: rustup update stable." >&2; exit 1; }

clean: ## remove .venv, target and site
	rm -rf $(VENV) target site

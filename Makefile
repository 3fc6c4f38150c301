# Everything runs in .venv, made here; nothing is installed elsewhere.
#   make demo    heal the example notebooks, offline, into ./healed, and show the table
#   make demo-model   the same with a stand-in for a language model (no key, nothing leaves the machine)
#   make quick   lint, types, unit tests and a dozen kernel tests: about a minute
#   make test    the test suite but for its slow tests (browser tests where Chromium is found)
#   make lint    Ruff and mypy; make docs: the site, in docs/_build/html
#   make bench   the benchmarks; make bench-smoke: eight programs, a minute; make bench-regress: five programs against the
#   stored baseline; make figures: the tables of benchmarks/RESULTS.md from benchmarks/rows; make soak: the long tests; make test-all: everything there is

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.installed
CHROMIUM := $(shell command -v chromium || command -v chromium-browser || command -v google-chrome)
COMMA := ,
EXTRAS := test$(if $(CHROMIUM),$(COMMA)browser)
PYTEST := $(BIN)/python -m pytest
# with byte code, whatever the environment says: the processes that the demo and a test start import this package again and again
export PYTHONDONTWRITEBYTECODE :=
QUICK := tests/unit tests/test_layers.py tests/contract/test_trial_kernels.py tests/kernel/test_batch.py

.PHONY: install-all docs demo demo-model quick test test-all collect lint bench bench-smoke bench-regress figures soak clean

demo: $(STAMPS)-examples
	$(BIN)/python examples/demo.py

demo-model: $(STAMPS)-examples
	$(BIN)/python examples/demo_model.py

quick: lint $(STAMPS)-test
	$(PYTEST) -n 2 --dist loadgroup -q -m "not slow" $(QUICK) $(ARGS)

# Four workers on two cores: two of them wait for a kernel or a page most of the time.
test: $(STAMPS)-test
	$(PYTEST) -n 4 --dist loadgroup -m "not slow" $(ARGS)

test-all: $(STAMPS)-test
	$(PYTEST) -n 2 --dist loadgroup --hypothesis-profile=other $(ARGS)
	$(BIN)/python tests/matrix.py

soak: $(STAMPS)-test
	$(PYTEST) -m slow --hypothesis-profile=other $(ARGS)

# what the workers of `make test` would each write for themselves: the byte code of all tests
collect: $(STAMPS)-test
	$(PYTEST) -q --collect-only -m "not slow" >/dev/null

lint: $(STAMPS)-lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(STAMPS)-docs
	$(BIN)/python -m sphinx -W -q -j auto -b html docs docs/_build/html
	@echo docs/_build/html/index.html

bench-smoke: $(STAMPS)-test
	$(BIN)/jupyter-selfheal bench mbpp --first 3 --jobs 2
	$(BIN)/jupyter-selfheal bench humaneval --first 3 --jobs 2
	$(BIN)/jupyter-selfheal bench mbpp --from spec --stand-in --first 2 --jobs 2

figures: $(STAMPS)-test
	$(BIN)/jupyter-selfheal bench figures $(sort $(wildcard benchmarks/rows/*.jsonl)) --into benchmarks/RESULTS.md
	$(BIN)/python benchmarks/measurements.py $(sort $(wildcard benchmarks/rows/scripts/*.jsonl)) --into benchmarks/RESULTS.md

bench-regress: $(STAMPS)-test
	rm -f .regress.jsonl
	$(BIN)/jupyter-selfheal bench humanevalfix benchmarks/programs.jsonl --jobs 2 --rows .regress.jsonl
	$(BIN)/jupyter-selfheal bench regress benchmarks/baseline.jsonl .regress.jsonl --counts; code=$$?; rm -f .regress.jsonl; exit $$code

bench: $(STAMPS)-examples
	$(BIN)/jupyter-selfheal bench $(ARGS)

$(STAMPS)-examples: $(STAMPS)
	SELFHEAL_NO_LABEXTENSION=1 $(BIN)/python -m pip install --quiet -e '.[examples]'
	touch $@

$(STAMPS)-test: $(STAMPS)
	$(BIN)/python -m pip install --quiet -e '.[$(EXTRAS)]'
	touch $@

$(STAMPS)-docs: $(STAMPS)
	$(BIN)/python -m pip install --quiet -e '.[docs,examples]'
	touch $@

# all of these at once: one look at the index, one build
install-all: $(STAMPS)
	$(BIN)/python -m pip install --quiet --no-compile -e '.[lint,examples,$(EXTRAS)]'
	touch $(STAMPS)-lint $(STAMPS)-examples $(STAMPS)-test

$(STAMPS)-lint: $(STAMPS)
	SELFHEAL_NO_LABEXTENSION=1 $(BIN)/python -m pip install --quiet -e '.[lint]'
	touch $@

$(STAMPS): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	touch $@

clean:
	rm -rf $(VENV) healed build dist .mypy_cache .ruff_cache .hypothesis

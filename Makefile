# `make book` reads it, `make test` checks it; `make help` lists the rest.
.DEFAULT_GOAL := help
.PHONY: help book serve lab notebooks test test-package test-notebooks test-book lock clean

PYTHON ?= python3
BIN := .venv/bin
NOTEBOOKS = $(shell $(BIN)/python -m tests.book.toc)
SITE := _build/html

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 18

# The environment is made when it is missing, and again when the lock changes.
.venv/installed: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "Python 3.11 or newer is needed. Name one: make $(MAKECMDGOALS) PYTHON=python3.11"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --requirement requirements.txt
	@touch $@

# --all, because a change of the style or the settings alone rebuilds no page otherwise.
book: .venv/installed ## build the site into _build/html
	$(BIN)/jupyter-book build . --all -W --keep-going -n --quiet
	$(BIN)/python -m tests.book.toc --check-site $(SITE)
	@echo "The book is in $(SITE). Open $(SITE)/index.html, or type: make serve"

serve: book ## serve the site at http://127.0.0.1:8000
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory $(SITE) 8000

lab: .venv/installed ## open JupyterLab on the chapters
	$(BIN)/jupyter lab book

notebooks: .venv/installed ## run every notebook again and store its outputs
	$(BIN)/python -m tests.book.execute

test: test-package test-notebooks test-book ## run every check, as CI does
	@echo "All checks passed."

test-package: .venv/installed ## unit and property tests, doctests, shapes enforced
	$(BIN)/python -m pytest -q --ignore=tests/book --jaxtyping-packages=seqpos,beartype.beartype

test-notebooks: .venv/installed ## strict nbval: every stored output against a fresh run
	$(BIN)/python -m pytest -q --nbval --nbval-cell-timeout=300 --durations=5 $(NOTEBOOKS)

test-book: book ## hygiene of the notebooks, the built site, the pages in a browser
	$(BIN)/python -m pytest -q tests/book

lock: ## write requirements.txt anew from pyproject.toml
	$(PYTHON) -m venv _build/lock
	_build/lock/bin/python -m pip install --quiet --upgrade pip
	_build/lock/bin/python -m pip install --quiet --editable '.[book,test,parity]'
	@# Written aside first, so that a failure leaves the lock as it was.
	_build/lock/bin/python -m pip freeze --exclude-editable > _build/lock/frozen
	{ echo "# Every package, exact. Written by 'make lock' from pyproject.toml; do not edit."; \
	  echo "--editable ."; \
	  sed -E 's/\+cpu$$//' _build/lock/frozen; } > _build/lock/new
	mv _build/lock/new requirements.txt
	rm -rf _build/lock

clean: ## remove what was built, the environment stays
	rm -rf _build build dist .pytest_cache .hypothesis

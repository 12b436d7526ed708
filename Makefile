PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := demo
STORE := --store sqlite:///$(DEMO)/stillproof.db

.PHONY: demo test test-slow test-oracles bench format lock clean

demo: $(VENV)/installed
	@mkdir -p $(DEMO)
	@$(BIN)/stillproof run report-card --config examples/demo.toml --workers 2 $(STORE)
	@$(BIN)/stillproof card dm --out $(DEMO) $(STORE)
	@$(BIN)/stillproof plot report-card --out $(DEMO) $(STORE)
	@$(BIN)/stillproof gallery --run report-card --ipc 10 --out $(DEMO)/gallery.png $(STORE)

test: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2

test-slow: $(VENV)/installed-dev
	$(BIN)/pytest -m slow --timeout 3600

test-oracles: $(VENV)/installed-oracles
	$(BIN)/pytest -n 2 -m slow --timeout 3600 tests/attack/test_attack_oracles.py tests/attack/test_attack_foreign_oracles.py

bench: $(VENV)/installed-dev
	$(BIN)/python -m benchmarks

format: $(VENV)/installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock: $(VENV)/installed-dev
	@$(BIN)/python -m tools.lock --bump '$(BUMP)' --same '$(SAME)' --moved '$(MOVED)'

clean:
	rm -rf $(VENV) $(DEMO)

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

# Their declared dependencies would bring torchvision, whose released build does not fit a CPU build of torch.
$(VENV)/installed-oracles: $(VENV)/installed-dev
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[oracles,art]'
	$(BIN)/python -m pip install --quiet --no-deps torchattacks==3.5.1 adv-lib==0.2.8 pyautoattack==0.2.0
	@touch $@

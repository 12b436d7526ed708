PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := demo
SITE := site
INSTALL_POSTGRESQL = apt-get install --yes --quiet --no-install-recommends postgresql
INSTALL_CHROMIUM = apt-get install --yes --quiet --no-install-recommends chromium
PICTURED := board-cifar10-10-convnet-3-width-32-0638fc.html
STORE := --store sqlite:///$(DEMO)/stillproof.db

.PHONY: demo site picture test test-slow test-storm test-oracles test-hostile test-browser test-cluster bench format lock clean

demo: $(VENV)/installed
	@mkdir -p $(DEMO)
	@$(BIN)/stillproof run report-card --config examples/demo.toml --workers 2 $(STORE)
	@$(BIN)/stillproof card dm --out $(DEMO) $(STORE)
	@$(BIN)/stillproof plot report-card --out $(DEMO) $(STORE)
	@$(BIN)/stillproof gallery --run report-card --ipc 10 --out $(DEMO)/gallery.png $(STORE)
	@$(BIN)/stillproof site $(DEMO)/site $(STORE)

site: $(VENV)/installed
	@mkdir -p $(DEMO)
	@$(BIN)/stillproof db import-results results/*.json --replace --store sqlite:///$(DEMO)/results.db
	@$(BIN)/stillproof site $(SITE) --store sqlite:///$(DEMO)/results.db

picture: $(VENV)/installed-browser site
	@$(BIN)/python -m tools.picture $(SITE)/$(PICTURED) docs/leaderboard.png

test: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2

test-slow: $(VENV)/installed-dev
	$(BIN)/pytest -m slow --timeout 3600

# Says what happened; with Debian's faketime, and where file systems may be mounted, clocks jump and the disk fills up.
test-storm: $(VENV)/installed-dev
	$(BIN)/pytest -s -m slow --timeout 3600 tests/run/test_run_storm.py

test-oracles: $(VENV)/installed-oracles
	$(BIN)/pytest -n 2 -m slow --timeout 3600 tests/attack/test_attack_oracles.py tests/attack/test_attack_foreign_oracles.py

# Damaged files, 4,000 unless STILLPROOF_HOSTILE_FILES says how many.
test-hostile: $(VENV)/installed-dev
	$(BIN)/pytest -m slow --timeout 36000 tests/hostile

test-browser: $(VENV)/installed-browser
	STILLPROOF_AXE=$(VENV)/axe/package/axe.min.js $(BIN)/pytest -m browser tests/browser

test-cluster: $(VENV)/installed-cluster
	$(BIN)/pytest -n 2 -m cluster tests

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

# Debian's browser, driven by Playwright, which never downloads its own; axe-core has the rules of accessibility.
$(VENV)/installed-browser: $(VENV)/installed-dev
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[browser]'
	command -v chromium > /dev/null || $(INSTALL_CHROMIUM) || { apt-get update --quiet && $(INSTALL_CHROMIUM); }
	mkdir -p $(VENV)/axe && cd $(VENV)/axe && tar xzf $$(npm pack --silent axe-core@4.10.3)
	@touch $@

# Debian's server, started by the tests in folders and on ports of their own.
$(VENV)/installed-cluster: $(VENV)/installed-dev
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[postgres,slurm]'
	ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || $(INSTALL_POSTGRESQL) || { apt-get update --quiet && $(INSTALL_POSTGRESQL); }
	@touch $@

# Their declared dependencies would bring torchvision, whose released build does not fit a CPU build of torch.
$(VENV)/installed-oracles: $(VENV)/installed-dev
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[oracles,art]'
	$(BIN)/python -m pip install --quiet --no-deps torchattacks==3.5.1 adv-lib==0.2.8 pyautoattack==0.2.0
	@touch $@

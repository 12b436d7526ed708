from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from commands import TINY, Commands, run

SITE = Path(__file__).parent / "site"
FILE = SITE / "stillproof_brightest.py"
RUN = ["run", "accuracy", "--dataset", "digits", "--methods", "brightest", "--set", "full_recipe=", "--seeds", "2"]
RUN += ["--scale", "smoke", *TINY]

BROKEN = """
import torch
from dataclasses import dataclass
from stillproof import distillers
from stillproof.distill.random import RandomImages

@distillers.register("unsteady", version=1)
@dataclass(frozen=True)
class Unsteady(RandomImages):
    calls = [0]

    def distill(self, data, ipc, ctx):
        self.calls[0] += 1
        made = super().distill(data, ipc, ctx)
        return ctx.distilled(made.images + self.calls[0], made.labels, data)

@distillers.register("generous", version=1)
@dataclass(frozen=True)
class Generous(RandomImages):
    def distill(self, data, ipc, ctx):
        return super().distill(data, ipc + 1, ctx)

@distillers.register("global", version=1)
@dataclass(frozen=True)
class Global(RandomImages):
    def distill(self, data, ipc, ctx):
        made = super().distill(data, ipc, ctx)
        torch.rand(1)
        return made
"""


def test_an_installed_package_is_found_and_runs_in_the_pool_without_any_edit(tmp_path: Path) -> None:
    env = {"PYTHONPATH": str(SITE)}
    listed = run("list", "distillers", "--json", cwd=tmp_path, env=env).json()["distillers"]
    entry = next(entry for entry in listed if entry["name"] == "brightest")
    assert entry == {
        "name": "brightest",
        "version": 1,
        "paper": "none",
        "summary": "Choose the images with the largest mean.",
        "params": {"skip": "int = 0"},
        "origin": "brightest",
    }
    done = run(*RUN, "--workers", "2", "--json", "--store", "p.db", cwd=tmp_path, env=env)
    (row,) = done.json()["rows"]
    assert (row["method"], row["accuracy"]["n"], row["missing"]) == ("brightest", 2, 0)


@pytest.mark.slow
def test_a_single_file_travels_to_the_workers_by_value(tmp_path: Path, stillproof: Commands) -> None:
    away = tmp_path / "elsewhere" / "mine.py"  # in no process's path, and under a name that cannot be imported
    away.parent.mkdir()
    source = FILE.read_text(encoding="utf-8")
    away.write_text(
        source.replace("import torch\n", "import importlib.util\nimport os\nimport sys\n\nimport torch\n", 1)
        + "\nassert importlib.util.find_spec('mine') is None and not any('elsewhere' in p for p in sys.path)\n"
        + "open(f'loaded-{os.getpid()}', 'w').close()\n"
    )
    done = stillproof(*RUN, "--plugin", str(away), "--workers", "2", "--json", "--store", "p.db", cwd=tmp_path)
    (row,) = done.json()["rows"]
    assert (row["method"], row["accuracy"]["n"]) == ("brightest", 2)
    assert len(list(tmp_path.glob("loaded-*"))) == 3, "the command and its two workers load it"


def test_the_package_keeps_the_contracts(tmp_path: Path, stillproof: Commands) -> None:
    shutil.copy(FILE, tmp_path / "brightest.py")
    checks = stillproof("check", "brightest.py", "--json", cwd=tmp_path).json()["checks"]
    assert len(checks) >= 5 and all(check["ok"] for check in checks)


def test_broken_methods_fail_the_check_that_they_break(tmp_path: Path, stillproof: Commands) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)
    done = stillproof("check", "broken.py", "--json", cwd=tmp_path)
    assert done.code == 2 and "Traceback" not in done.err
    problems = {(c["name"], c["check"]): c["problem"] for c in json.loads(done.out)["checks"] if not c["ok"]}
    assert problems[("unsteady", "the same seed gives the same bytes")] == "two runs under one seed give different sets"
    assert "images per class are [3, 3, 3], not 2" in problems.values()
    assert problems[("global", "draws from no global generator")].startswith("it draws from torch's global generator")
    assert {name for name, _ in problems} == {"unsteady", "generous", "global"}
    assert done.err.splitlines()[-1].startswith("stillproof: ") and done.err.endswith("checks failed.\n")


@pytest.mark.parametrize("body", ["raise RuntimeError('too old')", "def broken(:", "import nowhere_to_be_found"])
def test_a_file_that_cannot_be_loaded_is_warned_of_and_the_rest_works(
    tmp_path: Path, stillproof: Commands, body: str
) -> None:
    (tmp_path / "bad.py").write_text(body)
    command = ["distill", "digits", "random", "--ipc", "1", "--plugin", "bad.py", "--json", *TINY]
    done = stillproof(*command, cwd=tmp_path)
    assert done.code == 0 and json.loads(done.out)["images"] == 10
    assert done.err.count("plug-in bad.py cannot be loaded") == 1 and "Traceback" not in done.err
    assert (
        stillproof("check", "bad.py", cwd=tmp_path).sentence().startswith("stillproof: plug-in bad.py cannot be loaded")
    )

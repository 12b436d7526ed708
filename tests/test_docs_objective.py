"""The page on objectives does what it says."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from commands import TINY, Commands
from stillproof.core.components import REGISTRIES

PAGE = Path(__file__).parents[1] / "docs" / "add-an-objective.md"


def block(language: str) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return str(found)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "fast.py").write_text(block("python"), encoding="utf-8")
    return tmp_path


def test_the_objective_of_the_page_keeps_the_contract(folder: Path, stillproof: Commands) -> None:
    checks = stillproof("check", "fast.py", "--json", cwd=folder).json()["checks"]
    assert len(checks) == 7 and all(check["ok"] for check in checks), checks


@pytest.mark.slow
def test_the_commands_of_the_page_work(folder: Path, stillproof: Commands) -> None:
    for line in block("sh").splitlines():
        program, verb, *rest = shlex.split(line.replace("quick:", "smoke:"))
        assert program == "stillproof"
        done = stillproof(verb, *rest, *(TINY if verb == "train" else []), cwd=folder)
        assert done.code == 0 and done.out, (line, done.err)


def test_the_entry_point_of_the_page_is_of_a_group_that_is_read() -> None:
    (group,) = tomllib.loads(block("toml"))["project"]["entry-points"]
    assert group.removeprefix("stillproof.") in REGISTRIES

"""The page on defences does what it says."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from commands import TINY, Commands
from stillproof.core.components import REGISTRIES, defences

PAGE = Path(__file__).parents[1] / "docs" / "add-a-defence.md"
TEXT = PAGE.read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (source,) = blocks("python")
    (tmp_path / "fast.py").write_text(source, encoding="utf-8")
    return tmp_path


def test_the_defence_of_the_page_keeps_the_contract(folder: Path, stillproof: Commands) -> None:
    checks = stillproof("check", "fast.py", "--json", cwd=folder).json()["checks"]
    assert len(checks) == 9 and all(check["ok"] for check in checks), checks


def test_the_commands_of_the_page_work(folder: Path, stillproof: Commands) -> None:
    for line in "".join(blocks("sh")).splitlines():
        program, verb, *rest = shlex.split(line.replace("quick-real", "smoke"))
        assert program == "stillproof"
        if verb == "check":
            continue
        done = stillproof(verb, *rest, *(TINY if verb == "train" else []), cwd=folder)
        assert done.code == 0 and done.out, (line, done.err)


def test_the_page_has_every_defence() -> None:
    named = re.findall(r"^\| `([\w-]+)` \|", TEXT, re.MULTILINE)
    assert sorted(named) == sorted(name for name, entry in defences.entries().items() if entry.origin == "stillproof")


def test_the_entry_point_of_the_page_is_of_a_group_that_is_read() -> None:
    (text,) = blocks("toml")
    (group,) = tomllib.loads(text)["project"]["entry-points"]
    assert group.removeprefix("stillproof.") in REGISTRIES

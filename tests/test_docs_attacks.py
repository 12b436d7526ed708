"""The page on attacks: its commands and its request work."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from commands import Commands

PAGE = (Path(__file__).parents[1] / "docs" / "attacks.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return str(found)


@pytest.mark.slow
def test_the_commands_of_the_page_work(tmp_path: Path, stillproof: Commands) -> None:
    train, *attacks = block("sh").splitlines()
    small = train.replace("quick-real", "quick-real:epochs=4") + " --network convnet-1:width=8 --json"
    model = stillproof(*shlex.split(small)[1:], cwd=tmp_path).json()["models"][0]
    for line in attacks:
        done = stillproof(*shlex.split(line.replace("MODEL", model[:12]))[1:], cwd=tmp_path)
        assert done.code == 0 and "robust %" in done.out, (line, done.err)
    assert (tmp_path / "attacked" / "preview.png").is_file()


def test_the_requests_of_the_page_are_answered(tmp_path: Path, stillproof: Commands) -> None:
    done = stillproof.python(block("python"), cwd=tmp_path)
    assert done.code == 0, done.err
    assert re.match(r"\[0\.\d+, 0\.\d+, 0\.\d+\]", done.out)

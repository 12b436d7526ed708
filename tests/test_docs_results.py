from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from commands import TINY, Commands

PAGE = Path(__file__).parents[1] / "docs" / "results.md"


@pytest.mark.slow
def test_the_commands_of_the_page_work(tmp_path: Path, stillproof: Commands) -> None:
    (block,) = re.findall(r"^```sh\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    said = {}
    for line in block.splitlines():
        program, verb, *rest = shlex.split(line.replace("quick", "smoke"))
        assert program == "stillproof"
        small = [*TINY, *(["--seeds", "1"] if verb == "run" else [])] if verb in ("run", "train") else []
        done = stillproof(verb, *rest, *small, cwd=tmp_path)
        assert done.code == 0 and done.out, (line, done.err)
        said[line] = done.out
    status, table = said["stillproof status"], said["stillproof table --run first"]
    assert "before the talk" in status and "4 of 4" in status and "3 of 3" in status and "run 'first'" in table
    assert (tmp_path / "figures" / "accuracy.png").is_file() and (tmp_path / "gallery.png").is_file()

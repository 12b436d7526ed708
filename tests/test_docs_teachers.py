from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from commands import Commands

PAGE = (Path(__file__).parents[1] / "docs" / "teachers.md").read_text(encoding="utf-8")


def block(language: str) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return str(found)


@pytest.mark.slow
def test_the_command_and_the_method_of_the_page_work(tmp_path: Path, stillproof: Commands) -> None:
    quick = ("teacher-quick", "teacher-quick:epochs=1")
    (tmp_path / "first.py").write_text(block("python").replace(*quick).replace('"quick:', '"quick:epochs=2:'))
    program, *command = shlex.split(block("sh").replace(*quick))
    assert program == "stillproof" and stillproof(*command, cwd=tmp_path).code == 0
    made = stillproof("distill", "digits", "first-taught", "--ipc", "1", "--plugin", "first.py", cwd=tmp_path)
    assert "10 images, 91776 bytes (images 2560, labels 80, teachers 89136)" in made.out, made.err
    set_name = made.out.partition(":")[0]
    done = stillproof("train", set_name, "--seeds", "1", "--network", "mlp:width=4", cwd=tmp_path)
    assert done.code == 0 and "objective=kl(temperature=4)" in done.out, done.err

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from commands import ENVIRONMENT, SCRIPT
from stillproof.cli.output import say, write, write_table

HOSTILE = ["[enforce fail at alloc_cpu.cpp:114] no memory", "[/tmp/x] missing", "[bold]x[/bold]", "convnet:gear:2"]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_table_shows_cells_headers_and_titles_to_the_letter(capsys: pytest.CaptureFixture[str], text: str) -> None:
    write_table((f"h {text}", "b"), [(f"c {text}", "1")], title=f"t {text}")
    lines = capsys.readouterr().out.splitlines()
    for mark in "htc":
        assert any(f"{mark} {text}" in line for line in lines), lines


@pytest.mark.parametrize("text", HOSTILE)
def test_a_message_is_said_exactly_as_written_and_on_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    whole = f"missing: {text} " + "word " * 40 + "end"
    say(whole)
    assert capsys.readouterr() == ("", f"{whole}\n")


def test_a_reader_that_has_gone_is_no_error(tmp_path: Path) -> None:
    command = f"{sys.executable} {SCRIPT} list; echo code $? >&2"
    done = subprocess.run(
        ["sh", "-c", f"{{ {command}; }} | true"], env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == ("", "code 0\n")


def test_what_follows_a_reader_that_has_gone_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    read, written = os.pipe()
    with os.fdopen(written, "w") as pipe:
        monkeypatch.setattr("sys.stdout", pipe)
        write("somebody reads this")
        os.close(read)
        write("nobody reads this")
        write("nor this")

from __future__ import annotations

import io
import re
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from stillproof.cli import progress
from stillproof.cli.output import say, write_table
from stillproof.cli.progress import QUIET_SECONDS, Display, time_left

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


class Clock:
    """A clock that moves when told."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


def planner(labels: list[str]) -> Any:
    cells = [SimpleNamespace(id=str(number), label=label, flops=0.0) for number, label in enumerate(labels)]
    return SimpleNamespace(cells={cell.id: cell for cell in cells})


def test_without_a_terminal_lines_say_how_much_time_is_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    with Display() as display:
        show = display.watch(planner(["a", "[/tmp/x]", "c", "d"]))
        done = {"0": "done", "1": "running", "2": "pending", "3": "pending"}
        show(done, {}, {})  # a quarter was there before, and says nothing of the speed
        clock.now += QUIET_SECONDS + 1
        show(done, {}, {})
        clock.now += 100.0 - QUIET_SECONDS - 1
        show(done, {"1": 0.8}, {"1": "43 % fooled so far"})
        clock.now += 1
        show(dict.fromkeys("0123", "done"), {}, {})
    assert capsys.readouterr().err.splitlines() == [
        "25 %: 1/4 cells, [/tmp/x]",
        "45 %: 1/4 cells, [/tmp/x], 43 % fooled so far, about 5 min left",
        "100 %: 4/4 cells",
    ]


def test_the_time_left_is_known_once_something_was_gained() -> None:
    assert time_left(10.0, 0.25, 0.75) == ", about 30 s left"
    assert time_left(10.0, 0.0, 0.75) == time_left(10.0, 0.25, 0.0) == ""


def test_the_live_display_shows_labels_to_the_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    terminal = Console(file=screen, force_terminal=True, force_interactive=True, width=200, markup=False)
    monkeypatch.setattr(progress, "messages", lambda: terminal)
    with Display() as display:
        show = display.watch(planner([HOSTILE[0], HOSTILE[1]]))
        for first, second in (("running", "pending"), ("done", "running")):
            show({"0": first, "1": second}, {}, {})
            display._bar.refresh()
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen.getvalue())
    assert f"0/2 cells, {HOSTILE[0]}" in plain and f"1/2 cells, {HOSTILE[1]}" in plain

from __future__ import annotations

import io
import re
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from stillproof.cli import progress
from stillproof.cli.progress import QUIET_SECONDS, Display, percent, time_left

HOSTILE = ["[enforce fail at alloc_cpu.cpp:114] no memory", "[/tmp/x] missing"]


class Clock:
    """A clock that moves when told."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


def planner(labels: list[str]) -> Any:
    cells = [SimpleNamespace(id=str(n), label=label, open=label == "open") for n, label in enumerate(labels)]
    return SimpleNamespace(cells={cell.id: cell for cell in cells})


def alike(_: object) -> float:
    return 1.0


def test_without_a_terminal_lines_say_how_much_time_is_left(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    with Display().watch(planner(["a", "[/tmp/x]", "c", "d"]), alike) as show:
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


def screen_of(monkeypatch: pytest.MonkeyPatch, width: int) -> io.StringIO:
    screen = io.StringIO()
    terminal = Console(file=screen, force_terminal=True, force_interactive=True, width=width, markup=False)
    monkeypatch.setattr(progress, "messages", lambda: terminal)
    return screen


def lines_of(screen: io.StringIO) -> list[str]:
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen.getvalue())
    return [line for line in re.split(r"[\r\n]+", plain) if line.strip()]


def test_the_live_display_shows_labels_to_the_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    screen, display = screen_of(monkeypatch, 200), Display()
    with display.watch(planner([HOSTILE[0], HOSTILE[1]]), alike) as show:
        for first, second in (("running", "pending"), ("done", "running")):
            show({"0": first, "1": second}, {}, {})
            display._bar.refresh()
    plain = "\n".join(lines_of(screen))
    assert f"0/2 cells, {HOSTILE[0]}" in plain and f"1/2 cells, {HOSTILE[1]}" in plain


@pytest.mark.parametrize("width", [60, 80, 120])
def test_where_it_is_narrow_the_label_is_shortened_and_no_number(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    screen, display = screen_of(monkeypatch, width), Display()
    with display.watch(planner(["train convnet-3 on dm of cifar10, 10 images per class, seed 0", "b"]), alike) as show:
        show({"0": "running", "1": "pending"}, {"0": 0.5}, {"0": "43 % fooled so far"})
        display._bar.refresh()
    told = [line for line in lines_of(screen) if line.startswith("0/2 cells, ")]
    assert told and all(len(line) <= width for line in told)
    assert all(re.search(r"… +\S+ +25 % \d:\d\d:\d\d left [-\d]:[-\d]+:[-\d]+ *$", line) for line in told)


def test_a_plan_that_grows_says_at_least_and_never_goes_back(capsys: pytest.CaptureFixture[str]) -> None:
    display = Display()
    with display.watch(planner(["a", "b", "c", "open"]), alike) as show:
        show(dict.fromkeys("012", "done"), {}, {})
        assert (percent(display._reached), display._more) == ("75 %", True)
        display._spoken -= 2 * QUIET_SECONDS
        show(dict.fromkeys("012", "done"), {}, {})
    with display.watch(planner(["a", "b", "c", "closed", "e", "f"]), alike) as show:
        show(dict.fromkeys("012", "done"), {}, {})
        assert percent(display._reached) == "75 %"
        show(dict.fromkeys("012345", "done"), {}, {})
    assert capsys.readouterr().err.splitlines() == ["75 %: 3 of at least 4 cells", "100 %: 6/6 cells"]
    with display.watch(planner(["another", "plan"]), alike) as show:
        show({"0": "running"}, {}, {})
        assert display._reached == 0.0


def test_a_cell_counts_by_the_seconds_that_it_is_expected_to_take(capsys: pytest.CaptureFixture[str]) -> None:
    display = Display()
    with display.watch(planner(["short", "long"]), lambda cell: 1.0 if cell.label == "short" else 9.0) as show:
        show({"0": "done", "1": "running"}, {"1": 0.5}, {})
    assert percent(display._reached) == "55 %"


def test_what_is_not_finished_is_not_at_a_hundred_percent() -> None:
    assert [percent(share) for share in (0.0, 0.29, 0.9999, 1.0)] == ["0 %", "29 %", "99 %", "100 %"]


def test_the_screen_is_given_back_before_anything_else_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    screen, display = screen_of(monkeypatch, 80), Display()
    with display.watch(planner(["a"]), alike) as show:
        show({"0": "done"}, {}, {})
    assert not display._bar.live.is_started and screen.getvalue().endswith("\x1b[2K")

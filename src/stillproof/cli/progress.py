"""The live display of a run: cells done, running and failed, and the time left."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from stillproof.cli.output import messages, say
from stillproof.core.amounts import duration
from stillproof.core.printable import one_line

if TYPE_CHECKING:
    from rich.progress import Progress

    from stillproof.run.cell import Cell
    from stillproof.run.executor import OnChange
    from stillproof.run.plan import Planner

QUIET_SECONDS = 15.0  # between two lines where there is no terminal
ENDED = ("done", "failed", "unsupported")


class Display:
    """Shows one plan at a time; a cell counts by its expected seconds, so that the time left means something."""

    def __init__(self) -> None:
        """Prepare; nothing is shown before a plan starts."""
        self._live = messages().is_interactive
        self._begin(goes_on=False)

    def _begin(self, *, goes_on: bool) -> None:
        """Start anew, or go on with a plan of which another round is known now."""
        if not goes_on:
            self._bar = progress_bar()
            self._task = self._bar.add_task("starting", total=1.0)
            self._spoken = self._started = time.monotonic()
            self._before = self._reached = 0.0  # the share that was done before, and that is done
            self._first, self._finished = True, False
        self._more = False  # whether a plan asks for more once its answers are known

    @contextlib.contextmanager
    def watch(self, planner: Planner, seconds: Callable[[Cell], float]) -> Iterator[OnChange]:
        """Yield what is called whenever a cell's state changes; ``seconds`` says what cells are expected to take.

        A plan with open cells grows: the next one counts as its next round, and the bar never goes back.
        """
        self._begin(goes_on=self._more)
        self._more = any(cell.open for cell in planner.cells.values())
        weight = {cell.id: seconds(cell) for cell in planner.cells.values()}
        total, of = sum(weight.values()), f" of at least {len(weight)}" if self._more else f"/{len(weight)}"

        def show(status: dict[str, str], shares: dict[str, float], said: dict[str, str]) -> None:
            ended = [cell for cell, state in status.items() if state in ENDED]
            running = [cell for cell, state in status.items() if state == "running" and cell in planner.cells]
            failed = sum(state == "failed" for state in status.values())
            done = sum(weight[cell] for cell in ended) + sum(share * weight[cell] for cell, share in shares.items())
            text = f"{len(ended)}{of} cells"
            text += f", {failed} failed" if failed else ""
            text += ", ".join(("", planner.cells[running[0]].label, *said.values())) if running else ""
            text += f" and {len(running) - 1} more" if len(running) > 1 else ""
            self._show(text, done / total, last=len(ended) == len(weight))

        with self._on_screen():
            yield show

    @contextlib.contextmanager
    def follow(self, label: str) -> Iterator[Callable[[float, str], None]]:
        """Yield what is called with the share of a single work that is done, and a few words on it."""
        self._begin(goes_on=False)
        with self._on_screen():
            yield lambda share, said: self._show(f"{label}, {said}" if said else label, share, last=False)

    @contextlib.contextmanager
    def _on_screen(self) -> Iterator[None]:
        """Take the screen, and give it back as it was before anything else is printed."""
        if not self._live:
            yield
            return
        with self._bar:
            yield

    def _show(self, text: str, share: float, *, last: bool) -> None:
        self._reached = max(self._reached, share)
        self._bar.update(self._task, completed=self._reached, description=one_line(text))
        if self._first:
            self._started, self._before, self._first = time.monotonic(), self._reached, False
        self._speak(text, last=last and not self._more)

    def _speak(self, text: str, *, last: bool) -> None:
        """Where there is no terminal, say a line from time to time, and the last one once."""
        if self._live or self._finished:
            return
        if not (last or time.monotonic() - self._spoken > QUIET_SECONDS):
            return
        self._finished = last
        self._spoken = time.monotonic()
        taken, gained = self._spoken - self._started, self._reached - self._before
        left = "" if last else time_left(taken, gained, 1 - self._reached)
        say(f"{percent(self._reached)}: {text}{left}")


def progress_bar() -> Progress:
    """Return a bar whose label is shortened where the terminal is narrow; its numbers never are."""
    from rich.progress import BarColumn, ProgressColumn, Task, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar
    from rich.table import Column
    from rich.text import Text

    class Label(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(task.description, no_wrap=True, overflow="ellipsis")

    class Share(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(f"{percent(task.completed):>5}")

    console = messages()
    whole = Column(no_wrap=True)
    return Bar(
        Label(),
        BarColumn(bar_width=max(8, min(40, console.width // 6)), table_column=whole),
        Share(table_column=whole),
        TimeElapsedColumn(table_column=whole),
        TextColumn("left", table_column=whole),
        TimeRemainingColumn(elapsed_when_finished=False, table_column=whole),
        console=console,
        transient=True,
        speed_estimate_period=600,
    )


def percent(share: float) -> str:
    """Return a share in percent, rounded down: what is not finished is not at 100 %."""
    return f"{int(100 * share + 1e-9)} %"


def time_left(seconds: float, gained: float, rest: float) -> str:
    """Say how long the rest may take, if ``gained``, a share of the whole, took ``seconds``; nothing if unknown."""
    return f", about {duration(seconds * rest / gained)} left" if gained > 0 and rest > 0 else ""

"""The live display of a run: cells done, running and failed, and the time left."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Self

from stillproof.cli.output import messages, say
from stillproof.core.amounts import duration
from stillproof.run.rates import CELL_SECONDS, FLOPS_PER_SECOND

if TYPE_CHECKING:
    from stillproof.run.executor import OnChange
    from stillproof.run.plan import Planner

QUIET_SECONDS = 15.0  # between two lines where there is no terminal


class Display:
    """Shows one run at a time; a cell counts by its expected seconds, so that the time left means something."""

    def __init__(self) -> None:
        """Prepare; nothing is shown before a plan starts."""
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        console = messages()
        self._live = console.is_interactive
        columns = (TextColumn("{task.description}", markup=False), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
        self._bar = Progress(
            *columns,
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(elapsed_when_finished=False),
            console=console,
            transient=True,
            speed_estimate_period=600,
        )
        self._spoken = self._started = time.monotonic()
        self._share = 0.0  # done before
        self._finished = False

    def __enter__(self) -> Self:
        """Take the screen."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give the screen back."""
        if self._live:
            self._bar.stop()

    def watch(self, planner: Planner) -> OnChange:
        """Return what is called whenever a cell's state changes."""
        weight = {cell.id: cell.flops / FLOPS_PER_SECOND + CELL_SECONDS for cell in planner.cells.values()}
        total = sum(weight.values())
        task = self._bar.add_task("starting", total=total)
        self._finished = False
        first = True
        if self._live:
            self._bar.start()

        def show(status: dict[str, str], shares: dict[str, float], said: dict[str, str]) -> None:
            nonlocal first
            finished = [cell for cell, state in status.items() if state in ("done", "failed", "unsupported")]
            running = [c for c, state in status.items() if state == "running" and c in planner.cells]
            failed = sum(state == "failed" for state in status.values())
            done = sum(weight[c] for c in finished) + sum(share * weight[c] for c, share in shares.items())
            text = f"{len(finished)}/{len(weight)} cells"
            text += f", {failed} failed" if failed else ""
            text += ", ".join(("", planner.cells[running[0]].label, *said.values())) if running else ""
            text += f" and {len(running) - 1} more" if len(running) > 1 else ""
            self._bar.update(task, completed=done, description=text)
            if first:
                self._started, self._share, first = time.monotonic(), done / total, False
            self._speak(text, done / total, last=len(finished) == len(weight))

        return show

    def follow(self, label: str) -> Callable[[float, str], None]:
        """Return what is called with the share of a single work that is done, and a few words on it."""
        task = self._bar.add_task(label, total=1.0)
        if self._live:
            self._bar.start()

        def show(share: float, said: str) -> None:
            text = f"{label}, {said}" if said else label
            self._bar.update(task, completed=share, description=text)
            self._speak(text, share, last=False)

        return show

    def _speak(self, text: str, share: float, *, last: bool) -> None:
        """Where there is no terminal, say a line from time to time, and the last one once."""
        if self._live or self._finished:
            return
        if not (last or time.monotonic() - self._spoken > QUIET_SECONDS):
            return
        self._finished = last
        self._spoken = time.monotonic()
        left = "" if last else time_left(self._spoken - self._started, share - self._share, 1 - share)
        say(f"{100 * share:.0f} %: {text}{left}")


def time_left(seconds: float, gained: float, rest: float) -> str:
    """Say how long the rest may take, if ``gained``, a share of the whole, took ``seconds``; nothing if unknown."""
    return f", about {duration(seconds * rest / gained)} left" if gained > 0 and rest > 0 else ""

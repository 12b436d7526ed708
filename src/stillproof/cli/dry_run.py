"""What ``stillproof run --dry-run`` prints: what a suite would cost, and what would make it cheaper."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stillproof.cli.output import say, write, write_json, write_table
from stillproof.core.amounts import duration
from stillproof.core.errors import BadInput
from stillproof.suites.fixed_set import ARTIFACT

if TYPE_CHECKING:
    from stillproof.run.cuts import Cut
    from stillproof.run.forecast import Forecast
    from stillproof.run.parts import Part

SPEED = re.compile(r"(?i)([0-9]*\.?[0-9]+(?:e[+-]?[0-9]+)?)\s*([kmgtp]?)flop(?:s|/s)?")
PREFIXES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "p": 1e15}
SHOWN_CUTS = 8


def speed_of(text: str | None) -> float | None:
    """Return a speed in operations per second, as ``20TFLOPS`` has it."""
    if text is None:
        return None
    found = SPEED.fullmatch(text.strip())
    speed = float(found[1]) * PREFIXES[found[2].lower()] if found else 0.0
    if not 0 < speed < float("inf"):
        raise BadInput(f"--assume {text!r} is not the speed of a machine: write one as 20TFLOPS or 500GFLOPS.")
    return speed


def print_forecast(found: Forecast, as_json: bool) -> None:
    """Print a forecast, for people or as JSON."""
    if as_json:
        write_json(found.as_dict())
        return
    for line in found.sentences():
        write(line)
    for key, parts in (("section", found.by_section), ("method", found.by_method)):
        if parts and found.estimate.seconds:
            _print_parts(key, parts, found)
    if found.cuts:
        rows = [(_change(cut), f"{100 * cut.saves:.0f} %") for cut in found.cuts[:SHOWN_CUTS]]
        write_table(("change one setting", "saves"), rows, title="what would save most")
    say("nothing was computed (--dry-run)")


def _print_parts(key: str, parts: Sequence[Part], found: Forecast) -> None:
    """Print one line per section or method, the most expensive first."""
    total = found.estimate.seconds
    header = [key, "cells", "time here", "share"]
    header += [f"at {found.assumed.name}"] if found.assumed else []
    rows = []
    for part in sorted(parts, key=lambda part: -part.seconds):
        row = [part.about[key], str(part.cells), duration(part.seconds), f"{100 * part.seconds / total:.1f} %"]
        row += [duration(part.assumed_seconds)] if part.assumed_seconds is not None else []
        rows.append([*row, f"{100 * part.saves_seconds / total:.1f} %"])
    title = f"by {key}; what several need counts for the first of them in the suite's order"
    write_table([*header, "saved without it"], rows, title=title)


def _change(cut: Cut) -> str:
    if isinstance(cut.before, list):
        return f"{cut.parameter} without {', '.join(_name(one) for one in cut.before if one not in cut.after)}"
    return f"{cut.parameter} {cut.before} -> {cut.after if cut.after != '' else 'none'}"


def _name(value: Any) -> str:
    """Return a value of a list; a set that is there already by its name alone."""
    return str(value).partition(f":{ARTIFACT}=")[0]

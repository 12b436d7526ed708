"""What ``stillproof run --dry-run`` prints: what a suite would cost, and what would make it cheaper."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from typing import TYPE_CHECKING

from stillproof.cli.output import say, write, write_json, write_table
from stillproof.cli.pasted import as_option
from stillproof.core.amounts import duration
from stillproof.core.components import suites
from stillproof.core.errors import BadInput
from stillproof.core.given_params import NONE
from stillproof.report.rows import FULL

if TYPE_CHECKING:
    from stillproof.run.cost_parts import CostPart
    from stillproof.run.forecast import Forecast

SPEED = re.compile(r"(?i)([0-9]*\.?[0-9]+(?:e[+-]?[0-9]+)?)\s*([kmgtp]?)flop(?:s|/s)?")
PREFIXES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "p": 1e15}
SHOWN_CUTS = 8
FULL_RECIPE = "full_recipe"  # ends the name of every parameter that says how networks are trained on all real images


def speed_of(text: str | None) -> float | None:
    """Return a speed in operations per second, as ``20TFLOPS`` has it."""
    if text is None:
        return None
    found = SPEED.fullmatch(text.strip())
    speed = float(found[1]) * PREFIXES[found[2].lower()] if found else 0.0
    if not 0 < speed < float("inf"):
        raise BadInput(f"--assume {text!r} is not the speed of a machine: write one as 20TFLOPS or 500GFLOPS.")
    return speed


def print_forecast(found: Forecast, suite: str, set_before: Container[str], as_json: bool) -> None:
    """Print a forecast, for people or as JSON; ``set_before`` are the parameters that are given by ``--set``."""
    options = [as_option(cut, set_before) for cut in found.cuts]
    if as_json:
        told = found.as_dict()
        write_json(told | {"cuts": [cut | {"option": text} for cut, text in zip(told["cuts"], options, strict=True)]})
        return
    if line := _about_full(found, suite, options):
        write(line)
    for line in found.sentences():
        write(line)
    for key, parts in (("section", found.by_section), ("method", found.by_method)):
        if parts and found.estimate.seconds:
            _print_parts(key, parts, found)
    if found.cuts:
        write("what would save most, if one of these is added to the command:")
        for cut, text in list(zip(found.cuts, options, strict=True))[:SHOWN_CUTS]:
            write(f" {_share(cut.saves):>5}  {text}")  # no table, which would break options that are too long for it
    say("nothing was computed (--dry-run)")


def _print_parts(key: str, parts: Sequence[CostPart], found: Forecast) -> None:
    """Print one line per section or method, the most expensive first."""
    total = found.estimate.seconds
    header = [key, "cells", "time here", "share"]
    header += [f"at {found.assumed.name}"] if found.assumed else []
    rows = []
    for part in sorted(parts, key=lambda part: -part.seconds):
        row = [part.about[key], str(part.cells), duration(part.seconds), f"{100 * part.seconds / total:.1f} %"]
        row += [duration(part.assumed_seconds)] if part.assumed_seconds is not None else []
        rows.append([*row, f"{100 * part.saves_seconds / total:.1f} %"])
    title = f"by {key}; shared cells count for the first that needs them"
    write_table([*header, "saved if left out"], rows, title=title)


def _about_full(found: Forecast, suite: str, options: Sequence[str]) -> str:
    """Say which share goes into all real images, which stand beside the methods unnamed, and what leaves them out."""
    seconds = sum(part.seconds for part in found.by_method if part.about["method"] == FULL)
    ways = [
        f"{text} saves {_share(cut.saves)}"
        for cut, text in zip(found.cuts, options, strict=True)
        if cut.parameter.endswith(FULL_RECIPE) and cut.after == NONE
    ]
    if not (seconds and ways):
        return ""
    share = f"all real images (full): {_share(seconds / found.estimate.seconds)} of the time, about {duration(seconds)}"
    lost = getattr(suites.get(suite), "without_full", "")
    return "; ".join([share, *ways, *([lost] if lost else [])])


def _share(part: float) -> str:
    return f"{100 * part:.0f} %"

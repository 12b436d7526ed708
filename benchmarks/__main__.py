"""Speed against references, as a table; a missed target informs and does not fail."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from benchmarks.answering import cached_lines, help_lines, plan_lines
from benchmarks.line import HEAD, Line
from stillproof.core.freed_memory import keep_freed_memory


def main() -> None:
    """Run every benchmark, or those that are named, and print each line as soon as it is measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("only", nargs="*", choices=[[], *BENCHMARKS], help="what to measure; all unless named")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the lines to this file")
    chosen = parser.parse_args()
    keep_freed_memory()  # as in every run; the references have it, too
    lines = []
    print(HEAD, flush=True)
    for name in chosen.only or BENCHMARKS:
        for line in BENCHMARKS[name]():
            print(line, flush=True)
            lines.append(line)
    if chosen.json:
        chosen.json.write_text(json.dumps([line.as_dict() for line in lines], indent=2) + "\n", encoding="utf-8")


def _answering() -> Iterator[Line]:
    yield from help_lines()
    yield from plan_lines()  # before torch's lazy parts are loaded by anything else
    yield from cached_lines()


def _training() -> Iterator[Line]:
    from benchmarks.teaching import teaching_lines
    from benchmarks.training import training_lines

    yield from training_lines(100, passes=20)
    yield from training_lines(500, passes=6)
    yield from teaching_lines(100, passes=10)


def _processes() -> Iterator[Line]:
    from benchmarks.processes import process_lines

    yield from process_lines(1)
    yield from process_lines(10)


def _families() -> Iterator[Line]:
    from benchmarks.families import FAMILIES, family_lines

    for network in FAMILIES:
        yield from family_lines(network)


def _cells() -> Iterator[Line]:
    from benchmarks.cells import cell_lines

    yield from cell_lines(1)
    yield from cell_lines(10, measured=100)
    yield from cell_lines(50, measured=20)


def _distilling() -> Iterator[Line]:
    from benchmarks.distilling import distribution_lines, gradient_lines
    from benchmarks.recovering import recover_lines
    from benchmarks.unrolling import memory_lines, speed_lines

    yield from gradient_lines("dc")
    yield from gradient_lines("dsa")
    yield from distribution_lines()
    yield from recover_lines()
    yield from speed_lines()
    yield from memory_lines()


def _episodes() -> Iterator[Line]:
    from benchmarks.episodes import episode_lines

    yield from episode_lines()


def _attacking() -> Iterator[Line]:
    from benchmarks.attacking import attack_lines
    from benchmarks.strong_attacking import strong_attack_lines

    yield from attack_lines()
    yield from strong_attack_lines()


def _importing() -> Iterator[Line]:
    from benchmarks.importing import import_lines

    yield from import_lines()


def _site() -> Iterator[Line]:
    from benchmarks.site import site_lines

    yield from site_lines()


def _claiming() -> Iterator[Line]:
    from benchmarks.claiming import claim_lines

    yield from claim_lines()


BENCHMARKS = {
    "answering": _answering,
    "importing": _importing,
    "site": _site,
    "training": _training,
    "families": _families,
    "cells": _cells,
    "processes": _processes,
    "distilling": _distilling,
    "episodes": _episodes,
    "attacking": _attacking,
    "claiming": _claiming,
}


if __name__ == "__main__":
    main()

"""Makes the cards of a method from all that is known of each suite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from stillproof.report.answers import Answered
from stillproof.report.figures.values import Curves
from stillproof.report.merged import merged_caveat, merged_note
from stillproof.report.rows import FULL, RANDOM, missing_notes
from stillproof.suites.beard.curves import curve_figures
from stillproof.suites.report_card.card import ReportCard
from stillproof.suites.report_card.merging import Way
from stillproof.suites.report_card.sides import SIDES
from stillproof.suites.report_card.standing import Placed, Standings


def cards_of(
    ways: Sequence[Way], method: str, dataset: str | None, ipc: int | None, standings: Standings | None = None
) -> list[ReportCard]:
    """Return the cards of a method: one for each data set and number of images per class that it was asked with.

    Of several ways of asking a suite, that of the newest run counts which has the method.
    """
    asked = list(dict.fromkeys(_asked(ways, method)))
    wanted = [(name, size) for name, size in asked if dataset in (None, name) and ipc in (None, size)]
    known = standings or Standings()
    found = [_card(ways, method, name, size, known) for name, size in wanted]
    return [card for card in found if card.sides]  # some sections ask for sizes that no side is about


def _asked(ways: Sequence[Way], method: str) -> Iterator[tuple[str, int]]:
    for way in ways:
        for rows in way.rows.values():
            for row in rows:
                if row["method"] == method and row["ipc"] is not None:
                    yield str(row["dataset"]), int(row["ipc"])


def _card(ways: Sequence[Way], method: str, dataset: str, ipc: int, standings: Standings) -> ReportCard:
    chosen: dict[str, Way] = {}
    for way in ways:
        if (dataset, ipc) in set(_asked([way], method)):
            chosen.setdefault(way.suite, way)
    found: dict[str, Placed] = {}  # by name: of two suites that tell the same side, the later one counts
    absent: dict[str, str] = {}
    for side in SIDES:
        asked = chosen.get(side.suite)
        if asked is None:
            absent.setdefault(side.name, f"suite {side.suite} was not run for it")
            continue
        own = [one for one in standings.on(side, asked.rows) if _is(one, method, dataset, ipc)]
        if own and own[0].measured.value is not None:
            found[side.name] = own[0]
        else:
            absent[side.name] = (
                f"suite {side.suite} has no answer for it" if own else f"suite {side.suite} was run without it"
            )
    absent = {name: why for name, why in absent.items() if name not in found}
    told = {one.side.suite for one in found.values()}
    runs = {suite: way.runs_on(dataset) for suite, way in chosen.items() if suite in told}
    curves = _curves(chosen["beard"], method, dataset, ipc) if "beard" in chosen else {}
    alike = [row for row in _read(chosen.values()) if row["dataset"] == dataset and row["ipc"] in (ipc, None)]
    about = [row for row in alike if (row["method"], row["ipc"]) == (method, ipc)]
    sides = list(found.values())
    others = sum(row["dataset"] == dataset for way in chosen.values() for row in way.left_out)
    notes = [*_notes(sides, about, others), *_merged_notes(about, alike)]
    return ReportCard(method, dataset, ipc, sides, absent, runs, curves, notes=notes)


def _read(ways: Iterable[Way]) -> Iterator[Answered]:
    """Yield all rows that sides are read from."""
    for way in ways:
        for section in dict.fromkeys(side.section for side in SIDES if side.suite == way.suite):
            yield from way.rows.get(section, [])


def _notes(found: Sequence[Placed], about: Sequence[Answered], others: int) -> list[str]:
    """Say what of the numbers is doubtful, what is missing and why, and what is left out."""
    disturbed = [one.side.name for one in found if one.row.is_disturbed]
    uneven = [one.side.name for one in found if one.uneven]
    left_out = f"Left out: {others} rows of other runs that ask in the same words, of other code or data."
    return [
        *([f"DISTURBED: others used the machine while {', '.join(disturbed)} was measured."] if disturbed else []),
        *([f"Ranked with means over different numbers of seeds: {', '.join(uneven)}."] if uneven else []),
        *([left_out] if others else []),
        *missing_notes(about),
    ]


def _merged_notes(about: Sequence[Answered], alike: Sequence[Answered]) -> list[str]:
    """Say how many answers of the method, and of what it is ranked and scored with, were merged from other stores."""
    own = [store for row in about for store in row.merged]
    every = [store for row in alike for store in row.merged]
    found = merged_note(own)
    if len(every) > len(own):
        found.append(f"Merged, with what it is ranked and scored beside: {merged_caveat(every)}.")
    return found


def _curves(way: Way, method: str, dataset: str, ipc: int) -> dict[str, Curves]:
    """Return the curves of one method, beside those of random images and of all real ones."""
    shown = {(method, ipc), (RANDOM, ipc), (FULL, None)}
    rows = [row for row in way.rows.get("curves", []) if row["dataset"] == dataset]
    beside = [row for row in rows if (row["method"], row["ipc"]) in shown]
    return curve_figures({**way.rows, "curves": beside})


def _is(one: Placed, method: str, dataset: str, ipc: int) -> bool:
    return (one.row["method"], one.row["dataset"], one.row["ipc"]) == (method, dataset, ipc)

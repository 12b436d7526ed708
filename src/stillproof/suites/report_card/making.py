"""Makes the cards of a method from all that is known of each suite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stillproof.report.figures.values import Curves
from stillproof.report.rows import FULL, RANDOM
from stillproof.suites.beard.curves import curve_figures
from stillproof.suites.report_card.card import ReportCard
from stillproof.suites.report_card.merging import Way
from stillproof.suites.report_card.sides import SIDES
from stillproof.suites.report_card.standing import Placed, ReadRight, no_predictions, ranked


def cards_of(
    ways: Sequence[Way], method: str, dataset: str | None, ipc: int | None, right: ReadRight = no_predictions
) -> list[ReportCard]:
    """Return the cards of a method: one for each data set and number of images per class that it was asked with.

    Of several ways of asking a suite, that of the newest run counts which has the method.
    """
    asked = list(dict.fromkeys(_asked(ways, method)))
    wanted = [(name, size) for name, size in asked if dataset in (None, name) and ipc in (None, size)]
    found = [_card(ways, method, name, size, right) for name, size in wanted]
    return [card for card in found if card.sides]  # some sections ask for sizes that no side is about


def _asked(ways: Sequence[Way], method: str) -> Iterator[tuple[str, int]]:
    for way in ways:
        for rows in way.rows.values():
            for row in rows:
                if row["method"] == method and row["ipc"] is not None:
                    yield str(row["dataset"]), int(row["ipc"])


def _card(ways: Sequence[Way], method: str, dataset: str, ipc: int, right: ReadRight) -> ReportCard:
    chosen: dict[str, Way] = {}
    for way in ways:
        if (dataset, ipc) in set(_asked([way], method)):
            chosen.setdefault(way.suite, way)
    if "dc-bench" in chosen:
        chosen.pop("accuracy", None)  # the same side, from more networks
    found: list[Placed] = []
    absent: dict[str, str] = {}
    for side in SIDES:
        asked = chosen.get(side.suite)
        if asked is None:
            absent.setdefault(side.name, f"suite {side.suite} was not run for it")
            continue
        own = [one for one in ranked(side, side.measured(asked.rows), right) if _is(one, method, dataset, ipc)]
        if own and own[0].measured.value is not None:
            found.append(own[0])
        else:
            absent[side.name] = f"suite {side.suite} has no answer for it" if own else f"{side.suite} did not ask it"
    for one in found:
        absent.pop(one.side.name, None)
    runs = {suite: way.runs for suite, way in chosen.items()}
    curves = _curves(chosen["beard"], method, dataset, ipc) if "beard" in chosen else {}
    return ReportCard(method, dataset, ipc, found, absent, runs, curves, notes=_notes(found, list(chosen.values())))


def _notes(found: Sequence[Placed], ways: Sequence[Way]) -> list[str]:
    """Say what of the numbers is doubtful, and what is left out."""
    disturbed = [one.side.name for one in found if one.row.is_disturbed]
    others = sum(way.others for way in ways)
    return [
        *([f"DISTURBED: others used the machine while {', '.join(disturbed)} was measured."] if disturbed else []),
        *(
            [f"Left out: {others} rows of older runs that ask in the same words with other code or data."]
            * bool(others)
        ),
    ]


def _curves(way: Way, method: str, dataset: str, ipc: int) -> dict[str, Curves]:
    """Return the curves of one method, beside those of random images and of all real ones."""
    shown = {(method, ipc), (RANDOM, ipc), (FULL, None)}
    rows = [row for row in way.rows.get("curves", []) if row["dataset"] == dataset]
    beside = [row for row in rows if (row["method"], row["ipc"]) in shown]
    return curve_figures({**way.rows, "curves": beside})


def _is(one: Placed, method: str, dataset: str, ipc: int) -> bool:
    return (one.row["method"], one.row["dataset"], one.row["ipc"]) == (method, dataset, ipc)

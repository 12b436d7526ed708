"""The learning rates that were tried, what each of them got, and which one was chosen by which rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from stillproof.core.spec import Json
from stillproof.report.answers import Answered
from stillproof.report.captions import CHOSEN_ON
from stillproof.report.rows import Rows, missing_notes
from stillproof.report.section import Section
from stillproof.report.tables.columns import BEFORE, MISSING, RULES_OF_OWN_RECIPES, about
from stillproof.report.tables.table import Column, Marked, Percent, Table, Value
from stillproof.suites.dd_ranking.trials import Trials
from stillproof.suites.requests import Request, Row

RATES = "rates"
TITLE = "Learning rates that were tried"
WHAT = (
    *(Column("images", "images"), Column("labels", "labels"), Column("augmented", "augmentation", fold="same")),
    Column("disturbance", "noise added", fold="same", absent=""),
    Column("teacher", "teacher", fold="same", absent=""),
)
SEED = Column("seed", "seed", int, "same")
NOTE = (
    "One column per learning rate: the accuracy in % on the images that it was judged by; *: the chosen one; diverged: "
    "the training broke down; -: not tried; at an end: of the list, beyond which a better one may lie."
)


def _no_rows(trials: Trials) -> Iterator[Row]:
    """Yield nothing: searches are found in the rows of all other sections, by ``rate_rows``."""
    return iter(())


def rate_rows(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield one row per search of a learning rate behind some rows, each once; ``rates_tables`` looks at cells, too."""
    seen: set[tuple[Request, ...]] = set()
    for row in rows:
        first = next(iter(row.requests), None)
        if first is None or first.stage not in ("tuned", "best-rate"):
            continue
        searches = (first.choice,) if first.stage == "tuned" else row.requests
        if searches not in seen:
            seen.add(searches)
            yield Row({**row.keys, "section": RATES}, searches)


def rates_tables(rows: Rows) -> list[Table]:
    """Return one line per search, and one per seed where each has its own."""
    found = _each_once(rows[RATES])
    rates = sorted({entry["rate"] for row in found for result in row.results if result for entry in result["tried"]})
    columns = (
        *(*BEFORE, *WHAT, SEED),
        Column("chosen_on", "chosen on", fold="same"),
        Column("chosen", "chosen"),
        Column("end", "", fold="empty", absent=""),
        *(Column(f"at_{rate:g}", f"{rate:g}", Percent) for rate in rates),
        *(MISSING, *RULES_OF_OWN_RECIPES),
    )
    lines = [line for row in found for line in _lines(row)]
    return [Table(RATES, TITLE, columns, lines, [NOTE, *_reasons(found), *missing_notes(found)])]


def _each_once(rows: Sequence[Answered]) -> list[Answered]:
    """Return rows without those of the same cells as one before: random images in the usual space are those of all."""
    found: dict[object, Answered] = {}
    for row in rows:
        found.setdefault(row.cells or id(row), row)
    return list(found.values())


def _lines(row: Answered) -> Iterator[dict[str, Value]]:
    way = {True: "with", False: "without"}.get(row["augmented"])
    noise = None if row["disturbance"] is None else f"{row['disturbance']:g}"
    line = about(row) | {key: row[key] for key in ("images", "labels", "teacher")}
    line |= {"augmented": way, "disturbance": noise}
    for seed, result in enumerate(row.results):
        yield line | {"seed": seed if len(row.results) > 1 else None} | (_searched(result) if result else {})


def _searched(result: Json) -> dict[str, Value]:
    chosen = result["chosen"]
    tried = {f"at_{entry['rate']:g}": _got(entry, chosen=entry["rate"] == chosen) for entry in result["tried"]}
    end = "at an end" if _at_end(result) else None
    return {"chosen_on": CHOSEN_ON[result["rule"]], "chosen": f"{chosen:g}", "end": end, **tried}


def _got(entry: Json, *, chosen: bool) -> Value:
    if entry["judged"] is None:
        return "diverged"
    got = Percent(entry["judged"])
    return Marked(got) if chosen else got


def _at_end(result: Json) -> bool:
    """Say whether the chosen rate is an end of the list, so that a better one may lie beyond it."""
    rates = [entry["rate"] for entry in result["tried"]]
    return len(rates) > 1 and result["chosen"] in (min(rates), max(rates))


def _reasons(rows: Sequence[Answered]) -> list[str]:
    """Say what went wrong at rates that could not be trained at."""
    tried = [entry for row in rows for result in row.results if result for entry in result["tried"]]
    told = {(entry["rate"], entry["reason"]) for entry in tried if entry.get("reason")}
    return [f"At {rate:g}: {reason}" for rate, reason in sorted(told)]


SECTION = Section(
    RATES,
    _no_rows,
    rates_tables,
    title="Learning rates",
    question="Which learning rates were tried?",
    reading="A star marks the chosen rate; at an end of the list, a better one may lie beyond it.",
)

"""What a defence takes: its training, and its adaptation to one attack."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from stillproof.report.rows import Rows
from stillproof.report.section import Section
from stillproof.report.tables.columns import DATASET, MISSING, NETWORK, PROTOCOL, SCALE
from stillproof.report.tables.table import Column, Seconds, Table, Value
from stillproof.suites.mad.arena import META, Arena, Defender
from stillproof.suites.mad.defences import DEFENCE, defenders
from stillproof.suites.mad.report_parts import notes_of
from stillproof.suites.requests import Row

TITLE = "Time"
COLUMNS = (
    *(DATASET, NETWORK, DEFENCE),
    Column("training", "training", Seconds),
    Column("start", "of its start", Seconds, "empty"),
    Column("episode", "an episode of adaptation", Seconds),
    *(MISSING, PROTOCOL, SCALE),
)
NOTE = (
    "Seconds on the clock, measured beside other cells. An episode draws its shots, makes all its steps, and asks for "
    "all answers that are reported, which takes most of it. (MAD's operating time, OT, is that of all episodes up to "
    "the best one, by the images that are reported.) Training of Meta-AT goes on from that of its start, and from "
    "attacked sets, whose time section attacks tells."
)


def time_rows(arena: Arena) -> Iterator[Row]:
    """Yield the training of each network, and its adaptation to one attack."""
    unknown = arena.of_role("test")
    for one in defenders(arena):
        yield arena.row("time", one, partial(arena.model, one), measure="train")
        if one.defence == META:
            start = Defender(arena.suite.start)
            yield arena.row("time", one, partial(arena.model, start), measure="start")
        if unknown and (arena.adapts(one) or arena.suite.asks.is_oracle):
            yield from arena.adapting("time", [one], unknown[:1])


def time_tables(rows: Rows) -> list[Table]:
    """Return one line per network."""
    found = rows["time"]
    lines: dict[tuple[str, str], dict[str, Value]] = {}
    for row in found:
        line = lines.setdefault((str(row["dataset"]), str(row["defence"])), {"missing": 0})
        line |= {key: row[key] for key in ("dataset", "network", "defence", "protocol", "scale")}
        line["missing"] = int(str(line["missing"])) + row.missing
        key = {"train": "training", "start": "start", "adapt": "episode"}[str(row["measure"])]
        mean = row.mean_of_all("seconds_per_episode" if key == "episode" else "seconds")
        line[key] = None if mean is None else Seconds(mean)
    return [Table("time", TITLE, COLUMNS, list(lines.values()), [NOTE, *notes_of(found)])]


SECTION = Section(
    "time",
    time_rows,
    time_tables,
    title=TITLE,
    question="What do training a defence and adapting it cost?",
    reading="Adaptation must be cheap compared with training, or one could just retrain.",
)

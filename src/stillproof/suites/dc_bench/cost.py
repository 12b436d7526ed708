"""What it takes to make each set: time of a step, of all, and memory."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING

from stillproof.report.answers import DISTURBED, Answered
from stillproof.report.rows import Rows, images, missing_notes
from stillproof.report.section import Section
from stillproof.report.tables.columns import BEFORE, MISSING, PROTOCOL, SCALE, about
from stillproof.report.tables.table import Bytes, Column, Percent, Seconds, Table, Value
from stillproof.suites.dc_bench.published import published_step
from stillproof.suites.dc_bench.published_values import PAPER
from stillproof.suites.fixed_set import fixed_set
from stillproof.suites.requests import Request, Row
from stillproof.suites.row_builder import RowBuilder

if TYPE_CHECKING:
    from stillproof.suites.dc_bench.suite import DCBench

TITLE = "The cost of making the sets"
COLUMNS = (
    *BEFORE,
    Column("step_seconds", "a step", Seconds),
    Column("steps", "steps", int),
    Column("total_seconds", "all", Seconds),
    Column("how", "all is", fold="same"),
    Column("shared_seconds", "before", Seconds, "empty"),
    Column("peak_bytes", "peak memory", Bytes),
    Column("others_cpu", "others' CPU %", Percent),
    Column("disturbed", "", fold="empty", absent=""),
    Column("threads", "threads", int, fold="same"),
    Column("machine", "machine", fold="same"),
    Column("published_step_seconds", "a step on an A100 (published)", Seconds, "empty"),
    MISSING,
    PROTOCOL,
    SCALE,
)
NOTES = (
    "Each was timed once, alone (n = 1, so no intervals); extrapolated: the time of a step times the number of steps.",
    "before: networks and whitenings that sets of other sizes share; they may not have been timed alone.",
    "others' CPU: the share of the machine that other programs used at the same time.",
)
PUBLISHED_NOTE = f"Published seconds of a step: {PAPER} (Table 8), CIFAR-10 on an A100, another machine than ours."


def cost_rows(suite: DCBench, builder: RowBuilder) -> Iterator[Row]:
    """Yield one row per method and number of images; each is timed once, alone."""
    for method, ipc in builder.asked(suite.methods, suite.ipc):
        there = fixed_set(method)
        if there:
            why = f"{there.name} existed before this run, so making it could not be timed."
            yield dataclasses.replace(builder.row("cost", method, ipc, []), reason=why)
            continue
        request = Request("cost", of=builder.distilled(method, ipc, 0), steps=suite.cost_steps)
        yield builder.row("cost", method, ipc, [request])


def cost_tables(rows: Rows) -> list[Table]:
    """Return one line per method and number of images."""
    found = rows["cost"]
    lines = [_line(row) for row in found]
    notes = [*NOTES, *([PUBLISHED_NOTE] if any(line["published_step_seconds"] for line in lines) else [])]
    disturbed = [f"{row['method']} ({images(row['ipc'])})" for row in found if row.is_disturbed]
    if disturbed:
        notes.append(f"disturbed: others used more than {DISTURBED:.0%} of the machine: {', '.join(disturbed)}.")
    return [Table("cost", TITLE, COLUMNS, lines, [*notes, *missing_notes(found)])]


def _line(row: Answered) -> dict[str, Value]:
    there = published_step(row["dataset"], row["method"], row["ipc"]) if row["scale"] == "paper" else None
    line = about(row) | {"published_step_seconds": None if there is None else Seconds(there)}
    result = row.results[0] if row.results else None
    if result is None:
        return line
    step, others = result["step_seconds"], result["others_cpu"]
    return line | {
        "step_seconds": None if step is None else Seconds(step),
        "steps": result["steps"],
        "total_seconds": Seconds(result["total_seconds"]),
        "shared_seconds": Seconds(result["shared_seconds"]) if result["shared_seconds"] else None,
        "how": "extrapolated" if result["extrapolated"] else "measured",
        "peak_bytes": Bytes(result["peak_bytes"]),
        "others_cpu": None if others is None else Percent(others),
        "disturbed": "disturbed" if row.is_disturbed else None,
        "threads": result["threads"],
        "machine": result["machine"],
    }


SECTION = Section(
    "cost",
    cost_rows,
    cost_tables,
    title=TITLE,
    question="What does it cost to make a set?",
    reading="Times and memory are those of the machine that is named; a disturbed time may be too long.",
)

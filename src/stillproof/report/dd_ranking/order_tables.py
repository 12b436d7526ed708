"""The tables of LRS under several networks or teachers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stillproof.report.dd_ranking.columns import LABEL_KIND, RATE, about_rows
from stillproof.report.dd_ranking.orders import Block
from stillproof.report.rows import images
from stillproof.report.tables.columns import DATASET, IPC, METHOD, MISSING, NETWORK, RULES_OF_OWN_RECIPES, about
from stillproof.report.tables.table import Column, Table, Value
from stillproof.score.agreement import Estimate
from stillproof.score.stats import Summary

SCORES_NOTE = "LRS from 0 to 100, with weight 0.5, computed seed by seed."
ORDER_NOTE = (
    "Agreement of the order of methods by LRS with that under the {home} {varied}; in brackets: 95 % interval, "
    "bootstrap over the seeds of each method."
)
HOME = {"network": "home", "teacher": "first"}  # what others are compared with


def scores_table(name: str, blocks: Sequence[Block], notes: Iterable[str]) -> Table:
    """Return one line per method, with its LRS under each network or teacher."""
    lines: list[dict[str, Value]] = []
    for block in blocks:
        for found in block.sides.values():
            scores = {f"lrs_{under}": sides.lrs() for under, sides in found.items()}
            first = next(iter(found.values()))
            missing = sum(row.missing for sides in found.values() for row in sides.asked().values())
            lines.append(about_rows(first.row, first.asked()) | scores | {"missing": missing})
    columns = (*_before(blocks), LABEL_KIND, *_under(blocks, "lrs", Summary), MISSING, RATE, *RULES_OF_OWN_RECIPES)
    return Table(name, f"LRS by {blocks[0].varied}", columns, lines, [SCORES_NOTE, *notes])


def ranks_table(name: str, blocks: Sequence[Block]) -> Table:
    """Return one line per method, with its place under each network or teacher."""
    varied = blocks[0].varied
    lines: list[dict[str, Value]] = []
    notes = [f"1: the highest LRS under that {varied}; equals share a place."]
    for block in blocks:
        ranks = {under: block.ranks(under) for under in block.names()}
        for method, found in block.sides.items():
            places = {f"rank_{under}": places.get(method) for under, places in ranks.items()}
            lines.append(about(next(iter(found.values())).row) | places)
        notes.append(f"{block.row['dataset']}, {images(block.row['ipc'])}: among {', '.join(block.sides)}.")
    columns = (*_before(blocks), *_under(blocks, "rank", int), *RULES_OF_OWN_RECIPES)
    return Table(f"{name}-ranks", f"The order of methods by {varied}", columns, lines, notes)


def agreement_table(name: str, blocks: Sequence[Block]) -> Table:
    """Return one line per network or teacher that is compared with the home."""
    lines: list[dict[str, Value]] = []
    varied = blocks[0].varied
    notes = [ORDER_NOTE.format(home=HOME[varied], varied=varied)]
    for block in blocks:
        # A line of no method stays, whichever methods are shown.
        line = {key: value for key, value in about(block.row).items() if key != "method"}
        for other in block.names()[1:]:
            found = block.agreement(other)
            order: dict[str, Value] = {"home": block.home, "other": other, "methods": found.n}
            lines.append(line | order | {"kendall": found.kendall, "spearman": found.spearman})
            reason = found.kendall.reason
            notes += [f"Order under {other}, {images(block.row['ipc'])}: {reason}."] * bool(reason)
    columns = (
        *(column for column in _before(blocks) if column is not METHOD),
        *(Column("home", HOME[varied], fold="same"), Column("other", "order under")),
        *(Column("kendall", "Kendall", Estimate), Column("spearman", "Spearman", Estimate)),
        Column("methods", "methods", int),
        *RULES_OF_OWN_RECIPES[1:],
    )
    title = f"Is the order of methods the same under another {varied}?"
    return Table(f"{name}-order", title, columns, lines, notes)


def _before(blocks: Sequence[Block]) -> tuple[Column, ...]:
    return tuple(column for column in (DATASET, NETWORK, METHOD, IPC) if column.key != blocks[0].varied)


def _under(blocks: Sequence[Block], what: str, holds: type) -> list[Column]:
    """Return one column per network or teacher; the one that others are compared with says so."""
    homes, home = {block.home for block in blocks}, HOME[blocks[0].varied]
    names = dict.fromkeys(name for block in blocks for name in block.names())
    return [Column(f"{what}_{name}", f"{name} ({home})" if name in homes else name, holds) for name in names]

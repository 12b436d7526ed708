"""Do scores depend on the network, or on the teacher? LRS and the order of methods under each: two sections."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from stillproof.core.seeds import Seeds
from stillproof.report.answers import Answered
from stillproof.report.figures.by_group import figures_of
from stillproof.report.figures.values import HeatCell, HeatMap
from stillproof.report.measure import score
from stillproof.report.rows import Rows, Values, complete, images, missing_notes
from stillproof.report.section import Section
from stillproof.report.tables.columns import DATASET, IPC, METHOD, MISSING, NETWORK, RULES_OF_OWN_RECIPES, about
from stillproof.report.tables.table import Column, Table, Value
from stillproof.score.agreement import Agreement, Estimate
from stillproof.score.ranking import order_kept
from stillproof.score.stats import Summary
from stillproof.suites.dd_ranking.report_parts import LABEL_KIND, RATE, about_rows, basis_for
from stillproof.suites.dd_ranking.sides import Sides, dash_notes, rows_behind, side_rows, sides_of
from stillproof.suites.dd_ranking.trials import Trials
from stillproof.suites.requests import Row

SCORES_NOTE = "LRS from 0 to 100, with weight 0.5, computed seed by seed."
ORDER_NOTE = (
    "Agreement of the order of methods by LRS with that under the {home} {varied}; in brackets: 95 % interval, "
    "bootstrap over the seeds of each method."
)
HOME = {"network": "home", "teacher": "first"}  # what others are compared with
FRAMED = {"network": "where the sets were distilled", "teacher": "with which the others are compared"}


def network_rows(trials: Trials) -> Iterator[Row]:
    """Yield what LRS is made of under every network; methods distil with the first."""
    asked = list(trials.asked())
    networks = trials.suite.network
    if len(networks) < 2:
        return
    for network in networks:
        yield from trials.real_rows("networks", asked, network)
        for method, ipc, setting in asked:
            yield from side_rows(trials, "networks", method, ipc, setting, network)


def teacher_rows(trials: Trials) -> Iterator[Row]:
    """Yield what LRS is made of with labels of every teacher, for the methods that have one."""
    asked = [one for one in trials.asked() if one[2].labels == "taught"]
    teachers = trials.suite.teachers
    if len(teachers) < 2 or not asked:
        return
    for teacher in teachers:
        yield from trials.real_rows("teachers", asked, teacher=teacher)
        for method, ipc, setting in asked:
            network = trials.network_of(setting)
            yield from side_rows(trials, "teachers", method, ipc, setting, network, teacher=teacher)


@dataclass(frozen=True, slots=True)
class Block:
    """All methods with the same images per class, under everything that the section varies.

    Args:
        row: A row that says what they are about.
        varied: The key that is varied: ``network`` or ``teacher``.
        home: What orders are compared with.
        sides: By method, then by what is varied.
    """

    row: Answered
    varied: str
    home: str
    sides: Mapping[str, Mapping[str, Sides]]

    def names(self) -> list[str]:
        """Return all networks or teachers, that at home first."""
        return list(dict.fromkeys((self.home, *(name for found in self.sides.values() for name in found))))

    def ranks(self, under: str) -> dict[str, int]:
        """Return the place of each method that has a score there; equals share the better one."""
        scores = {method: found[under].lrs() for method, found in self.sides.items() if under in found}
        means = {method: round(score.mean, 12) for method, score in scores.items() if score is not None}
        return {method: 1 + sum(other > mean for other in means.values()) for method, mean in means.items()}

    def agreement(self, other: str) -> Agreement:
        """Return how far the order under ``other`` is that at home, of methods with a score under both."""
        pairs = {method: complete(self._lrs(method, self.home), self._lrs(method, other)) for method in self.sides}
        return order_kept(pairs, Seeds(0).child(self.varied, str(self.row["dataset"]), other))

    def _lrs(self, method: str, under: str) -> Values:
        found = self.sides[method].get(under)
        return [] if found is None else found.lrs_values()


def blocks_of(found: Sequence[Sides], varied: str) -> Iterator[Block]:
    """Yield one block per data set and number of images, and per network where teachers are varied."""
    groups: dict[tuple[object, ...], list[Sides]] = {}
    fixed = [key for key in ("dataset", "network", "ipc") if key != varied]
    for sides in found:
        groups.setdefault(tuple(sides.row[key] for key in fixed), []).append(sides)
    for group in groups.values():
        methods: dict[str, dict[str, Sides]] = {}
        for sides in group:
            methods.setdefault(str(sides.row["method"]), {})[str(sides.row[varied])] = sides
        yield Block(group[0].row, varied, _home(group, varied), methods)


def _home(group: Sequence[Sides], varied: str) -> str:
    """Return what others are compared with: the home network, or else what comes first."""
    names = [str(sides.row[varied]) for sides in group]
    home = str(group[0].row["home"])
    return home if varied == "network" and home in names else names[0]


def network_tables(rows: Rows) -> list[Table]:
    """Return LRS by network, the order of methods under each, and how far it is that under the home network."""
    return _tables(rows, "networks", "network")


def teacher_tables(rows: Rows) -> list[Table]:
    """Return LRS by teacher, the order of methods under each, and how far it is that under the first."""
    return _tables(rows, "teachers", "teacher")


def _tables(rows: Rows, section: str, varied: str) -> list[Table]:
    found = sides_of(rows, section, varied)
    blocks = list(blocks_of(found, varied))
    if not blocks:
        return []
    missing = [*dash_notes(found, varied), *missing_notes(rows_behind(found))]
    return [_scores_table(section, blocks, missing), _ranks_table(section, blocks), _agreement_table(section, blocks)]


def _scores_table(name: str, blocks: Sequence[Block], notes: Iterable[str]) -> Table:
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


def _ranks_table(name: str, blocks: Sequence[Block]) -> Table:
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


def _agreement_table(name: str, blocks: Sequence[Block]) -> Table:
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


def network_figures(rows: Rows) -> dict[str, HeatMap]:
    """Return one heat map per data set and number of images per class."""
    return _figures(rows, "networks", "network")


def teacher_figures(rows: Rows) -> dict[str, HeatMap]:
    """Return one heat map per data set, network and number of images per class."""
    return _figures(rows, "teachers", "teacher")


def _figures(rows: Rows, section: str, varied: str) -> dict[str, HeatMap]:
    blocks = blocks_of(sides_of(rows, section, varied), varied)
    groups = {tuple(block.row[key] for key in _shared(block)): block for block in blocks}
    return figures_of(section, groups, lambda block: any(sides.lrs() for sides in _all(block)), _figure)


def _figure(block: Block) -> HeatMap:
    cells = [
        HeatCell(method, under, found[under].lrs() if under in found else None)
        for method, found in block.sides.items()
        for under in block.names()
    ]
    basis = basis_for(rows_behind(_all(block)), *_shared(block))
    title = f"LRS by {block.varied}, {images(block.row['ipc'])}"
    return HeatMap(title, cells, basis, "method", block.varied, block.home, FRAMED[block.varied], score("LRS"))


def _shared(block: Block) -> list[str]:
    return [key for key in ("dataset", "network", "ipc") if key != block.varied]


def _all(block: Block) -> list[Sides]:
    return [sides for found in block.sides.values() for sides in found.values()]


NETWORKS = Section(
    "networks",
    network_rows,
    network_tables,
    network_figures,
    title="Other networks",
    question="Do the scores depend on the network?",
    reading="Where correlations are near 1, methods stand in the same order as under the home network.",
)
TEACHERS = Section(
    "teachers",
    teacher_rows,
    teacher_tables,
    teacher_figures,
    title="Other teachers",
    question="Do the scores depend on the teacher that gives the labels?",
    reading="Where correlations are near 1, methods stand in the same order as under the first teacher.",
)

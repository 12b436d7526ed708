"""Suite widths: does a distilled set teach a wider network more?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from stillproof.plugin import (
    Answered,
    Column,
    Curve,
    CurvePanel,
    Curves,
    Difference,
    Point,
    Preset,
    Row,
    RowBuilder,
    Rows,
    Scale,
    Section,
    Table,
    Value,
    basis_of,
    columns,
    figures_by,
    grouped,
    missing_notes,
    paired,
    suites,
)

TITLE = "Accuracy over the width of the network"
WIDTH = Column("width", "width", int)
GAIN = Column("gain", "over the narrowest, points", Difference)
BEFORE = (columns.DATASET, columns.METHOD, columns.IPC)
COLUMNS = (*BEFORE, WIDTH, columns.ACCURACY, GAIN, columns.MISSING, *columns.RULES)


def width_rows(suite: Widths) -> Iterator[Row]:
    """Yield one row per data set, method and width; the sets are distilled with the narrowest network."""
    networks = {width: f"convnet-{suite.depth}:width={width}" for width in suite.widths}
    for dataset in suite.dataset:
        builder = RowBuilder(dataset, networks[suite.widths[0]], suite.seeds, "fair", "last", suite.scale)
        for method in suite.methods:
            for width, network in networks.items():
                yield builder.accuracy("width", method, suite.ipc, suite.recipe, network=network, width=width)


def width_tables(rows: Rows) -> list[Table]:
    """Return one table with one line per row."""
    lines: list[dict[str, Value]] = []
    for group in grouped(rows["width"], "dataset", "method").values():
        narrowest = group[0]
        for row in group:
            gain = None if row is narrowest else paired(row.values(), narrowest.values())
            lines.append(columns.about(row) | {"width": row["width"], "accuracy": row.summary(), "gain": gain})
    notes = ["over the narrowest: seed by seed.", *missing_notes(rows["width"])]
    return [Table("width", TITLE, COLUMNS, lines, notes)]


def width_figures(rows: Rows) -> dict[str, Curves]:
    """Return one figure per data set."""
    return figures_by("width", grouped(rows["width"], "dataset"), _figure)


def _figure(rows: list[Answered]) -> Curves:
    curves = [
        Curve(str(method), [Point(row["width"], row.summary()) for row in group])
        for (method,), group in grouped(rows, "method").items()
    ]
    return Curves(TITLE, "width", [CurvePanel(curves)], basis_of(rows, "dataset", "ipc"))


@suites.register("widths", version=1)
@dataclass(frozen=True)
class Widths:
    """Accuracy of ConvNets of several widths, trained on the sets of each method.

    Args:
        dataset: Data sets.
        methods: Distillers.
        ipc: Images per class.
        seeds: Repetitions, each with its own set.
        depth: Blocks of the networks.
        widths: Channels of the networks; methods distil with the first.
        recipe: How networks are trained.
        scale: Size of the distillers' presets.
    """

    dataset: tuple[str, ...] = ("digits",)
    methods: tuple[str, ...] = ("random", "dm")
    ipc: int = 10
    seeds: int = 5
    depth: int = 3
    widths: tuple[int, ...] = (32, 64, 128, 256)
    recipe: str = "dc-bench"
    scale: Scale = "paper"

    presets: ClassVar[Sequence[Preset]] = (
        Preset("quick", {"scale": "quick", "seeds": 3, "recipe": "quick", "widths": (16, 32, 64)}),
        Preset("smoke", {"scale": "smoke", "seeds": 2, "recipe": "smoke", "widths": (4, 8), "ipc": 1, "depth": 1}),
    )
    reports: ClassVar[Sequence[Section[Any]]] = (
        Section(
            "width",
            width_rows,
            width_tables,
            width_figures,
            title=TITLE,
            question="Does a distilled set teach a wider network more?",
            reading="Each row is compared with the narrowest network, seed by seed.",
        ),
    )

    def __post_init__(self) -> None:
        """Refuse empty questions."""
        if not (self.dataset and self.methods and self.widths):
            raise ValueError("dataset, methods and widths need at least one value each")

    def rows(self) -> list[Row]:
        """Return the rows of the only section."""
        return list(width_rows(self))

"""An audit of one distilled set, as a table, a picture and JSON."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from stillproof.core.spec import Json
from stillproof.report.audit.findings import LEVELS, Arrays, Findings
from stillproof.report.audit.lines import AuditLine, Verdict, audit_lines
from stillproof.report.audit.origin import Origin
from stillproof.report.figures.audit_sheet import AuditSheet, Distances, Looked
from stillproof.report.tables.table import Column, Table
from stillproof.score.nearness import CLEARLY, NEARLY_ALL, nearness_limit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = (
    Column("looked_at", "looked at"),
    Column("found", "found"),
    Column("verdict", "verdict"),
    Column("meaning", "what it means"),
)
WORST: tuple[Verdict, ...] = ("problem", "look", "ok")


@dataclass(frozen=True, eq=False)
class Audit:
    """What is suspicious about a distilled set.

    Args:
        name: What the set is called.
        dataset: Whose images it was compared with.
        result: The stored answer.
        arrays: What that kept of each image.
        origin: Where images and labels come from.
    """

    name: str
    dataset: str
    result: Json
    arrays: Arrays
    origin: Origin

    @cached_property
    def findings(self) -> Findings:
        """Return what was found of each image."""
        return Findings(self.arrays, self.result["stored"])

    @cached_property
    def lines(self) -> list[AuditLine]:
        """Return all that was looked at, each with a verdict."""
        return audit_lines(self.findings, self.result, self.origin)

    @property
    def verdict(self) -> Verdict:
        """Return the worst verdict of all lines: ``ok``, ``look`` or ``problem``."""
        return next(word for word in WORST if any(line.verdict == word for line in self.lines))

    def table(self) -> Table:
        """Return one row per line."""
        result, pixels = self.result, self.arrays["test.reference"]
        images = f"{result['images']} images" + ("" if result["decode"] == "none" else f" in {result['stored']}")
        rows = [
            {"looked_at": one.looked_at, "found": one.found, "verdict": one.verdict, "meaning": one.meaning}
            for one in self.lines
        ]
        notes = [
            f"{images}, beside {result['train']['images']} training and {result['test']['images']} test images of "
            f"{self.dataset}. Images are numbered from 0.",
            f"A near copy is nearer to a test image than {100 * NEARLY_ALL:.0f} % of {result['reference']} real "
            f"training images are ({LEVELS * nearness_limit(pixels):.1f} levels of 255, where half of them are beyond "
            f"{LEVELS * float(np.median(pixels)):.1f}), and nearer than {CLEARLY:g} times the distance to any training "
            "image; moved by a few pixels and mirrored, whatever is nearest.",
            f"Features: those of {result['network']}, trained on the real images by {result['recipe']}.",
        ]
        return Table("audit", f"Audit of {self.name}: {self.verdict}", COLUMNS, rows, notes)

    def as_dict(self) -> Json:
        """Return all of it as JSON values."""
        keys = ("images", "stored", "decode", "outside", "bytes", "reference", "network", "recipe")
        return {
            "name": self.name,
            "dataset": self.dataset,
            "verdict": self.verdict,
            "lines": [line.as_dict() for line in self.lines],
            "copies": self.findings.copies(),
            "origin": self.origin.as_dict(),
            **{key: self.result[key] for key in keys},
            "train": self.result["train"]["images"],
            "test": self.result["test"]["images"],
        }

    def figure(self) -> Figure:
        """Draw the most suspicious images, each with its nearest training and test image, and all distances."""
        from stillproof.report.drawing.audit_sheet import draw_audit_sheet  # matplotlib is slow to load

        return draw_audit_sheet(self.sheet())

    def sheet(self) -> AuditSheet:
        """Return what that picture shows, as values."""
        found, arrays = self.findings, self.arrays
        copied = found.exact_test | found.near_test | found.like_test
        looked = []
        for at, place in enumerate(int(one) for one in arrays["shown"]):
            pictures = [arrays[f"shown.{part}"][at] for part in ("set", "train", "test")]
            near = [float(LEVELS * arrays[f"{part}.distance"][place]) for part in ("train", "test")]
            name = self.result["classes"][int(arrays["labels"][place])]
            looked.append(Looked(found.called(place), name, pictures, (near[0], near[1]), bool(copied[place])))
        usual = float(np.median(arrays["test.features.reference"])) or 1.0
        histograms = [
            _histogram("in pixels: levels of 255", arrays, "", LEVELS),
            _histogram("in features: 1 is usual", arrays, "features.", 1 / usual),
        ]
        note = (
            "Above the set's images: their numbers and classes. Above the others: by how many levels of 255 they "
            "differ from these, root mean square, moved by a few pixels or mirrored. Red: copies of test images. "
            "Below: the distance of each image to the nearest test image. Left of the line lie 5 % of real training "
            "images."
        )
        return AuditSheet(f"Audit of {self.name}", looked, histograms, note)

    def __repr__(self) -> str:
        """Return the table as people read it."""
        return repr(self.table())

    def _repr_html_(self) -> str:
        """Return what a notebook displays."""
        return self.table()._repr_html_()


def _histogram(title: str, arrays: Arrays, kind: str, scale: float) -> Distances:
    def scaled(key: str) -> list[float]:
        values: list[Any] = (scale * arrays[key].astype(np.float64)).tolist()
        return values

    real = scaled(f"test.{kind}reference")
    return Distances(title, scaled(f"test.{kind}distance"), real, nearness_limit(real))

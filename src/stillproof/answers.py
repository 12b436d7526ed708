"""What a session returns: a distilled set and a score."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stillproof.author_report import AuthorReport, report_sentences
from stillproof.core.spec import Json
from stillproof.core.weight import Weight
from stillproof.report.captions import SELECTIONS
from stillproof.report.tables.columns import ACCURACY, around
from stillproof.report.tables.markup import dataframe
from stillproof.report.tables.table import Table
from stillproof.run.sharing import Sharing
from stillproof.score.by_class import ClassScore
from stillproof.score.stats import Summary


@dataclass(frozen=True)
class Score:
    """An accuracy with everything needed to interpret it; fractions, not percent."""

    accuracy: Summary
    per_seed: list[float]
    by_class: list[ClassScore]
    models: list[str]
    trained_on: str  # the id of the set, or the name of the data set whose real images they are
    name: str  # what people call it
    dataset: str
    network: str
    recipe: str
    selection: str
    points: int  # measured epochs that the selection chose among
    n_test: int
    caveats: list[str]
    defence: str | None = None  # adversarial training
    reported: Sequence[AuthorReport] = ()  # what the set's author reports

    def as_dict(self) -> Json:
        """Return the score as JSON values."""
        return dataclasses.asdict(self) | {
            "accuracy": self.accuracy.as_dict(),
            "by_class": [score.as_dict() for score in self.by_class],
            "reported": [one.as_dict() for one in self.reported],
        }

    def __repr__(self) -> str:
        """Return the score as people read it."""
        return "\n".join((self.sentences(self.name), *(f"note: {caveat}" for caveat in self.caveats)))

    def sentences(self, on: str) -> str:
        """Return the accuracy with its interval, how networks were trained on what is called ``on``, and any claims."""
        accuracy = self.accuracy
        text = f"accuracy {100 * accuracy.mean:.2f} %"
        if accuracy.ci95 and accuracy.std is not None:
            low, high = accuracy.ci95
            text += f" (95 % interval {100 * low:.2f} to {100 * high:.2f}, std {100 * accuracy.std:.2f})"
        chosen = f" ({self.points} measured)" if self.selection != "last" else ""
        defended = f", defence {self.defence}" if self.defence else ""
        how = f"recipe {self.recipe}{defended}, {SELECTIONS[self.selection]}{chosen}"
        lines = [f"{text}, n = {accuracy.n}", f"{self.network} on {on}, {how}, {self.n_test} test images"]
        return "\n".join([*lines, *report_sentences(self.reported, accuracy, self.network, self.recipe)])

    def _repr_html_(self) -> str:
        """Return what a notebook displays."""
        return self.table()._repr_html_()

    def table(self) -> Table:
        """Return the score as a table of one row."""
        about = {"dataset": self.dataset, "network": self.network, "method": self.name}
        rules = {"recipe": self.recipe, "selection": self.selection}
        notes = [f"{self.n_test} test images.", *([f"Defence: {self.defence}."] if self.defence else []), *self.caveats]
        columns = around([ACCURACY], [about | rules])
        return Table("score", "Accuracy", columns, [{**about, "accuracy": self.accuracy, **rules}], notes)

    def to_dataframe(self) -> Any:
        """Return one row per seed as a ``pandas.DataFrame``; accuracies are fractions.

        Raises:
            BadInput: pandas is not installed.
        """
        about = {key: getattr(self, key) for key in ("name", "dataset", "network", "recipe", "selection")}
        seeds = zip(range(len(self.per_seed)), self.per_seed, self.models, strict=True)
        return dataframe([*about, "seed", "accuracy", "model"], [[*about.values(), *seed] for seed in seeds])


class RunStates(dict[str, str]):
    """The outcome of a run: the state of each of its cells, by id.

    ``run`` is the number that it is found by; ``shared`` tells, by stage, how many of its cells existed before, and
    how many it has; ``sharing`` what the suites share that it asked, if these are several.
    """

    def __init__(
        self,
        run: int,
        states: Mapping[str, str],
        shared: Mapping[str, tuple[int, int]],
        sharing: Sharing | None = None,
    ) -> None:
        super().__init__(states)
        self.run, self.shared, self.sharing = run, shared, sharing


@dataclass(frozen=True)
class DistilledSet:
    """A distilled set that was made now, or found in the store."""

    artifact: str
    name: str
    path: Path
    cell: str
    cached: bool
    result: Json = field(repr=False)
    weight: Weight = field(repr=False)
    snapshots: Mapping[int, str] = field(default_factory=dict)  # artifacts of the steps that were asked for

"""What a session says of an attack: how much of a model's accuracy is left, and what came of every image."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from stillproof.attack.protocols.named import attack_protocol
from stillproof.core.reference import write_reference
from stillproof.core.spec import Json
from stillproof.report.attack_table import attack_table
from stillproof.report.tables.markup import dataframe
from stillproof.report.tables.table import Table
from stillproof.score.attacked_images import SIZES, outcome_summary
from stillproof.score.over_images import wilson
from stillproof.sets.reported import Reported

if TYPE_CHECKING:
    from torch import Tensor

    from stillproof.suites.requests import Request

WORST_CASE = "worst case"  # what the answer over several attacks is called
# What an answer takes over from the result of an attack.
NUMBERS = ("clean_accuracy", "robust_accuracy", "passes_per_image", "seconds")
LIMITS = ("eps", "norm")  # parameters that have columns of their own


@dataclass(frozen=True, eq=False)  # arrays have no one answer to ==
class ImageOutcomes:
    """What came of an attack for each image, in the order of the data set; arrays of one value per image.

    Args:
        values: By name: ``labels``, ``clean_predictions``, ``predictions``, ``success`` (right before, fooled after),
            ``robust``, ``forwards``, ``backwards``, ``first_success`` (passes up to it; -1 if there was none),
            ``linf``, ``l2``, ``l1`` and others.
    """

    values: Mapping[str, npt.NDArray[Any]] = field(repr=False)

    @classmethod
    def of(cls, tensors: Mapping[str, Tensor]) -> ImageOutcomes:
        """Return tensors of one value per image as arrays; others are left out."""
        return cls({name: np.asarray(tensor) for name, tensor in tensors.items() if tensor.ndim == 1})

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        """Return the values of one kind."""
        return self.values[name]

    def __len__(self) -> int:
        """Return the number of images."""
        return len(self.values["labels"])

    def to_dataframe(self) -> Any:
        """Return one row per image, as a data frame of pandas."""
        return dataframe(list(self.values), list(zip(*self.values.values(), strict=True)))


@dataclass(frozen=True, eq=False)  # arrays have no one answer to ==
class AttackScore:
    """What an attack leaves of a model's accuracy, or several attacks in their worst case; fractions, not percent.

    Args:
        attack: The attack's name, ``worst case`` if there are several.
        params: All its parameters.
        given: Those of them that are not as usual.
        eps: Radius of its ball; None if no ball limits it.
        norm: The norm that changes are limited or measured in.
        targets: Which classes it aims at; None if untargeted.
        protocol: ``fair``, or ``faithful`` to BEARD.
        n: Number of images.
        clean_accuracy: The share of them that are right before.
        robust_accuracy: The share of all that are right before and after; under ``faithful``, right after.
        passes_per_image: Mean number of passes, forward and backward.
        seconds: Time of the attack alone, when it was computed.
        draws: How often the model was asked of each image, if it answers at random; accuracies are means over these
            answers, and the outcomes of images, and both accuracies of their worst case, go by the majority. 0 for
            other models.
        reason: Why there is no answer, if there is none.
        cell: Its cell in the store.
        outcomes: What came of every image.
        images: The changed images, (N, C, H, W), where they were not put into a store.
        warnings: Warnings about its numbers, one sentence each.
        examples: Folder of the changed images, if they were kept.
        attacks: The attacks that this is the worst case of.
        checked: Whether the model's gradients were checked.
        alarms: What was suspicious about them, one sentence each.
        model: The model's name.
        dataset: Whose test images they are.
        asked: What was asked of the store, if it was.
        reported: The clean accuracy that the author of an imported model reports, if any.
    """

    attack: str
    protocol: str
    n: int
    params: Json = field(default_factory=dict, repr=False)
    given: Json = field(default_factory=dict, repr=False)
    eps: float | None = None
    norm: str | None = None
    targets: str | None = None
    clean_accuracy: float | None = None
    robust_accuracy: float | None = None
    passes_per_image: float | None = None
    seconds: float | None = None
    draws: int = 0
    reason: str | None = None
    cell: str | None = None
    outcomes: ImageOutcomes | None = field(default=None, repr=False)
    images: Any = field(default=None, repr=False)
    warnings: Sequence[str] = ()
    examples: Path | None = None
    attacks: Sequence[AttackScore] = ()
    checked: bool = False
    alarms: Sequence[str] = ()
    model: str = ""
    dataset: str = ""
    asked: Request | None = field(default=None, repr=False)
    reported: Sequence[Reported] = ()

    @property
    def robust_ci95(self) -> tuple[float, float] | None:
        """Return Wilson's 95 % interval of the robust accuracy, for other images of the same kind."""
        return None if self.robust_accuracy is None else wilson(round(self.n * self.robust_accuracy), self.n)

    def summary(self) -> Json:
        """Return what came of all images together: shares, mean passes to the first success, median sizes."""
        return {} if self.outcomes is None else outcome_summary(self.outcomes.values)

    def median_size(self, norm: str) -> float | None:
        """Return the median size of the changes that turned an image, in a norm; none if there was no such change."""
        size: float | None = self.summary().get(f"median_{norm.lower()}")
        return size

    @property
    def passes_to_success(self) -> float | None:
        """Return the mean passes to the first success, over images that were turned; none if none was."""
        passes: float | None = self.summary().get("passes_to_success")
        return passes

    def as_dict(self) -> Json:
        """Return the answer as JSON values; that of one attack is also that of the only one in ``attacks``."""
        return {
            "model": self.model,
            "dataset": self.dataset,
            **self._numbers(),
            "checked": self.checked,
            "alarms": list(self.alarms),
            "reported": [one.as_dict() for one in self.reported],
            "attacks": [one._row() for one in self.attacks or (self,)],
        }

    def _row(self) -> Json:
        found = self.summary()
        sizes = {key: found.get(key) for key in (f"median_{norm}" for norm in SIZES)}
        kept = None if self.examples is None else str(self.examples)
        return {**self._numbers(), "params": self.params, **sizes, "cell": self.cell, "examples": kept}

    def _numbers(self) -> Json:
        return {
            "attack": self.attack,
            "eps": self.eps,
            "norm": self.norm,
            "targeted": self.targets is not None,
            "targets": self.targets,
            "protocol": self.protocol,
            "n": self.n,
            "clean_accuracy": self.clean_accuracy,
            "robust_accuracy": self.robust_accuracy,
            "robust_ci95": None if self.robust_ci95 is None else list(self.robust_ci95),
            "passes_per_image": self.passes_per_image,
            "seconds": self.seconds,
            "draws": self.draws,
            "reason": self.reason,
            "warnings": list(self.warnings),
        }

    def __repr__(self) -> str:
        """Return the answer as people read it."""
        return repr(self.table())

    def _repr_html_(self) -> str:
        """Return what a notebook displays."""
        return self.table()._repr_html_()

    def table(self) -> Table:
        """Return one line per attack and, if there are several, one for their worst case."""
        rows = [one._row() | {"attack": one._shown()} for one in ((*self.attacks, self) if self.attacks else (self,))]
        images = f"image{'s' * (self.n != 1)}"
        of = f"{self.n} test {images} of {self.dataset}" if self.dataset else f"{self.n} {images}"
        about = attack_protocol(self.protocol).sentence
        claims = [f"What {one.place} reports of the model's clean accuracy: {one}." for one in self.reported]
        table = attack_table(rows, of, about, self.alarms if self.checked else None)
        return dataclasses.replace(table, notes=[*table.notes, *claims])

    def _shown(self) -> str:
        """Return the attack as it was asked for, but for what has columns of its own."""
        return write_reference(self.attack, {key: value for key, value in self.given.items() if key not in LIMITS})

    def to_dataframe(self) -> Any:
        """Return one row per attack as a ``pandas.DataFrame``, with fractions; ``outcomes`` has one per image.

        Raises:
            BadInput: pandas is not installed.
        """
        rows = [one._numbers() for one in (*self.attacks, self)] if self.attacks else [self._numbers()]
        return dataframe(list(rows[0]), [list(row.values()) for row in rows])


def worst_of(
    scores: Sequence[AttackScore],
    clean: float | None = None,
    robust: float | None = None,
    warnings: Sequence[str] = (),
) -> AttackScore:
    """Return the answer over several attacks: accuracies of their worst case, and what all of them cost together."""
    first, told = scores[0], [score for score in scores if score.reason is None]
    about: dict[str, Any] = {"attacks": scores, "targets": first.targets}
    about |= {key: _common([getattr(score, key) for score in scores]) for key in ("eps", "norm")}
    if not told:
        return AttackScore(WORST_CASE, first.protocol, first.n, **about, reason=first.reason)
    about |= {key: sum(getattr(score, key) for score in told) for key in ("passes_per_image", "seconds")}
    about |= {"clean_accuracy": clean, "robust_accuracy": robust, "warnings": list(warnings)}
    return AttackScore(WORST_CASE, first.protocol, first.n, **about, draws=max(score.draws for score in told))


def _common(values: Sequence[Any]) -> Any:
    """Return the value that all have, or nothing."""
    return values[0] if all(value == values[0] for value in values) else None

"""What a metric is: one number for each seed, from what is stored, with a rule of its own for the interval.

A metric is computed when a table is made. It is no cell: a new one needs no new run.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy.typing as npt

from stillproof.core.errors import BadInput, Unsupported
from stillproof.score.over_images import Ends
from stillproof.score.stats import Summary, summarise, summarise_accuracies, wider_of

Arrays = Mapping[str, npt.NDArray[Any]]  # one value per image, by name
Evidence = TypeVar("Evidence")


def no_arrays() -> Arrays:
    """Return nothing: what came of single images is not stored."""
    return {}


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """The answer of one cell.

    Args:
        result: Its numbers by name.
        arrays: Reads what came of every image, where that is stored.
    """

    result: Mapping[str, Any]
    arrays: Callable[[], Arrays] = field(default=no_arrays, repr=False)


@dataclass(frozen=True, slots=True)
class AttackOutcome:
    """What one attack left of a model, and what it took.

    Args:
        accuracy: The share of all images that are right in spite of it; none if it is not computed yet.
        passes_to_success: Mean passes up to the first success, over images that were turned; none if none was.
        seconds: A whole pass over the images, clean predictions included, as BEARD times it; none if it was not timed.
        arrays: Reads what came of every image, where that is stored.
    """

    accuracy: float | None
    passes_to_success: float | None = None
    seconds: float | None = None
    arrays: Callable[[], Arrays] = field(default=no_arrays, repr=False)


@dataclass(frozen=True, slots=True)
class AttackedModel:
    """A model under several attacks.

    Args:
        clean_accuracy: Before the attacks; none if it is not computed yet.
        attacks: What came of each attack; those that cannot be made are left out, as in BEARD.
        clean_seconds: A pass over the images without an attack; none if nothing was timed.
        worst_case: The accuracy that is left if each image meets the attack that is worst for it.
        images: How many images it was attacked on.
    """

    clean_accuracy: float | None
    attacks: Mapping[str, AttackOutcome]
    clean_seconds: float | None = None
    worst_case: float | None = None
    images: int | None = None


@dataclass(frozen=True, slots=True)
class UnderAttack:
    """Models under attack that one score is of: one model, or several that are pooled.

    Args:
        models: The models.
        pool: Models whose worst attack takes the place of their own, as the score of a single attack needs it.
    """

    models: Sequence[AttackedModel]
    pool: Sequence[AttackedModel] = ()
    # By metric, intervals over images that are known: one score is made of another, and asked for at several weights.
    ends: dict[str, Ends | None] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def images(self) -> int | None:
        """Return how many images each model is attacked on, if all have as many: they are the same ones."""
        counts = {model.images for model in self.models}
        return counts.pop() if len(counts) == 1 else None

    def shares(self) -> dict[tuple[int, str | None], float]:
        """Return the accuracies that are known, by the model's place and the attack; before attacks, None."""
        known = [((place, None), model.clean_accuracy) for place, model in enumerate(self.models)]
        made = [
            ((place, name), attack.accuracy)
            for place, model in enumerate(self.models)
            for name, attack in model.attacks.items()
        ]
        return {key: share for key, share in (*known, *made) if share is not None}

    def with_shares(self, shares: Mapping[tuple[int, str | None], float]) -> Self:
        """Return the same with other accuracies."""
        return dataclasses.replace(self, models=[_with(shares, *one) for one in enumerate(self.models)])


def _with(shares: Mapping[tuple[int, str | None], float], place: int, model: AttackedModel) -> AttackedModel:
    """Return a model with other accuracies; scores move one share at a time, so that most stay as they are."""
    clean = shares.get((place, None))
    accuracies = {name: shares.get((place, name)) for name in model.attacks}
    moved = {name: share for name, share in accuracies.items() if share != model.attacks[name].accuracy}
    if not moved:
        return model if clean == model.clean_accuracy else dataclasses.replace(model, clean_accuracy=clean)
    other = {name: dataclasses.replace(model.attacks[name], accuracy=share) for name, share in moved.items()}
    return dataclasses.replace(model, clean_accuracy=clean, attacks={**model.attacks, **other})


@dataclass(frozen=True, slots=True)
class _Sides:
    """Accuracies of several trainings on the same test images.

    Args:
        images: How many test images; none if that is not known.
        cells: By the name of an accuracy, the cell of its training: two names of one cell are one accuracy.
    """

    images: int | None = field(default=None, kw_only=True)
    cells: Mapping[str, str] = field(default_factory=dict, kw_only=True)

    def shares(self) -> dict[str, float]:
        """Return the accuracies that are known, by their cell or else by their name."""
        return {
            self.cells.get(name, name): share for name in self._names() if (share := getattr(self, name)) is not None
        }

    def with_shares(self, shares: Mapping[str, float]) -> Self:
        """Return the same with other accuracies."""
        moved: dict[str, Any] = {name: shares.get(self.cells.get(name, name)) for name in self._names()}
        return dataclasses.replace(self, **moved)

    def _names(self) -> list[str]:
        return [one.name for one in dataclasses.fields(self) if one.name not in ("images", "cells")]


@dataclass(frozen=True, slots=True)
class LabelSides(_Sides):
    """The accuracies that tell images from labels; none where one is not computed yet.

    Args:
        real: Of all real images, with hard labels.
        hard: Of the distilled images, with hard labels.
        own: Of the distilled images, with labels of the method's own kind.
        random: Of as many random real images, with labels of that kind.
    """

    real: float | None = None
    hard: float | None = None
    own: float | None = None
    random: float | None = None


@dataclass(frozen=True, slots=True)
class AugmentationSides(_Sides):
    """The accuracies that tell images from augmentation: of distilled and of random images, with it and without."""

    own_with: float | None = None
    random_with: float | None = None
    own_without: float | None = None
    random_without: float | None = None


class Metric(Generic[Evidence]):
    """A number that is made of evidence, and how it is summarised over seeds.

    A metric is a frozen dataclass, registered with ``metrics``; its parameters are plain JSON values.
    """

    title: ClassVar[str]  # what its column is called; a fraction is shown times 100
    takes: ClassVar[type]  # one of the kinds of evidence above: tables that have it show the metric

    def value(self, evidence: Evidence) -> float:
        """Return the number of one seed.

        Raises:
            Unsupported: It is not defined, or something that it is made of is missing.
        """
        raise NotImplementedError

    def images(self, evidence: Evidence) -> int | None:
        """Return how many images it is a share of; nothing, if it is no share or that is not known."""
        return None

    def summary(self, values: Sequence[float], images: int | None) -> Summary:
        """Return the mean over seeds with its interval: Student's, on the plain scale."""
        return summarise(values)

    def over_images(self, evidence: Evidence) -> Ends | None:
        """Return the 95 % interval of one seed's number over other test images, where ``summary`` knows of none.

        It stands in where it is wider than that of ``summary``. Nothing, if there is none.
        """
        return None

    def over_seeds(self, evidence: Sequence[Evidence | None]) -> Summary | None:
        """Return the mean over the seeds that have a value; nothing if none has one."""
        found = [(one, self.value_or_none(one)) for one in evidence if one is not None]
        known = [(one, value) for one, value in found if value is not None]
        if not known:
            return None
        counts = {self.images(one) for one, _ in known}
        summary = self.summary([value for _, value in known], counts.pop() if len(counts) == 1 else None)
        return wider_of(summary, (self.over_images(one) for one, _ in known))

    def value_or_none(self, evidence: Evidence | None) -> float | None:
        """Return the number of one seed, or nothing where there is none."""
        if evidence is None:
            return None
        try:
            found = self.value(evidence)
        except Unsupported:  # a dash where it is shown
            return None
        if not math.isfinite(found):
            raise BadInput(f"the metric {self.title!r} gives {found}, which is no finite number.")
        return found


def all_known(*values: float | None) -> list[float]:
    """Return the values that a score is made of.

    Raises:
        Unsupported: One of them is missing.
    """
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        raise Unsupported("an accuracy that the score is made of is not computed yet.")
    return known


class ShareOfImages(Metric[Evidence]):
    """A metric that is a share of images: its interval stays within 0 and 1.

    It is Student's over seeds on the logit scale, or Wilson's over the images where that is the wider.
    """

    def summary(self, values: Sequence[float], images: int | None) -> Summary:
        """Return the mean over seeds with its interval."""
        return summarise_accuracies(values, images)


class ShareUnderAttack(ShareOfImages[UnderAttack]):
    """A share of the images that models are attacked on; of several models, the mean over them."""

    takes: ClassVar[type] = UnderAttack

    def images(self, evidence: UnderAttack) -> int | None:
        """Return how many images there are; several models are attacked on the same ones, which count once."""
        return evidence.images


class AnswerShare(ShareOfImages[StoredAnswer]):
    """A share of images that answers have under ``key``, and the number of images under ``counted``."""

    takes: ClassVar[type] = StoredAnswer
    key: ClassVar[str]
    counted: ClassVar[str]

    def value(self, evidence: StoredAnswer) -> float:
        """Return the share."""
        found = evidence.result.get(self.key)
        if not isinstance(found, int | float):
            raise Unsupported(f"the answer has no {self.key}.")
        return found

    def images(self, evidence: StoredAnswer) -> int | None:
        """Return how many images it is a share of."""
        count = evidence.result.get(self.counted)
        return count if isinstance(count, int) else None

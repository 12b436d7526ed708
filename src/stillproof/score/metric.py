"""What a metric is: one number for each seed, from what is stored, with a rule of its own for the interval.

A metric is computed when a table is made. It is no cell: a new one needs no new run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

import numpy.typing as npt

from stillproof.core.errors import BadInput, Unsupported
from stillproof.score.stats import Summary, summarise, summarise_accuracies

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


@dataclass(frozen=True, slots=True)
class LabelSides:
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
class AugmentationSides:
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

    def over_seeds(self, evidence: Sequence[Evidence | None]) -> Summary | None:
        """Return the mean over the seeds that have a value; nothing if none has one."""
        found = [(one, self.value_or_none(one)) for one in evidence if one is not None]
        known = [(self.images(one), value) for one, value in found if value is not None]
        counts = {images for images, _ in known}
        values = [value for _, value in known]
        return self.summary(values, counts.pop() if len(counts) == 1 else None) if values else None

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
    """A metric that is a share of images: its interval is Student's on the logit scale, and stays within 0 and 1."""

    def summary(self, values: Sequence[float], images: int | None) -> Summary:
        """Return the mean over seeds with its interval."""
        return summarise_accuracies(values, images)


class ShareUnderAttack(ShareOfImages[UnderAttack]):
    """A share of the images that models are attacked on; of several models, the mean, a share of all their images."""

    takes: ClassVar[type] = UnderAttack

    def images(self, evidence: UnderAttack) -> int | None:
        """Return how many images all models together are attacked on, if all have as many."""
        counts = {model.images for model in evidence.models}
        each = counts.pop() if len(counts) == 1 else None
        return None if each is None else each * len(evidence.models)


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

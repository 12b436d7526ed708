"""Accuracy class by class, over seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stillproof.core.spec import Json
from stillproof.score.stats import Summary, summarise_accuracies


@dataclass(frozen=True, slots=True)
class ClassScore:
    """How well one class is recognised; a class without test images has no accuracy."""

    name: str
    images: int
    accuracy: Summary | None

    def as_dict(self) -> Json:
        """Return the score as JSON values."""
        accuracy = None if self.accuracy is None else self.accuracy.as_dict()
        return {"name": self.name, "images": self.images, "accuracy": accuracy}


def class_scores(answers: Sequence[Json]) -> list[ClassScore]:
    """Return the score of every class from the answers of stage ``by-class``, one per seed, to the same images."""
    found = []
    for label, (name, images) in enumerate(zip(answers[0]["classes"], answers[0]["images"], strict=True)):
        shares = [answer["right"][label] / images for answer in answers] if images else []
        found.append(ClassScore(name, images, summarise_accuracies(shares, images) if shares else None))
    return found

"""A distilled set with other labels, and the same images."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import torch
from torch import Tensor

from stillproof.core.components import stages
from stillproof.core.errors import BadInput, Unsupported
from stillproof.core.types import Distilled, Hard, Labels, PerEpoch, Stored, Taught
from stillproof.core.weight import weight_of
from stillproof.run.cell import Planned
from stillproof.run.changed_sets import keep_changed, source_of
from stillproof.run.labelled_images import artifact_of
from stillproof.run.stage import Answer, Job, Stage
from stillproof.run.trained_models import last_model, read_of_training
from stillproof.sets.fronts import front_of
from stillproof.sets.read import read_set
from stillproof.sets.teachers import load_stored, taught_by
from stillproof.store.artifact_files import Artifact
from stillproof.suites.requests import Request
from stillproof.train.record import recorded_like
from stillproof.transforms.front import Front

if TYPE_CHECKING:
    from stillproof.run.plan import Planner


@stages.register("relabel", version=1)
@dataclass(frozen=True)
class Relabel(Stage):
    """The images of a set with other labels.

    Args:
        of: The set.
        labels: ``hard`` are its classes; ``taught`` are answers of teachers, anew in every epoch; ``stored`` are
            their logits for the images as they are; ``like`` is what another set has.
        teachers: The trainings of the teachers, or models of the store; for labels like stored or recorded ones, whom
            to ask.
        like: That other set.
    """

    of: Request
    labels: Literal["hard", "taught", "stored", "like"]
    teachers: tuple[Request, ...] = ()
    like: Request | None = None

    def plan(self, planner: Planner) -> Planned:
        """Plan the set, its teachers, and the set whose labels it gets the like of."""
        images = source_of(self.of, planner)
        teachers = [planner.plan(request).id for request in self.teachers]
        if self.labels in ("taught", "stored") and not teachers:
            raise BadInput(f"labels {self.labels!r} need at least one teacher.")
        other = source_of(self.like, planner) if self.like else None
        if (self.labels == "like") != (other is not None):
            raise BadInput("labels 'like' those of another set need that set, and no others do.")
        spec = {"of": images.spec, "labels": self.labels, "teachers": teachers, "like": other and other.spec}
        told = f"like {other.label}" if other else self.labels
        return Planned(
            spec=spec,
            label=f"{images.label} with labels {told}",
            needs=tuple(dict.fromkeys((*images.needs, *(other.needs if other else ()), *teachers))),
            where={"dataset": images.dataset},
            images=images.count,
        )

    @staticmethod
    def compute(job: Job) -> Answer:
        """Give the images their labels, and keep the set if it is another one now."""
        return keep_changed(job, job.spec["of"], job.spec["labels"], _relabelled)


def _relabelled(distilled: Distilled, job: Job) -> Distilled:
    labels = _labels(distilled, job)
    if labels is distilled.labels:
        return distilled
    card = dataclasses.replace(distilled.card, bytes=weight_of(distilled.images, labels).total)
    return dataclasses.replace(distilled, labels=labels, card=card)


def _labels(distilled: Distilled, job: Job) -> Labels:
    kind, classes = job.spec["labels"], distilled.labels.classes
    if kind == "like":
        other = read_set(job.store, artifact_of(job.spec["like"], job))
        if isinstance(other.labels, Taught):
            return dataclasses.replace(other.labels, values=classes)
        kind = "hard" if isinstance(other.labels, Hard) else "stored"
        if isinstance(other.labels, PerEpoch):
            return _recorded(distilled, other.labels, job)
    if kind == "hard":
        return distilled.labels if isinstance(distilled.labels, Hard) else Hard(classes)
    stored = _teachers(job)
    if not stored:
        raise Unsupported(
            "the other set has soft labels of its own and names no teacher: name one whose answers these images get."
        )
    if kind == "taught":
        return taught_by(classes, stored, job.store)
    pixels = _pixels(distilled, job)
    with torch.no_grad():
        answers = [load_stored(one, job.store, job.device).eval()(pixels.to(job.device)).cpu() for one in stored]
    return Stored("logits", torch.stack(answers).mean(0))


def _recorded(distilled: Distilled, recording: PerEpoch, job: Job) -> PerEpoch:
    """Return what the teachers say of the images, pass by pass, under the crops and mixes of a recording."""
    stored = _teachers(job)
    if not stored:
        raise Unsupported(
            "the other set's labels were recorded epoch by epoch, with crops and mixes of their own, and one label per "
            "image is not the like of them: name the model that gave them, as in NAME:artifact=SET:teacher=MODEL."
        )
    models = [load_stored(one, job.store, job.device).eval() for one in stored]

    def answer(pixels: Tensor) -> Tensor:
        return torch.stack([model(pixels.to(job.device)).cpu() for model in models]).mean(0)

    with torch.no_grad():
        return recorded_like(recording, _pixels(distilled, job), distilled.labels.classes, answer)


def _teachers(job: Job) -> list[Artifact]:
    """Return the models that are asked: what a training ended with, or one that was in the store."""
    return [read_of_training(job.store, _model(cell, job)) for cell in job.spec["teachers"]]


def _model(cell: str, job: Job) -> str:
    answer = job.answer_of(cell)
    return str(answer["model"]) if "model" in answer else last_model(cell, job)


def _pixels(distilled: Distilled, job: Job) -> Tensor:
    if distilled.decode != "none":
        raise Unsupported("images that hold several have no single answer of a teacher.")
    front = front_of(distilled.space, job.store)
    assert isinstance(front, Front), "there is no way back to pixels"
    return front.inverse(distilled.images)

"""The contract of a distiller."""

from __future__ import annotations

import copy
import dataclasses
import difflib
import tempfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from stillproof.core.components import distillers, networks, recipes
from stillproof.core.context import Context
from stillproof.core.needs import TrainedBefore, needs_of
from stillproof.core.presets import preset_params
from stillproof.core.seeds import Seeds
from stillproof.core.spec import canonical_json
from stillproof.core.types import Card, Distilled, Distiller, ImageSet, Space, Taught
from stillproof.core.weight import weight_of
from stillproof.nets.build import build_network
from stillproof.nets.home_network import network_called
from stillproof.run.stages.expert import train_expert
from stillproof.sets.artifact import tensors_of
from stillproof.testing.checks import Result, global_generators_untouched, need, run_checks
from stillproof.testing.choices import TITLE, try_every_choice
from stillproof.testing.fake_device import FAKE, fake_device
from stillproof.testing.toy import EACH, TOY, toy_images
from stillproof.train.data import from_images
from stillproof.train.loop import fit
from stillproof.train.model import TrainedModel
from stillproof.train.recipe import Recipe
from stillproof.transforms.space import make_front

IPC = 2
READ = ("distill", "needs", "presets", "image_passes", "images_held")  # what is read of a distiller, by name
NETWORK = "convnet-3:width=8"


def check_distiller(name: str) -> list[Result]:
    """Run the contract on toy images, at the method's ``smoke`` preset."""
    return run_checks(
        "distiller",
        name,
        {
            "its parameters are plain JSON": lambda: _params_are_json(name),
            "its needs are declared, and nothing beside them is misspelt": lambda: _declared(name),
            "gives finite images of the right shape, ipc of each class": lambda: _shapes(name),
            "the same seed gives the same bytes": lambda: _deterministic(name),
            "draws from no global generator": lambda: _no_global_draws(name),
            "a stopped run goes on to the same result": lambda: _resumes(name),
            "works on another device than the CPU": lambda: _elsewhere(name),
            TITLE: lambda: try_every_choice(distillers, name, lambda choice: _distill(name, choice=choice)),
        },
    )


class _Stopped(Exception):
    """The run was stopped on purpose."""


def _build(name: str, choice: Mapping[str, Any] | None = None) -> Distiller:
    preset = preset_params(distillers.get(name), "smoke", "toy", IPC, distillers.entry(name))
    return distillers.build(name, {**preset, **(choice or {})})


def _distill(
    name: str,
    *,
    scratch: Path | None = None,
    stop_after: int | None = None,
    device: str = "cpu",
    choice: Mapping[str, Any] | None = None,
) -> Distilled:
    method = _build(name, choice)
    network = networks.build(NETWORK)
    reports = 0

    def report(share: float) -> None:
        nonlocal reports
        reports += 1
        if stop_after is not None and reports > stop_after:
            raise _Stopped

    spec = distillers.spec(method)
    card = Card(name, spec.version, spec.params, "toy", "toy", IPC, 0, NETWORK, TOY.licence, 0)
    ctx = Context(
        seeds=Seeds(0),
        device=device,
        card=card,
        networks=lambda seeds: build_network(network, TOY, seeds, device),
        space=Space.normalised(TOY),
        front=make_front(Space.normalised(TOY)).to(device),
        scratch=scratch,
        report=report,
        checkpoint_seconds=0.0,
    )
    needs = needs_of(method)
    ctx.experts = _experts(needs.experts) if needs.experts else ()
    ctx.embedding = _experts(needs.embedding) if needs.embedding else ()
    if needs.teachers:
        ctx.teachers = [copy.deepcopy(teacher).to(device) for teacher in _teachers(needs.teachers)]
        ctx.taught = lambda classes: Taught(
            classes, [f"toy teacher {n}" for n in range(len(ctx.teachers))], 0, "nobody"
        )
    return method.distill(toy_images(), IPC, ctx)


@lru_cache
def _experts(wanted: TrainedBefore) -> list[Tensor]:
    return [train_expert(*_training(wanted, number), 0.0)[0] for number in range(wanted.count)]


@lru_cache
def _teachers(wanted: TrainedBefore) -> list[nn.Module]:
    found: list[nn.Module] = []
    for number in range(wanted.count):
        model, data, recipe, ctx = _training(wanted, number)
        fit(model, from_images(data, model.front, ctx.device), recipe, ctx)
        found.append(model.requires_grad_(False))
    return found


def _training(wanted: TrainedBefore, number: int) -> tuple[TrainedModel, ImageSet, Recipe, Context]:
    seeds = Seeds(0).child("expert", number)
    network = networks.build(network_called(wanted.network or NETWORK, TOY.size))
    model = TrainedModel(make_front(Space.normalised(TOY)), build_network(network, TOY, seeds, "cpu"))
    return model, toy_images(), recipes.build(wanted.recipe), Context(seeds)


def _params_are_json(name: str) -> None:
    method: Any = _build(name)
    canonical_json(distillers.spec(method).as_dict())


def _declared(name: str) -> None:
    """Refuse an attribute that nobody reads, but that looks like one that is read."""
    method: Any = _build(name)
    needs_of(method)
    fields = {field.name for field in dataclasses.fields(method)}
    for own in (attribute for attribute in dir(method) if not attribute.startswith("_")):
        close = difflib.get_close_matches(own, READ, n=1, cutoff=0.75)
        need(own in READ or own in fields or not close, f"it has {own!r}, which nothing reads: is {close} meant?")
    for old in (attribute for attribute in dir(method) if attribute.startswith("needs_")):
        need(False, f"it has {old!r}, which nothing reads: say it in needs = Needs(...)")


def _shapes(name: str) -> None:
    made = _distill(name)
    counts = [len(made.images) // TOY.num_classes] * TOY.num_classes  # a soft label need not favour the image's class
    if made.labels.values_are_classes:
        counts = made.labels.classes.bincount(minlength=TOY.num_classes).tolist()
    need(tuple(made.images.shape[1:]) == (TOY.channels, TOY.size, TOY.size), f"images are {tuple(made.images.shape)}")
    need(made.images.dtype == torch.float32, f"images are {made.images.dtype}, not float32")
    need(bool(torch.isfinite(made.images).all()), "images have NaN or infinite values")
    need(counts in ([IPC] * TOY.num_classes, [EACH] * TOY.num_classes), f"images per class are {counts}, not {IPC}")
    taken = weight_of(made.images, made.labels).total
    need(
        made.card.bytes == taken, f"the card says {made.card.bytes} bytes, but the set takes {taken}: use ctx.distilled"
    )


def _deterministic(name: str) -> None:
    first, second = _distill(name), _distill(name)
    need(_same(first, second), "two runs under one seed give different sets")


def _no_global_draws(name: str) -> None:
    with global_generators_untouched():
        _distill(name)


def _elsewhere(name: str) -> None:
    with fake_device():
        _distill(name, device=FAKE)


def _resumes(name: str) -> None:
    whole = _distill(name)
    with tempfile.TemporaryDirectory() as folder:
        try:
            made = _distill(name, scratch=Path(folder), stop_after=2)
        except _Stopped:
            made = _distill(name, scratch=Path(folder))
    need(_same(whole, made), "a run that was stopped and went on gives another set")


def _same(first: Distilled, second: Distilled) -> bool:
    one, other = tensors_of(first), tensors_of(second)
    if _described(first) != _described(second) or one.keys() != other.keys():
        return False
    return all(one[name].dtype == other[name].dtype and torch.equal(one[name], other[name]) for name in one)


def _described(made: Distilled) -> tuple[Any, ...]:
    return made.space, made.decode, made.recipe, made.labels.card()

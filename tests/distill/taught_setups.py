from __future__ import annotations

from pathlib import Path

from distill_setups import SPACE, context

from stillproof.core.components import networks, recipes
from stillproof.core.context import Context
from stillproof.core.seeds import Seeds
from stillproof.core.types import Taught
from stillproof.nets.build import build_network
from stillproof.testing.toy import TOY, toy_images
from stillproof.train.data import from_images
from stillproof.train.loop import fit
from stillproof.train.model import TrainedModel
from stillproof.transforms.space import make_front


def with_teacher(network: str = "convnet-1-bn:width=8", epochs: int = 8, scratch: Path | None = None) -> Context:
    """Return a context whose teacher was trained on the toy images."""
    ctx = context(scratch=scratch)
    body = build_network(networks.build(network), TOY, Seeds(5), "cpu")
    teacher = TrainedModel(make_front(SPACE), body)
    recipe = recipes.build(f"quick-real:epochs={epochs}:batch=12:lr=0.05")
    fit(teacher, from_images(toy_images(), teacher.front, "cpu"), recipe, Context(Seeds(6)))
    ctx.teachers = [teacher.eval().requires_grad_(False)]
    ctx.taught = lambda classes: Taught(classes, ["toy teacher"], 0, "nobody")
    return ctx

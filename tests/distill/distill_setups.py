from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor

from stillproof.core.components import networks, recipes
from stillproof.core.context import Context
from stillproof.core.seeds import Seeds
from stillproof.core.types import Card, Space
from stillproof.distill.choosing.embeddings import EMBEDDING
from stillproof.nets.body import Body
from stillproof.nets.build import build_network
from stillproof.run.stages.expert import train_expert
from stillproof.testing.toy import TOY, toy_images
from stillproof.train.model import TrainedModel
from stillproof.transforms.dsa import DSA
from stillproof.transforms.space import make_front

SPACE = Space.normalised(TOY)
IPC = 2


def context(network: str = "convnet-2:width=8", scratch: Path | None = None, seed: int = 0) -> Context:
    built = networks.build(network)
    return Context(
        seeds=Seeds(seed),
        card=Card("test", 1, {}, "toy", "toy", IPC, seed, network, "", 0),
        networks=lambda seeds: build_network(built, TOY, seeds, "cpu"),
        space=SPACE,
        front=make_front(SPACE),
        scratch=scratch,
        checkpoint_seconds=0.0,
    )


def with_embedding(ctx: Context) -> Context:
    """Give a context the weights of a network that was trained on the toy images for one epoch."""
    body = ctx.make_network("embedding")
    assert isinstance(body, Body)
    recipe = recipes.build(EMBEDDING.recipe)
    ctx.embedding = [train_expert(TrainedModel(make_front(SPACE), body), toy_images(), recipe, ctx, 0.0)[0]]
    return ctx


def changed_alike(ctx: Context, images: Tensor, batch_real: int, step: int) -> tuple[Tensor, Tensor]:
    """Real and synthetic images of all classes, each class under one change, drawn without the library's shortcuts."""
    data, augment = toy_images(), DSA()
    real, synthetic = [], []
    for label in range(3):
        members = data.of_class(label)
        order = torch.randperm(len(members), generator=ctx.seeds.child("real", step, label).torch())
        batch = make_front(SPACE)(data.read(members[order[:batch_real]]))
        seeds = ctx.seeds.child("dsa", step, label)
        real.append(augment.siamese(batch, seeds.torch()))
        synthetic.append(augment.siamese(images[IPC * label : IPC * (label + 1)], seeds.torch()))
    return torch.cat(real), torch.cat(synthetic)

"""A trained model: a front that takes pixels into the network's space, and the network's body."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from stillproof.core.components import networks
from stillproof.core.seeds import Seeds
from stillproof.core.spec import Json
from stillproof.core.types import DataInfo, ImageSet, Space
from stillproof.nets.body import Body
from stillproof.nets.build import build_network
from stillproof.nets.chunks import by_chunks
from stillproof.transforms.space import make_front
from stillproof.transforms.zca import ZCA

TEST_BATCH = 500  # images that are read at once


class TrainedModel(nn.Module):
    """Pixels in [0, 1] in, logits out."""

    def __init__(self, front: nn.Module, body: Body) -> None:
        """Join the two."""
        super().__init__()
        self.front = front
        self.body = body

    def forward(self, pixels: Tensor) -> Tensor:
        """Return logits (N, classes)."""
        logits: Tensor = self.body(self.front(pixels))
        return logits


LogitsOf = Callable[[Tensor], Tensor]  # images of the body's space, any number -> logits


def logits_of(body: nn.Module, images: Tensor) -> Tensor:
    """Return logits; with the body as an argument, what is compiled for one network serves others of its kind."""
    logits: Tensor = body(images)
    return logits


@torch.no_grad()
def predict(model: TrainedModel, data: ImageSet, device: str, logits_of: LogitsOf | None = None) -> Tensor:
    """Return the predicted class of every image, (N,) int64 on the CPU; ``logits_of`` is a faster form of its body."""
    was_training = model.training
    model.eval()
    in_chunks = by_chunks(logits_of or model.body, model.body)
    found = []
    for start in range(0, len(data), TEST_BATCH):
        pixels = data.read(slice(start, start + TEST_BATCH), device)
        found.append(in_chunks(model.front(pixels)).argmax(1).cpu())
    model.train(was_training)
    return torch.cat(found)


@dataclass(frozen=True)
class ModelCard:
    """What is needed to build a stored model again, and to know where it came from."""

    network: Json
    info: Json
    space: Json
    recipe: Json
    upstream: Json
    seed: int
    epoch: int

    def as_dict(self) -> Json:
        """Return the card as JSON values."""
        return dataclasses.asdict(self)


def load_model(tensors: dict[str, Tensor], card: Json, device: str, zca: ZCA | None = None) -> TrainedModel:
    """Build a stored model again."""
    network = networks.build(card["network"]["name"], card["network"]["params"])
    body = build_network(network, data_info(card["info"]), Seeds(0), device)
    body.load_state_dict(tensors)
    return TrainedModel(make_front(space_of(card["space"]), zca).to(device), body).eval()


def data_info(values: Json) -> DataInfo:
    """Read a ``DataInfo`` back from JSON."""
    return DataInfo(**{key: _tuple(value) for key, value in values.items()})


def space_of(values: Json) -> Space:
    """Read a ``Space`` back from JSON."""
    return Space(**{key: _tuple(value) for key, value in values.items()})


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value

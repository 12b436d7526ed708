"""A trained model: a front that takes pixels into the network's space, and the network's body."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from stillproof.core.components import networks
from stillproof.core.errors import BadInput
from stillproof.core.model_card import check_model_card
from stillproof.core.seeds import Seeds
from stillproof.core.spec import Json
from stillproof.core.types import DataInfo, ImageSet, Network, Space
from stillproof.nets.body import Body
from stillproof.nets.build import build_network
from stillproof.nets.chunks import by_chunks
from stillproof.transforms.space import make_front
from stillproof.transforms.zca import ZCA

TEST_BATCH = 500  # images that are read at once
UNUSUAL, LARGEST = 1024, 16_384  # parameters of a network on a card: looked at before it is built, and refused


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
    """Build a stored model again.

    Raises:
        BadInput: Its card is none of a model, or of one with other weights.
    """
    network = network_of(tensors, card)
    body = build_network(network, data_info(card["info"]), Seeds(0), device)
    check_fit(tensors, body.state_dict(), card)
    body.load_state_dict(tensors)
    return TrainedModel(make_front(space_of(card["space"]), zca).to(device), body).eval()


def network_of(tensors: Mapping[str, Tensor], card: Json) -> Network:
    """Return the network that a model's card names; one that would be larger than its weights is never built.

    Raises:
        BadInput: The card is none of a model, or of one with other weights.
    """
    check_model_card(card)
    info, network = data_info(card["info"]), networks.build(card["network"]["name"], card["network"]["params"])
    largest = _largest(vars(network))
    if largest > LARGEST:
        named = card["network"]["name"]
        raise BadInput(f"the card of this model names a network {named} with {largest}, too large to be built.")
    if largest > UNUSUAL:
        with torch.device("meta"):  # takes a second, and no memory
            check_fit(tensors, network.build(info.channels, info.size, info.num_classes).state_dict(), card)
    return network


def _largest(value: Any) -> float:
    """Return the largest number among parameters."""
    if isinstance(value, Mapping | list | tuple):
        return max(map(_largest, value.values() if isinstance(value, Mapping) else value), default=0)
    return value if isinstance(value, int | float) else 0


def check_fit(tensors: Mapping[str, Tensor], expected: Mapping[str, Tensor], card: Json) -> None:
    """Refuse weights of another network than the card names."""
    shapes = {name: tuple(tensor.shape) for name, tensor in tensors.items()}
    if shapes != {name: tuple(tensor.shape) for name, tensor in expected.items()}:
        named = card["network"]["name"]
        raise BadInput(f"the weights of this model are not those of network {named}, which its card names.")


def data_info(values: Json) -> DataInfo:
    """Read a ``DataInfo`` back from JSON."""
    return DataInfo(**{key: _tuple(value) for key, value in values.items()})


def space_of(values: Json) -> Space:
    """Read a ``Space`` back from JSON."""
    return Space(**{key: _tuple(value) for key, value in values.items()})


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value

"""Third-party models: a state dict, bare or wrapped, becomes a model of the store."""

from __future__ import annotations

import dataclasses
import hashlib
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from stillproof.core.components import networks
from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.core.types import DataInfo, Space
from stillproof.importers.checkpoint_weights import check_weights, find_weights, rename_weights
from stillproof.importers.infer_network import infer_network
from stillproof.importers.reported_accuracies import reported_in_name
from stillproof.importers.torch_file import load_torch
from stillproof.nets.build import build_network
from stillproof.sets.reported import Reported
from stillproof.train.model import ModelCard

SUFFIXES = frozenset({".pt", ".pth", ".pkl", ".tar", ".ckpt", ".bin"})


@dataclass(frozen=True)
class ForeignModel:
    """A third-party model, with our names for its weights.

    Args:
        tensors: The state of the network's body.
        card: What ``load_model`` needs.
        network: Reference of the network, as ``--network`` takes it.
        found: What was read out of the file and why it is taken that way, one sentence each.
        reported: The test accuracy that the file's name reports, if it does.
    """

    tensors: dict[str, Tensor]
    card: ModelCard
    network: str
    found: tuple[str, ...]
    reported: tuple[Reported, ...] = ()


def recognises_model(path: Path) -> str:
    """Return why ``path`` looks like a model's checkpoint; nothing, if it does not."""
    if not path.is_file() or path.suffix.lower() not in SUFFIXES:
        return ""
    weights = find_weights(load_torch(path))
    return f"it holds {len(weights)} tensors of a network, {next(iter(weights))} first" if weights else ""


def read_model(path: Path, info: DataInfo, network: str = "") -> ForeignModel:
    """Read a checkpoint for a data set, whose mean and std its images are taken to be normalised with.

    Args:
        path: A file of ``torch.save``: a state dict, or a dictionary with one.
        info: The data set.
        network: The network, where names and shapes do not tell it.

    Raises:
        BadInput: The file is broken, its network cannot be told, or is another one.
    """
    content = load_torch(path)
    weights = find_weights(content)
    if not weights:
        raise BadInput(f"{path} holds no state dict of a network, neither bare nor under state_dict, model or net.")
    check_weights(weights, path)
    name, unsure = (network, "") if network else infer_network(weights, info)
    if not name:
        raise BadInput(f"the network of {path} cannot be told from its weights: name it with --network.")
    body = build_network(networks.build(name), info, Seeds(0), "cpu")
    tensors = rename_weights(weights, body, name, path)
    how = f"network {name}, " + ("as asked for" if network else "told by the names and shapes of its weights")
    reported = reported_in_name(path.stem)
    claims = [f"the file's name reports a test accuracy of {one}" for one in reported]
    found = (how, *([unsure] if unsure else []), f"images are normalised with mean and std of {info.name}", *claims)
    return ForeignModel(tensors, _card(path, content, info, name), name, found, reported)


def _card(path: Path, content: object, info: DataInfo, network: str) -> ModelCard:
    epoch = content.get("epoch", 0) if isinstance(content, dict) else 0
    return ModelCard(
        network=networks.spec(networks.build(network)).as_dict(),
        info=dataclasses.asdict(info),
        space=dataclasses.asdict(Space.normalised(info)),
        recipe={},
        upstream={"imported": path.name, "sha256": _hash(path)},
        seed=0,
        epoch=epoch if isinstance(epoch, int) else 0,
    )


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

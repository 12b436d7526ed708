"""Texts and sealed files: configurations, logs, results, artifacts and checkpoints of loops."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import safetensors.torch
import torch
from formats import Format, Pieces

from stillproof.cli.config import read_toml
from stillproof.core import checkpoint
from stillproof.core.components import suites
from stillproof.core.errors import BadInput
from stillproof.core.sealed_values import HASH, LENGTH, MAGIC, seal_value, unseal_value
from stillproof.core.shipped import shipped_folder
from stillproof.core.spec import digest
from stillproof.importers.beard_config import read_config
from stillproof.importers.beard_log import read_log
from stillproof.sets.artifact import from_artifact
from stillproof.store.artifact_files import read_card, read_folder
from stillproof.store.folder_files import CARD, TENSORS
from stillproof.store.read_bundle import bundle_json, read_bundle

TOML = b"""suite = "accuracy"
dataset = ["digits"]
methods = ["random", "dm:steps=2"]
ipc = [1, 10]
seeds = 2
scale = "smoke"
selection = "last"
"""


def toml(folder: Path) -> Any:
    return suites.build("accuracy", read_toml(folder / "a.toml", "accuracy"))


def our_toml(folder: Path) -> Any:
    return read_toml(folder / "a.toml", "accuracy")


def by_tomllib(folder: Path) -> Any:
    values = tomllib.loads((folder / "a.toml").read_text(encoding="utf-8"))
    return {key: value for key, value in values.items() if key != "suite"}


MEASURED = "target_attack: {} +- 0.1, attack time is {}, non_target_attack: {} +- 0.2, attack time is {}, "
OTHERS = "eval_accuracies_target: {[{'ResNet18': 12.5}]} eval_accuracies_non_target: {[{'ResNet18': 1.5}]}"


def log_line(attack: str, *numbers: float, more: str = "") -> str:
    about = "dataset: CIFAR10, IPC: 10, model: ConvNet, "
    return f"2025 - INFO - {attack} attack on DC: final acc is: {MEASURED.format(*numbers)}{about}{more}\n"


LOG = log_line("Clean", 45.5, 1.5, 45.5, 1.25) + log_line("PGD_L2", 10.25, 20.5, 1e-05, 30.5, more=OTHERS)


def our_log(folder: Path) -> Any:
    found = read_log(folder / "DC_evaluation_log.txt")
    return {one.attack: (*one.targeted, *one.untargeted) for one in found.attacks}


def by_words(folder: Path) -> Any:
    """Read the numbers of a log with no pattern but the words before and after them."""
    found = {}
    for line in (folder / "DC_evaluation_log.txt").read_text(encoding="utf-8").splitlines():
        head, said, rest = line.partition(": final acc is:")
        words = head.split(" ")
        if not said or len(words) < 4 or words[-3:-1] != ["attack", "on"]:
            continue
        numbers = []
        for name in ("target_attack: ", "non_target_attack: "):
            named = re.finditer(re.escape(name) + r"[-\d]", rest)
            at = next(one.start() for one in named if one.start() == 0 or rest[one.start() - 1] != "_")
            part = rest[at + len(name) :]
            accuracy, after = part.split(" ", 1)
            seconds = re.match(r"[-+.e\d]+", after.partition("attack time is ")[2])
            numbers += [float(accuracy) / 100, float(seconds[0]) if seconds else -1.0]
        found[words[-4]] = tuple(numbers)
    return {"Clean": found.pop("Clean"), **found}


BEARD = {
    "dataset": "CIFAR10",
    "model": "ConvNet",
    "method": "DC",
    "ipc": 10,
    "lr_net": 0.01,
    "batch_train": 256,
    "test_attack": ["FGSM", "PGD"],
    "target_attack": [True, False],
    "aug": True,
}


def our_config(folder: Path) -> Any:
    found = read_config(folder / "a.json")
    return found.params["ipc"] if found.params else []


def by_json(folder: Path) -> Any:
    return [float(json.loads((folder / "a.json").read_text(encoding="utf-8"))["ipc"])]


def floats(read: Callable[[Path], Any]) -> Callable[[Path], Any]:
    return lambda folder: [float(one) for one in read(folder)]


def results() -> Pieces:
    folder = shipped_folder("results")
    assert folder is not None
    return {"a.json": min(folder.glob("*.json"), key=lambda one: one.stat().st_size).read_bytes()}


def as_read(folder: Path) -> Any:
    return json.loads(json.dumps(bundle_json(read_bundle(folder / "a.json"))))


def by_json_alone(folder: Path) -> Any:
    return without_defaults(json.loads((folder / "a.json").read_text(encoding="utf-8")), as_read(folder))


def without_defaults(value: Any, like: Any) -> Any:
    """Return ``value`` where it is as ``like``, with what only one of them says: nothing else may differ."""
    if isinstance(value, dict) and isinstance(like, dict):
        return {key: without_defaults(value.get(key, inner), inner) for key, inner in like.items()}
    if isinstance(value, list) and isinstance(like, list) and len(value) == len(like):
        return [without_defaults(*both) for both in zip(value, like, strict=True)]
    return like if value == like and type(value) in (int, float) else value


def zoo_set(name: str = "dc-cifar10-1ipc") -> Pieces:
    folder = shipped_folder("zoo")
    assert folder is not None
    card = min(folder.glob("*-1ipc.json"), key=lambda one: one.with_suffix(".safetensors").stat().st_size)
    return {CARD: card.read_bytes(), TENSORS: card.with_suffix(".safetensors").read_bytes()}


def artifact(folder: Path) -> Any:
    found = read_folder(folder)
    read_card(folder)
    if found.kind == "distilled":
        whole = from_artifact(found.tensors, found.card)
        return whole.images, whole.labels.classes, whole.card.ipc
    return found.kind, found.tensors


def our_artifact(folder: Path) -> Any:
    found = read_folder(folder)
    return dict(sorted(found.tensors.items())), found.card


def by_safetensors(folder: Path) -> Any:
    card = json.loads((folder / CARD).read_text(encoding="utf-8"))["card"]
    tensors = safetensors.torch.load((folder / TENSORS).read_bytes())
    return dict(sorted(tensors.items())), card


def resealed(pieces: Pieces) -> bytes:
    """Return a card with the seal and the id that belong to what it says; as it is, where it says nothing."""
    text = pieces["card"]
    try:
        content = json.loads(text)
        card = {key: value for key, value in content["card"].items() if key not in content["volatile"]}
        content["id"] = digest({"kind": content["kind"], "tensors_sha256": content["tensors_sha256"], "card": card})
        content["seal"] = digest({key: value for key, value in content.items() if key != "seal"})
        return json.dumps(content).encode()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return text


def loop() -> bytes:
    state = {"weight": torch.arange(4.0), "step": 3, "rates": [0.1, 0.2], 7: (1, None, "x", float("inf"))}
    return b"".join(seal_value({"step": 3, "parts": {"network": state}, "kept": {"losses": [0.5]}}))


def loop_parts(content: bytes) -> Pieces:
    start = len(MAGIC) + HASH
    end = start + LENGTH + int.from_bytes(content[start : start + LENGTH], "little")
    return {"length": content[start : start + LENGTH], "plain": content[start + LENGTH : end], "tensors": content[end:]}


def loop_whole(parts: Pieces) -> bytes:
    inner = parts["length"] + parts["plain"] + parts["tensors"]
    return MAGIC + hashlib.sha256(inner).digest() + inner


def restored(folder: Path) -> Any:
    found = checkpoint.load(folder / "a.checkpoint")
    if found is None:  # with a warning; the loop starts afresh
        raise BadInput("nothing that can be restored.")
    return found


def unsealed(folder: Path) -> Any:
    return unseal_value((folder / "a.checkpoint").read_bytes(), folder / "a.checkpoint")


TEXT_FORMATS = [
    Format("toml", "a.toml", lambda: {"a.toml": TOML}, toml, our_toml, by_tomllib, share=2),
    Format(
        "beard log",
        "DC_evaluation_log.txt",
        lambda: {"DC_evaluation_log.txt": LOG.encode()},
        lambda folder: read_log(folder / "DC_evaluation_log.txt"),
        our_log,
        by_words,
        share=2,
    ),
    Format(
        "beard configuration",
        "a.json",
        lambda: {"a.json": json.dumps(BEARD).encode()},
        lambda folder: read_config(folder / "a.json"),
        floats(our_config),
        lambda folder: by_json(folder) if our_config(folder) else [],
        share=2,
    ),
    Format("bundle", "a.json", results, lambda folder: read_bundle(folder / "a.json"), as_read, by_json_alone),
    Format(
        "artifact's card",
        CARD,
        zoo_set,
        artifact,
        our_artifact,
        by_safetensors,
        True,
        lambda card: {"card": card},
        resealed,
        2,
    ),
    Format("artifact's tensors", TENSORS, zoo_set, artifact, our_artifact, by_safetensors, True),
    Format(
        "checkpoint of a loop",
        "a.checkpoint",
        lambda: {"a.checkpoint": loop()},
        restored,
        unsealed,
        unsealed,
        True,
        loop_parts,
        loop_whole,
    ),
]

"""Puts BEARD's result logs into the store."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from stillproof.core.safe_name import safe_name
from stillproof.importers.beard_log import FORMAT, AttackLog
from stillproof.store.store import Store

KIND = "attack-log"


@dataclass(frozen=True)
class ImportedLog:
    """A log that is in the store now."""

    artifact: str
    name: str
    path: Path
    cached: bool
    log: AttackLog


def write_logs(store: Store, logs: Sequence[AttackLog]) -> list[ImportedLog]:
    """Write logs to the store: accuracies and seconds as tensors, everything as its card."""
    return [_keep(store, log) for log in logs]


def _keep(store: Store, log: AttackLog) -> ImportedLog:
    measured = torch.tensor([(*one.targeted, *one.untargeted) for one in log.attacks], dtype=torch.float64)
    # (attacks, 2): targeted and untargeted
    tensors = {"accuracy": measured[:, 0::2].contiguous(), "seconds": measured[:, 1::2].contiguous()}
    card = {"format": FORMAT, **dataclasses.asdict(log)}
    card["attacks"] = [dataclasses.asdict(one) | {"transfer": one.transfer} for one in log.attacks]
    artifact = store.artifacts.id_of(KIND, tensors, card)
    cached = store.artifacts.is_sound(artifact)
    name = safe_name(f"{log.method}-{log.dataset}-{log.ipc}ipc-log") + f"-{artifact[:6]}"
    store.keep(KIND, tensors, card, name=name)
    return ImportedLog(artifact, name, store.artifacts.folder(artifact), cached, log)

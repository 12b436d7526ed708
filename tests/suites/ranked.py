"""Answered rows of dd-ranking by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from answered import BROKEN

from stillproof.report.answers import Answered

N_TEST = 360


def ranked(section: str, method: str, ipc: int | None, values: Sequence[float | None], **keys: Any) -> Answered:
    """A row with one accuracy per seed; a seed without one has failed."""
    usual = {"section": section, "scale": "quick", "dataset": "digits", "method": method, "ipc": ipc}
    usual |= {"network": "convnet-1", "home": "convnet-1", "recipe": "quick", "protocol": "fair", "selection": "last"}
    usual |= {"images": "set", "labels": "own", "label_kind": "hard", "augmented": True, "rate": "searched"}
    results = [None if value is None else {"accuracy": value, "n_test": N_TEST, "epoch": 9} for value in values]
    return Answered({**usual, **keys}, results, [BROKEN] * (None in values))


def real(section: str, values: Sequence[float | None], **keys: Any) -> Answered:
    """The row of all real images."""
    return ranked(section, "full", None, values, images="real", labels="hard", **keys)


def sides(
    section: str,
    method: str,
    ipc: int,
    hard: Sequence[float | None],
    own: Sequence[float | None],
    random: Sequence[float | None],
    **keys: Any,
) -> list[Answered]:
    """The three rows of a method beside those of real images."""
    return [
        ranked(section, method, ipc, hard, labels="hard", **keys),
        ranked(section, method, ipc, own, **keys),
        ranked(section, method, ipc, random, images="random", **keys),
    ]

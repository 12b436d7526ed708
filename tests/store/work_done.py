"""Stores with work in them: cells with answers, real artifacts, runs."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from older_schema import downgrade as downgrade
from stillproof.core.spec import Json, digest
from stillproof.store.merge import Merged
from stillproof.store.merge import merge as merge_counted
from stillproof.store.records import NewCell
from stillproof.store.store import Store, open_store

LEASE = 600.0  # seconds


def copied(template: Path, to: Path) -> Store:
    """Open a copy of a store that is closed: making one takes longer."""
    shutil.copy(template, to)
    return open_store(str(to))


def merge(store: Store, other: Store) -> Merged:
    """Merge another store whose stages are not those of this program, so that nothing can be counted again."""
    return merge_counted(store, other, lambda cell: None)


def enter(store: Store, question: Any, needs: Sequence[str] = (), stage: str = "train") -> str:
    """Enter a cell and return its id."""
    spec = {"stage": stage, "asks": question, "needs": list(needs)}
    store.results.put([NewCell(digest(spec), stage, spec, {"dataset": "digits", "flops": 1.0}, needs)])
    return digest(spec)


def make(store: Store, cell: str | None, content: Any, name: str | None = None, **card: Any) -> str:
    """Keep an artifact that ``content`` decides."""
    number = int(digest(content)[:6], 16)
    return store.keep(
        "distilled", {"images": torch.full((50,), float(number))}, {"of": content, **card}, name=name, cell=cell
    )


def answer(store: Store, cell: str, artifacts: Sequence[str] = (), derived: Sequence[str] = (), **result: Any) -> None:
    """Compute a cell."""
    assert store.claims.claim([cell], "me", LEASE) == cell
    store.claims.finish(cell, "me", result, 1.5, {}, artifacts=artifacts, derived_from=derived)


def done(store: Store, question: Any, needs: Sequence[str] = (), content: Any = None, stage: str = "train") -> str:
    """Enter a cell and compute it, with an artifact."""
    cell = enter(store, question, needs, stage)
    made = make(store, cell, content or question)
    answer(store, cell, [made], artifact=made)
    return cell


def asked(store: Store, *cells: str, suite: str = "accuracy", name: str | None = None, **config: Any) -> int:
    """Save a run with one row per cell."""
    rows: list[Json] = [{"method": "dm", "dataset": "digits", "cells": [cell]} for cell in cells]
    return store.results.save_run(suite, config, rows, name=name)

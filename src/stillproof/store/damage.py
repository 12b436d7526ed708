"""Finds answers whose artifacts are lost or cut short, without reading the artifacts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from sqlalchemy import func, select

from stillproof.core.errors import StoreError
from stillproof.store.artifacts import Artifacts
from stillproof.store.database import Database
from stillproof.store.location import ARTIFACTS_VARIABLE
from stillproof.store.schema import artifacts as catalogue


def with_derived(broken: Sequence[str], derived_from: Mapping[str, Sequence[str]]) -> list[str]:
    """Return cells and those whose answers repeat theirs, directly or not."""
    found = dict.fromkeys(broken)
    while more := [c for c, origins in derived_from.items() if c not in found and any(o in found for o in origins)]:
        found |= dict.fromkeys(more)
    return list(found)


def refuse_unreached(database: Database, root: Path) -> None:
    """Raise ``StoreError`` if a folder of artifacts that several machines share holds nothing here, and should.

    On a machine where a shared folder is not mounted, all that it holds would be taken for lost and computed again.
    """
    if any(root.glob("??/")):
        return
    with database.read() as connection:
        known = connection.execute(select(func.count()).select_from(catalogue)).scalar_one()
    if known:
        raise StoreError(
            f"{root} {'is empty' if root.is_dir() else 'is not there'}, and store {database.shown} has {known} "
            f"artifacts: mount it here, or name the folder that they are in with {ARTIFACTS_VARIABLE}."
        )


def damaged(named: Mapping[str, Sequence[str]], expected: Mapping[str, int], artifacts: Artifacts) -> dict[str, str]:
    """Return the cells with an artifact that is not whole, each with the first such artifact.

    Args:
        named: The artifacts of each cell.
        expected: Sizes that the files of tensors had, by artifact, where they are known.
        artifacts: Where they should be.

    Raises:
        StoreError: The whole folder is not there. That is a wrong name or a disk that is not mounted
            rather than damage, and must not cost all answers.
    """
    if any(named.values()) and not artifacts.root.is_dir():
        raise StoreError(
            f"the folder {artifacts.root} of this store's artifacts is not there: put it back, name it with "
            f"{ARTIFACTS_VARIABLE}, or make an empty one to have everything computed again."
        )
    found = {}
    for cell, ids in named.items():
        broken = next((artifact for artifact in ids if not _is_whole(artifact, expected, artifacts)), None)
        if broken is not None:
            found[cell] = broken
    return found


def _is_whole(artifact: str, expected: Mapping[str, int], artifacts: Artifacts) -> bool:
    size = artifacts.tensors_bytes(artifact)
    return size is not None and size == expected.get(artifact, size)

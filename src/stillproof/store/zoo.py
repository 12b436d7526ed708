"""The zoo: distilled sets that come with Stillproof, two files each, beside an index that says what they are."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stillproof.core.errors import Corrupt, StoreError, UnknownName
from stillproof.core.shipped import shipped_folder
from stillproof.core.spec import Json
from stillproof.store.artifact_files import Artifact, check
from stillproof.store.error_sentences import disk_trouble
from stillproof.store.folder_files import CARD, TENSORS

INDEX = "index.json"
SCHEMA = 1
MOST_BYTES = 15_000_000  # of all files together
GET_AGAIN = "get Stillproof again"


@dataclass(frozen=True, slots=True)
class ZooSet:
    """One set.

    Args:
        name: What it is called, here and in a store.
        dataset: The data set that it stands for.
        method: What it was made by.
        ipc: Images per class.
        bytes: The size of its two files.
        licence: Under which it may be handed on.
        source: Who made it, and where it is from.
        command: The command that made it.
        artifact: Its content id.
        sha256: The hashes of its files, by the ends of their names.
    """

    name: str
    dataset: str
    method: str
    ipc: int
    bytes: int
    licence: str
    source: str
    command: str
    artifact: str
    sha256: Mapping[str, str]

    def as_dict(self) -> Json:
        """Return it as JSON values."""
        return dataclasses.asdict(self)


ENDS = {CARD: "json", TENSORS: "safetensors"}  # what the files of an artifact are called here


def zoo_sets(folder: Path | None = None) -> list[ZooSet]:
    """Return the sets of the zoo, by default of the one that comes with Stillproof.

    Raises:
        StoreError: There is none.
        Corrupt: Its index is damaged.
    """
    index = zoo_folder(folder) / INDEX
    with disk_trouble(index):
        text = index.read_text(encoding="utf-8")
    try:
        content = json.loads(text)
        if content["schema"] != SCHEMA:
            raise StoreError(f"{index} is of another version of Stillproof: {GET_AGAIN}.")
        return [ZooSet(**one) for one in content["sets"]]
    except (ValueError, KeyError, TypeError) as error:
        raise Corrupt(f"{index} is damaged: {GET_AGAIN}.") from error


def zoo_set(name: str, folder: Path | None = None) -> ZooSet:
    """Return the set of that name.

    Raises:
        UnknownName: There is none.
    """
    known = {one.name: one for one in zoo_sets(folder)}
    if name not in known:
        raise UnknownName("set of the zoo", name, known)
    return known[name]


def zoo_files(one: ZooSet, folder: Path | None = None) -> tuple[Artifact, dict[str, bytes]]:
    """Return a set and its files as an artifact has them, checked.

    Raises:
        Corrupt: A file is not what the index says.
    """
    root, files = zoo_folder(folder), dict[str, bytes]()
    for file, end in ENDS.items():
        path = root / f"{one.name}.{end}"
        with disk_trouble(path):
            files[file] = path.read_bytes()
        if hashlib.sha256(files[file]).hexdigest() != one.sha256.get(end):
            raise Corrupt(f"{path} is damaged: its content does not match its hash in {INDEX}; {GET_AGAIN}.")
    return check(files, root), files


def zoo_folder(folder: Path | None = None) -> Path:
    """Return the folder of the zoo: the one that is given, or that which comes with Stillproof."""
    found = folder or shipped_folder("zoo")
    if found is None:
        raise StoreError(f"the zoo did not come with this copy of Stillproof: {GET_AGAIN}, from its repository.")
    return found


def write_index(sets: Sequence[ZooSet], folder: Path) -> None:
    """Write the index of a zoo."""
    content = {"schema": SCHEMA, "sets": [one.as_dict() for one in sorted(sets, key=lambda one: one.name)]}
    (folder / INDEX).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")

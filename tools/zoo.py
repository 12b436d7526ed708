"""Adds a distilled set to the zoo: its two files, and its entry in the index.

python -m tools.zoo SET --name NAME --licence LICENCE --source SOURCE --command COMMAND [--store URL]
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

from stillproof.core.data_title import data_title
from stillproof.core.errors import BadInput, StillproofError
from stillproof.core.labels import Taught
from stillproof.sets.artifact import from_artifact
from stillproof.store.artifact_files import Artifact, read_whole
from stillproof.store.store import Store, open_store
from stillproof.store.zoo import ENDS, INDEX, MOST_BYTES, ZooSet, write_index, zoo_sets

ZOO = Path(__file__).parents[1] / "zoo"
UNCLEAR = ("", "none", "unknown", "none stated", "not stated", "?")  # what is no licence to hand something on


def add(store: Store, artifact: str, name: str, licence: str, source: str, command: str, folder: Path) -> ZooSet:
    """Write the files of a set into the zoo, in the place of those of the same name, and its entry into the index.

    Raises:
        BadInput: It may not be handed on, it needs other artifacts, or the zoo would be too large.
    """
    if licence.strip().lower() in UNCLEAR:
        raise BadInput(f"{name} cannot ship without a licence that allows it: name it.")
    card, found = read_whole(store.artifacts.folder(artifact))
    _refuse_parts(card, name)
    files = {end: found[file] for file, end in ENDS.items()}
    one = ZooSet(
        name=name,
        dataset=data_title(card.card["dataset"]),
        method=card.card["method"],
        ipc=card.card["ipc"],
        bytes=sum(map(len, files.values())),
        licence=licence,
        source=source,
        command=command,
        artifact=card.id,
        sha256={end: hashlib.sha256(data).hexdigest() for end, data in files.items()},
    )
    others = [other for other in zoo_sets(folder) if other.name != name] if (folder / INDEX).exists() else []
    total = sum(other.bytes for other in (*others, one))
    if total > MOST_BYTES:
        raise BadInput(f"with {name} the zoo would have {total} bytes, and {MOST_BYTES} are the most.")
    for end, data in files.items():
        (folder / f"{name}.{end}").write_bytes(data)
    write_index([*others, one], folder)
    return one


def _refuse_parts(found: Artifact, name: str) -> None:
    """Refuse what is no set, or one that needs artifacts which are larger than all of the zoo."""
    if found.kind != "distilled":
        raise BadInput(f"{name} is an artifact of kind {found.kind}, and no distilled set.")
    distilled = from_artifact(found.tensors, found.card)
    if distilled.space.kind == "zca" or isinstance(distilled.labels, Taught):
        raise BadInput(f"{name} cannot ship: it needs its whitening or its teachers beside it.")


def main(arguments: Sequence[str] | None = None) -> None:
    """Add a set as the command line says."""
    parser = argparse.ArgumentParser(description="Add a distilled set to the zoo.")
    parser.add_argument("set", help="artifact of the store: name or id")
    for option in ("name", "licence", "source", "command"):
        parser.add_argument(f"--{option}", required=True)
    parser.add_argument("--store")
    given = parser.parse_args(arguments)
    try:
        with open_store(given.store, create=False) as store:
            artifact = store.resolve_artifact(given.set, "distilled")
            one = add(store, artifact, given.name, given.licence, given.source, given.command, ZOO)
    except StillproofError as error:
        sys.exit(f"tools.zoo: {error}")
    sys.stdout.write(f"{one.name}: {one.bytes} bytes, in {ZOO}\n")


if __name__ == "__main__":
    main()

"""The folder that an artifact is: tensors, and a card that is sealed with them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stillproof.core.errors import Corrupt, StoreError
from stillproof.core.plain_reason import plain_reason
from stillproof.core.spec import Json, digest
from stillproof.core.tensor_bytes import from_bytes, to_bytes
from stillproof.store.folder_files import CARD, TENSORS, read_beside, read_regular
from stillproof.store.strict_json import to_text

if TYPE_CHECKING:
    import numpy.typing as npt
    from torch import Tensor

FORMAT = 1
NOT_NAMING = frozenset({"cost", "method", "provenance"})  # keys of a card that its id may leave out
SHOWN = 40  # letters of a key that is refused
_KEYS = {"format", "kind", "id", "tensors_sha256", "volatile", "card", "seal"}


@dataclass(frozen=True, slots=True)
class Artifact:
    """An artifact that was read and checked."""

    id: str
    kind: str
    tensors: dict[str, Tensor]
    card: Json


def seal(
    kind: str, tensors: Mapping[str, Tensor], card: Json, volatile: Collection[str]
) -> tuple[str, dict[str, bytes]]:
    """Return the id of an artifact and the files that it consists of, by name.

    Equal content gives equal files: tensors are written in order of their names, and the id leaves
    out the ``volatile`` keys of the card, which say how the artifact came about.
    """
    card = json.loads(to_text(card, f"the card of this {kind}"))
    data = to_bytes(tensors)
    content: Json = {
        "format": FORMAT,
        "kind": kind,
        "tensors_sha256": hashlib.sha256(data).hexdigest(),
        "volatile": sorted(set(volatile) & card.keys()),
        "card": card,
    }
    content["id"] = _id(content)
    content["seal"] = digest(content)
    text = json.dumps(content, indent=2, sort_keys=True, allow_nan=False) + "\n"
    return content["id"], {TENSORS: data, CARD: text.encode()}


def read_folder(folder: Path) -> Artifact:
    """Read and check an artifact folder, wherever it is.

    Raises:
        Corrupt: A file is missing, or does not hold what it held when it was sealed.
    """
    return check(_read(folder / name for name in (CARD, TENSORS)), folder)


def read_card(folder: Path) -> Json:
    """Return the card of an artifact folder alone, checked; its tensors are not looked at."""
    files = _read([folder / CARD])
    if CARD not in files:
        raise Corrupt(f"{folder / CARD} is missing: get or make the artifact again.")
    return dict(_check_card(files[CARD], folder / CARD)["card"])


def read_whole(folder: Path) -> tuple[Artifact, dict[str, bytes]]:
    """Read and check an artifact folder, wherever it is; return it with the files that belong to its kind, by name.

    Raises:
        Corrupt: As in ``read_folder``.
    """
    files = _read(folder / name for name in (CARD, TENSORS))
    found = check(files, folder)
    return found, files | read_beside(folder, found.kind)


def check(files: Mapping[str, bytes], folder: Path) -> Artifact:
    """Return the artifact that ``files``, read from ``folder``, make up.

    Raises:
        Corrupt: As in ``read_folder``.
    """
    content = _check(files, folder)
    return Artifact(content["id"], content["kind"], from_bytes(files[TENSORS], folder / TENSORS), content["card"])


def read_arrays(folder: Path) -> dict[str, npt.NDArray[Any]]:
    """Read and check the tensors of an artifact folder, as arrays of numpy: reports do without torch.

    Raises:
        Corrupt: As in ``read_folder``.
    """
    return read_sealed(folder)[1]


def read_sealed(folder: Path) -> tuple[Json, dict[str, npt.NDArray[Any]]]:
    """Read and check an artifact folder without torch: all that is sealed with its card, and its tensors as arrays.

    Raises:
        Corrupt: As in ``read_folder``.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load

    files = _read(folder / name for name in (CARD, TENSORS))
    content = _check(files, folder)
    try:
        return content, load(files[TENSORS])
    except (SafetensorError, ValueError, KeyError) as error:
        raise Corrupt(
            f"{folder / TENSORS} does not hold arrays ({plain_reason(error)}): get or make it again."
        ) from error


def _check(files: Mapping[str, bytes], folder: Path) -> Json:
    """Return the content of the card, if card and tensors are what was sealed."""
    for name in (CARD, TENSORS):
        if name not in files:
            raise Corrupt(f"{folder / name} is missing: get or make the artifact again.")
    content = _check_card(files[CARD], folder / CARD)
    if hashlib.sha256(files[TENSORS]).hexdigest() != content["tensors_sha256"]:
        raise Corrupt(
            f"{folder / TENSORS} is corrupt: its content does not match the hash in {CARD}; get or make it again."
        )
    return content


def _read(paths: Iterable[Path]) -> dict[str, bytes]:
    files = {}
    for path in paths:
        data = read_regular(path)
        if data is not None:
            files[path.name] = data
    return files


def _check_card(data: bytes, path: Path) -> Json:
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Corrupt(f"{path} is corrupt: it is not JSON; get or make the artifact again.") from error
    if isinstance(content, dict) and isinstance(content.get("format"), int) and content["format"] > FORMAT:
        raise StoreError(
            f"{path} has format {content['format']}, of a newer version of Stillproof: upgrade Stillproof."
        )
    if isinstance(content, dict) and isinstance(content.get("volatile"), list):
        for key in content["volatile"]:
            if (
                not isinstance(key, str) or key not in NOT_NAMING
            ):  # else two cards that say different things could have one id
                raise Corrupt(
                    f"{path} is corrupt: its id leaves out {str(key)[:SHOWN]!r}; get or make the artifact again."
                )
    if not _holds(content):
        raise Corrupt(f"{path} is corrupt: its content does not match its seal; get or make the artifact again.")
    return dict(content)


def _holds(content: Any) -> bool:
    """Say whether ``content`` is a card as ``seal`` writes it."""
    if not isinstance(content, dict) or content.keys() != _KEYS:
        return False
    if not (isinstance(content["card"], dict) and isinstance(content["kind"], str)):
        return False
    if not (isinstance(content["volatile"], list) and all(isinstance(key, str) for key in content["volatile"])):
        return False
    try:
        sealed = digest({key: value for key, value in content.items() if key != "seal"})
        return bool(content["seal"] == sealed and content["id"] == _id(content))
    except ValueError:  # JSON's strict form has no NaN
        return False


def _id(content: Json) -> str:
    card = {key: value for key, value in content["card"].items() if key not in content["volatile"]}
    return digest({"kind": content["kind"], "tensors_sha256": content["tensors_sha256"], "card": card})

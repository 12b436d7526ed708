"""Writes attacked sets in MAD's folder layout, a folder of pictures for each attack; it appears whole or not at all."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from stillproof.core.errors import BadInput
from stillproof.core.mad_attacks import number_of
from stillproof.core.safe_name import safe_name
from stillproof.importers.mad_folder import SPLITS


def attack_folders(called: Sequence[str]) -> dict[str, str]:
    """Return the folder of each attack: MAD's number, or a name that is made of what the attack is called."""
    found: dict[str, str] = {}
    for one in called:
        number = number_of(one)
        name = usual = str(number) if number is not None else safe_name(one) or "attack"
        count = 1
        while name in found.values():
            count += 1
            name = f"{usual}-{count}"
        found[one] = name
    return found


@contextlib.contextmanager
def appearing_folder(out: Path) -> Iterator[Path]:
    """Give a folder to write into, which becomes ``out`` at the end; what a killed writer left of it goes first.

    Raises:
        BadInput: Something is there already.
    """
    out = out.resolve()
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise BadInput(f"{out} is {'not empty' if out.is_dir() else 'no folder'}: name another one.")
    partial = out.with_name(f".{out.name}.partial")
    if partial.exists():
        shutil.rmtree(partial)
    partial.mkdir(parents=True)
    try:
        yield partial
        partial.replace(out)
    finally:
        if partial.exists():
            shutil.rmtree(partial)


def write_attack(folder: Path, arrays: Mapping[str, npt.NDArray[np.generic]]) -> None:
    """Write the images of an attacked set as ``<split>/<class>/<class>_<n>.png``."""
    written: dict[tuple[int, int], int] = {}
    for pixels, label, role in zip(arrays["images"], arrays["labels"].tolist(), arrays["roles"].tolist(), strict=True):
        number = written.get((role, label), 0)
        written[role, label] = number + 1
        place = folder / SPLITS[role] / str(label) / f"{label}_{number}.png"
        if not number:
            place.parent.mkdir(parents=True)
        Image.fromarray(pixels[0] if len(pixels) == 1 else pixels.transpose(1, 2, 0)).save(place, format="PNG")

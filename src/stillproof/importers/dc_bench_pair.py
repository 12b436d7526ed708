"""Sets of chosen real images in DC-Bench's form: two files, one of images and one of labels."""

from __future__ import annotations

import re
from pathlib import Path

from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo
from stillproof.importers.foreign_set import OWN, ForeignSet
from stillproof.importers.read_images import guess_space
from stillproof.importers.read_labels import read_labels
from stillproof.importers.torch_file import load_tensor

FILE = re.compile(r"(?P<stem>.+_IPC\d+(?:_normalize)?)_(?:images|labels)\.pt", re.IGNORECASE)


class DcBenchPair:
    """Either file, with the other one beside it."""

    name = "chosen"

    def recognises(self, path: Path) -> str:
        """Look at the name."""
        return "a file of a pair _images.pt and _labels.pt" if FILE.fullmatch(path.name) and path.is_file() else ""

    def read(self, path: Path, info: DataInfo) -> list[ForeignSet]:
        """Read both files; labels are whole numbers, stored as floats."""
        named = FILE.fullmatch(path.name)
        if named is None:
            raise BadInput(f"{path} is not called ..._IPC10_images.pt or ..._IPC10_labels.pt.")
        files = [path.with_name(f"{named['stem']}_{part}.pt") for part in ("images", "labels")]
        for file in files:
            if not file.is_file():
                raise BadInput(f"{file} is missing: it belongs to {path.name}.")
        images = load_tensor(files[0])
        labels, about_labels = read_labels(load_tensor(files[1]), files[1].name)
        space, about_space = guess_space(images, files[0].name)
        method = _method(path.absolute().parent.name.lower())
        about = f"method {method}, from the folder's name" if method != OWN else "no method in the folder's name"
        return [
            ForeignSet(
                images, labels, space, method=method, found=(about, about_space, about_labels), files=tuple(files)
            )
        ]


def _method(folder: str) -> str:
    if "kmeans" in folder or "center" in folder:
        return "k-center"
    return "random" if "random" in folder else OWN

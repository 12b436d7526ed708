"""What people call a data set: its name or, for pictures of their own, that of the folder."""

from __future__ import annotations

import re
from pathlib import Path

from stillproof.core.components import datasets
from stillproof.core.reference import parse_reference


def own_folder(reference: str) -> str:
    """Return the folder of a reference to pictures of one's own, without parameters: of ``leaves:split=0.2``, leaves.

    There may be other colons in a path.
    """
    return re.split(r"[:(]\w+=", reference, maxsplit=1)[0]


def data_title(reference: str) -> str:
    """Return what a reference to a data set is called; the files need not be there."""
    name = reference.partition(":")[0].partition("(")[0]
    if name not in datasets.entries():
        return _last_part(own_folder(reference))
    _, params = parse_reference(reference)
    if name == "resized" and params.keys() >= {"of", "size"}:
        return f"{data_title(params['of'])}-{params['size']}"
    return _last_part(params["path"]) if "path" in params else name


def _last_part(path: str) -> str:
    return Path(path).expanduser().resolve().name or path

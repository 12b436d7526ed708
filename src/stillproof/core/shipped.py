"""Files that come with Stillproof and are no part of its code: results, and a zoo of distilled sets."""

from __future__ import annotations

import sysconfig
from pathlib import Path
from typing import Literal

from stillproof.core.lock import ROOT

Shipped = Literal["results", "zoo"]


def shipped_folder(what: Shipped) -> Path | None:
    """Return the folder of these files, in the repository or where a wheel has put them; nothing if it is not there."""
    repository = ROOT.parents[1]
    in_repository = ROOT.parent.name == "src" and (repository / "pyproject.toml").is_file()
    folder = repository / what if in_repository else Path(sysconfig.get_path("data"), "share", "stillproof", what)
    return folder if folder.is_dir() else None


def shipped_results() -> dict[str, Path]:
    """Return the bundles of results that come with Stillproof, by name."""
    folder = shipped_folder("results")
    return {} if folder is None else {path.stem: path for path in sorted(folder.glob("*.json"))}

"""What an importer finds in a third-party file, before it becomes a distilled set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.types import DataInfo, Labels
from stillproof.sets.reported import Reported

MOST_EXPERIMENTS = 1000  # of one file; a few bytes can name the same one without end
OWN = "own"  # the method of a set that nobody is known to have published


@dataclass(frozen=True)
class ForeignSet:
    """One distilled set of a file; a file with several experiments has several.

    Args:
        images: (N, C, H, W) floats in ``space``.
        labels: Hard or soft labels.
        space: What the numbers are; ``normalised`` is with ``mean`` and ``std``.
        mean: Of [0, 1] pixels, one per channel; the data set's own if empty.
        std: Likewise.
        whitening: Which whitening made a ``zca`` space: the usual one, ``kip``, that of KIP's authors, or
            ``normalised``, that of DataDAM's.
        decode: Whether each image holds four.
        method: Who made it, as far as the file or its name says; else the user's own.
        recipe: Name of the recipe that its author trains with; the default recipe if empty.
        recipe_params: Parameters of that recipe, such as a learned ``lr``.
        found: What was read out of the file and why it is taken that way, one sentence each.
        files: The files that were read, the images first; without them, the path itself or all that is below it.
        reported: Test accuracies that the file reports.
    """

    images: Tensor
    labels: Labels
    space: Literal["pixels", "normalised", "zca"]
    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()
    whitening: Literal["usual", "kip", "normalised"] = "usual"
    decode: Literal["none", "grid2x2"] = "none"
    method: str = OWN
    recipe: str = ""
    recipe_params: Mapping[str, Any] = field(default_factory=dict)
    found: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    reported: tuple[Reported, ...] = ()


class Importer(Protocol):
    """Reads one format."""

    name: str  # as ``--format`` takes it

    def recognises(self, path: Path) -> str:
        """Return why ``path`` looks like this format; nothing, if it does not. Reads one file at most."""
        ...

    def read(self, path: Path, info: DataInfo) -> list[ForeignSet]:
        """Return the experiments of the file; ``BadInput`` with one sentence if it is broken."""
        ...


def check_count(path: Path, count: int) -> None:
    """Refuse a file of more experiments than anybody makes."""
    if count > MOST_EXPERIMENTS:
        raise BadInput(f"{path} is refused: it holds {count} experiments, and {MOST_EXPERIMENTS} are the most.")


def is_file(path: Path, *endings: str) -> bool:
    """Say whether ``path`` is a file whose name ends in one of ``endings``, in small letters or capitals."""
    return path.suffix.lower() in endings and path.is_file()

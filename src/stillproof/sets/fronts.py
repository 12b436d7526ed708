"""The maps from pixels into the spaces that distilled sets live in, with their whitenings read from the store."""

from __future__ import annotations

from pathlib import Path

import torch

from stillproof.core.errors import BadInput
from stillproof.core.types import Space
from stillproof.store.artifact_files import Artifact, read_folder
from stillproof.store.store import Store
from stillproof.transforms.front import Front
from stillproof.transforms.kip_zca import KipZCA
from stillproof.transforms.normalised_zca import NormalisedZCA
from stillproof.transforms.space import make_front
from stillproof.transforms.zca import ZCA

WHITENINGS: dict[str, type[ZCA]] = {"usual": ZCA, "kip": KipZCA, "normalised": NormalisedZCA}
BESIDE = "zca"  # folder of the whitening in that of an exported set
PROBES, APART = 4, 0.05  # random images that go there and back, and how far off they may be: rounding takes 0.001


def front_of(space: Space, store: Store, beside: Path | None = None) -> Front:
    """Return the map from pixels into a space.

    Args:
        space: The space.
        store: Where its whitening is, if it has one.
        beside: Folder of an exported set, which may have brought its whitening along.

    Raises:
        BadInput: What is named as its whitening is none.
    """
    if space.kind != "zca":
        return make_front(space)
    here = beside / BESIDE if beside else None
    found = read_folder(here) if here and (here / "card.json").is_file() else None
    return make_front(space, _whitening(found if found and found.id == space.ref else store.artifacts.read(space.ref)))


def _whitening(found: Artifact) -> ZCA:
    """Build a whitening, unless it is none: whoever seals a set seals the whitening beside it, too."""
    kind = WHITENINGS.get(str(found.card.get("variant", "usual")))
    refused = f"artifact {found.id[:12]} is no whitening that this version can read"
    if found.kind != "zca" or kind is None:
        raise BadInput(f"{refused}: it is of kind {found.kind[:40]!r}.")
    fitting = kind.__init__.__annotations__.keys() - {"return"}
    if found.tensors.keys() != fitting:
        raise BadInput(f"{refused}: it needs the tensors {', '.join(sorted(fitting))}.")
    matrix, inverse = found.tensors["matrix"], found.tensors["inverse_matrix"]
    square = matrix.ndim == 2 and matrix.shape == inverse.shape == (len(matrix), len(matrix))
    sound = all(one.dtype == torch.float32 and bool(one.isfinite().all()) for one in found.tensors.values())
    if not (square and sound):
        raise BadInput(f"{refused}: its matrices are not square, or its values are no finite numbers.")
    # Pictures and checks go back to pixels by the one matrix, and networks see images by the other.
    probes = torch.randn(PROBES, len(matrix), generator=torch.Generator().manual_seed(0))
    apart = ((probes @ inverse) @ matrix - probes).square().mean().sqrt()
    if not float(apart) < APART:
        raise BadInput(f"{refused}: its way back to pixels does not undo its way there.")
    return kind(**found.tensors)

"""The maps from pixels into the spaces that distilled sets live in, with their whitenings read from the store."""

from __future__ import annotations

from stillproof.core.types import Space
from stillproof.store.store import Store
from stillproof.transforms.front import Front
from stillproof.transforms.kip_zca import KipZCA
from stillproof.transforms.normalised_zca import NormalisedZCA
from stillproof.transforms.space import make_front
from stillproof.transforms.zca import ZCA

WHITENINGS: dict[str, type[ZCA]] = {"usual": ZCA, "kip": KipZCA, "normalised": NormalisedZCA}


def front_of(space: Space, store: Store) -> Front:
    """Return the map from pixels into a space."""
    if space.kind != "zca":
        return make_front(space)
    found = store.artifacts.read(space.ref)
    return make_front(space, WHITENINGS[found.card.get("variant", "usual")](**found.tensors))

"""The home network: the one that methods distil with and that is trained, where nobody names another."""

from __future__ import annotations

import math

HOME = "home"
HOME_BN = "home-bn"  # with batch norms, which teachers have
LAST_MAP = 4  # pixels of the last feature map, as the field's networks have it


def home_network(size: int) -> str:
    """Return the ConvNet that halves images of ``size`` pixels until about 4 x 4 are left.

    That is one block for 8 pixels, three for 28 and 32, four for 64 and five for 128: what the papers use.
    """
    return f"convnet-{max(1, round(math.log2(size / LAST_MAP)))}"


def network_called(reference: str, size: int) -> str:
    """Return the network that a reference means for images of ``size`` pixels: ``home`` is another for each."""
    if reference == HOME_BN:
        return f"{home_network(size)}-bn"
    return home_network(size) if reference == HOME else reference

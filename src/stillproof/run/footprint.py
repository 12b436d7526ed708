"""What a cell takes besides time, in bytes: memory at its peak, beside the process itself, and space on the disk."""

from __future__ import annotations

from stillproof.core.types import DataInfo
from stillproof.nets.network_size import NetworkSize

VALUE = 4  # bytes of a float32
# Measured for ConvNet-3 on CIFAR-10, with and without a backward pass: what is kept, and about as much again for
# gradients, copies and the convolutions' own work.
SPARE = 2
COPIES = 4  # of a network's weights while it is trained: gradients, momentum, and those that are kept
ARTIFACT = 10_000  # an artifact's card, page and folder
PICTURES = 1.25  # a set with its preview


def training_memory(size: NetworkSize, images: float) -> float:
    """Return what it takes to bring ``images`` through a network and back again, all at once."""
    return float(SPARE * VALUE * size.kept * images + COPIES * weights_bytes(size))


def looking_memory(size: NetworkSize, images: float) -> float:
    """Return what it takes to bring ``images`` through a network, all at once, and no further."""
    return float(SPARE * VALUE * size.widest * images + weights_bytes(size))


def weights_bytes(size: NetworkSize) -> float:
    """Return the bytes of a network."""
    return float(VALUE * size.values)


def set_disk(info: DataInfo, ipc: int) -> float:
    """Return what a distilled set takes in the store, with its pictures."""
    return PICTURES * VALUE * info.channels * info.size**2 * info.num_classes * ipc + ARTIFACT

"""A tree of named random streams: every draw comes from the cell's seed by name, never from a global generator."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import torch


@dataclass(frozen=True, slots=True)
class Seeds:
    """One node of the tree.

    A stream is a pure function of its path, so a loop that takes ``seeds.child("batch", step)`` needs no
    generator state in its checkpoint: step 700 draws the same numbers whether or not steps 0 to 699 ran here.
    """

    root: int
    path: tuple[str | int, ...] = ()

    def child(self, *names: str | int) -> Seeds:
        """Return the node below this one that is reached by ``names``."""
        # numpy's integers print differently from Python's, and differently from version to version.
        return Seeds(self.root, self.path + tuple(name if isinstance(name, str) else int(name) for name in names))

    def integer(self) -> int:
        """Return this node's own seed, 63 bits."""
        text = repr((self.root, *self.path)).encode()
        return int.from_bytes(hashlib.sha256(text).digest()[:8], "big") >> 1

    def torch(self) -> torch.Generator:
        """Return a new generator at the start of this stream.

        It lives on the CPU, so that the same draws reach every device.
        """
        import torch

        return torch.Generator().manual_seed(self.integer())

    def numpy(self) -> np.random.Generator:
        """Return a new numpy generator at the start of this stream."""
        import numpy as np

        return np.random.default_rng(self.integer())

    @contextlib.contextmanager
    def lent_to_torch(self, device: str = "cpu") -> Iterator[None]:
        """Run a block with torch's global generators (the CPU's and the device's) in this stream, then put them back.

        For modules that can draw from nowhere else: dropout, and the initialisation of layers.
        """
        import torch

        gpus = [torch.device(device)] if device.startswith("cuda") else []
        with torch.random.fork_rng(devices=gpus):
            torch.default_generator.manual_seed(self.integer())
            for gpu in gpus:
                with torch.cuda.device(gpu):
                    torch.cuda.manual_seed(self.integer())
            yield

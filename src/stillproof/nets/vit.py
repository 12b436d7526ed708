"""ViT: a small vision transformer on square patches."""

from __future__ import annotations

import math
from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn import functional as F

from stillproof.core.components import networks
from stillproof.nets.body import Body
from stillproof.nets.vit_blocks import Embedding, TransformerLayer


@networks.register("vit", version=1, paper="arXiv:2010.11929")
@dataclass(frozen=True)
class ViT:
    """Pre-norm transformer layers on patches, read at the class token.

    Patches are 4 px wide, doubled until there are at most 16 per side and halved until there are at least 4: 2 px for
    8 px images, 4 px for 28, 32 and 64, 16 px for 224. An image that is not a whole number of patches is padded with
    zeros below and on the right.

    Args:
        width: Length of a token.
        depth: Number of layers.
        heads: Attention heads of a layer.
        head_width: Length of a head's keys, queries and values.
        hidden: Units of a layer's feed-forward part.
        dropout: Share of values dropped after the embedding and in every layer.
    """

    width: int = 512
    depth: int = 6
    heads: int = 8
    head_width: int = 64
    hidden: int = 512
    dropout: float = 0.1

    def __post_init__(self) -> None:
        """Refuse sizes that make no network."""
        for name in ("width", "depth", "heads", "head_width", "hidden"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, not {getattr(self, name)}")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must be at least 0 and below 1, not {self.dropout}")

    def build(self, channels: int, size: int, num_classes: int) -> Body:
        """Return the network in its default initialisation."""
        return ViTBody(self, channels, size, num_classes)


def patch_size(size: int) -> int:
    """Return the patch width for images of ``size`` pixels."""
    patch = 4
    while math.ceil(size / patch) > 16:
        patch *= 2
    while math.ceil(size / patch) < 4 and patch > 1:
        patch //= 2
    return patch


class ViTBody(Body):
    """Patch embedding, transformer layers, and a layer norm on the class token."""

    def __init__(self, config: ViT, channels: int, size: int, num_classes: int) -> None:
        super().__init__()
        patch = patch_size(size)
        side = math.ceil(size / patch)
        self.margin = side * patch - size
        self.embedding = Embedding(channels, patch, side * side, config.width, config.dropout)
        self.layers = nn.Sequential(
            *(
                TransformerLayer(config.width, config.heads, config.head_width, config.hidden, config.dropout)
                for _ in range(config.depth)
            )
        )
        self.norm = nn.LayerNorm(config.width)
        self.classifier = nn.Linear(config.width, num_classes)

    def features(self, images: Tensor) -> Tensor:
        """Return the normalised class token."""
        tokens: Tensor = self.layers(self.embedding(F.pad(images, (0, self.margin, 0, self.margin))))
        token: Tensor = self.norm(tokens[:, 0])
        return token

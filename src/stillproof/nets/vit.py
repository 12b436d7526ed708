"""ViT: a small vision transformer on square patches."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from stillproof.core.components import networks
from stillproof.nets.body import Body


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

    best_as_it_is = True

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


class Embedding(nn.Module):
    """Patches as tokens, with a class token in front and a learned position added to each."""

    def __init__(self, channels: int, patch: int, patches: int, width: int, dropout: float) -> None:
        super().__init__()
        self.patch = patch
        self.project = nn.Linear(channels * patch * patch, width)
        self.class_token = nn.Parameter(torch.empty(1, 1, width))
        self.position = nn.Parameter(torch.empty(1, patches + 1, width))
        self.dropout = nn.Dropout(dropout)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the class token and the positions; the projection draws its own weights."""
        nn.init.normal_(self.class_token)
        nn.init.normal_(self.position)

    def forward(self, images: Tensor) -> Tensor:
        """Return the tokens (N, patches + 1, width)."""
        patches = F.unfold(images, self.patch, stride=self.patch).transpose(1, 2)
        tokens = torch.cat([self.class_token.expand(len(images), -1, -1), self.project(patches)], dim=1)
        embedded: Tensor = self.dropout(tokens + self.position)
        return embedded


class Attention(nn.Module):
    """Multi-head self-attention after a layer norm."""

    def __init__(self, width: int, heads: int, head_width: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.scale = head_width**-0.5
        self.norm = nn.LayerNorm(width)
        self.queries_keys_values = nn.Linear(width, 3 * heads * head_width, bias=False)
        self.output = nn.Sequential(nn.Linear(heads * head_width, width), nn.Dropout(dropout))

    def forward(self, tokens: Tensor) -> Tensor:
        """Return what every token gathers from all tokens."""
        # (N, T, 3 * heads * d) -> three of (N, heads, T, d)
        mixed: Tensor = self.queries_keys_values(self.norm(tokens))
        queries, keys, values = mixed.reshape(*tokens.shape[:2], 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        # Written out because the fused CPU kernel has no second derivative, which gradient matching needs.
        weights = (queries @ keys.transpose(-1, -2) * self.scale).softmax(-1)
        gathered: Tensor = self.output((weights @ values).transpose(1, 2).flatten(2))
        return gathered


class TransformerLayer(nn.Module):
    """Attention, then a feed-forward part, each added to its input."""

    def __init__(self, width: int, heads: int, head_width: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.attention = Attention(width, heads, head_width, dropout)
        self.feed_forward = nn.Sequential(
            nn.LayerNorm(width),
            nn.Linear(width, hidden),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(hidden, width),
            nn.Dropout(dropout),
        )

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the changed tokens."""
        tokens = tokens + self.attention(tokens)
        changed: Tensor = tokens + self.feed_forward(tokens)
        return changed

"""The parts of a vision transformer: patch embedding and transformer layer."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F


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

"""Square windows, somewhere in each image."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Windows:
    """One window per image.

    Args:
        inside: Which pixels lie in it, (N, 1, H, W).
        rows: How far below its upper side each line of pixels lies, (N, H).
        columns: How far right of its left side each column lies, (N, W).
    """

    inside: Tensor
    rows: Tensor
    columns: Tensor


def windows(draws: Tensor, side: int, height: int, width: int) -> Windows:
    """Place windows by draws from [0, 1), (N, 2); any place is as likely as any other."""
    spaces = torch.tensor([height - side + 1, width - side + 1], device=draws.device)
    top, left = (draws * spaces).floor().long().unsqueeze(2).unbind(1)
    rows = torch.arange(height, device=draws.device) - top
    columns = torch.arange(width, device=draws.device) - left
    inside = ((rows >= 0) & (rows < side)).unsqueeze(2) & ((columns >= 0) & (columns < side)).unsqueeze(1)
    return Windows(inside.unsqueeze(1), rows, columns)


def signs(draws: Tensor) -> Tensor:
    """Return -1 or 1 for each draw from [0, 1)."""
    return 1 - 2 * (draws < 0.5).float()

from __future__ import annotations

import math

import torch
from torch.nn import functional as F

from stillproof.transforms import dsa_ops

IMAGES = torch.arange(2 * 3 * 6 * 6, dtype=torch.float32).view(2, 3, 6, 6)


def test_a_quarter_turn_is_anticlockwise() -> None:
    turned = dsa_ops.rotate(IMAGES, torch.tensor([math.pi / 2]))
    torch.testing.assert_close(turned, torch.rot90(IMAGES, 1, (2, 3)), rtol=0, atol=1e-3)


def test_twice_the_width_shows_zeros_on_both_sides() -> None:
    shrunk = dsa_ops.scale(IMAGES + 1, torch.tensor([2.0]), torch.tensor([1.0]))
    # Pixel centres of one output pixel lie between two input pixels: bilinear reading takes their mean.
    middle = (IMAGES + 1).view(2, 3, 6, 3, 2).mean(4)
    torch.testing.assert_close(shrunk[..., 2:4], middle[..., 1:2].expand(-1, -1, -1, 2) + torch.tensor([-1.0, 1.0]))
    assert shrunk[..., 0].abs().max() == 0 and shrunk[..., -1].abs().max() == 0


def test_whether_corners_are_aligned_makes_no_difference() -> None:
    """DD-Ranking aligns them and DSA's authors do not: about the centre of a square, the same pixels are read."""
    images = torch.randn(8, 3, 32, 32, generator=torch.Generator().manual_seed(0))
    angle, zero = torch.linspace(-0.26, 0.26, 8), torch.zeros(8)
    across, down = torch.linspace(0.83, 1.2, 8), torch.linspace(1.2, 0.83, 8)
    turned = [[angle.cos(), -angle.sin(), zero], [angle.sin(), angle.cos(), zero]]
    scaled = [[across, zero, zero], [zero, down, zero]]
    for ours, rows in ((dsa_ops.rotate(images, angle), turned), (dsa_ops.scale(images, across, down), scaled)):
        maps = torch.stack([torch.stack(row, dim=-1) for row in rows], dim=1)
        grid = F.affine_grid(maps, list(images.shape), align_corners=True)
        torch.testing.assert_close(F.grid_sample(images, grid, align_corners=True), ours, rtol=0, atol=1e-4)


def test_parameters_are_read_image_by_image() -> None:
    moved = dsa_ops.shift(IMAGES, torch.tensor([0, 1]), torch.tensor([-1, 0]))
    assert torch.equal(moved[0, :, :, 1:], IMAGES[0, :, :, :-1]) and moved[0, :, :, 0].abs().sum() == 0
    assert torch.equal(moved[1, :, :-1], IMAGES[1, :, 1:]) and moved[1, :, -1].abs().sum() == 0
    cut = dsa_ops.cut_out(IMAGES + 1, torch.tensor([0, -1]), torch.tensor([0, 4]), 2, 3)
    assert torch.equal((cut[0, 0] == 0).nonzero(), torch.tensor([[r, c] for r in range(2) for c in range(3)]))
    assert torch.equal((cut[1, 0] == 0).nonzero(), torch.tensor([[0, 4], [0, 5]]))
    flipped = dsa_ops.flip(IMAGES, torch.tensor([True, False]))
    assert torch.equal(flipped[0], IMAGES[0].flip(2)) and torch.equal(flipped[1], IMAGES[1])


def test_a_shift_beyond_the_image_shows_nothing() -> None:
    assert dsa_ops.shift(IMAGES + 1, torch.tensor([7]), torch.tensor([0])).abs().max() == 0

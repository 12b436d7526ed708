"""The residual blocks of a ResNet, and stages of them."""

from __future__ import annotations

from typing import ClassVar

from torch import Tensor, nn
from torch.nn import functional as F

from stillproof.nets.norms import Norm, make_norm


def behind_stride(size: int, stride: int) -> int:
    """Return the size of a map after a padded convolution or pool with this stride."""
    return -(-size // stride)


def make_stages(
    block: type[BasicBlock] | type[Bottleneck], counts: tuple[int, ...], norm: Norm, size: int
) -> list[nn.Sequential]:
    """Return the stages for maps of (64, size, size): each doubles the width and, from the second on, halves the size.

    Args:
        block: Kind of block.
        counts: Blocks of each stage.
        norm: Normalisation after every convolution.
        size: Size of the maps that enter.
    """
    stages: list[nn.Sequential] = []
    inputs = 64
    for stage, count in enumerate(counts):
        blocks: list[nn.Module] = []
        for number in range(count):
            stride = 2 if stage > 0 and number == 0 else 1
            blocks.append(block(inputs, 64 * 2**stage, stride, norm, size))
            inputs, size = 64 * 2**stage * block.expansion, behind_stride(size, stride)
        stages.append(nn.Sequential(*blocks))
    return stages


class BasicBlock(nn.Module):
    """Two 3x3 convolutions beside a shortcut."""

    expansion: ClassVar[int] = 1

    def __init__(self, inputs: int, width: int, stride: int, norm: Norm, size: int) -> None:
        super().__init__()
        behind = behind_stride(size, stride)
        self.conv1 = nn.Conv2d(inputs, width, kernel_size=3, stride=stride, padding=1, bias=False)
        self.bn1 = make_norm(norm, width, behind)
        self.conv2 = nn.Conv2d(width, width, kernel_size=3, padding=1, bias=False)
        self.bn2 = make_norm(norm, width, behind)
        self.shortcut = _shortcut(inputs, width, stride, norm, behind)

    def forward(self, maps: Tensor) -> Tensor:
        """Return the changed maps."""
        changed = F.relu(self.bn1(self.conv1(maps)))
        return F.relu(self.bn2(self.conv2(changed)) + self.shortcut(maps))


class Bottleneck(nn.Module):
    """A 3x3 convolution between two 1x1 ones, beside a shortcut."""

    expansion: ClassVar[int] = 4

    def __init__(self, inputs: int, width: int, stride: int, norm: Norm, size: int) -> None:
        super().__init__()
        behind = behind_stride(size, stride)
        outputs = width * self.expansion
        self.conv1 = nn.Conv2d(inputs, width, kernel_size=1, bias=False)
        self.bn1 = make_norm(norm, width, size)
        self.conv2 = nn.Conv2d(width, width, kernel_size=3, stride=stride, padding=1, bias=False)
        self.bn2 = make_norm(norm, width, behind)
        self.conv3 = nn.Conv2d(width, outputs, kernel_size=1, bias=False)
        self.bn3 = make_norm(norm, outputs, behind)
        self.shortcut = _shortcut(inputs, outputs, stride, norm, behind)

    def forward(self, maps: Tensor) -> Tensor:
        """Return the changed maps."""
        changed = F.relu(self.bn1(self.conv1(maps)))
        changed = F.relu(self.bn2(self.conv2(changed)))
        return F.relu(self.bn3(self.conv3(changed)) + self.shortcut(maps))


def _shortcut(inputs: int, outputs: int, stride: int, norm: Norm, size: int) -> nn.Sequential:
    if stride == 1 and inputs == outputs:
        return nn.Sequential()
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel_size=1, stride=stride, bias=False), make_norm(norm, outputs, size)
    )

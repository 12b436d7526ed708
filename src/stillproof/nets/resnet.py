"""ResNet in its small-image form (3x3 stem, no first pool) and its ImageNet form (7x7 stride-2 stem and max pool)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from torch import Tensor, nn
from torch.nn import functional as F

from stillproof.core.components import networks
from stillproof.nets.body import Body
from stillproof.nets.norms import make_norm
from stillproof.nets.resnet_blocks import BasicBlock, Bottleneck, behind_stride, make_stages

DEPTHS: dict[int, tuple[type[BasicBlock] | type[Bottleneck], tuple[int, ...]]] = {
    18: (BasicBlock, (2, 2, 2, 2)),
    34: (BasicBlock, (3, 4, 6, 3)),
    50: (Bottleneck, (3, 4, 6, 3)),
    101: (Bottleneck, (3, 4, 23, 3)),
    152: (Bottleneck, (3, 8, 36, 3)),
}


@networks.register(
    "resnet",
    version=1,
    paper="arXiv:1512.03385",
    names={
        "resnet-18": {"depth": 18},
        "resnet-34": {"depth": 34},
        "resnet-50": {"depth": 50},
        "resnet-101": {"depth": 101},
        "resnet-152": {"depth": 152},
        "resnet-18-bn": {"depth": 18, "norm": "batch"},
        "resnet-34-bn": {"depth": 34, "norm": "batch"},
        "resnet-50-bn": {"depth": 50, "norm": "batch"},
        "resnet-101-bn": {"depth": 101, "norm": "batch"},
        "resnet-152-bn": {"depth": 152, "norm": "batch"},
        "resnet-18-imagenet": {"depth": 18, "stem": "imagenet"},
        "resnet-34-imagenet": {"depth": 34, "stem": "imagenet"},
        "resnet-50-imagenet": {"depth": 50, "stem": "imagenet"},
        "resnet-101-imagenet": {"depth": 101, "stem": "imagenet"},
        "resnet-152-imagenet": {"depth": 152, "stem": "imagenet"},
        "resnet-18-bn-imagenet": {"depth": 18, "norm": "batch", "stem": "imagenet"},
        "resnet-34-bn-imagenet": {"depth": 34, "norm": "batch", "stem": "imagenet"},
        "resnet-50-bn-imagenet": {"depth": 50, "norm": "batch", "stem": "imagenet"},
        "resnet-101-bn-imagenet": {"depth": 101, "norm": "batch", "stem": "imagenet"},
        "resnet-152-bn-imagenet": {"depth": 152, "norm": "batch", "stem": "imagenet"},
    },
)
@dataclass(frozen=True)
class ResNet:
    """Four stages of residual blocks, a global average pool and one linear layer.

    Args:
        depth: 18, 34, 50, 101 or 152 layers.
        norm: Normalisation after every convolution.
        stem: First layers, for small images or as for ImageNet.
    """

    depth: int = 18
    norm: Literal["instance", "batch"] = "instance"
    stem: Literal["small", "imagenet"] = "small"

    def __post_init__(self) -> None:
        """Refuse depths that no paper defines."""
        if self.depth not in DEPTHS:
            raise ValueError(f"depth must be one of {', '.join(map(str, DEPTHS))}, not {self.depth}")

    def build(self, channels: int, size: int, num_classes: int) -> Body:
        """Return the network in its default initialisation."""
        return ResNetBody(self, channels, size, num_classes)


class ResNetBody(Body):
    """Parts are named as in the reference networks, so that their checkpoints fit."""

    def __init__(self, config: ResNet, channels: int, size: int, num_classes: int) -> None:
        super().__init__()
        self.maxpool: nn.Module
        if config.stem == "imagenet":
            size = behind_stride(size, 2)
            self.conv1 = nn.Conv2d(channels, 64, kernel_size=7, stride=2, padding=3, bias=False)
            self.bn1 = make_norm(config.norm, 64, size)
            self.maxpool = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)
            size = behind_stride(size, 2)
        else:
            self.conv1 = nn.Conv2d(channels, 64, kernel_size=3, padding=1, bias=False)
            self.bn1 = make_norm(config.norm, 64, size)
            self.maxpool = nn.Identity()
        block, counts = DEPTHS[config.depth]
        self.layer1, self.layer2, self.layer3, self.layer4 = make_stages(block, counts, config.norm, size)
        self.classifier = nn.Linear(512 * block.expansion, num_classes)

    def features(self, images: Tensor) -> Tensor:
        """Return the global average of the last stage's maps."""
        maps: Tensor = self.maxpool(F.relu(self.bn1(self.conv1(images))))
        maps = self.layer4(self.layer3(self.layer2(self.layer1(maps))))
        return maps.mean((2, 3))

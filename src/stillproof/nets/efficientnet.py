"""EfficientNet-B0: inverted bottlenecks with squeeze-and-excitation."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn import functional as F

from stillproof.core.components import networks
from stillproof.nets.body import Body

# Expansion, width, blocks, stride of the first block, and kernel of each stage.
STAGES = (
    (1, 16, 1, 1, 3),
    (6, 24, 2, 2, 3),
    (6, 40, 2, 2, 5),
    (6, 80, 3, 2, 3),
    (6, 112, 3, 1, 5),
    (6, 192, 4, 2, 5),
    (6, 320, 1, 1, 3),
)
STEM, HEAD = 32, 1280  # widths
SQUEEZED = 4  # inputs of a block for one channel of its squeezed vector


@networks.register("efficientnet", version=1, paper="arXiv:1905.11946", names={"efficientnet-b0": {}})
@dataclass(frozen=True)
class EfficientNet:
    """EfficientNet-B0, with batch norm and SiLU, a global average pool and one linear layer.

    Five layers halve the map, and a single pixel stays one: the paper's images have 224 px, and from 32 px down the
    last stages see one pixel. The statistics of its norms move by a hundredth per batch, as the authors have it: short
    of some thousand batches, the network in use is worse than the one in training.

    Args:
        dropout: Share of the embedding that is dropped before the classifier, in training.
        stochastic_depth: Share of images for which a block is skipped, in training, times the share of blocks before
            it: none skip the first.
    """

    dropout: float = 0.2
    stochastic_depth: float = 0.2

    def __post_init__(self) -> None:
        """Refuse shares that leave nothing."""
        for name in ("dropout", "stochastic_depth"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 0 and below 1, not {getattr(self, name)}")

    def build(self, channels: int, size: int, num_classes: int) -> Body:
        """Return the network in its default initialisation."""
        return EfficientNetBody(self, channels, num_classes)


class EfficientNetBody(Body):
    """Layers stand in the order of torchvision's, so that its weights can be paired with them."""

    def __init__(self, config: EfficientNet, channels: int, num_classes: int) -> None:
        super().__init__()
        layers: list[nn.Module] = [*_convolution(channels, STEM, kernel=3, stride=2), nn.SiLU()]
        total = sum(count for _, _, count, _, _ in STAGES)
        inputs, made = STEM, 0
        for expansion, width, count, stride, kernel in STAGES:
            for number in range(count):
                rate = config.stochastic_depth * made / total
                layers.append(InvertedBottleneck(inputs, width, expansion, kernel, stride if number == 0 else 1, rate))
                inputs, made = width, made + 1
        layers += [*_convolution(inputs, HEAD), nn.SiLU()]
        self.layers = nn.Sequential(*layers)
        self.classifier = nn.Sequential(nn.Dropout(config.dropout), nn.Linear(HEAD, num_classes))

    def features(self, images: Tensor) -> Tensor:
        """Return the global average of the last maps."""
        maps: Tensor = self.layers(images)
        return maps.mean((2, 3))


class InvertedBottleneck(nn.Module):
    """A depthwise convolution on widened maps, gated, narrowed, and added to the input where shapes are equal."""

    def __init__(self, inputs: int, width: int, expansion: int, kernel: int, stride: int, rate: float) -> None:
        super().__init__()
        inner = inputs * expansion
        layers: list[nn.Module] = [*_convolution(inputs, inner), nn.SiLU()] if expansion > 1 else []
        layers += [*_convolution(inner, inner, kernel, stride, groups=inner), nn.SiLU()]
        layers += [Gate(inner, inputs // SQUEEZED), *_convolution(inner, width)]
        self.layers = nn.Sequential(*layers)
        self.is_residual = stride == 1 and inputs == width
        self.skip = RandomSkip(rate)

    def forward(self, maps: Tensor) -> Tensor:
        """Return the changed maps."""
        changed: Tensor = self.layers(maps)
        return maps + self.skip(changed) if self.is_residual else changed


class Gate(nn.Module):
    """Squeeze-and-excitation: scales every channel by what the averages of all channels say."""

    def __init__(self, channels: int, squeezed: int) -> None:
        super().__init__()
        self.squeeze = nn.Conv2d(channels, squeezed, kernel_size=1)
        self.excite = nn.Conv2d(squeezed, channels, kernel_size=1)

    def forward(self, maps: Tensor) -> Tensor:
        """Return the scaled maps."""
        # Functions and not modules: activations that are modules give maps, such as methods compare.
        squeezed = F.silu(self.squeeze(maps.mean((2, 3), keepdim=True)))
        excited: Tensor = self.excite(squeezed)
        return maps * excited.sigmoid()


class RandomSkip(nn.Module):
    """Stochastic depth: in training, a branch is zero for some images, and larger for the others to make up for it."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, maps: Tensor) -> Tensor:
        """Return the branch, as it is outside of training."""
        if not self.training or self.rate == 0:
            return maps
        return maps * F.dropout(maps.new_ones(len(maps), 1, 1, 1), self.rate)  # one draw for each image


def _convolution(inputs: int, outputs: int, kernel: int = 1, stride: int = 1, groups: int = 1) -> list[nn.Module]:
    """Return a convolution and its norm."""
    # The norm is the authors', where torchvision's B0 has torch's own eps and momentum. The padding is torchvision's:
    # the authors' puts the odd pixel of a stride below and on the right.
    return [
        nn.Conv2d(inputs, outputs, kernel, stride, padding=(kernel - 1) // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs, eps=1e-3, momentum=0.01),
    ]

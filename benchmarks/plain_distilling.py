"""The distilling loops as the papers' own code writes them: eager, one class at a time, all in one graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from benchmarks.training import plain_convnet
from stillproof.core.types import ImageSet
from stillproof.transforms.dsa import DSA


@dataclass
class PlainLoop:
    """Real images as floats in memory, synthetic ones with their optimiser, and a network.

    Args:
        data: The real images.
        ipc: Synthetic images per class.
        batch_real: Real images per class and update.
        augment: Changes images, alike for the real and synthetic ones of a class.
    """

    data: ImageSet
    ipc: int
    batch_real: int = 256
    augment: DSA | None = None
    net: nn.Sequential = field(default_factory=plain_convnet)
    criterion: nn.Module = field(default_factory=nn.CrossEntropyLoss)

    def __post_init__(self) -> None:
        """Normalise all real images at once, as the originals do."""
        count = self.data.num_classes * self.ipc
        self.real = (self.data.read(slice(None)) - 0.5) / 0.5
        self.members = [self.data.of_class(label) for label in range(self.data.num_classes)]
        self.images = torch.randn(count, *self.real.shape[1:], requires_grad=True)
        self.labels = torch.arange(self.data.num_classes).repeat_interleave(self.ipc)
        self.optimiser = torch.optim.SGD([self.images], lr=0.1, momentum=0.5)
        self.net_optimiser = torch.optim.SGD(self.net.parameters(), lr=0.01)

    def match_gradients(self) -> None:
        """Update the images once, as DC and DSA do."""
        weights = list(self.net.parameters())
        loss = torch.zeros(())
        for label in range(self.data.num_classes):
            real, synthetic = self._pair(label)
            real_loss = self.criterion(self.net(real), torch.full((len(real),), label))
            goal = [gradient.detach().clone() for gradient in torch.autograd.grad(real_loss, weights)]
            own_loss = self.criterion(self.net(synthetic), torch.full((self.ipc,), label))
            found = torch.autograd.grad(own_loss, weights, create_graph=True)
            loss = loss + _distance(found, goal)
        self._step(loss)

    def train_network(self, epochs: int) -> None:
        """Train the network on the images, as DC and DSA do between two updates."""
        loader = DataLoader(TensorDataset(self.images.detach().clone(), self.labels), batch_size=256, shuffle=True)
        correct = 0
        for _ in range(epochs):
            for images, labels in loader:
                changed = self.augment(images, torch.default_generator) if self.augment else images
                output = self.net(changed)
                loss = self.criterion(output, labels)
                correct += int((output.argmax(1) == labels).sum())
                self.net_optimiser.zero_grad()
                loss.backward()
                self.net_optimiser.step()

    def match_distributions(self) -> None:
        """Update the images once, as DM does, under a new network."""
        embed = plain_convnet()[:-1].requires_grad_(False)
        loss = torch.zeros(())
        for label in range(self.data.num_classes):
            real, synthetic = self._pair(label)
            goal = embed(real).detach().mean(0)
            loss = loss + (goal - embed(synthetic).mean(0)).square().sum()
        self._step(loss)

    def _pair(self, label: int) -> tuple[Tensor, Tensor]:
        chosen = self.members[label][torch.randperm(len(self.members[label]))[: self.batch_real]]
        real, synthetic = self.real[chosen], self.images[label * self.ipc : (label + 1) * self.ipc]
        if self.augment is None:
            return real, synthetic
        seed = int(torch.randint(2**31, ()))
        twins = [torch.Generator().manual_seed(seed) for _ in range(2)]
        return self.augment.siamese(real, twins[0]), self.augment.siamese(synthetic, twins[1])

    def _step(self, loss: Tensor) -> None:
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimiser.step()


def _distance(found: Sequence[Tensor], goal: Sequence[Tensor]) -> Tensor:
    total = torch.zeros(())
    for f, g in zip(found, goal, strict=True):
        if f.dim() > 1:
            rows, others = f.reshape(len(f), -1), g.reshape(len(g), -1)
            lengths = torch.linalg.vector_norm(rows, dim=-1) * torch.linalg.vector_norm(others, dim=-1)
            total = total + (1 - (rows * others).sum(-1) / (lengths + 1e-6)).sum()
    return total

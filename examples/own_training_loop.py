"""Train a network of your own on a distilled set, in a loop of your own: here on two random images of each digit."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn

import stillproof


def main() -> None:
    """Make a small set, train on the batches that its recipe feeds, and print the accuracy on the real test images."""
    with stillproof.Session() as session:
        name = session.distill("digits", "random", 2).name

    network = nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(288, 10))
    optimiser = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9)

    loader = stillproof.load(name).loader()  # a name, an id, a folder, or FILE with dataset=
    for _ in range(loader.epochs):
        for images, targets in loader:
            optimiser.zero_grad()
            loader.loss(network(images), targets).backward()  # type: ignore[no-untyped-call]
            optimiser.step()

    test = stillproof.datasets.build("digits").load(Path(), "test")
    with torch.no_grad():
        right = network(loader.front(test.read(slice(None)))).argmax(1) == test.labels
    print(f"accuracy {right.float().mean():.3f} on {len(test)} test images after {loader.epochs} epochs")


if __name__ == "__main__":
    main()

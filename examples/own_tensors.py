"""Score tensors of your own: here the mean picture of each class of digits, one image per class."""

from __future__ import annotations

import torch

import stillproof
from stillproof.data.load import data_root, load


def main() -> None:
    """Make a tiny set, train three networks on it and print their accuracy on the real test images."""
    train = load("digits", "train", data_root())
    means = [train.read(train.of_class(label)).mean(0) for label in range(train.num_classes)]
    images = torch.stack(means)  # (10, 1, 8, 8), pixels in [0, 1]
    labels = torch.arange(train.num_classes)
    score = stillproof.evaluate(images, labels, dataset="digits", recipe="quick", seeds=3)
    low, high = score.accuracy.ci95 or (float("nan"), float("nan"))
    print(f"accuracy {score.accuracy.mean:.3f}, 95 % interval {low:.3f} to {high:.3f}, n = {score.accuracy.n}")
    print(f"{score.network}, recipe {score.recipe}, selection {score.selection}")


if __name__ == "__main__":
    main()

"""A model as adversarial-robustness-toolbox wants to have it."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import torch
from torch import nn

from stillproof.attack.foreign.installed import module_of


def art_classifier(model: nn.Module, shape: tuple[int, ...], classes: int, device: torch.device) -> Any:
    """Return a classifier of pixels in [0, 1].

    Args:
        model: Gives logits, and moves to no other device.
        shape: Of one image, (C, H, W).
        classes: Their number.
        device: Where the model is.
    """
    # It would move the model, and to the current GPU at that; preprocessing that does nothing takes time all the same.
    made = _classifier()(
        model,
        nn.CrossEntropyLoss(),
        shape,
        classes,
        clip_values=(0.0, 1.0),
        preprocessing=None,
        device_type="gpu" if device.type == "cuda" else "cpu",
    )
    made._device = device
    model.to(device)
    return made


@functools.cache
def _classifier() -> Any:
    base: Any = module_of("art", ".estimators.classification").PyTorchClassifier

    class Classifier(base):  # type: ignore[misc, valid-type, unused-ignore]
        """Asks of all images at once, where some attacks ask one by one; how many fit is the victim's business."""

        def predict(self, x: Any, batch_size: int = 128, training_mode: bool = False, **kwargs: Any) -> Any:
            """Return the model's answers, (N, classes)."""
            points = torch.from_numpy(np.asarray(x, dtype=np.float32)).to(self._device)
            with torch.no_grad():
                return self.model(points).cpu().numpy()

    return Classifier

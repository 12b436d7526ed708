"""Reads the plain form of a data set: NAME.npz with x_train, y_train, x_test and y_test."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from stillproof.data import numpy_files
from stillproof.data.arrays import Arrays, Part


def read_npz(path: Path, split: Part) -> Arrays | None:
    """Read one split of ``path``, or return None if there is no such file.

    Grey images may come without their channel axis, and labels as a column, as Keras keeps them.
    """
    if not path.is_file():
        return None
    images, labels = numpy_files.read_npz(path, f"x_{split}", f"y_{split}")
    if images.ndim == 3:
        images = images[..., np.newaxis]
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    return Arrays(images, labels, path)

"""Reads the plain form of a data set: NAME.npz with x_train, y_train, x_test and y_test."""

from __future__ import annotations

import lzma
import zipfile
import zlib
from pathlib import Path

import numpy as np

from stillproof.core.errors import BadInput
from stillproof.core.plain_reason import plain_reason
from stillproof.data.arrays import Arrays, Part


def read_npz(path: Path, split: Part) -> Arrays | None:
    """Read one split of ``path``, or return None if there is no such file.

    Grey images may come without their channel axis, and labels as a column, as Keras keeps them.
    """
    if not path.is_file():
        return None
    try:
        with np.load(path, allow_pickle=False) as archive:
            images, labels = archive[f"x_{split}"], archive[f"y_{split}"]
    except KeyError as error:
        raise BadInput(f"{path}: {error.args[0]}; x_{split} and y_{split} are needed.") from error
    except (OSError, EOFError, ValueError, AttributeError, zipfile.BadZipFile, zlib.error, lzma.LZMAError) as error:
        raise BadInput(f"{path} cannot be read as .npz: {plain_reason(error)}.") from error
    if images.ndim == 3:
        images = images[..., np.newaxis]
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    return Arrays(images, labels, path)

"""Digits: the 1,797 handwritten digits of 8 x 8 pixels that come with scikit-learn, so that no download is needed."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

import numpy as np

from stillproof.core.components import datasets
from stillproof.core.seeds import Seeds
from stillproof.core.types import DataInfo, ImageSet
from stillproof.data.arrays import Arrays, Part, image_set
from stillproof.data.splits import stratified

TEST_SHARE = 0.2


@datasets.register("digits", version=1, paper="doi:10.24432/C50P49")
@dataclass(frozen=True)
class Digits:
    """Handwritten digits, 8 x 8 grey, in a fixed split of about 80 to 20."""

    info: ClassVar[DataInfo] = DataInfo(
        name="digits",
        channels=1,
        size=8,
        num_classes=10,
        mean=(0.3048,),
        std=(0.3756,),
        licence="CC BY 4.0",
        class_names=tuple("0123456789"),
    )

    def load(self, root: Path, split: Part) -> ImageSet:
        """Read the digits from the installed scikit-learn; ``root`` is not used."""
        path = _packaged()
        rows = np.loadtxt(path, delimiter=",")  # 64 values from 0 to 16, then the label
        images = np.round(rows[:, :64] * 255 / 16).astype(np.uint8).reshape(-1, 8, 8, 1)
        labels = rows[:, 64].astype(np.int64)
        test = stratified(labels, TEST_SHARE, Seeds(0).child("digits", "test"))
        train = np.setdiff1d(np.arange(len(images)), test)
        chosen = train if split == "train" else test
        return image_set(self.info, split, Arrays(images[chosen], labels[chosen], path))


def _packaged() -> Path:
    """Return the file inside scikit-learn; importing its loader would take a second."""
    found = find_spec("sklearn")
    assert found is not None and found.origin is not None, "scikit-learn is a dependency"
    return Path(found.origin).parent / "datasets" / "data" / "digits.csv.gz"

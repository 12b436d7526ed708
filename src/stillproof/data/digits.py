"""Digits: the 1,797 handwritten digits of 8 x 8 pixels that come with scikit-learn, so that no download is needed."""

from __future__ import annotations

from dataclasses import dataclass
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
        import sklearn.datasets

        digits = sklearn.datasets.load_digits()
        images = np.round(digits.images * 255 / 16).astype(np.uint8)[..., np.newaxis]  # values are 0 to 16
        test = stratified(digits.target, TEST_SHARE, Seeds(0).child("digits", "test"))
        train = np.setdiff1d(np.arange(len(images)), test)
        chosen = train if split == "train" else test
        return image_set(self.info, split, Arrays(images[chosen], digits.target[chosen], Path(sklearn.__file__)))

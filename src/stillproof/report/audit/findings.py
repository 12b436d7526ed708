"""What the distances of an audit say: which images are copies of real ones, and of which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from stillproof.core.spec import Json
from stillproof.score.nearness import Leaning, copies_by_distance, leaning, nearness_limit

Part = Literal["train", "test"]
NONE = -1  # no image
LEVELS = 255  # of pixels, in which distances are told
QUADRANTS = ("top left", "bottom left", "top right", "bottom right")  # as sets of four images in one are decoded

Arrays = Mapping[str, NDArray[Any]]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)  # arrays have no one answer to ==
class Findings:
    """What was found of each image.

    Args:
        arrays: What the audit kept.
        stored: Images as they are stored, which may hold four each.
    """

    arrays: Arrays
    stored: int

    def __len__(self) -> int:
        """Return the number of images."""
        return len(self.arrays["labels"])

    def exact(self, part: Part) -> Flags:
        """Return which images are equal, byte by byte, to one of a split."""
        found: Flags = self.arrays[f"{part}.exact"] != NONE
        return found

    def near(self, part: Part, kind: Literal["", "features."] = "") -> Flags:
        """Return which images are copies of one of a split by their distance, in pixels or in features."""
        other = "train" if part == "test" else "test"
        to, beside = (self.arrays[f"{one}.{kind}distance"] for one in (part, other))
        return copies_by_distance(to, beside, self.arrays[f"{part}.{kind}reference"])

    @cached_property
    def exact_test(self) -> Flags:
        """Return which images are equal to a test image that is no training image, too."""
        found: Flags = self.exact("test") & ~self.exact("train")
        return found

    @cached_property
    def near_test(self) -> Flags:
        """Return which other images are copies of test images, in pixels."""
        found: Flags = self.near("test") & ~self.exact_test
        return found

    @cached_property
    def like_test(self) -> Flags:
        """Return which further images are copies of test images in features alone."""
        found: Flags = self.near("test", "features.") & ~self.exact("train") & ~self.exact_test & ~self.near_test
        return found

    @cached_property
    def near_train(self) -> Flags:
        """Return which images are copies of training images by their distance alone."""
        found: Flags = self.near("train") & ~self.exact("train")
        return found

    @property
    def repeated(self) -> Flags:
        """Return which images are equal to an earlier one of the set."""
        found: Flags = self.arrays["within.exact"] != NONE
        return found

    @property
    def alike(self) -> Flags:
        """Return which other images have one in the set that is nearer than real images have among all real ones."""
        found: Flags = self.arrays["within.distance"] < nearness_limit(self.arrays["train.reference"])
        return found & ~self.repeated

    @property
    def mislabelled(self) -> Flags:
        """Return which copies have another class than the image that they are copies of."""
        labels = self.arrays["labels"]
        of_train = (self.exact("train") | self.near_train) & (labels != self.arrays["train.labels"])
        of_test = (self.exact_test | self.near_test) & (labels != self.arrays["test.labels"])
        found: Flags = of_train | of_test
        return found

    def leaning(self, kind: Literal["", "features."] = "") -> Leaning:
        """Return whether the images as a whole are nearer to test images than real training images are."""
        to = {part: self.arrays[f"{part}.{kind}distance"] for part in ("train", "test")}
        real = {part: self.arrays[f"{part}.{kind}reference"] for part in ("train", "test")}
        towards = to["test"] < to["train"]
        places = np.where(towards, -1 - self.arrays[f"test.{kind}index"], self.arrays[f"train.{kind}index"])
        return leaning(places, towards, real["test"] < real["train"])

    def called(self, place: int) -> str:
        """Return what an image is called: its number in the set, from 0, and which quarter of it."""
        if self.stored == len(self):
            return str(place)
        return f"{place % self.stored} ({QUADRANTS[place // self.stored]})"

    def copies(self) -> list[Json]:
        """Return all copies of test images as JSON values."""
        ways = {"exact": self.exact_test, "near": self.near_test, "features": self.like_test}
        return [self._copy(int(place), how) for how, flags in ways.items() for place in np.flatnonzero(flags)]

    def _copy(self, place: int, how: str) -> Json:
        arrays = self.arrays
        kind = "features." if how == "features" else ""
        down, right = (int(one) for one in arrays["test.shift"][place])
        return {
            "image": place % self.stored,
            "quadrant": None if self.stored == len(self) else QUADRANTS[place // self.stored],
            "how": how,
            "test": int(arrays[f"test.{kind}index"][place]),
            "distance": float(arrays[f"test.{kind}distance"][place]),
            "train": int(arrays[f"train.{kind}index"][place]),
            "train_distance": float(arrays[f"train.{kind}distance"][place]),
            "shift": None if kind else [down, right],
            "mirrored": None if kind else bool(arrays["test.mirrored"][place]),
        }

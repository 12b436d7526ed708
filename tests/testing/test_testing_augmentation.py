"""Augmentations that break their contract are told of it, each by the check that it breaks."""

from __future__ import annotations

import re

import pytest

from stillproof.core.components import augmentations
from stillproof.core.plugins import Plugin, load_plugin
from stillproof.testing.check_augmentation import check_augmentation

HEAD = """
import torch
from dataclasses import dataclass
from typing import ClassVar
from stillproof import augmentations
@augmentations.register("wrong", version=1)
@dataclass(frozen=True)
class Wrong:
"""
OWN = "torch.rand(len(images), 1, 1, 1, generator=generator)"
CALL = "    def __call__(self, images, generator): return "
MIX = "    def mix(self, images, targets, generator):\n        own = torch.rand(len(images), 1, generator=generator)\n"
MIXED = MIX + "        images = torch.lerp(images.flip(0), images, own[:, :, None, None])\n"
IMAGES_ALONE = CALL + "self.mix(images, torch.eye(len(images)), generator)[0]\n"
GOOD_MIX = MIXED + "        return images, torch.lerp(targets.flip(0), targets, own)\n" + IMAGES_ALONE


def problems(body: str) -> dict[str, str]:
    plugin = Plugin("wrong.py", HEAD + body)
    load_plugin(plugin)
    try:
        return {result.check: result.problem for result in check_augmentation("wrong")}
    finally:
        augmentations.remove(plugin.module)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (f"{CALL}images + torch.rand(1, generator=generator)\n", "it changes all images of a batch alike"),
        (f"    per_batch: bool = True\n{CALL}images + {OWN}\n", "but says per_batch"),
        (f"{CALL}images + {OWN} + images.mean()\n", "an image changes when others in its batch do"),
        (f"    pixels: ClassVar[bool] = True\n{CALL}images + {OWN}\n", r"pixels in \[0, 1\] became"),
        (f"{CALL}images + torch.rand(len(images), 1, 1, 1)\n", "it draws from torch's global generator"),
        (f"{CALL}(images + {OWN}).double()\n", "float32 became torch.float64"),
        (f"{MIXED}        return images, targets\n{IMAGES_ALONE}", "labels and images are mixed differently"),
        (f"{MIXED}        return images, targets * own\n{IMAGES_ALONE}", "do not sum to 1"),
        (f"{GOOD_MIX.replace(IMAGES_ALONE, '')}{CALL}images + {OWN}\n", "when it is not given their labels"),
    ],
)
def test_what_is_wrong_is_found_out(body: str, problem: str) -> None:
    assert re.search(problem, " ".join(problems(body).values()))


def test_what_is_right_passes() -> None:
    found = problems(f"{CALL}images + {OWN}\n")
    assert set(found.values()) == {""} and len(found) == 5
    found = problems(f"    pixels: ClassVar[bool] = True\n{CALL}images * {OWN}\n")
    assert set(found.values()) == {""} and len(found) == 6
    found = problems(GOOD_MIX)
    assert set(found.values()) == {""} and len(found) == 5

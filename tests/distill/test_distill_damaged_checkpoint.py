from __future__ import annotations

from pathlib import Path

import pytest
from distill_setups import context

from stillproof.distill.dm import DistributionMatching
from stillproof.sets.artifact import card_of, tensors_of
from stillproof.store.artifact_files import seal
from stillproof.testing.toy import toy_images

METHOD = DistributionMatching(steps=4, batch_real=4)
PLACES = 100


class Killed(Exception):
    """Stands for a process that ends without warning."""


def kill_half_way(share: float) -> None:
    if share >= 0.5:
        raise Killed


def distil(scratch: Path | None) -> tuple[str, int]:
    """Return the id of the artifact, and the step that the loop went on from."""
    ctx = context("convnet-1:width=4", scratch)
    ctx.checkpoint_seconds = 3600.0
    made = METHOD.distill(toy_images(), 2, ctx)
    return seal("distilled", tensors_of(made), card_of(made), ())[0], ctx.notes.get("resumed_at", 0)


def test_no_flipped_bit_of_a_checkpoint_ends_as_another_artifact(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    expected, _ = distil(None)
    ctx = context("convnet-1:width=4", tmp_path)
    ctx.report = kill_half_way
    with pytest.raises(Killed):
        METHOD.distill(toy_images(), 2, ctx)
    (file,) = tmp_path.iterdir()
    sound = file.read_bytes()
    assert distil(tmp_path) == (expected, 2)
    for number in range(PLACES):
        damaged = bytearray(sound)
        place = (number * 8 * len(sound)) // PLACES + number % 8
        damaged[place // 8] ^= 1 << place % 8
        for left in tmp_path.iterdir():
            left.unlink()
        file.write_bytes(damaged)
        caplog.clear()
        assert distil(tmp_path) == (expected, 0), f"bit {place} of {8 * len(sound)}"
        assert len(caplog.records) == 1 and "starting afresh" in caplog.text

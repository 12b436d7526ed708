from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import torch

import stillproof
from stillproof.core.errors import BadInput
from stillproof.data.load import load
from stillproof.session import Session

DATA = load("digits", "train", Path())
IMAGES, LABELS = DATA.read(slice(0, 40)), DATA.labels[:40]
ONE_HOT = torch.nn.functional.one_hot(LABELS, 10)
SOFT = (5.0 * ONE_HOT).softmax(1)


def score(folder: Path, images: torch.Tensor, labels: torch.Tensor, **options: Any) -> stillproof.Score:
    common: dict[str, Any] = {
        "dataset": "digits",
        "network": "convnet-1:width=4",
        "recipe": "quick:epochs=5",
        "seeds": 2,
    }
    return stillproof.evaluate(images, labels, store=str(folder / "s.db"), **common | options)


def test_pixels_and_normalised_images_are_the_same_to_the_network(tmp_path: Path) -> None:
    info = DATA.info
    normalised = (IMAGES - torch.tensor(info.mean).view(1, -1, 1, 1)) / torch.tensor(info.std).view(1, -1, 1, 1)
    as_pixels = score(tmp_path, IMAGES, LABELS)
    as_normalised = score(tmp_path, normalised, LABELS, space="normalised")
    assert as_pixels.per_seed == as_normalised.per_seed
    assert as_pixels.accuracy.n == 2 and as_pixels.n_test == 359
    unlike = score(tmp_path, IMAGES, LABELS, space="normalised")  # what a wrong word costs
    assert unlike.per_seed != as_pixels.per_seed
    assert score(tmp_path, IMAGES, LABELS).models == as_pixels.models, "the same tensors are free"


def test_8_bit_images_are_pixels_with_their_channels_first_or_last(tmp_path: Path) -> None:
    eight_bit = IMAGES.mul(255).round().to(torch.uint8)
    expected = score(tmp_path, eight_bit.float() / 255, LABELS).models
    assert score(tmp_path, eight_bit, LABELS).models == expected
    assert score(tmp_path, eight_bit.movedim(1, 3), LABELS).models == expected


def test_the_same_tensors_are_one_set_however_they_come(tmp_path: Path) -> None:
    expected = score(tmp_path, IMAGES, LABELS).models
    learned = IMAGES.clone().requires_grad_()
    grey: Any = IMAGES[:, 0].numpy()
    assert score(tmp_path, learned, LABELS.int()).models == expected
    assert score(tmp_path, grey, ONE_HOT).models == expected
    assert score(tmp_path, IMAGES.double(), ONE_HOT.double()).models == expected
    torch.save((IMAGES, LABELS), tmp_path / "mine.pt")
    with closing(Session(str(tmp_path / "s.db"))) as session:
        (made,), _ = session.import_sets(tmp_path / "mine.pt", "digits")
        assert made.cached and made.name == f"own-digits-{made.distilled.card.ipc}ipc-{made.artifact[:6]}"


def test_soft_labels_are_trained_on_as_they_are(tmp_path: Path) -> None:
    hard, soft = score(tmp_path, IMAGES, LABELS), score(tmp_path, IMAGES, SOFT.requires_grad_())
    assert hard.per_seed != soft.per_seed and soft.accuracy.n == 2
    logits = score(tmp_path, IMAGES, SOFT.log())
    assert logits.per_seed == pytest.approx(soft.per_seed, abs=0.01), "logits whose softmax are the same labels"


def test_progress_goes_to_standard_error(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    score(tmp_path, IMAGES, LABELS, seeds=1)
    shown = capfd.readouterr()
    assert shown.out == "" and "100 %: 3/3 cells" in shown.err
    score(tmp_path, IMAGES, LABELS, seeds=1)
    assert capfd.readouterr().err == "", "nothing is computed"


@pytest.mark.parametrize(
    ("images", "labels", "options", "words"),
    [
        (IMAGES[:, :, :4], LABELS, {}, r"images \(40, 1, 4, 8\) .* do not fit digits"),
        (IMAGES, LABELS[:5], {}, "there are 40 images and 5 labels: one label per image is needed"),
        (IMAGES[:0], LABELS[:0], {}, "no images"),
        (IMAGES * 255, LABELS, {}, "images reach from 0 to 255: divide by 255 first"),
        (IMAGES * 16, LABELS, {}, "images reach from 0 to 16: scale or clamp them first"),
        (IMAGES - 2, LABELS, {}, r"images reach from -2 to -1, so they are not pixels: say space='normalised'"),
        ((IMAGES * 255).to(torch.int32), LABELS, {}, "divide whole numbers by 255"),
        ((IMAGES * 255).to(torch.uint8), LABELS, {"space": "normalised"}, "so they are pixels"),
        (IMAGES.round().to(torch.uint8), LABELS, {}, "all values are 0 or 1"),
        (IMAGES.double() + 1e300, LABELS, {"space": "normalised"}, "infinite"),
        (IMAGES * float("nan"), LABELS, {}, "NaN"),
        (IMAGES, LABELS + 1, {}, "labels reach from 1 to 10"),
        (IMAGES, LABELS - 1, {}, "labels reach from -1"),
        (IMAGES, LABELS + 0.5, {}, "not whole numbers"),
        (IMAGES, LABELS.clamp(max=8), {}, "labels name only 9 of the 10 classes of digits"),
        (IMAGES, SOFT[:, :9], {}, "soft labels speak of 9 classes: digits has 10"),
        (IMAGES, LABELS.view(20, 2), {}, r"this set has labels \(20, 2\)"),
        (IMAGES, LABELS, {"space": "zca"}, "unknown space 'zca'"),
        (IMAGES, LABELS, {"dataset": "digit"}, "did you mean 'digits'"),
        (IMAGES, LABELS, {"recipe": "quik"}, "did you mean 'quick'"),
        (IMAGES, LABELS, {"seeds": 0}, "seeds = 0"),
    ],
)
def test_what_cannot_be_scored_is_refused_with_one_sentence(
    tmp_path: Path, images: torch.Tensor, labels: torch.Tensor, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(BadInput, match=words) as refused:
        score(tmp_path, images, labels, **options)
    assert "\n" not in str(refused.value)

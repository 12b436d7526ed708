from __future__ import annotations

from pathlib import Path
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillproof.core.errors import BadInput, UnknownName
from stillproof.core.seeds import Seeds
from stillproof.core.types import Split
from stillproof.data.content import KNOWN
from stillproof.data.load import data_root, load
from stillproof.data.splits import search_heldout, stratified

SPLITS: tuple[Split, ...] = ("train", "fit", "heldout")


@given(
    counts=st.lists(st.integers(0, 40), min_size=1, max_size=6).filter(any),
    share=st.sampled_from([0.1, 0.2, 0.5]),
    root=st.integers(0, 5),
)
def test_split_is_stratified_and_deterministic(counts: list[int], share: float, root: int) -> None:
    labels = np.random.default_rng(root).permutation(np.repeat(np.arange(len(counts)), counts))
    drawn = stratified(labels, share, Seeds(root))
    assert drawn.tolist() == stratified(labels, share, Seeds(root)).tolist()
    assert drawn.tolist() == sorted(set(drawn.tolist()))
    for label, count in enumerate(counts):
        got = int((labels[drawn] == label).sum())
        assert got == 0 if count < 2 else got == min(max(int(share * count + 0.5), 1), count - 1)


def test_split_depends_on_the_seed_and_is_the_same_everywhere() -> None:
    labels = np.repeat(np.arange(2), 20)
    assert stratified(labels, 0.1, Seeds(0)).tolist() == [4, 10, 23, 30]
    assert stratified(labels, 0.1, Seeds(1)).tolist() != stratified(labels, 0.1, Seeds(0)).tolist()


def test_digits_are_split_the_same_on_every_machine(tmp_path: Path) -> None:
    train, test = load("digits", "train", tmp_path), load("digits", "test", tmp_path)
    assert (len(train), len(test)) == (1438, 359)
    assert set(train.labels.tolist()) == set(test.labels.tolist()) == set(range(10))
    assert train.id == f"digits/train@sha256:{KNOWN['digits/train']}"
    assert test.id == f"digits/test@sha256:{KNOWN['digits/test']}"
    assert train.images.shape == (1438, 1, 8, 8) and int(train.images.max()) == 255
    pixels = train.images.double() / 255
    assert train.info.mean == pytest.approx([pixels.mean().item()], abs=1e-4)
    assert train.info.std == pytest.approx([pixels.std(correction=0).item()], abs=1e-4)


def test_fit_and_heldout_divide_train(tmp_path: Path) -> None:
    train, fit, heldout = (load("digits", s, tmp_path) for s in SPLITS)
    assert len(fit) + len(heldout) == len(train)
    assert heldout.labels.bincount().tolist() == [int(n * 0.1 + 0.5) for n in train.labels.bincount().tolist()]
    assert fit.id.startswith("digits/fit@sha256:") and heldout.id.startswith("digits/heldout@sha256:")
    # Every train image is in exactly one of the two: sorting all rows gives the same table.
    both = np.concatenate([fit.images.numpy(), heldout.images.numpy()]).reshape(len(train), -1)
    whole = train.images.numpy().reshape(len(train), -1)
    np.testing.assert_array_equal(both[np.lexsort(both.T)], whole[np.lexsort(whole.T)])
    assert load("digits", "heldout", tmp_path) is heldout


def test_unknown_split_or_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="validation"):
        load("digits", cast(Split, "validation"), tmp_path)
    with pytest.raises(UnknownName, match="digits"):
        load("digit", "train", tmp_path)


def test_data_root_order(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STILLPROOF_DATA", str(tmp_path))
    assert data_root("elsewhere") == Path("elsewhere")
    assert data_root(None) == tmp_path
    monkeypatch.delenv("STILLPROOF_DATA")
    assert data_root(None) == Path.home() / ".cache" / "stillproof" / "data"


def test_digits_are_scikit_learns(tmp_path: Path) -> None:
    from sklearn.datasets import load_digits

    published = load_digits()
    expected = sorted(
        (np.round(image * 255 / 16).astype(np.uint8).tobytes(), int(label))
        for image, label in zip(published.images, published.target, strict=True)
    )
    both = [load("digits", split, tmp_path) for split in ("train", "test")]
    found = [
        (i.numpy().tobytes(), int(label)) for data in both for i, label in zip(data.images, data.labels, strict=True)
    ]
    assert sorted(found) == expected


def test_the_part_that_a_search_looks_at(tmp_path: Path) -> None:
    assert search_heldout(20).tolist() == sorted(np.random.RandomState(10).permutation(20)[16:].tolist())
    whole, seen, rest = (load("digits", part, tmp_path) for part in ("train", "search-heldout", "search-fit"))
    assert len(seen) + len(rest) == len(whole) and len(rest) == int(0.8 * len(whole))

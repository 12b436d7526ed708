"""stillproof audit: table, picture, forms, and one sentence where something is wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from commands import TINY, Commands
from stillproof.data.load import load


def test_a_set_with_test_images_is_called_a_problem_and_the_answer_is_kept(
    tmp_path: Path, stillproof: Commands
) -> None:
    train, test = (load("digits", split, tmp_path) for split in ("train", "test"))
    images = train.read(slice(0, 10)).numpy()
    images[4] = test.read(slice(20, 21)).numpy()[0]
    np.savez(tmp_path / "mine.npz", images=images, labels=np.arange(10))
    asked = ["audit", "mine.npz", "--dataset", "digits"]
    done = stillproof(*asked, "--out", "deep/audit.png", cwd=tmp_path)
    assert done.code == 0, done.err
    assert ": problem" in done.out.splitlines()[0] and "1 of 10: 4" in done.out
    assert "picture: deep/audit.png" in done.err
    with Image.open(tmp_path / "deep" / "audit.png") as picture:
        assert min(picture.size) > 500
    again = stillproof(*asked, "--json", cwd=tmp_path)
    assert "cells" not in again.err, "everything is in the store by now"
    assert [(copy["image"], copy["test"]) for copy in again.json()["copies"]] == [(4, 20)]
    assert stillproof(*asked, "--format", "md", cwd=tmp_path).out.startswith("### Audit of ")
    rows = stillproof(*asked, "--format", "csv", cwd=tmp_path).out.splitlines()
    assert rows[0] == "looked_at,found,verdict,meaning" and len(rows) == 13
    assert "\\begin{tabular}" in stillproof(*asked, "--format", "latex", cwd=tmp_path).out


def test_bad_input_is_one_sentence(tmp_path: Path, stillproof: Commands) -> None:
    assert stillproof("distill", "digits", "random", "--ipc", "1", *TINY, cwd=tmp_path).code == 0
    (tmp_path / "own" / "train" / "a").mkdir(parents=True)
    (tmp_path / "own" / "train" / "b").mkdir()
    for label in "ab":
        Image.fromarray(np.full((8, 8), ord(label), np.uint8)).save(tmp_path / "own" / "train" / label / "0.png")
    np.savez(tmp_path / "mine.npz", images=np.zeros((2, 3, 32, 32), np.float32), labels=np.arange(2))
    np.savez(tmp_path / "small.npz", images=np.zeros((10, 1, 8, 8), np.float32), labels=np.arange(10))
    for argv, sentence in (
        (["nonsense"], "unknown artifact 'nonsense'"),
        (["digits"], "an audit is of a distilled set"),
        (["small.npz"], "say with --dataset which data set it stands for"),
        (["small.npz", "--dataset", "mnist"], "do not fit"),
        (["random-digits", "--dataset", "fashion_mnist"], "unknown artifact 'random-digits'"),
        (["mine.npz", "--dataset", "own"], "test"),
        (["small.npz", "--dataset", "digits", "--out", "audit.txt"], "end its name in one of"),
        (["small.npz", "--dataset", "digits", "--format", "html"], "unknown format 'html'"),
    ):
        done = stillproof("audit", *argv, cwd=tmp_path)
        assert done.code in (2, 3) and sentence in done.sentence(), (argv, done.err)

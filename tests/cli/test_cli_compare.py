from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from commands import TINY, Commands

HOW = ["--recipe", "smoke", "--seeds", "2", *TINY]


@pytest.mark.slow
def test_foreign_files_are_compared_and_so_are_their_models(tmp_path: Path, stillproof: Commands) -> None:
    rng = np.random.default_rng(0)
    for name in ("a", "b"):
        np.savez(tmp_path / f"{name}.npz", images=rng.random((10, 1, 8, 8), np.float32), labels=np.arange(10))
    unsaid = stillproof("compare", "a.npz", "b.npz", *HOW, cwd=tmp_path)
    assert unsaid.code == 2 and "say with --dataset which data set it stands for" in unsaid.sentence()
    shown = stillproof("compare", "a.npz", "b.npz", "--dataset", "digits", *HOW, cwd=tmp_path)
    assert shown.code == 0 and "Are these sets different?" in shown.out, shown.err
    assert "Seeds vary the training; each set stays the same." in shown.out and "n = 2 seeds" in shown.out
    again = stillproof("compare", "a.npz", "b.npz", "--dataset", "digits", *HOW, "--json", cwd=tmp_path)
    (comparison,) = again.json()["comparisons"]
    assert "cells" not in again.err, "nothing is computed again"
    score = stillproof("train", "a.npz", "--dataset", "digits", *HOW, "--json", cwd=tmp_path).json()
    assert comparison["accuracy_first"] == score["accuracy"]
    models = stillproof("compare", *score["models"], cwd=tmp_path)
    assert models.code == 0 and "so no intervals over seeds" in models.out
    mixed = stillproof("compare", score["models"][0], "a.npz", "--dataset", "digits", *HOW, cwd=tmp_path)
    assert mixed.code == 2 and "name sets, or models, but not both" in mixed.err


def test_classes_of_a_run_that_is_not_there(tmp_path: Path, stillproof: Commands) -> None:
    for argv in (["table", "accuracy", "--by-class"], ["compare", "random", "dm", "--section", "transfer"]):
        done = stillproof(*argv, "--store", "none.db", cwd=tmp_path)
        assert done.code in (2, 4) and "Traceback" not in done.err and done.out == "", done.err
    assert stillproof("compare", "random", cwd=tmp_path).code == 2

"""stillproof attack-bench: table, forms, curves, and one sentence where something is wrong."""

from __future__ import annotations

from pathlib import Path

from commands import TINY, Commands


def test_attacks_are_compared_and_the_answer_is_kept(tmp_path: Path, stillproof: Commands) -> None:
    train = ["train", "digits", "--recipe", "smoke", "--seeds", "1", *TINY, "--json"]
    (model,) = stillproof(*train, cwd=tmp_path).json()["models"]
    asked = ["attack-bench", model, "--dataset", "digits", "--norm", "L2", "--attack", "fmn,ddn,pgd"]
    asked += ["--limit", "20", "--budget", "40"]
    found = stillproof(*asked, "--plot", "curves.png", "--json", cwd=tmp_path)
    assert found.code == 0, found.err
    answer = found.json()
    assert (answer["norm"], answer["budget"], answer["n"]) == ("L2", 40, 20)
    assert {row["attack"] for row in answer["attacks"]} == {"fmn", "ddn", "pgd"}
    assert all(0 <= row["optimality"] <= 1 and row["passes_per_image"] <= 40 for row in answer["attacks"])
    assert (tmp_path / "curves.png").is_file()
    shown = stillproof(*asked, cwd=tmp_path)
    assert shown.code == 0 and "Strength of attacks in L2, 20 test images of digits, 40 passes" in shown.out
    assert "cells" not in shown.err, "everything is in the store by now"
    assert "\\begin{tabular}" in stillproof(*asked, "--format", "latex", cwd=tmp_path).out
    for more, sentence in (
        (["--budget", "0"], "budget = 0 leaves no pass to ask the model"),
        (["--attack", "dnd"], "did you mean"),
        (["--norm", "L3"], "unknown norm 'L3'"),
        (["--plot", "curves.txt"], "cannot be written as a figure"),
        (["--format", "html"], "unknown format 'html'"),
    ):
        done = stillproof(*asked, *more, cwd=tmp_path)
        assert done.code == 2 and sentence in done.sentence(), (more, done.err)

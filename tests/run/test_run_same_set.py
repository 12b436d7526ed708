"""A run is planned again for the sets that it was first planned for."""

from __future__ import annotations

from pathlib import Path

from commands import Commands, query

RUN = ["dd-ranking", "--dataset", "digits", "--scale", "smoke", "--ipc", "1", "--seeds", "1", "--methods", "given"]


def test_a_given_set_that_the_run_makes_itself_too_stays_the_one_that_was_given(
    tmp_path: Path, stillproof: Commands
) -> None:
    """As one that was drawn at random elsewhere: what it is compared with are the same images."""
    made = stillproof("distill", "digits", "random", "--ipc", "1", "--out", "given", "--store", "0.db", cwd=tmp_path)
    assert made.code == 0
    stillproof("run", *RUN, "--plan-only", cwd=tmp_path)
    done = stillproof("work", cwd=tmp_path)
    assert "cannot be planned again" not in done.err
    assert query(tmp_path / "stillproof.db", "SELECT open, trouble FROM plans") == [(0, None)]
    assert "not computed yet" not in stillproof("table", "dd-ranking", cwd=tmp_path).out

from __future__ import annotations

from pathlib import Path

from commands import TINY, Commands, query


def test_why_tells_what_a_name_is_made_of_and_what_the_nearest_differs_in(tmp_path: Path, stillproof: Commands) -> None:
    run = ["run", "accuracy", "--methods", "random", "--seeds", "2", "--scale", "smoke", *TINY]
    assert stillproof(*run, cwd=tmp_path).code == 0
    first, second = (
        row[0] for row in query(tmp_path / "stillproof.db", "SELECT id FROM cells WHERE stage = 'distill'")
    )
    found = stillproof("why", first[:8], "--json", cwd=tmp_path).json()
    assert (found["cell"], found["stage"], found["status"], found["nearest"]) == (first, "distill", "done", second)
    assert found["parts"]["method.name"] == "random" and found["parts"]["method.params"] == "{}"
    assert [difference["part"] for difference in found["differences"]] == ["seed"]
    text = stillproof("why", first, cwd=tmp_path).out
    assert f"cell {first}" in text and f"nearest cell: {second}; they differ in:" in text


def test_a_cell_that_is_not_there_is_refused_in_one_sentence(tmp_path: Path, stillproof: Commands) -> None:
    made = ["distill", "digits", "random", "--ipc", "1"]
    assert stillproof(*made, cwd=tmp_path).code == 0
    for text in ("ffffffff", "zz", "", "abc"):
        refused = stillproof("why", text, cwd=tmp_path)
        assert refused.code == 2 and "write at least 4 letters of a cell's id, or the name of" in refused.sentence()
    (cell,) = query(tmp_path / "stillproof.db", "SELECT id FROM cells")[0]
    (name,) = query(tmp_path / "stillproof.db", "SELECT name FROM artifacts")[0]
    for text in (cell, name):
        assert f"cell {cell}" in stillproof("why", text, cwd=tmp_path).out
    assert "the only cell of stage distill" in stillproof("why", cell, cwd=tmp_path).out

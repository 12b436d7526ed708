from __future__ import annotations

from pathlib import Path

from commands import Commands

EXAMPLES = Path(__file__).parent.parent / "examples"


def test_own_tensors_are_scored(tmp_path: Path, stillproof: Commands) -> None:
    script = (EXAMPLES / "own_tensors.py").read_text(encoding="utf-8")
    done = stillproof.python(f"{script}\nmain()\n", cwd=tmp_path)
    assert done.code == 0, done.err
    accuracy = float(done.out.split(",")[0].removeprefix("accuracy "))
    assert accuracy > 0.5  # chance is 0.1
    assert "n = 3" in done.out


def test_a_method_of_ones_own_is_one_file(tmp_path: Path, stillproof: Commands) -> None:
    plugin = str(EXAMPLES / "median_method.py")
    checks = stillproof("check", plugin, "--json", cwd=tmp_path).json()["checks"]
    assert len(checks) >= 5
    assert all(check["ok"] for check in checks)
    scope = ["--methods", "random,median", "--seeds", "1", "--scale", "smoke", "--set", "full_recipe="]
    rows = stillproof("run", "accuracy", "--plugin", plugin, *scope, "--json", cwd=tmp_path).json()["rows"]
    assert {row["method"] for row in rows} == {"random", "median"}
    assert all(row["accuracy"]["n"] == 1 for row in rows)


def test_a_loop_of_ones_own_learns_from_a_set(tmp_path: Path, stillproof: Commands) -> None:
    script = (EXAMPLES / "own_training_loop.py").read_text(encoding="utf-8")
    done = stillproof.python(f"{script}\nmain()\n", cwd=tmp_path)
    assert done.code == 0, done.err
    assert done.out.endswith("on 359 test images after 301 epochs\n")
    accuracy = float(done.out.split()[1])
    assert accuracy > 0.5  # chance is 0.1

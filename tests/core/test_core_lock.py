from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tools.golden import differences
from tools.lock import Refused, changed_defaults, compare, lost, present, renewed
from tools.locked_components import defaults

from stillproof.core.lock import LOCK, Line

ROOT = Path(__file__).parents[2]
FILES = {"a.py": {"generation": 3, "bytes": "1", "code": "c1"}, "b.py": {"generation": 1, "bytes": "2", "code": "c2"}}
OLD: dict[str, Any] = {"files": FILES, "gone": {"old.py": 4}}


def line(content: str, code: str) -> Line:
    return Line(1, content, code, "")


def now(**changed: Line) -> dict[str, Line]:
    return {"a.py": line("1", "c1"), "b.py": line("2", "c2")} | {f"{name}.py": new for name, new in changed.items()}


def test_every_file_behind_a_component_is_as_the_lock_has_it() -> None:
    lock = json.loads(LOCK.read_text(encoding="utf-8"))
    change = compare(lock["files"], present())
    differ = [*change.new, *change.gone, *change.moved, *change.text_only, *change.code]
    assert not differ, f"{differ} and lock.json differ: run make lock (see CONTRIBUTING.md)"
    assert lock["defaults"] == defaults()


def test_comments_and_new_files_need_no_word() -> None:
    found = renewed(OLD, now(a=line("9", "c1"), new=line("8", "c8")), [], "")["files"]
    assert found["a.py"] == {"generation": 3, "bytes": "9", "code": "c1"}
    assert found["new.py"]["generation"] == 1


def test_changed_code_needs_a_word() -> None:
    with pytest.raises(Refused, match=r"a\.py changed or went away: say BUMP=.* SAME="):
        renewed(OLD, now(a=line("9", "c9")), [], "")


def test_a_bump_raises_the_generation_and_a_reason_is_kept() -> None:
    changed = now(a=line("9", "c9"), b=line("8", "c8"))
    found = renewed(OLD, changed, ["a.py"], "a name was changed")["files"]
    assert found["a.py"] == {"generation": 4, "bytes": "9", "code": "c9"}
    assert found["b.py"] == {"generation": 1, "bytes": "8", "code": "c8", "same": "a name was changed"}
    with pytest.raises(Refused, match=r"b\.py changed"):
        renewed(OLD, changed, ["a.py"], "")


def test_a_file_that_is_not_there_cannot_be_bumped() -> None:
    with pytest.raises(Refused, match=r"c\.py: there is no such file"):
        renewed(OLD, now(), ["c.py"], "")


def test_a_moved_file_keeps_its_generation_and_what_names_call_it() -> None:
    moved = {"b.py": line("2", "c2"), "new.py": line("7", "c1")}
    found = renewed(OLD, moved, [], "")["files"]
    assert found["new.py"] == {"generation": 3, "bytes": "7", "code": "c1", "key": "a.py"}


def test_a_file_that_went_away_needs_a_word_and_its_generation_is_remembered() -> None:
    left = {"b.py": line("2", "c2"), "new.py": line("7", "c7")}  # moved and changed at once
    with pytest.raises(Refused, match=r"a\.py changed or went away"):
        renewed(OLD, left, [], "")
    found = renewed(OLD, left, [], "no number depends on it")
    assert found["gone"] == {"old.py": 4, "a.py": 3}
    back = renewed(OLD, now(old=line("9", "c9")), [], "")["files"]
    assert back["old.py"]["generation"] == 5, "what was there before had four"


def test_a_changed_or_missing_default_is_told_and_a_new_one_is_not() -> None:
    before = {"distillers/dm": {"steps": "20000", "lr": "1.0"}, "networks/x": {"width": "1"}}
    after = {"distillers/dm": {"steps": "10000", "momentum": "0.5", "lr": "1.0"}}
    assert list(changed_defaults(before, after)) == ["distillers/dm: steps = 20000 is now 10000"]
    assert list(changed_defaults(before, {"distillers/dm": {"steps": "20000"}})) == [
        "distillers/dm: lr = 1.0 is now gone"
    ]


@pytest.mark.parametrize(
    ("after", "names"),
    [
        ({"x": {"loop": 2}}, []),
        ({"x": {"loop": 3}}, []),
        ({"x": {}}, ["x (loop)"]),
        ({}, ["x (loop)"]),
        ({"x": {"other": 2}}, []),  # it has another generation instead, so that it cannot be called as before
    ],
)
def test_a_name_never_falls_back_to_an_old_one(after: Any, names: list[str]) -> None:
    assert lost({"x": {"loop": 2}}, after) == names


def test_golden_cells_that_moved_are_told() -> None:
    kept = {"dm": {"mean": 1.0, "std": 2.0}}
    assert differences(kept, {"dm": {"mean": 1.0 + 1e-6, "std": 2.0}}) == []
    assert differences(kept, {"dm": {"mean": 1.1, "std": 2.0}}) == ["dm: mean was 1 and is 1.1"]
    assert differences(kept, {}) == ["dm is in one of them alone"]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    for folder in ("src/stillproof", "tools"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def edit(clone: Path, file: str, old: str, new: str) -> None:
    path = clone / "src" / "stillproof" / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def lock(clone: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PYTHONPATH": f"{clone / 'src'}:{clone}", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "tools.lock", *arguments]
    return subprocess.run(command, cwd=clone, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_whole_way_of_an_edit(clone: Path) -> None:
    kept = clone / "src" / "stillproof" / "lock.json"
    before = kept.read_text(encoding="utf-8")
    edit(clone, "distill/dm.py", '"""Distribution matching', '"""DM, distribution matching')
    done = lock(clone)
    assert (done.returncode, done.stdout) == (0, "renewed: distill/dm.py\n"), done.stderr
    written = kept.read_text(encoding="utf-8")
    assert written != before

    edit(clone, "distill/dm.py", "steps: int = 20_000", "steps: int = 10_000")
    refused = lock(clone)
    assert refused.returncode == 1 and "distill/dm.py changed or went away: say BUMP=" in refused.stderr
    misled = lock(clone, "--same", "a better default")
    assert misled.returncode == 1 and "distillers/dm: steps = 20000 is now 10000" in misled.stderr
    assert kept.read_text(encoding="utf-8") == written, "a refusal leaves the lock alone"
    bumped = lock(clone, "--bump", "src/stillproof/distill/dm.py")
    assert bumped.returncode == 0, bumped.stderr
    lines = json.loads(kept.read_text(encoding="utf-8"))
    assert lines["files"]["distill/dm.py"]["generation"] == 2
    assert lines["names"] == {"distillers/dm": {"distill/dm.py": 2}}

    (clone / "src/stillproof/distill/dm.py").rename(clone / "src/stillproof/distill/matching.py")
    assert lock(clone).returncode == 0
    moved = json.loads(kept.read_text(encoding="utf-8"))
    assert moved["files"]["distill/matching.py"]["key"] == "distill/dm.py" and moved["names"] == lines["names"]
    kept.unlink()
    assert "restore it" in lock(clone).stderr

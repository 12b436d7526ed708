from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tools.golden import differences
from tools.lock import changed_defaults, lost, moves_in, present
from tools.lock_lines import Refused, compare, generations, renewed
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


def test_nothing_that_keeps_or_shows_numbers_is_in_the_lock() -> None:
    paths = json.loads(LOCK.read_text(encoding="utf-8"))["files"]
    assert "run/stages/attack.py" in paths
    assert [path for path in paths if path.startswith(("store/", "report/", "run/attacked_picture"))] == []


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


def test_a_moved_file_that_changed_keeps_them_once_somebody_says_where_it_is() -> None:
    moved = {"b.py": line("2", "c2"), "new.py": line("7", "c7")}
    found = renewed(OLD, moved, [], "", {"a.py": "new.py"})
    kept = {"generation": 3, "bytes": "7", "code": "c7", "key": "a.py", "same": "moved"}
    assert found["files"]["new.py"] == kept and found["gone"] == {"old.py": 4}
    assert compare(FILES, moved, {"a.py": "new.py"}).to_confirm([]) == ["new.py"], "golden cells have the last word"
    again = renewed(found, {"b.py": line("2", "c2"), "third.py": line("8", "c8")}, [], "", {"new.py": "third.py"})
    assert again["files"]["third.py"]["key"] == "a.py"
    bumped = renewed(OLD, moved, ["new.py"], "", {"a.py": "new.py"})["files"]
    assert (bumped["new.py"]["generation"], bumped["new.py"]["key"]) == (4, "a.py")


def test_files_that_import_a_moved_one_still_need_a_word() -> None:
    moved = {"b.py": line("6", "c6"), "new.py": line("7", "c7")}
    with pytest.raises(Refused, match=r"^b\.py changed"):
        renewed(OLD, moved, [], "", {"a.py": "new.py"})
    found = renewed(OLD, moved, [], "import lines", {"a.py": "new.py"})["files"]
    assert {found["b.py"]["same"], found["new.py"]["same"]} == {"import lines"}


def test_a_file_that_moved_to_the_path_of_one_that_is_gone_is_still_itself() -> None:
    found = renewed(OLD, {"a.py": line("1", "c1"), "old.py": line("7", "c7")}, [], "", {"b.py": "old.py"})
    assert (found["files"]["old.py"]["generation"], found["files"]["old.py"]["key"]) == (1, "b.py")
    assert found["gone"] == {"old.py": 4}


def test_a_file_that_is_gone_comes_again_as_what_it_was_if_somebody_says_so() -> None:
    back = now(old=line("9", "c9"))
    found = renewed(OLD, back, [], "", {"old.py": "old.py"})
    assert found["files"]["old.py"] == {"generation": 4, "bytes": "9", "code": "c9", "same": "moved"}
    assert found["gone"] == {}
    with pytest.raises(Refused, match=r"there is no never\.py in the lock"):
        renewed(OLD, back, [], "", {"never.py": "old.py"})
    moved_on = renewed(renewed(OLD, back, [], ""), now(new=line("9", "c9")), [], "")
    with pytest.raises(Refused, match=r"there is no old\.py in the lock"):  # names call new.py so
        renewed(moved_on, now(new=line("9", "c9"), x=line("8", "c8")), [], "", {"old.py": "x.py"})


def test_a_file_can_become_part_of_another_and_a_risen_generation_of_it_lives_on() -> None:
    small = renewed(OLD, {"a.py": line("7", "c7")}, [], "", {"b.py": "a.py"})
    assert small["files"]["a.py"] == {"generation": 3, "bytes": "7", "code": "c7", "same": "moved"}
    assert small["gone"] == {"old.py": 4, "b.py": 1}
    risen = renewed(OLD, {"b.py": line("7", "c7")}, [], "", {"a.py": "b.py"})
    assert risen["files"]["b.py"]["parts"] == {"a.py": 3} and "a.py" not in risen["gone"]
    moved = renewed(risen, {"c.py": line("8", "c8")}, [], "", {"b.py": "c.py"})
    assert generations("c.py", moved["files"]["c.py"]) == {"b.py": 1, "a.py": 3}
    assert renewed(moved, {}, [], "nothing needs it")["gone"] == {"old.py": 4, "b.py": 1, "a.py": 3}
    both = renewed(OLD, {"c.py": line("8", "c8")}, [], "", {"b.py": "c.py", "a.py": "c.py"})["files"]
    assert generations("c.py", both["c.py"]) == {"b.py": 1, "a.py": 3}, "the first lives on, the second is a part"


def test_no_two_files_are_ever_called_the_same() -> None:
    moved = {"b.py": line("2", "c2"), "new.py": line("7", "c7"), "a.py": line("9", "c9")}
    swapped = renewed(OLD, now(a=line("8", "c8"), b=line("9", "c9")), [], "", {"a.py": "b.py", "b.py": "a.py"})
    assert {path: found["key"] for path, found in swapped["files"].items()} == {"a.py": "b.py", "b.py": "a.py"}
    left = renewed(OLD, {"b.py": line("2", "c2"), "new.py": line("7", "c7")}, [], "", {"a.py": "new.py"})
    found = renewed(left, moved, [], "")["files"]
    assert (found["a.py"]["generation"], found["a.py"]["key"]) == (1, "a.py#2"), "new.py is called a.py"
    twice = renewed(OLD, {"b.py": line("2", "c2"), "x.py": line("1", "c1"), "y.py": line("1", "c1")}, [], "")["files"]
    assert (twice["x.py"]["key"], twice["y.py"].get("key")) == ("a.py", None), "one of two copies is what was there"


def test_every_file_of_the_lock_is_called_otherwise() -> None:
    lines = json.loads(LOCK.read_text(encoding="utf-8"))["files"]
    keys = [key for path, found in lines.items() for key in generations(path, found)]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(
    ("moves", "told"),
    [
        ({"c.py": "a.py"}, r"there is no c\.py in the lock"),
        ({"a.py": "c.py"}, r"there is no c\.py behind a component"),
        ({"a.py": "b.py"}, r"a\.py is still there"),
    ],
)
def test_a_move_that_was_none_is_refused(moves: dict[str, str], told: str) -> None:
    with pytest.raises(Refused, match=told):
        renewed(OLD, now(), [], "", moves)


def test_moves_are_written_as_pairs() -> None:
    assert moves_in("src/stillproof/a.py:b.py, c.py:b.py") == {"a.py": "b.py", "c.py": "b.py"}
    for wrong in ("a.py", "a.py:", "a.py:b.py,a.py:c.py"):
        with pytest.raises(Refused, match="old:new"):
            moves_in(wrong)


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
    assert lines["names"]["distillers/dm"] == {"distill/dm.py": 2}

    (clone / "src/stillproof/distill/dm.py").rename(clone / "src/stillproof/distill/matching.py")
    assert lock(clone).returncode == 0
    moved = json.loads(kept.read_text(encoding="utf-8"))
    assert moved["files"]["distill/matching.py"]["key"] == "distill/dm.py" and moved["names"] == lines["names"]

    (clone / "src/stillproof/attack/ddn.py").rename(clone / "src/stillproof/attack/decoupled.py")
    edit(
        clone,
        "attack/decoupled.py",
        "from __future__ import annotations\n",
        "from __future__ import annotations\nMORE = 1\n",
    )
    assert "attack/ddn.py changed or went away" in lock(clone).stderr
    told = lock(clone, "--moved", "attack/ddn.py:attack/decoupled.py")
    assert told.stdout.startswith("moved: attack/ddn.py to attack/decoupled.py\n"), told.stderr
    assert json.loads(kept.read_text(encoding="utf-8"))["names"] == lines["names"]
    kept.unlink()
    assert "restore it" in lock(clone).stderr

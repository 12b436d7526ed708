from __future__ import annotations

from typing import Any

import pytest
from tools.golden import differences
from tools.lock import Refused, compare, lost, present, read, renewed

from stillproof.core.lock import Line

OLD = {"a.py": {"generation": 3, "bytes": "1", "code": "c1"}, "b.py": {"generation": 1, "bytes": "2", "code": "c2"}}


def now(**changed: Line) -> dict[str, Line]:
    return {"a.py": Line(1, "1", "c1"), "b.py": Line(1, "2", "c2")} | {f"{k}.py": line for k, line in changed.items()}


def test_every_file_behind_a_component_is_as_the_lock_has_it() -> None:
    change = compare(read()[0], present())
    differ = [*change.new, *change.gone, *change.text_only, *change.code]
    assert not differ, f"{differ} and lock.json differ: run make lock (see CONTRIBUTING.md)"


def test_comments_and_new_files_need_no_word() -> None:
    found = renewed(OLD, now(a=Line(1, "9", "c1"), new=Line(1, "8", "c8")), [], None)
    assert found["a.py"] == {"generation": 3, "bytes": "9", "code": "c1"}
    assert found["new.py"]["generation"] == 1


def test_changed_code_needs_a_word() -> None:
    with pytest.raises(Refused, match=r"a\.py changed: say BUMP=.* SAME="):
        renewed(OLD, now(a=Line(1, "9", "c9")), [], None)


def test_a_bump_raises_the_generation_and_a_reason_is_kept() -> None:
    changed = now(a=Line(1, "9", "c9"), b=Line(1, "8", "c8"))
    found = renewed(OLD, changed, ["a.py"], "a name was changed")
    assert found["a.py"] == {"generation": 4, "bytes": "9", "code": "c9"}
    assert found["b.py"] == {"generation": 1, "bytes": "8", "code": "c8", "same": "a name was changed"}
    with pytest.raises(Refused, match=r"b\.py changed"):
        renewed(OLD, changed, ["a.py"], None)


def test_a_file_that_is_not_there_cannot_be_bumped() -> None:
    with pytest.raises(Refused, match=r"c\.py: there is no such file"):
        renewed(OLD, now(), ["c.py"], None)


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

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import stillproof
from fresh_python import run_python
from stillproof.core.errors import BadInput
from stillproof.core.plugins import Plugin, load_plugin
from stillproof.report.failures import causes_of, explained
from stillproof.store.failure_text import NOT_COMPUTED, failure_text, frames_of, sentence_of
from stillproof.store.records import Record

PLUGIN = Plugin(
    "mine.py",
    '''"""A plug-in that goes wrong in its own code, in a library and in ours."""
import json

from stillproof.core.errors import BadInput
from stillproof.score.stats import summarise


def inner():
    raise RuntimeError("it went off")


def own():
    inner()


def library():
    json.loads("nonsense")


def ours():
    summarise([])


def foreseen():
    raise BadInput("this is not allowed: do something else.")
''',
)


def raised(call: Callable[[], Any]) -> str:
    try:
        call()
    except BadInput as error:
        return failure_text(str(error))
    except Exception as error:
        return failure_text(repr(error))
    raise AssertionError("nothing was raised")


def text(function: str) -> str:
    import sys

    load_plugin(PLUGIN)
    return raised(getattr(sys.modules[PLUGIN.module], function))


def record(name: str, error: str, needs: Sequence[str] = (), label: str | None = None) -> Record:
    where = {} if label is None else {"label": label}
    empty: dict[str, Any] = dict.fromkeys(
        ("owner", "lease_until", "started", "finished", "seconds", "result", "provenance", "origin")
    )
    numbers: dict[str, Any] = {"attempts": 1, "progress": 0.0, "created": 0.0}
    return Record(
        id=name,
        stage="distill",
        spec={},
        where=where,
        status="failed",
        error=error,
        needs=needs,
        artifacts=(),
        derived_from=(),
        **numbers,
        **empty,
    )


def test_a_distillation_that_makes_twelve_trainings_unreachable_is_one_line_with_thirteen_cells() -> None:
    trained = [record(f"t{n}", f"{NOT_COMPUTED}mine ended as failed: it went off", ["d"]) for n in range(6)]
    chosen = [record(f"s{n}", f"{NOT_COMPUTED}mine ended as failed: it went off", [f"t{n}"]) for n in range(6)]
    (cause,) = causes_of([*chosen, record("d", text("own"), label="mine digits ipc 1 seed 0"), *trained])
    assert (cause.cells, [found.id for found in cause.failed]) == (13, ["d"])
    assert (
        cause.line() == "13 cells: mine digits ipc 1 seed 0: RuntimeError('it went off') at mine.py, line 9, in inner"
    )
    assert cause.trace()[-2:] == [
        "mine.py, line 13, in own: inner()",
        'mine.py, line 9, in inner: raise RuntimeError("it went off")',
    ]


def test_the_same_mistake_with_every_seed_is_one_cause_and_the_dearest_comes_first() -> None:
    other = record("o", "the loss is nan in step 2 of 3; try a smaller lr.", label="dm seed 0")
    seeds = [record(f"d{seed}", text("own"), label=f"mine seed {seed}") for seed in (2, 0, 1)]
    first, last = causes_of([other, *seeds])
    assert (first.label, first.cells) == ("mine seed 0 and 2 more", 3)
    assert last.line() == "1 cell: dm seed 0: the loss is nan in step 2 of 3; try a smaller lr.", "no place of ours"
    assert json.loads(json.dumps(first.as_dict()))["failed"] == ["d0", "d1", "d2"]


def test_the_users_line_stands_before_those_of_libraries_and_ours() -> None:
    assert explained(text("library")).endswith("at mine.py, line 17, in library")
    (cause,) = causes_of([record("d", text("library"))])
    assert [frame.function for frame in cause.frames][-2:] == ["library", "raw_decode"]
    (ours,) = causes_of([record("d", text("ours"))])
    assert ours.trace()[-2] == "mine.py, line 21, in ours: summarise([])"
    assert ours.trace()[-1].startswith("stillproof/score/stats.py, line ")
    assert explained(text("foreseen")) == "this is not allowed: do something else. at mine.py, line 25, in foreseen"


def test_what_fails_in_our_own_code_is_told_by_its_last_places() -> None:
    from stillproof.score.stats import summarise

    assert "test_report_failures.py" in explained(raised(lambda: summarise([]))), "this file is a user's"
    root = str(Path(stillproof.__file__).parent)
    trace = failure_text_of(
        [
            (f"{root}/run/worker.py", "_compute"),
            (f"{root}/run/stages/train.py", "compute"),
            ("/usr/lib/python3.11/json/decoder.py", "decode"),
        ]
    )
    (cause,) = causes_of([record("d", trace)])
    assert [frame.function for frame in cause.frames] == ["compute", "decode"]
    assert cause.place == "/usr/lib/python3.11/json/decoder.py, line 3, in decode"


def failure_text_of(places: Sequence[tuple[str, str]]) -> str:
    lines = [f'  File "{file}", line {n}, in {function}\n    call()\n' for n, (file, function) in enumerate(places, 1)]
    return f"ValueError('odd')\nTraceback (most recent call last):\n{''.join(lines)}ValueError: odd\n"


def test_a_user_may_work_in_a_folder_of_our_name() -> None:
    assert explained(failure_text_of([("/home/me/stillproof/mine.py", "distill")])).endswith(
        "at /home/me/stillproof/mine.py, line 1, in distill"
    )


def test_an_installed_plug_in_is_its_authors_code(tmp_path: Path) -> None:
    site = tmp_path / "lib" / "python3.11" / "site-packages"
    info = site / "theirs-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[stillproof.distillers]\ntheirs = theirs.method\n")
    text = failure_text_of([(f"{site}/theirs/method.py", "distill"), (f"{site}/torch/nn/functional.py", "conv2d")])
    code = f"""
import sys
sys.path.insert(0, {str(site)!r})
from stillproof.report.failures import explained
print(explained({text!r}))
"""
    assert run_python(code).strip() == "ValueError('odd') at theirs/method.py, line 1, in distill"


def test_of_two_exceptions_the_last_one_counts() -> None:
    def again() -> None:
        try:
            raise KeyError("first")
        except KeyError as error:
            raise ValueError("second") from error

    found = raised(again)
    assert sentence_of(found) == "ValueError('second')"
    assert frames_of(found)[-1].code == 'raise ValueError("second") from error'


@pytest.mark.parametrize("error", ["given up after 3 workers died while computing it", "", "one\ntwo"])
def test_a_reason_without_a_trace_has_no_place(error: str) -> None:
    (cause,) = causes_of([record("d" * 64, error)])
    assert cause.trace() == [] and cause.label == "distill dddddddddddd"


def test_a_cell_whose_cause_is_gone_is_its_own() -> None:
    (cause,) = causes_of([record("t", f"{NOT_COMPUTED}mine ended as failed: it went off", ["gone"])])
    assert cause.cells == 1 and cause.sentence.startswith(NOT_COMPUTED)

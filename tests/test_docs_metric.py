"""The page on metrics does what it says: a plug-in's metric is a column of tables, with no new run."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from commands import Commands
from stillproof.core.components import REGISTRIES, metrics

TEXT = (Path(__file__).parents[1] / "docs" / "add-a-metric.md").read_text(encoding="utf-8")
RUN = ("run", "beard", "--dataset", "digits", "--scale", "smoke", "--set", "sections=scores", "--methods", "random")
ACCURACY = '''
from dataclasses import dataclass
from typing import ClassVar

from stillproof.plugin import Metric, StoredAnswer, metrics

@metrics.register("errors", version=1)
@dataclass(frozen=True)
class Errors(Metric[StoredAnswer]):
    """How many test images are wrong."""

    title: ClassVar[str] = "errors"
    takes: ClassVar[type] = StoredAnswer

    def value(self, evidence):
        from stillproof.plugin import Unsupported
        if "accuracy" not in evidence.result:
            raise Unsupported("no accuracy.")
        assert "predictions" in evidence.arrays() or not evidence.arrays()
        return (1 - evidence.result["accuracy"]) * evidence.result["n_test"]
'''


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (source,) = blocks("python")
    (tmp_path / "quick_wins.py").write_text(source, encoding="utf-8")
    (tmp_path / "errors.py").write_text(ACCURACY, encoding="utf-8")
    return tmp_path


def test_a_metric_of_a_plug_in_is_a_column_of_a_run_that_was_there(folder: Path, stillproof: Commands) -> None:
    checks = stillproof("check", "quick_wins.py", "--json", cwd=folder).json()["checks"]
    assert len(checks) == 5 and all(check["ok"] for check in checks), checks
    done = stillproof(*RUN, "--set", "timed=0", "--set", "full_recipe=", cwd=folder)
    assert done.code == 0 and "lost within" not in done.out, done.err
    before = stillproof("table", "beard", "--json", cwd=folder).json()["tables"][0]
    shown = stillproof("table", "beard", "--plugin", "quick_wins.py", "--json", cwd=folder).json()["tables"][0]
    titles = {column["key"]: column["title"] for column in shown["columns"]}
    assert (
        titles["metric_quick_wins"] == "lost within 5 passes %" and len(shown["columns"]) == len(before["columns"]) + 1
    )
    for line, old in zip(shown["rows"], before["rows"], strict=True):
        found = line.pop("metric_quick_wins")
        assert line == old and 0 <= found["mean"] <= line["clean"]["mean"] and found["n"] == 2


def test_the_score_of_a_pool_has_the_metric_too(folder: Path, stillproof: Commands) -> None:
    how = ("--network", "convnet-1:width=4", "--recipe", "smoke:epochs=4", "--seeds", "1", "--pool", "mine")
    assert stillproof("train", "digits", *how, cwd=folder).code == 0
    asked = ("pool", "score", "mine", "--attack", "fgsm", "--eps", "0.1", "--limit", "40")
    found = stillproof(*asked, "--plugin", "quick_wins.py", "--json", cwd=folder).json()
    (attack,) = found["attacks"]
    lost = attack["clean_accuracy"] - attack["robust_accuracy"]  # FGSM takes fewer passes than five
    assert lost > 0 and found["metric_quick_wins"] == pytest.approx(lost)
    assert f"lost within 5 passes % {100 * lost:.2f}" in stillproof(*asked, "--plugin", "quick_wins.py", cwd=folder).out


def test_a_metric_of_single_answers_is_a_column_of_accuracies(folder: Path, stillproof: Commands) -> None:
    asked = ("run", "accuracy", "--dataset", "digits", "--scale", "smoke", "--methods", "random", "--ipc", "1")
    shown = stillproof(*asked, "--plugin", "errors.py", "--json", cwd=folder).json()["tables"][0]
    for line in shown["rows"]:
        assert line["metric_errors"]["mean"] == pytest.approx(359 * (1 - line["accuracy"]["mean"]))


BROKEN = '''
from dataclasses import dataclass
from typing import ClassVar

from stillproof.plugin import Metric, StoredAnswer, metrics

@metrics.register("accuracy-again", version=1)
@dataclass(frozen=True)
class Broken(Metric[StoredAnswer]):
    """Breaks."""

    title: ClassVar[str] = "broken"
    takes: ClassVar[type] = StoredAnswer

    def value(self, evidence):
        return {value}
'''


@pytest.mark.parametrize(
    ("value", "says"),
    [("1 / 0", "ZeroDivisionError"), ("float('nan')", "no finite number"), ("'much'", "TypeError")],
)
def test_a_metric_that_breaks_is_one_sentence(folder: Path, stillproof: Commands, value: str, says: str) -> None:
    (folder / "broken.py").write_text(BROKEN.replace("{value}", value), encoding="utf-8")
    asked = ("run", "accuracy", "--dataset", "digits", "--scale", "smoke", "--methods", "random", "--ipc", "1")
    done = stillproof(*asked, "--plugin", "broken.py", cwd=folder)
    assert done.code != 0 and "metric 'accuracy-again' failed: " in done.err and says in done.err
    assert "Traceback" not in done.err


def test_the_page_has_every_metric() -> None:
    named = [
        name for cell in re.findall(r"^\| (`.*?`) \|", TEXT, re.MULTILINE) for name in re.findall(r"`([\w-]+)`", cell)
    ]
    assert sorted(named) == sorted(name for name, entry in metrics.entries().items() if entry.origin == "stillproof")


def test_the_entry_point_of_the_page_is_of_a_group_that_is_read() -> None:
    (text,) = blocks("toml")
    (group,) = tomllib.loads(text)["project"]["entry-points"]
    assert group.removeprefix("stillproof.") in REGISTRIES

"""A plug-in file that brings a stage and a suite which uses it: no other file knows of either."""

from __future__ import annotations

import json
import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from commands import Commands, query
from stillproof.core.components import stages, suites
from stillproof.core.errors import BadInput, CellFailed, UnknownName
from stillproof.core.plugins import Plugin, load_plugin, read_plugin
from stillproof.run.cell import Planned
from stillproof.run.plan import Planner
from stillproof.run.stage import Answer, Job, Stage
from stillproof.session import Session
from stillproof.suites.requests import Request, distilled, real_images, trained

FILE = Path(__file__).with_name("brightness.py")
SET = distilled(real_images("digits"), "random", 1, 0, "convnet-1:width=4")


@pytest.fixture
def plugin() -> Iterator[Plugin]:
    found = read_plugin(FILE)
    load_plugin(found)
    yield found
    unload(found)


def unload(plugin: Plugin) -> None:
    for registry in (stages, suites):
        registry.remove(plugin.module)
    sys.modules.pop(plugin.module, None)


def test_a_stage_of_a_plug_in_runs_in_the_pool(tmp_path: Path, stillproof: Commands) -> None:
    command = ["run", "brightness", "--plugin", str(FILE), "--store", "b.db", "--workers", "2", "--json"]
    done = stillproof(*command, cwd=tmp_path)
    assert done.code == 0, done.err
    (table,) = done.json()["tables"]
    assert [(row["method"], row["brightness"]["n"]) for row in table["rows"]] == [("random", 2), ("dm", 2)]
    assert query(tmp_path / "b.db", "SELECT DISTINCT status FROM cells") == [("done",)]
    again = stillproof(*command, "--dry-run", cwd=tmp_path).json()
    assert again["cached"] == again["cells"] == 8
    shown = stillproof("table", "brightness", "--plugin", str(FILE), "--store", "b.db", cwd=tmp_path)
    assert "How bright the sets are" in shown.out and "dm" in shown.out
    listed = stillproof("list", "stages", "--plugin", str(FILE), "--json", cwd=tmp_path).json()["stages"]
    assert "brightness" in [entry["name"] for entry in listed]
    assert stillproof("check", str(FILE), cwd=tmp_path).code == 0


def test_the_library_asks_it_by_name(plugin: Plugin, tmp_path: Path) -> None:
    session = Session(str(tmp_path / "s.db"), plugins=[plugin])
    once, twice = (session.answer(Request("brightness", of=SET, power=power))["brightness"] for power in (1, 2))
    assert twice > once**2
    session.close()


def test_its_name_is_that_of_its_code_and_of_what_is_asked(plugin: Plugin, tmp_path: Path) -> None:
    planner = Planner(tmp_path)
    asked = [planner.ask("brightness", of=SET), planner.ask("brightness", of=SET, power=1)]
    assert asked[0] is asked[1] and "own" in asked[0].spec
    assert planner.ask("brightness", of=SET, power=2).id != asked[0].id
    before = json.dumps(asked[0].spec)
    unload(plugin)
    changed = Plugin("brightness.py", plugin.source.replace(".mean()", ".std()"))
    load_plugin(changed)
    assert json.dumps(Planner(tmp_path).ask("brightness", of=SET).spec) != before
    unload(changed)


@pytest.mark.parametrize(
    ("request_", "error", "words"),
    [
        (Request("brigthness", of=SET), UnknownName, "unknown stage 'brigthness'; did you mean 'brightness'"),
        (Request("brightness", off=SET), UnknownName, "parameter 'off' of stage 'brightness'; did you mean 'of'"),
        (Request("brightness"), BadInput, "stage 'brightness' needs a value for of"),
        (Request("brightness", of="digits"), BadInput, "of = 'digits' is not allowed"),
        (Request("brightness", of=SET, power="two"), BadInput, "power = 'two' is not allowed"),
        (Request("brightness", of=SET, power=0), BadInput, "at least 1"),
        (Request("data", dataset="digits"), BadInput, "nothing that could be computed"),
        (trained(Request("brightness", of=SET), "mlp", "smoke", 0), BadInput, "is no set of images"),
        (Request("select", train=SET, rule="last"), BadInput, "is not a training run"),
        (trained(SET, "mlp", "smoke:objective=none", 0), UnknownName, "unknown objective 'none'"),
        (trained(SET, "mlp", "smoke:augment=", 0), UnknownName, "unknown augmentation ''"),
    ],
)
def test_what_cannot_be_asked_is_refused_while_planning(
    plugin: Plugin, tmp_path: Path, request_: Request, error: type[BadInput], words: str
) -> None:
    with pytest.raises(error, match=words) as caught:
        Planner(tmp_path).plan(request_)
    assert "\n" not in str(caught.value)


@dataclass(frozen=True)
class Odd(Stage):
    """A stage that does what it should not."""

    does: str

    def plan(self, planner: Planner) -> Planned:
        specs: dict[str, Any] = {"takes a reserved key": {"own": "x"}, "has no JSON": {"path": Path()}}
        where = {"dataset": "digits"} if self.does == "answers with a dict" else {}
        return Planned(specs.get(self.does, {"does": self.does}), self.does, where=where, images=1)

    @staticmethod
    def compute(job: Job) -> Answer:
        found: Any = {"images": 1} if job.spec["does"] == "answers with a dict" else Answer({}, artifacts=None)  # type: ignore[arg-type]
        return found  # type: ignore[no-any-return]


@pytest.fixture
def odd() -> Iterator[None]:
    stages.register("odd", version=1)(Odd)
    yield
    stages.remove(__name__)


@pytest.mark.usefixtures("odd")
@pytest.mark.parametrize(
    ("does", "words"), [("takes a reserved key", "'own' in its spec"), ("has no JSON", "a spec that is not plain JSON")]
)
def test_a_spec_that_cannot_name_a_cell_is_refused(tmp_path: Path, does: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        Planner(tmp_path).ask("odd", does=does)
    with pytest.raises(BadInput, match="without saying of which data set"):
        Planner(tmp_path).images(Request("odd", does="makes images of nothing"))
    with pytest.raises(BadInput, match="more than plain values"):
        Request("odd", does=[[1]])


@pytest.mark.usefixtures("odd")
@pytest.mark.parametrize(
    ("does", "words"),
    [("answers with a dict", "answered with dict, not with an Answer"), ("has odd artifacts", "NoneType")],
)
def test_an_answer_of_another_form_fails_its_cell_alone(tmp_path: Path, does: str, words: str) -> None:
    session = Session(str(tmp_path / "s.db"))
    with pytest.raises(CellFailed, match=words):
        session.answer(Request("odd", does=does))
    session.close()


def test_the_page_shows_this_file_and_its_commands_work(tmp_path: Path, stillproof: Commands) -> None:
    page = (Path(__file__).parents[2] / "docs" / "add-a-stage.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert shown == FILE.read_text(encoding="utf-8")
    (tmp_path / "brightness.py").write_text(shown, encoding="utf-8")
    (listed,) = re.findall(r"^```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    for line in listed.splitlines():
        done = stillproof(*shlex.split(line.removesuffix(" --workers 2"))[1:], cwd=tmp_path)  # see above
        assert done.code == 0 and done.out, (line, done.err)
    (text,) = re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert list(tomllib.loads(text)["project"]["entry-points"]) == ["stillproof.stages"]

"""Names that last: cells whose ids are written down in ``pinned_cells.py``, and what does and does not change one."""

from __future__ import annotations

import dataclasses
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pinned_cells import CELLS, DM, NO_CELL, PINNED, ids, planner_for

import stillproof
from stillproof.core.components import stages
from stillproof.core.lock import read_lock
from stillproof.run.plan import Planner
from stillproof.session import Session
from stillproof.suites.requests import Request, real_images, trained


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return ids(tmp_path_factory.mktemp("data"))


@pytest.mark.parametrize("name", CELLS)
def test_the_name_of_a_known_question_never_changes(planned: dict[str, str], name: str) -> None:
    assert planned[name] == PINNED[name]


def test_a_cell_of_every_stage_is_known() -> None:
    ours = {name for name, entry in stages.entries().items() if entry.origin == "stillproof"}
    assert {request.stage for request in CELLS.values()} == ours - NO_CELL.keys()


def test_every_generation_above_one_is_in_a_known_name(tmp_path: Path) -> None:
    planner = planner_for(tmp_path)
    found = [generations_in(planner.plan(request).spec) for request in CELLS.values()]
    risen = {key: generation for line in read_lock().values() for key, generation in line.generations().items()}
    assert {key: generation for held in found for key, generation in held.items()} == risen


def generations_in(spec: Any) -> dict[str, int]:
    if not isinstance(spec, dict):
        return {}
    found = dict(spec.get("generations", {}))
    for value in spec.values():
        found |= generations_in(value)
    return found


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (DM, DM.but(method="dm:batch_real=8:steps=3")),
        (DM, DM.but(method="dm:steps=3:momentum=0.5", scale="smoke")),
        (DM, DM.but(network="convnet:depth=3")),
        (
            trained(DM, "convnet-3", "smoke", 0),
            trained(DM, "convnet-3", "quick:epochs=2:curve_points=2:decay_epochs=", 0),
        ),
        (trained(DM, "mlp", "smoke:augment=dsa", 0), trained(DM, "mlp", "smoke:augment=dsa()", 0)),
        (trained(DM, "mlp", "smoke:objective=kl", 0), trained(DM, "mlp", "smoke:objective=kl(temperature=1)", 0)),
    ],
)
def test_one_question_in_other_words_is_one_question(tmp_path: Path, first: Request, second: Request) -> None:
    planner = Planner(tmp_path)
    assert planner.plan(first).id == planner.plan(second).id


def test_one_set_is_one_artifact_however_its_network_is_written(tmp_path: Path) -> None:
    made: list[str] = []
    for network in ("convnet-1:width=4", "convnet:depth=1:width=4", "convnet:width=4:depth=1"):
        session = Session(str(tmp_path / f"{len(made)}.db"))
        made.append(session.answer(DM.but(network=network))["artifact"])
        session.close()
    assert len(set(made)) == 1


@pytest.mark.parametrize(
    "other",
    [
        DM.but(seed=1),
        DM.but(ipc=2),
        DM.but(method="dm:steps=4"),
        DM.but(network="convnet-2"),
        DM.but(data=real_images("digits", "fit")),
        DM.but(scale="quick"),
    ],
)
def test_whatever_decides_a_set_is_in_its_name(tmp_path: Path, other: Request) -> None:
    assert Planner(tmp_path).plan(other).id != Planner(tmp_path).plan(DM).id


PLAN = """
import json, sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from pinned_cells import ids
print(json.dumps(ids(Path(sys.argv[1]))))
"""


def planned_by(package: Path, folder: Path) -> dict[str, str]:
    """Return the ids that a copy of the package gives."""
    tests = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]
    command = [sys.executable, "-c", PLAN, str(folder), str(package)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": ":".join(tests), "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    shutil.copytree(Path(stillproof.__file__).parent, tmp_path / "src" / "stillproof")
    return tmp_path / "src"


@dataclasses.dataclass(frozen=True)
class Edit:
    file: str
    old: str
    new: str

    def apply(self, clone: Path) -> None:
        path = clone / "stillproof" / self.file
        text = path.read_text(encoding="utf-8")
        assert self.old in text
        path.write_text(text.replace(self.old, self.new, 1), encoding="utf-8")


UNSEEN = (  # comments, docstrings, and files that decide no number
    Edit("train/loop.py", '"""Training as', '"""Here is training as'),
    Edit("core/context.py", "from __future__", "# A remark.\nfrom __future__"),
    Edit("report/answers.py", "import math\n", "import math\nMORE = 1\n"),
    Edit("store/results.py", "from __future__ import annotations\n", "from __future__ import annotations\nMORE = 1\n"),
    Edit("run/attacked_picture.py", "GAP = 6\n", "GAP = 8\n"),
    Edit("cli/run.py", "def command(", "MORE = 1\n\n\ndef command("),
)
# What stands on no training by the usual loop.
UNTRAINED = {"whitening", "random", "dm", "snapshot", "cost", "bacon", "relabelled hard", "noisy", "same space"} | {
    *("stored model", "attacked model", "published")
}


@pytest.mark.parametrize(
    ("edits", "renamed"),
    [
        (UNSEEN, set()),
        (
            [Edit("distill/dm.py", "lr: float = 1.0", "lr: float = 2.0")],
            {"dm", "snapshot", "training", "coverage", "distilled attacked"},
        ),
        pytest.param(
            [Edit("train/epochs.py", "/ seen", "/ seen / 2")],
            CELLS.keys() - UNTRAINED,
            marks=pytest.mark.slow,
        ),
    ],
    ids=["nothing that counts", "a method", "training"],
)
def test_what_an_edit_of_a_clone_does_to_names(
    tmp_path: Path, clone: Path, edits: Sequence[Edit], renamed: set[str]
) -> None:
    for edit in edits:
        edit.apply(clone)
    found = planned_by(clone, tmp_path)
    assert {name for name in CELLS if found[name] != PINNED[name]} == renamed


@pytest.mark.slow
def test_a_new_parameter_with_a_default_changes_no_name_once_the_lock_has_it(tmp_path: Path, clone: Path) -> None:
    Edit("train/recipe.py", "    curve_points: int = 1\n", "    curve_points: int = 1\n    patience: int = 0\n").apply(
        clone
    )
    assert planned_by(clone, tmp_path)["training"] != PINNED["training"], "nobody has said that numbers are the same"
    relock(clone, "train/recipe.py")
    assert planned_by(clone, tmp_path) == PINNED


def relock(clone: Path, file: str) -> None:
    """Renew a line as ``make lock SAME=...`` does."""
    from tools.lock import line_of

    path = clone / "stillproof" / "lock.json"
    lock = json.loads(path.read_text(encoding="utf-8"))
    line = line_of(clone / "stillproof" / file, file)
    lock["files"][file] |= {"bytes": line.bytes, "code": line.code}
    path.write_text(json.dumps(lock), encoding="utf-8")

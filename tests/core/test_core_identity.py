from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stillproof.core import closure as closure_module
from stillproof.core import identity, lock, source
from stillproof.core.closure import closure
from stillproof.core.components import REGISTRIES
from stillproof.core.errors import BadInput
from stillproof.core.identity import code_identity
from stillproof.core.plugins import Plugin, load_plugin
from stillproof.core.source import code_of, parse

DM, TRAIN = "stillproof.distill.dm", "stillproof.run.stages.train"
LOOP = "stillproof.train.loop"

Edit = Callable[[str, str, str], None]


def forget() -> None:
    for remembered in (
        closure_module._closure,
        source.code_of,
        source.file_of,
        identity.code_identity,
        lock.difference,
        lock.read_lock,
    ):
        remembered.cache_clear()


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    forget()
    yield
    forget()


@pytest.fixture
def edit(monkeypatch: pytest.MonkeyPatch) -> Edit:
    """Replace text in what is read of one module."""

    def change(module: str, old: str, new: str) -> None:
        code = code_of(module)
        assert code is not None and old in code.text, f"{old} is not in {module}"
        changed = parse(code.text.replace(old, new), module)
        real = code_of
        monkeypatch.setattr(closure_module, "code_of", lambda name: changed if name == module else real(name))
        closure_module._closure.cache_clear()
        identity.code_identity.cache_clear()

    return change


@pytest.fixture
def bump(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def raise_generation(path: str) -> None:
        lines = dict(lock.read_lock())
        lines[path] = dataclasses.replace(lines[path], generation=lines[path].generation + 1)
        monkeypatch.setattr(lock, "read_lock", lambda: lines)
        identity.code_identity.cache_clear()

    return raise_generation


@pytest.mark.parametrize("module", [DM, TRAIN, "stillproof.nets.convnet", "stillproof.transforms.dsa"])
def test_as_released_code_adds_nothing_to_a_name(module: str) -> None:
    assert code_identity(module) == {}


def test_a_comment_or_a_docstring_adds_nothing_either(edit: Edit) -> None:
    edit(LOOP, '"""Training as', '"""Here is training as')
    assert code_identity(TRAIN) == {}


def test_an_edited_clone_has_names_of_its_own(edit: Edit) -> None:
    edit("stillproof.train.epochs", "/ seen", "/ seen / 2")
    (key,) = code_identity(TRAIN)
    assert key == "edited" and len(code_identity(TRAIN)["edited"]) == identity.SHORT
    assert code_identity("stillproof.nets.convnet") == {}, "what does not use it keeps its name"


def test_a_generation_is_part_of_the_names_of_what_uses_the_file(bump: Callable[[str], None]) -> None:
    bump("train/loop.py")
    assert code_identity(TRAIN) == {"generations": {"train/loop.py": 2}}
    assert code_identity("stillproof.run.stages.zca") == {}


def test_a_recipe_that_is_used_by_name_is_part_of_a_method(bump: Callable[[str], None]) -> None:
    bump("train/recipes.py")
    trains = 'from stillproof import recipes\nrecipes.build("dc-bench")'
    assert code_identity("mine", trains)["generations"] == {"train/recipes.py": 2}
    assert code_identity(DM) == {}, "a recipe that is only noted down for others is no part"


@pytest.mark.parametrize(
    ("reference", "there", "absent"),
    [
        ("expert:epochs=3", "transforms.dsa", "transforms.mixup"),
        ("smoke:augment=mixup:lr=1", "transforms.mixup", "transforms.dsa"),
        ("smoke:objective=kl(temperature=4)", "train.objectives.kl", "train.objectives.mse"),
    ],
)
def test_what_a_recipe_names_is_part_of_a_method_too(reference: str, there: str, absent: str) -> None:
    found = closure("mine", f"from stillproof import recipes\nrecipes.build({reference!r})")
    assert f"stillproof.{there}" in found and f"stillproof.{absent}" not in found


@pytest.mark.parametrize(
    "lines",
    [
        "from stillproof.plugin import descend, recipes\nrecipes.build('smoke')\ndescend()",
        "import stillproof.plugin as sp\nsp.recipes.build('smoke')\nsp.descend()",
        "import stillproof.plugin\nstillproof.plugin.recipes.build('smoke')\nstillproof.plugin.descend()",
        "from stillproof import plugin\nplugin.recipes.build('smoke')\nplugin.descend()",
        "from stillproof import plugin as p\np.recipes.build('smoke')\np.descend()",
        "from stillproof.core import components as c\nfrom stillproof.plugin import descend\nc.recipes.build('smoke')",
        "import stillproof as s\nfrom stillproof.plugin import descend\ns.recipes.build('smoke')",
    ],
)
def test_however_names_are_imported_their_homes_count(lines: str) -> None:
    found = closure("mine", lines).keys()
    assert {"stillproof.train.recipes", "stillproof.distill.learning.descent"} <= found
    assert "stillproof.distill.learning.class_means" not in found, "of what is passed on, only what is used"


def test_a_package_with_the_name_of_a_function_is_not_that_function() -> None:
    inside = closure("mine", "from stillproof.attack.base import losses\nlosses.cross_entropy").keys()
    assert "stillproof.attack.base.losses" in inside and "stillproof.own_model" not in inside
    assert "stillproof.own_model" in closure("mine", "import stillproof as s\ns.attack(1)")


RECIPE = """
from dataclasses import dataclass
from stillproof.plugin import Recipe, recipes
@recipes.register("theirs", version=1)
@dataclass(frozen=True)
class Theirs(Recipe):
    lr: float = {lr}
"""


def test_components_of_another_plug_in_count_by_their_content() -> None:
    found = []
    for lr, comment in ((0.1, ""), (0.2, ""), (0.1, "# as before")):
        plugin = Plugin("theirs.py", RECIPE.format(lr=lr) + comment)
        load_plugin(plugin)
        forget()
        found.append(code_identity("mine", "from stillproof import recipes\nrecipes.build('theirs')")["own"])
        for registry in REGISTRIES.values():
            registry.remove(plugin.module)
    assert found[0] == found[2] != found[1]


def test_a_package_without_an_init_file_has_code_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "no_init").mkdir()
    (tmp_path / "no_init" / "method.py").write_text("X = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "own" in code_identity("no_init.method")
    with pytest.raises(BadInput, match=r"source of no_init\.absent cannot be read"):
        code_identity("no_init.absent")


def test_what_only_type_checkers_see_does_not_count() -> None:
    text = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import stillproof.train.loop\n"
    assert closure("mine", text).keys() == {"mine"}
    assert LOOP in closure("mine", f"{text}else:\n    import stillproof.train.loop\n")


@pytest.mark.parametrize(
    "line",
    [
        "import stillproof.train.loop",
        "import stillproof.train.loop as training",
        "from stillproof.train import loop",
        "from stillproof.train.loop import fit",
        "def late():\n    from stillproof.train.loop import fit",
    ],
)
def test_a_module_counts_however_it_is_imported_and_what_it_imports_too(line: str) -> None:
    assert {LOOP, "stillproof.train.recipe"} <= closure("mine", line).keys()


def test_what_is_passed_on_comes_from_its_home() -> None:
    found = closure("mine", "from stillproof import Context, networks")
    assert "stillproof.core.context" in found and "stillproof" not in found


def test_names_that_are_no_modules_are_passed_over() -> None:
    assert closure("mine", "import numpy\nfrom . import sibling\nimport no_such_package").keys() == {"mine"}


def test_all_files_of_a_plug_in_count_also_by_relative_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "their_package"
    (package / "inner").mkdir(parents=True)
    for folder in (package, package / "inner"):
        (folder / "__init__.py").write_text("")
    (package / "inner" / "method.py").write_text("from ..helper import FACTOR\nfrom . import near\n")
    (package / "inner" / "near.py").write_text("NEAR = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = []
    for factor, near, comment in ((1, 1, ""), (2, 1, ""), (1, 2, ""), (1, 1, "# the same")):
        (package / "helper.py").write_text(f"FACTOR = {factor}  {comment}\n")
        (package / "inner" / "near.py").write_text(f"NEAR = {near}\n")
        forget()
        found.append(json.dumps(code_identity("their_package.inner.method")))
    assert found[0] == found[3] and len(set(found)) == 3


def test_a_file_that_the_lock_does_not_know_counts_as_edited(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = {path: line for path, line in lock.read_lock().items() if path != "train/loop.py"}
    monkeypatch.setattr(lock, "read_lock", lambda: lines)
    assert code_identity(TRAIN).keys() == {"edited"}

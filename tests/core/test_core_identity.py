from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stillproof.core import closure as closure_module
from stillproof.core import identity, lock
from stillproof.core.closure import closure, code_of, parse
from stillproof.core.identity import code_identity

DM, TRAIN = "stillproof.distill.dm", "stillproof.run.stages.train"
LOOP = "stillproof.train.loop"

Edit = Callable[[str, str, str], None]


def forget() -> None:
    for remembered in (
        closure_module._closure,
        closure_module.code_of,
        closure_module.file_of,
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
        monkeypatch.setattr(identity, "read_lock", lambda: lines)
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
    assert code_identity(TRAIN) == {"generations": {LOOP: 2}}
    assert code_identity("stillproof.run.stages.zca") == {}


def test_a_recipe_that_is_used_by_name_is_part_of_a_method(bump: Callable[[str], None]) -> None:
    assert "stillproof.train.recipes" not in (code_of(DM) or parse("", DM)).imports
    bump("train/recipes.py")
    assert code_identity(DM) == {"generations": {"stillproof.train.recipes": 2}}


def test_an_augmentation_that_a_recipe_names_by_default_is_part_of_a_method() -> None:
    found = closure("mine", 'from stillproof import recipes\nrecipes.build("expert:epochs=3")')
    assert "stillproof.transforms.dsa" in found
    found = closure("mine", 'from stillproof import recipes\nrecipes.build(f"smoke:augment=mixup:lr={1}")')
    assert "stillproof.transforms.mixup" in found and "stillproof.transforms.dsa" not in found


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

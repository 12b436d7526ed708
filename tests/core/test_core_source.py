from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from stillproof.core import source

COMPONENT = '''
"""A component."""
from stillproof.train.recipe import Recipe

class Thing:
    """Says what it is."""
    def run(self):
        """Says what it does."""
        return 1 + 2
'''


Edit = Callable[[str, str, str], None]


@pytest.fixture
def edit(monkeypatch: pytest.MonkeyPatch) -> Edit:
    """Replace text in what the hash reads of one module."""
    real = source._module_source

    def change(module: str, old: str, new: str) -> None:
        assert re.search(old, real(module)), f"{old} is not in {module}"
        changed = re.sub(old, new, real(module))
        monkeypatch.setattr(source, "_module_source", lambda name: changed if name == module else real(name))

    return change


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"""A component."""', '"""Something else."""'),
        ('"""A component."""', ""),
        ('    """Says what it is."""\n', ""),
        ('"""Says what it does."""', "'Says it otherwise.'"),
        ("return 1 + 2", "return (1 +\n            2)  # three"),
        ("class Thing:", "\n\n\nclass Thing:"),
    ],
)
def test_comments_docstrings_and_formatting_do_not_count(old: str, new: str) -> None:
    assert old in COMPONENT
    assert source.closure_hash(COMPONENT.replace(old, new)) == source.closure_hash(COMPONENT)


@pytest.mark.parametrize(("old", "new"), [("1 + 2", "1 + 3"), ("run", "go"), ("Recipe\n", "Recipe as R\n")])
def test_code_counts(old: str, new: str) -> None:
    assert source.closure_hash(COMPONENT.replace(old, new)) != source.closure_hash(COMPONENT)


def test_a_string_that_is_no_docstring_counts() -> None:
    assert source.closure_hash("x = 'a'") != source.closure_hash("x = 'b'")


def test_a_docstring_alone_leaves_a_valid_body() -> None:
    assert source.tree_text('def f():\n    "only this"\n') == "def f():\n    pass"


def test_an_imported_module_counts(edit: Edit) -> None:
    before = source.closure_hash(COMPONENT)
    edit("stillproof.train.recipe", "momentum: float = 0.9", "momentum: float = 0.8")
    assert source.closure_hash(COMPONENT) != before


def test_comments_of_an_imported_module_do_not_count(edit: Edit) -> None:
    before = source.closure_hash(COMPONENT)
    edit("stillproof.train.recipe", '"""How a network is trained, as data."""', '"""Otherwise."""  # and so on')
    assert source.closure_hash(COMPONENT) == before


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
def test_a_module_imported_by_an_imported_module_counts_however_it_is_imported(edit: Edit, line: str) -> None:
    before = source.closure_hash(line)
    edit("stillproof.train.recipe", "lr: float = 0.01", "lr: float = 0.02")
    assert source.closure_hash(line) != before


def test_a_module_that_is_not_imported_does_not_count(edit: Edit) -> None:
    before = source.closure_hash(COMPONENT)
    edit("stillproof.nets.mlp", "width: int = 128", "width: int = 64")
    assert source.closure_hash(COMPONENT) == before


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("stillproof.core.errors", "exit_code = 1", "exit_code = 7"),
        ("stillproof.store.store", "class Store", "class Other"),
    ],
)
def test_plumbing_does_not_count(edit: Edit, module: str, old: str, new: str) -> None:
    component = f"import {module}\nfrom stillproof.core.seeds import Seeds"
    before = source.closure_hash(component)
    edit(module, old, new)
    assert source.closure_hash(component) == before


def test_how_pixels_are_read_counts(edit: Edit) -> None:
    line = "from stillproof.core.types import ImageSet"
    before = source.closure_hash(line)
    edit("stillproof.core.types", r"div_\(255\)", "div_(256)")
    assert source.closure_hash(line) != before


def test_other_modules_of_a_plug_in_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "their_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    hashes = set()
    for factor in (1, 2):
        (package / "helper.py").write_text(f"FACTOR = {factor}")
        for cache in (source._module_file, source._module_source):
            cache.cache_clear()
        hashes.add(source.closure_hash("from their_package.helper import FACTOR", "their_package"))
    assert len(hashes) == 2


@pytest.mark.parametrize("line", ["from stillproof.core.seeds import Seeds", "from stillproof.core import seeds"])
def test_seeds_count_because_they_decide_numbers(edit: Edit, line: str) -> None:
    before = source.closure_hash(line)
    edit("stillproof.core.seeds", ">> 1", ">> 2")
    assert source.closure_hash(line) != before


def test_modules_that_import_each_other_have_a_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {
        "stillproof.train.recipe": "import stillproof.train.loop",
        "stillproof.train.loop": "import stillproof.train.recipe",
    }
    monkeypatch.setattr(source, "_module_source", texts.__getitem__)
    one = source.closure_hash("import stillproof.train.recipe")
    assert one != source.closure_hash("import stillproof.train.loop")


def test_names_that_are_no_modules_are_passed_over() -> None:
    assert source.closure_hash("import numpy\nfrom stillproof import networks\nfrom . import sibling")

from __future__ import annotations

import ast
import dataclasses

import pytest

from stillproof.core.components import recipes
from stillproof.core.index import Entry, scan
from stillproof.train.recipe import Recipe

SOURCE = '''
"""A file of components."""
from dataclasses import dataclass, field
import nothing_like_this_is_installed
from typing import ClassVar

@dataclass(frozen=True)
class Base:
    steps: int = 1_000
    lr: float = 0.1

@distillers.register("alpha", version=2, paper="arXiv:1", names={"alpha-5": {"steps": 5, "init": "real"}})
@dataclass(frozen=True)
class Alpha(Base):
    """The first one.

    And more.
    """
    lr: float = 0.2
    init: str = "noise"
    path: str
    presets: ClassVar[tuple[int, ...]] = ()

    def method(self) -> None:
        local: int = 3

@stillproof.networks.register("beta", version=1)
class Beta: ...

class Unregistered: ...
'''


def entries(source: str) -> dict[str, Entry]:
    return {entry.name: entry for entry in scan(source, module="some.module", origin="here", filename="file.py")}


def test_names_are_read_without_importing_anything() -> None:
    assert list(entries(SOURCE)) == ["alpha", "alpha-5", "beta"]


def test_an_entry_says_everything_that_is_shown() -> None:
    alpha = entries(SOURCE)["alpha"]
    assert (alpha.kind, alpha.version, alpha.paper) == ("distillers", 2, "arXiv:1")
    assert alpha.summary == "The first one."
    assert (alpha.module, alpha.origin, alpha.qualname, alpha.family) == ("some.module", "here", "Alpha", "alpha")
    assert alpha.fixed == {}


def test_a_short_name_is_its_family_with_parameters_settled() -> None:
    short = entries(SOURCE)["alpha-5"]
    assert (short.family, short.qualname, short.fixed) == ("alpha", "Alpha", {"steps": 5, "init": "real"})


def test_parameters_include_those_inherited_in_the_same_file() -> None:
    assert entries(SOURCE)["alpha"].params == {
        "steps": "int = 1000",
        "lr": "float = 0.2",
        "init": "str = 'noise'",
        "path": "str",
    }


def test_a_short_name_shows_the_parameters_that_it_settles() -> None:
    assert entries(SOURCE)["alpha-5"].params == {
        "steps": "int = 5",
        "lr": "float = 0.2",
        "init": "str = 'real'",
        "path": "str",
    }


INHERITS = """
from elsewhere import Base
from stillproof.train.recipes import DCBenchDSA as Long
from stillproof.train.recipe import Recipe
from stillproof.not_there import Absent

@recipes.register("long", version=1)
class Mine(Long):
    epochs: int = 7

@recipes.register("same-name", version=1)
class Recipe(Recipe):
    batch: int = 3

@recipes.register("foreign", version=1)
class ForeignSet(Base, Absent):
    own: int = 1
"""


def test_parameters_of_bases_in_other_stillproof_files_are_read_from_there() -> None:
    found = entries(INHERITS)
    whole = {field.name for field in dataclasses.fields(Recipe)}
    assert found["long"].params.keys() == found["same-name"].params.keys() == whole
    long = found["long"].params
    assert (long["epochs"], long["augment"], long["reset_momentum"], long["batch"]) == (
        "int = 7",
        "str = 'dsa'",
        "bool = True",
        "int = 256",
    )
    assert found["same-name"].params["batch"] == "int = 3"
    assert found["foreign"].params == {"own": "int = 1"}


@pytest.mark.parametrize("name", sorted(recipes.entries()))
def test_a_recipe_is_listed_with_the_values_that_it_is_built_with(name: str) -> None:
    listed = {key: text.rpartition(" = ")[2] for key, text in recipes.entry(name).params.items()}
    built = dataclasses.asdict(recipes.build(name))
    assert {key: ast.literal_eval(text) for key, text in listed.items()} == built


def test_a_registry_may_be_reached_through_the_package() -> None:
    beta = entries(SOURCE)["beta"]
    assert (beta.kind, beta.summary, beta.params) == ("networks", "", {})


@pytest.mark.parametrize(
    "decorator",
    ["@codecs.register(Handler)", "@codecs.register('x', hook=print)", "@codecs.register", "@register('x', version=1)"],
)
def test_decorators_of_other_libraries_are_left_alone(decorator: str) -> None:
    assert entries(f"{decorator}\nclass ForeignSet: ...\n") == {}


def test_what_is_not_python_is_a_syntax_error_in_the_named_file() -> None:
    with pytest.raises(SyntaxError) as caught:
        entries("class class:")
    assert caught.value.filename == "file.py"

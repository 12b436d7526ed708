from __future__ import annotations

import pytest

from stillproof.core.spec import Json
from stillproof.report.identities import components_in, has_risen

DM: Json = {"name": "dm", "version": 1, "params": {}}


def test_components_are_found_by_what_they_stand_under() -> None:
    assert [found[:2] for found in components_in({"stage": "distill", "method": DM})] == [
        ("stages", "distill"),
        ("distillers", "dm"),
    ]


@pytest.mark.parametrize("name", [None, 3, ["dm"], {"name": "dm"}])
def test_what_has_no_name_is_no_component(name: object) -> None:
    """A merged cell may hold anything."""
    assert list(components_in({"stage": name, "method": DM | {"name": name}})) == []


@pytest.mark.parametrize("strange", [None, "1", [1], {"a": 1}])
def test_strange_versions_and_generations_are_the_first(strange: object) -> None:
    assert has_risen("distillers", "dm", DM) is has_risen("distillers", "dm", DM | {"version": strange})
    assert has_risen("distillers", "dm", DM) is has_risen("distillers", "dm", DM | {"generations": strange})

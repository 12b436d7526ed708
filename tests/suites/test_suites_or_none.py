from __future__ import annotations

import pytest

from stillproof.core.components import suites

LEFT_OUT = [
    ("accuracy", "full_recipe"),
    ("beard", "full_recipe"),
    ("dc-bench", "full_recipe"),
    ("dc-bench", "large_network"),
    ("dc-bench", "search_full_recipe"),
    ("dd-ranking", "full_recipe"),
    ("mad", "strong"),
]


@pytest.mark.parametrize(("suite", "parameter"), LEFT_OUT)
def test_none_leaves_out_what_nothing_leaves_out(suite: str, parameter: str) -> None:
    found = suites.build(suite, {parameter: "none"})
    assert found == suites.build(suite, {parameter: ""}) != suites.build(suite)
    assert suites.spec(found).params[parameter] == "", "a run has one name, however it is asked for"
    assert len(found.rows()) <= len(suites.build(suite).rows())

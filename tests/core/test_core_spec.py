from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillproof.core.spec import ComponentSpec, canonical_json, digest

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12)


def reordered(value: Any) -> Any:
    """Return an equal value whose dictionaries were filled the other way round."""
    if isinstance(value, dict):
        return {key: reordered(value[key]) for key in reversed(value)}
    return [reordered(item) for item in value] if isinstance(value, list) else value


@given(values)
def test_the_order_of_keys_does_not_matter(value: Any) -> None:
    assert canonical_json(reordered(value)) == canonical_json(value)


@given(st.dictionaries(st.text(), st.integers(), min_size=1))
def test_every_value_matters(value: dict[str, int]) -> None:
    for key in value:
        assert digest({**value, key: value[key] + 1}) != digest(value)


def test_the_form_is_fixed() -> None:
    assert canonical_json({"b": [1, 0.1, None], "a": "ü", "c": {}}) == r'{"a":"\u00fc","b":[1,0.1,null],"c":{}}'


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_json_does_not_have_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        digest({"lr": [value]})


def test_a_tuple_is_a_list() -> None:
    assert digest({"sizes": (1, (2, 3))}) == digest({"sizes": [1, [2, 3]]})
    spec = ComponentSpec("recipe", "x", 1, {"decay_epochs": (5, 10)})
    assert spec.as_dict()["params"] == {"decay_epochs": [5, 10]}


def test_a_whole_number_is_not_a_fraction() -> None:
    # Fields are converted to their declared types before they get here, so 1 and 1.0 are different parameters.
    assert digest(1) != digest(1.0)


def test_the_name_of_a_known_spec_never_changes() -> None:
    # If this fails, every stored answer has lost its name: raise SPEC_FORMAT and say so in the change log.
    spec = {
        "stage": "distill",
        "data": "toy/train@sha256:0",
        "method": {"name": "dm", "version": 1, "params": {"steps": 3}},
        "ipc": 2,
        "seed": 0,
    }
    assert digest(spec) == "fc853ab9a6dfc494817b6af226d5b86c97e3e32a8700b3713d71d274b1ff7554"

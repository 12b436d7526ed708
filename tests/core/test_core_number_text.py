from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillproof.core.number_text import number_of, size_text


@pytest.mark.parametrize(
    ("text", "value"), [("8/255", 8 / 255), (" 8 / 255 ", 8 / 255), ("0.5", 0.5), ("1e-3", 0.001), ("-1/2", -0.5)]
)
def test_numbers_and_fractions_are_read(text: str, value: float) -> None:
    assert number_of(text) == value


@pytest.mark.parametrize("text", ["", "8/", "/255", "8/0", "8/255/2", "eight", "nan", "inf", "1/inf/", "8:255"])
def test_what_is_no_number_is_none(text: str) -> None:
    assert number_of(text) is None


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_that_was_written_is_read_back(value: float) -> None:
    assert number_of(repr(value)) == value


@pytest.mark.parametrize(
    ("size", "text"),
    [(8 / 255, "8/255"), (128 / 255, "128/255"), (1 / 3, "85/255"), (0.2, "0.2"), (1.0, "1"), (0.0, "0")],
)
def test_sizes_are_written_as_people_do(size: float, text: str) -> None:
    assert size_text(size) == text

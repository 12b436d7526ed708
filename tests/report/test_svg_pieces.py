from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillproof.report.drawing.text_size import text_width as measured
from stillproof.report.figures.looks import LOOKS, PARTS, Fill
from stillproof.report.measure import ACCURACY, difference
from stillproof.report.svg.colours import DARK_THEME, LIGHT_THEME, colour_of, heat
from stillproof.report.svg.element import element, number
from stillproof.report.svg.hatch import hatched
from stillproof.report.svg.scales import linear_ticks, log_scale, log_ticks, percent_scale, percent_text, percent_ticks
from stillproof.report.svg.text import name_lines, shortened, text_width


def test_text_in_elements_is_escaped() -> None:
    found = element("text", 'a < "b"', class_='x" onload="', text_anchor="end", x=1 / 3)
    assert str(found) == ('<text class="x&quot; onload=&quot;" text-anchor="end" x="0.33">a &lt; &quot;b&quot;</text>')
    assert str(element("path", d="M0 0")) == '<path d="M0 0"/>' and str(element("ul")) == "<ul></ul>"


def test_numbers_are_short_and_never_without_a_place() -> None:
    assert [number(value) for value in (1.0, -0.001, 0.5, 2 / 3, 100.0)] == ["1", "0", "0.5", "0.67", "100"]
    for value in (math.nan, math.inf):
        with pytest.raises(ValueError, match="has no place"):
            number(value)


@pytest.mark.parametrize(
    ("values", "ends", "ticks"),
    [
        ([0.397, 0.97], (0.2, 1.0), ["20", "40", "60", "80", "100"]),
        ([0.9, 0.9], (0.885, 0.915), None),
        ([0.0, 1.0], (0.0, 1.0), ["0", "20", "40", "60", "80", "100"]),
    ],
)
def test_axes_end_at_round_percents_within_what_can_be(
    values: list[float], ends: tuple[float, float], ticks: list[str] | None
) -> None:
    scale = percent_scale(values, ACCURACY, 200, 0)
    assert scale.low <= min(values) and max(values) <= scale.high and 0 <= scale.low < scale.high <= 1
    if ticks is not None:
        assert (scale.low, scale.high) == pytest.approx(ends)
        assert [percent_text(tick) for tick in percent_ticks(scale)] == ticks


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=5), st.booleans())
def test_every_axis_holds_its_values_and_has_some_numbers(values: list[float], zero: bool) -> None:
    scale = percent_scale(values, difference("gain"), 200, 0, zero=zero)
    ticks = percent_ticks(scale)
    assert 2 <= len(ticks) <= 8 and all(scale.low - 1e-9 <= tick <= scale.high + 1e-9 for tick in ticks)
    assert all(0 <= scale.at(value) <= 200 for value in values)
    assert len({percent_text(tick) for tick in ticks}) == len(ticks)
    assert not zero or scale.low <= 0 <= scale.high


def test_numbers_of_an_axis_leave_room_for_each_other() -> None:
    xs = [0.0, 1.0, 2.0, 3.0, 5.0, 10.0, 100.0, 1000.0]
    scale = log_scale(xs, 0, 200)
    assert scale.at(0) == 0 and scale.at(1000) == 200 and scale.at(10) < scale.at(100)
    chosen = log_ticks(xs, scale, lambda x: 30.0)
    assert chosen[0] == 0 and chosen[-1] == 1000 and len(chosen) < len(xs)
    assert linear_ticks([0, 0.25, 0.5], percent_scale([0, 0.5], ACCURACY, 0, 300), lambda x: 20.0) == [0, 0.25, 0.5]
    many = [step / 100 for step in range(50)]
    assert linear_ticks(many, percent_scale(many, ACCURACY, 0, 300), lambda x: 20.0) == [0, 0.1, 0.2, 0.3, 0.4]


@pytest.mark.parametrize(
    "text", ["k-center-greedy", "TEST ACCURACY (%)", "12.5 to 99.9", "WWW", "r-at, n = 3 seeds", "fluffiest"]
)
def test_a_text_is_no_wider_than_it_is_taken_to_be(text: str) -> None:
    assert 0.95 * 72 * measured(text, 13) <= text_width(text, 13) <= 1.35 * 72 * measured(text, 13)


@given(st.text(max_size=60), st.floats(30, 300))
def test_shortened_texts_and_names_fit(text: str, room: float) -> None:
    assert text_width(shortened(text, room)) <= room
    lines = name_lines(text, room, most=2)
    assert len(lines) <= 2 and all(text_width(line) <= room for line in lines)


def luminance(colour: str) -> float:
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT_THEME, DARK_THEME], ids=["light", "dark"])
def test_every_look_can_be_seen_and_every_text_be_read(theme: Mapping[str, str]) -> None:
    paper = theme["--paper"]
    for name, look in LOOKS.items():
        assert colour_of(look) == f"var(--look-{name}, {LIGHT_THEME[f'--look-{name}']})"
        assert contrast(theme[f"--look-{name}"], paper) >= 3, name
    assert all(contrast(colour, paper) >= 3 for colour in PARTS)
    assert contrast(theme["--ink"], paper) >= 7 and contrast(theme["--faint"], paper) >= 4.5
    assert contrast(theme["--ink"], theme["--no-answer"]) >= 4.5
    assert all(contrast(LIGHT_THEME["--ink"], heat(step / 10)) >= 4.5 for step in range(11))
    assert len({theme[f"--look-{name}"] for name in LOOKS}) == len(LOOKS)


@pytest.mark.parametrize("fill", get_args(Fill))
def test_a_filling_stays_in_its_rectangle(fill: Fill) -> None:
    for part in hatched(10, 20, 30, 40, "#123456", fill)[1:]:
        found = re.findall(r"([\d.]+) ([\d.]+)", str(part.attributes["d"]))
        assert found and all(10 <= float(x) <= 40 and 20 <= float(y) <= 60 for x, y in found)
    assert len(hatched(10, 20, 30, 40, "#123456", fill)) == (1 if fill == "plain" else 2)

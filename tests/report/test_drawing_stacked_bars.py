from __future__ import annotations

import dataclasses

import pytest
from figure_parts import BASIS, inked_share, intervals, lay_out, numbers, overlaps, summary, texts
from matplotlib.patches import Rectangle

from stillproof.core.errors import BadInput
from stillproof.report.drawing.stacked_bars import BASE, TOTAL, WIDTH, draw_stacked_bars
from stillproof.report.figures.pages import COLUMN, SCREEN
from stillproof.report.figures.values import Stack, StackedBars

NAMES = ("random images", "its images", "its labels", "its augmentation")
PARTS = [summary(value) for value in (0.4, -0.1, 0.3, 0.05)]
DATA = StackedBars(
    "What makes up an accuracy",
    NAMES,
    [Stack("rded", PARTS, summary(0.65)), Stack("dm", [*PARTS[:3], None], summary(0.7, None))],
    BASIS,
    "method",
    chance=0.1,
)


def test_each_part_begins_where_the_one_before_it_ends() -> None:
    (axes,) = draw_stacked_bars(DATA).axes
    parts = [patch for patch in axes.patches if isinstance(patch, Rectangle) and patch.get_alpha() != BASE]
    ends = [(part.get_y(), part.get_y() + part.get_height()) for part in parts]
    assert ends == [pytest.approx(end) for end in [(0, 0.4), (0.4, 0.3), (0.3, 0.6), (0.6, 0.65)]]
    lefts = [part.get_x() for part in parts]
    assert lefts == pytest.approx([-WIDTH / 2 + place * WIDTH / 4 for place in range(4)]), "so that none hides another"
    assert [bool(part.get_hatch()) for part in parts] == [False, True, False, False]


def test_the_total_has_its_interval_even_where_parts_are_missing() -> None:
    (axes,) = draw_stacked_bars(DATA).axes
    end = WIDTH / 2 + 0.05
    totals = [numbers(line) for line in axes.lines if line.get_marker() == "_" and line.get_markersize() == TOTAL]
    assert totals == [[pytest.approx((end, 0.65))], [pytest.approx((1 + end, 0.7))]]
    assert intervals(axes) == [pytest.approx((end, 0.6, 0.7))]


def test_the_text_says_what_is_seen() -> None:
    figure = draw_stacked_bars(DATA)
    said = texts(figure)
    for part in (*NAMES, "40.0", "-10.0", "+30.0", "+5.0", "in all", "chance", "A dash: no result.", "it takes away"):
        assert part in said
    assert inked_share(figure) > 0.05 and not overlaps(figure)


def test_panels_share_their_scale_and_long_names_keep_apart() -> None:
    names = ("rded", "dm:steps=20000:init=k-center", "my-set-of-last-year", "sre2l", "mtt:zca=false")
    stacks = [Stack(name, PARTS, summary(0.65), f"{ipc} per class") for ipc in (1, 10) for name in names]
    figure = draw_stacked_bars(dataclasses.replace(DATA, stacks=stacks))
    first, second = figure.axes
    assert first.get_ylim() == second.get_ylim() and first.get_ylim()[0] == 0 and not overlaps(figure)


@pytest.mark.parametrize("count", [2, 9])
def test_numbers_on_the_parts_stay_within_their_panel(count: int) -> None:
    stacks = [Stack(f"method-{number}", PARTS, summary(0.65)) for number in range(count)]
    for page in (SCREEN, COLUMN):
        figure = draw_stacked_bars(dataclasses.replace(DATA, stacks=stacks), page)
        lay_out(figure)
        for axes in figure.axes:
            top = axes.get_window_extent().y1
            assert all(text.get_window_extent().y1 <= top + 2 for text in axes.texts) and max(axes.get_yticks()) <= 1


def test_no_answers_are_no_figure() -> None:
    with pytest.raises(BadInput, match="nothing to draw in the stacked bars"):
        draw_stacked_bars(dataclasses.replace(DATA, stacks=[Stack("dm", [None] * 4, None)]))

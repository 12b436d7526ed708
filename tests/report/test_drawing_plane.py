from __future__ import annotations

import dataclasses
import json

import pytest
from figure_parts import BASIS, inked_share, marker_of, marks, overlaps, summary, texts

from stillproof.core.errors import BadInput
from stillproof.report.drawing.plane import draw_plane
from stillproof.report.figures.score_grid import score_grid
from stillproof.report.figures.values import Plane, ScoreGrid, Spot
from stillproof.report.measure import difference
from stillproof.report.published import Published
from stillproof.score.dd_ranking import label_robust_score

THERE = Published(0.5, "Table 3", "A paper"), Published(0.3, "Table 3", "A paper")
SPOTS = [
    Spot("dm", summary(0.3), summary(0.1, 0.02), panel="10 images"),
    Spot("rded", summary(0.5, None), summary(-0.05), THERE, "10 images"),
    Spot("sre2l", None, summary(-0.05), panel="10 images"),
    Spot("dm", summary(0.4), summary(0.05), panel="1 image"),
]
HLR, IOR = difference("HLR"), difference("IOR")


def plane(spots: list[Spot]) -> Plane:
    grid = score_grid(spots, HLR, IOR, label_robust_score)
    return Plane("Title", spots, BASIS, HLR, IOR, "LRS", grid, better="upper left")


DATA = plane(SPOTS)


def test_a_plane_is_data_with_the_score_wherever_its_axes_reach() -> None:
    grid = ScoreGrid(**json.loads(json.dumps(dataclasses.asdict(DATA)))["score"])
    assert grid == DATA.score and (len(grid.scores), {len(row) for row in grid.scores}) == (len(grid.y), {len(grid.x)})
    assert grid.x[0] < 0 < 0.5 < grid.x[-1] < 1 and grid.y[0] < -0.05 < 0.3 < grid.y[-1] < 1
    assert grid.scores[3][5] == pytest.approx(float(label_robust_score(grid.x[5], grid.y[3])))


def test_marks_are_at_both_differences() -> None:
    first, second = draw_plane(DATA).axes
    assert marks(first, marker_of("dm")) == [pytest.approx((0.3, 0.1))]
    assert marks(first, marker_of("rded")) == [pytest.approx((0.5, -0.05))]
    assert marks(first, "D") == [pytest.approx((0.5, 0.3))] and marks(second, "D") == []
    for axes in (first, second):
        assert axes.get_xlim() == first.get_xlim() and axes.get_ylim() == first.get_ylim()
        assert axes.get_xlim()[0] < 0 < 0.5 < axes.get_xlim()[1] and axes.get_ylim()[1] > 0.3


def test_the_text_says_what_is_seen() -> None:
    figure = draw_plane(DATA)
    said = texts(figure)
    for part in (
        "HLR (points)",
        "IOR (points)",
        "better: \u2196",
        "Dotted lines, with their numbers: the same LRS, from 0 to 100.",
        "No result: sre2l (10 images).",
        "Diamonds: published in A paper (Table 3).",
        "n = 1 to 3 seeds",
        " 40 ",
    ):
        assert part in said
    assert inked_share(figure) > 0.02 and not overlaps(figure)


def test_lines_are_written_where_no_mark_is() -> None:
    (axes, _) = draw_plane(DATA).axes
    labels = [text.get_position() for text in axes.texts]
    assert labels and all(abs(x - 0.3) + abs(y - 0.1) > 0.02 for x, y in labels)


@pytest.mark.parametrize("mean", [0.0, 0.9999])
def test_the_ends_of_the_plane_can_be_drawn(mean: float) -> None:
    spots = [Spot("dm", summary(mean, None), summary(-mean, 0.9))]
    figure = draw_plane(plane(spots))
    assert ("Intervals are cut off at -100 and 100." in texts(figure)) == (mean > 0.5)


def test_no_answers_are_no_figure() -> None:
    with pytest.raises(BadInput, match="nothing to draw in the plane"):
        draw_plane(plane([SPOTS[2]]))

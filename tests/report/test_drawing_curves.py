from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from io import BytesIO

import numpy as np
import pytest
from figure_parts import BASIS, inked_share, intervals, lay_out, marker_of, marks, numbers, overlaps, summary, texts
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from stillproof.core.errors import BadInput
from stillproof.report.drawing.curves import BAND, draw_curves
from stillproof.report.drawing.style import house_style
from stillproof.report.figures.looks import LOOKS
from stillproof.report.figures.pages import COLUMN, SCREEN
from stillproof.report.figures.values import Curve, CurvePanel, Curves, Level, Point
from stillproof.report.measure import difference, score
from stillproof.suites.dc_bench.published import published

CURVES = [
    Curve("random", [Point(10, summary(0.4)), Point(1, summary(0.2)), Point(50, summary(0.5, None))]),
    Curve(
        "dm", [Point(1, summary(0.3)), Point(10, summary(0.5, 0.02)), Point(50, None, published("cifar10", "dm", 50))]
    ),
]
CEILING = Level("full", "full data (ceiling)", summary(0.8, 0.01), published("cifar10", "full", None))


def drawn(*panels: CurvePanel, chance: float | None = 0.1) -> Figure:
    return draw_curves(Curves("Accuracy over images per class", "images per class", panels, BASIS, chance))


def linear(*panels: CurvePanel) -> Figure:
    return draw_curves(Curves("Accuracy over eps", "eps", panels, BASIS, linear=True))


def save_layout(figure: Figure) -> None:
    """Do what saving does, which lays a figure out anew."""
    with house_style():
        figure.savefig(BytesIO(), format="png")


def line_of(axes: Axes, method: str) -> Line2D:
    """Return the line of a method with its marks."""
    (found,) = (line for line in axes.lines if line.get_marker() == marker_of(method))
    return found


def band_of(axes: Axes, method: str) -> set[tuple[float, float]]:
    """Return the corners of a method's band."""
    colour = to_rgba(LOOKS[method].colour, BAND)
    parts = [part for part in axes.collections if isinstance(part, PolyCollection)]
    (band,) = (part for part in parts if np.allclose(part.get_facecolor(), colour))
    corners = [np.asarray(path.vertices).round(6).tolist() for path in band.get_paths()]
    return {(x, y) for path in corners for x, y in path}


def test_points_and_whiskers_are_at_their_numbers() -> None:
    (axes,) = drawn(CurvePanel(CURVES, [CEILING])).axes
    assert numbers(line_of(axes, "random")) == [(1, 0.2), (10, 0.4), (50, 0.5)]
    assert numbers(line_of(axes, "dm")) == [(1, 0.3), (10, 0.5)]
    assert line_of(axes, "random").get_linestyle() == "--" and line_of(axes, "dm").get_linestyle() == "-"
    ceiling, *whiskers = (0.985, 0.79, 0.81), (1, 0.15, 0.25), (1, 0.25, 0.35), (10, 0.35, 0.45), (10, 0.48, 0.52)
    assert intervals(axes) == [pytest.approx(one) for one in sorted([ceiling, *whiskers])]
    assert not [part for part in axes.collections if isinstance(part, PolyCollection)], "whiskers, so no bands"


def test_curves_of_many_points_have_bands_and_no_whiskers() -> None:
    known = [Point(x, summary(0.4)) for x in range(1, 20)]
    (axes,) = linear(CurvePanel([Curve("random", [*known, Point(20, summary(0.5, None))])], [CEILING])).axes
    corners = band_of(axes, "random")
    assert {(1, 0.35), (1, 0.45), (19, 0.35), (19, 0.45)} <= corners
    assert not any(x == 20 for x, _ in corners), "no band where there is no interval"
    assert intervals(axes) == []


def test_nothing_is_drawn_left_of_the_first_size_of_a_change() -> None:
    curves = [Curve(name, [Point(x / 255, summary(0.4)) for x in range(40)]) for name in ("dc", "dm", "mtt")]
    figure = linear(CurvePanel(curves))
    (axes,) = figure.axes
    save_layout(figure)
    assert axes.get_xlim() == (0, 39 / 255)
    for name in ("dc", "dm", "mtt"):
        line = line_of(axes, name)
        assert line.get_transform().transform((0, 0.4)) == pytest.approx(axes.transData.transform((0, 0.4)))
        every = line.get_markevery()
        assert isinstance(every, int) and len(numbers(line)[::every]) <= 12, "marks do not hide the line"


@pytest.mark.parametrize("draw", [drawn, linear])
def test_curves_that_begin_at_zero_are_not_moved_to_its_left(draw: Callable[[CurvePanel], Figure]) -> None:
    (axes,) = draw(CurvePanel([Curve(name, [Point(x, summary(0.4)) for x in (0, 10)]) for name in ("dc", "dm")])).axes
    zero = axes.transData.transform((0, 0.4))[0]
    assert all(line_of(axes, name).get_transform().transform((0, 0.4))[0] >= zero for name in ("dc", "dm"))


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_at_most_two_panels_stand_in_a_row(count: int) -> None:
    panels = [CurvePanel(CURVES, [CEILING], f"{ipc} per class") for ipc in range(count)]
    for page in (SCREEN, COLUMN):
        figure = draw_curves(Curves("Title", "images per class", panels, BASIS), page)
        shown = [axes for axes in figure.axes if axes.axison]
        assert len(shown) == count and not overlaps(figure)
        lines = Counter(round(axes.get_position().y0, 3) for axes in shown)
        assert max(lines.values()) <= 2
        empty = [axes for axes in figure.axes if not axes.axison and axes.get_legend() is None]
        assert not empty or figure.legends, "the legend stands in a place that is left over, if it fits"


def test_published_values_stand_even_where_ours_are_missing() -> None:
    (axes,) = drawn(CurvePanel(CURVES, [CEILING])).axes
    assert marks(axes, "D") == [pytest.approx((1.0, 0.8595)), pytest.approx((50, 0.6199))]


def test_the_ceiling_and_chance_are_lines_across() -> None:
    (axes,) = drawn(CurvePanel(CURVES, [CEILING])).axes
    across = {line.get_linestyle(): numbers(line) for line in axes.lines if [x for x, _ in numbers(line)] == [0, 1]}
    assert across == {"-.": [(0, 0.8), (1, 0.8)], ":": [(0, 0.1), (1, 0.1)]}
    assert axes.get_ylim()[0] < 0.1 and axes.get_ylim()[1] > 0.86


def test_the_axis_is_logarithmic_with_plain_numbers() -> None:
    figure = drawn(CurvePanel(CURVES))
    (axes,) = figure.axes
    assert axes.get_xscale() == "log" and axes.get_xlim()[0] < 1 and axes.get_xlim()[1] > 50
    lay_out(figure)
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "10", "50"]


def test_numbers_of_many_long_steps_do_not_touch() -> None:
    steps = (200, 400, 1000, 2000, 4000, 7000, 10_000, 14_000, 20_000)
    figure = drawn(CurvePanel([Curve("real", [Point(step, summary(0.5)) for step in steps])]))
    assert overlaps(figure) == []
    shown_steps = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert shown_steps[0] == "200" and shown_steps[-1] == "20000" and len(shown_steps) > 4


def test_numbers_of_a_linear_axis_are_round_where_points_are_not() -> None:
    figure = linear(CurvePanel([Curve("dm", [Point(1.5 * x / 32, summary(0.4)) for x in range(33)])]))
    lay_out(figure)
    assert all(len(label.get_text()) <= 4 for label in figure.axes[0].get_xticklabels()) and not overlaps(figure)


def test_an_interval_of_a_level_beyond_the_axis_is_cut() -> None:
    level = Level("full", "full", summary(0.6, 9.0))
    figure = draw_curves(Curves("RR", "images per class", [CurvePanel(CURVES, [level])], BASIS, measure=score("RR")))
    save_layout(figure)  # a warning, which fails, if the layout has no room left
    (axes,) = figure.axes
    assert axes.get_ylim() == (0, 1) and axes.get_position().height > 0.4


def test_steps_may_begin_at_zero_and_numbers_keep_apart() -> None:
    steps = [0, *range(50, 1001, 50)]
    figure = drawn(CurvePanel([Curve("noise", [Point(step, summary(0.3)) for step in steps])]))
    (axes,) = figure.axes
    lay_out(figure)
    shown = [label.get_text() for label in axes.get_xticklabels()]
    assert axes.get_xscale() == "symlog" and shown[0] == "0" and shown[-1] == "1000" and not overlaps(figure)


def test_curves_at_one_place_stand_aside_on_paper_only() -> None:
    (axes,) = drawn(CurvePanel([Curve(name, [Point(1, summary(0.4))]) for name in ("dc", "dm")])).axes
    dc, dm = line_of(axes, "dc"), line_of(axes, "dm")
    assert numbers(dc) == numbers(dm) == [(1, 0.4)]
    first, second = (line.get_transform().transform((1, 0.4)) for line in (dc, dm))
    assert 1 < second[0] - first[0] < 10 and first[1] == pytest.approx(second[1])


def test_the_text_says_what_is_seen() -> None:
    second = CurvePanel(CURVES[:1], title="resnet-152")
    figure = drawn(CurvePanel(CURVES, [CEILING], "convnet-3"), second)
    text = texts(figure)
    for part in (
        "Accuracy over images per class",
        "images per class",
        "test accuracy (%)",
        "convnet-3",
        "resnet-152",
        "full data (ceiling)",
        "chance",
        "protocol fair; last epoch.",
        "whiskers: Student's 95 % interval",
        "(Table 4, the whole-data row)",
    ):
        assert part in text
    assert inked_share(figure) > 0.03 and not overlaps(figure)
    first, other = figure.axes
    assert first.get_ylim() == other.get_ylim()


@pytest.mark.parametrize("curves", [[], [Curve("dm", [])], [Curve("dm", [Point(1, None)])]])
def test_no_answers_are_no_figure(curves: list[Curve]) -> None:
    with pytest.raises(BadInput, match="nothing to draw in the curves"):
        drawn(CurvePanel(curves, [CEILING]))


def test_a_curve_without_answers_has_no_name_in_the_legend_but_below() -> None:
    beside = CurvePanel([CURVES[0], Curve("dm", [Point(1, None)]), Curve("dc", [])])
    figure = drawn(beside, chance=None)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["random"]
    assert "No result: dm, dc." in texts(figure)


def test_a_panel_without_curves_takes_no_place() -> None:
    assert len(drawn(CurvePanel(CURVES), CurvePanel([Curve("dm", [])], [CEILING], "resnet-152")).axes) == 1


def test_a_method_may_have_a_solid_and_a_dashed_line_over_a_linear_axis() -> None:
    curves = [Curve("dm", [Point(x, summary(0.2 + x / 10)) for x in (0, 0.5, 2)], dashed) for dashed in (False, True)]
    level = Level("noise", "pure noise", summary(0.3), style="dashed")
    figure = draw_curves(
        Curves("Noise", "strength", [CurvePanel(curves, [level])], BASIS, linear=True, lines=("soft", "hard"))
    )
    (axes,) = figure.axes
    solid, dashed = (line for line in axes.lines if line.get_marker() == marker_of("dm"))
    assert (solid.get_linestyle(), dashed.get_linestyle()) == ("-", "--")
    assert solid.get_markerfacecolor() == LOOKS["dm"].colour != dashed.get_markerfacecolor()
    lay_out(figure)
    assert axes.get_xscale() == "linear" and [text.get_text() for text in axes.get_xticklabels()] == ["0", "0.5", "2"]
    (shown,) = figure.legends
    assert [text.get_text() for text in shown.get_texts()] == ["dm", "pure noise", "soft", "hard"]


def test_numbers_of_a_linear_axis_keep_apart() -> None:
    curve = Curve("dm", [Point(x, summary(0.4)) for x in (0, 0.001, 4)])
    figure = draw_curves(Curves("Noise", "strength", [CurvePanel([curve])], BASIS, linear=True))
    assert not overlaps(figure)


def test_sizes_of_changes_are_told_in_parts_of_a_pixel_and_keep_apart() -> None:
    curve = Curve("dm", [Point(x / 255, summary(0.4)) for x in range(9)])
    figure = draw_curves(Curves("Attack", "eps", [CurvePanel([curve])] * 3, BASIS, linear=True))
    assert not overlaps(figure)
    assert {"0", "2/255", "8/255"} <= {label.get_text() for label in figure.axes[0].get_xticklabels()}


def test_differences_may_be_negative_and_scores_have_no_unit() -> None:
    panel = CurvePanel([Curve("dm", [Point(1, summary(-0.1)), Point(2, summary(0.2, 1.5))])])
    figure = draw_curves(Curves("Gain", "strength", [panel], BASIS, measure=difference("gain"), linear=True))
    (axes,) = figure.axes
    assert axes.get_ylim()[0] == -1 and [(0, 0), (1, 0)] in [numbers(line) for line in axes.lines], "zero is marked"
    assert "gain (points)" in texts(figure) and "cut off at -100 and 100." in texts(figure)
    scored = draw_curves(Curves("LRS", "weight", [panel], BASIS, measure=score("LRS"), linear=True))
    assert "LRS (0 to 100)" in texts(scored) and scored.axes[0].get_ylim()[0] == 0

from __future__ import annotations

from pathlib import Path

import pytest
from figure_parts import inked_share, numbers, overlaps, texts

from stillproof.core.errors import BadInput
from stillproof.report.drawing.embedding import draw_embedding
from stillproof.report.drawing.save import save_figure
from stillproof.report.figures.looks import LOOKS, REAL_DOTS
from stillproof.report.figures.pages import COLUMN, SCREEN, Page
from stillproof.report.figures.values import Cloud, Embedding

REAL_POINTS = [(0.0, 1.0), (2.0, 3.0), (4.0, 0.0)]
CLOUDS = [Cloud("dm", [(1.0, 1.5)], 0.6667), Cloud("mtt", [(3.0, 2.0), (0.5, 0.5)], 0.333)]


def figure_of(clouds: list[Cloud], real: list[tuple[float, float]] = REAL_POINTS) -> Embedding:
    return Embedding("Class 3", real, clouds, "t-SNE of features of convnet-3.", "Covered is what is near.")


def test_real_points_are_small_and_grey_and_synthetic_ones_large_and_coloured() -> None:
    first, second = draw_embedding(figure_of(CLOUDS)).axes
    for axes in (first, second):
        (real,) = (line for line in axes.lines if line.get_color() == REAL_DOTS)
        assert numbers(real) == REAL_POINTS
    (synthetic,) = (line for line in second.lines if line.get_color() == LOOKS["mtt"].colour)
    assert numbers(synthetic) == [(3.0, 2.0), (0.5, 0.5)]
    assert synthetic.get_markersize() >= 3 * real.get_markersize()


def test_the_text_says_what_is_seen() -> None:
    figure = draw_embedding(figure_of(CLOUDS))
    text = texts(figure)
    for part in (
        "Class 3",
        "dm: 67 % covered",
        "mtt: 33 % covered",
        "real",
        "t-SNE of features of convnet-3.",
        "n = 3 real points; synthetic: 1 dm, 2 mtt.",
        "Coverage: dm 66.7 %, mtt 33.3 %.",
        "Covered is what is near.",
    ):
        assert part in text
    assert inked_share(figure) > 0.01 and not overlaps(figure)


def test_panels_that_are_not_needed_are_not_shown() -> None:
    clouds = [Cloud(f"method-{number}", [(1.0, 1.0)], 0.5) for number in range(5)]
    figure = draw_embedding(figure_of(clouds))
    assert sum(axes.axison for axes in figure.axes) == 5 and not overlaps(figure)


@pytest.mark.parametrize("page", [SCREEN, COLUMN])
@pytest.mark.parametrize("far", [[(40.0, 1.0), (-30.0, 2.0)], [(1.0, 40.0), (2.0, -30.0)]], ids=["wide", "tall"])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_every_point_lies_within_the_limits_of_the_saved_figure(
    tmp_path: Path, page: Page, far: list[tuple[float, float]], count: int
) -> None:
    figure = draw_embedding(figure_of([Cloud(name, far, 0.5) for name in ("dm", "mtt", "dc", "kip")[:count]]), page)
    for ending in ("png", "pdf"):  # the layout is made anew each time
        save_figure(figure, tmp_path / f"figure.{ending}", page)
        for axes in figure.axes[:count]:
            (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
            points = [point for line in axes.lines for point in numbers(line)]
            assert len(points) == len(REAL_POINTS) + len(far)
            assert all(left < x < right and bottom < y < top for x, y in points)
            assert right - left == pytest.approx(top - bottom), "one unit is as long across as upwards"


def test_no_points_are_no_figure() -> None:
    for data in (figure_of([]), figure_of([Cloud("dm", [], 0.0)]), figure_of(CLOUDS, [])):
        with pytest.raises(BadInput, match="nothing to draw in the embedding"):
            draw_embedding(data)

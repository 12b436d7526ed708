from __future__ import annotations

import pytest
from figure_parts import BASIS, inked_share, overlaps, summary, texts
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from stillproof.core.errors import BadInput
from stillproof.report.drawing.heat_map import draw_heat_map
from stillproof.report.figures.looks import HEAT, INK, NO_ANSWER
from stillproof.report.figures.pages import COLUMN, SCREEN
from stillproof.report.figures.values import HeatCell, HeatMap
from stillproof.suites.dc_bench.published import published

CELLS = [
    HeatCell("dm", "convnet-3", summary(0.476, 0.021), published("cifar10", "dm", 10)),
    HeatCell("dm", "mlp", summary(0.344, None)),
    HeatCell("mtt", "convnet-3", summary(0.637)),
    HeatCell("mtt", "mlp", None, published("cifar10", "mtt", 10, network="mlp")),
]


def drawn(cells: list[HeatCell], home: str | None = "convnet-3") -> HeatMap:
    return HeatMap("Transfer", cells, BASIS, "method", "network", home)


def test_every_cell_has_its_numbers_in_its_place() -> None:
    axes = draw_heat_map(drawn(CELLS)).axes[0]
    found = {(round(text.get_position()[0]), round(text.get_position()[1]), text.get_text()) for text in axes.texts}
    assert found == {
        (0, 0, "47.6"),
        (0, 0, "45.5 to 49.7"),
        (0, 0, "[47.64]"),
        (1, 0, "34.4"),
        (0, 1, "63.7"),
        (0, 1, "58.7 to 68.7"),
        (1, 1, "-"),
        (1, 1, "[30.77]"),
    }


def test_colours_go_from_the_least_to_the_most_and_the_home_is_framed() -> None:
    axes = draw_heat_map(drawn(CELLS)).axes[0]
    cells = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    colours = {cell.get_xy(): cell.get_facecolor()[:3] for cell in cells if cell.get_fill()}
    assert colours[(0.5, -0.5)] == pytest.approx(to_rgb(HEAT[0]), abs=0.01)
    assert colours[(-0.5, 0.5)] == pytest.approx(to_rgb(HEAT[-1]), abs=0.01)
    assert colours[(0.5, 0.5)] == pytest.approx(to_rgb(NO_ANSWER), abs=0.01)
    (frame,) = (cell for cell in cells if not cell.get_fill())
    assert frame.get_xy() == (-0.5, -0.5) and frame.get_height() == 2


def test_the_text_says_what_is_seen() -> None:
    figure = draw_heat_map(drawn(CELLS))
    text = texts(figure)
    for part in (
        "Transfer",
        "method",
        "network",
        "test accuracy (%)",
        "protocol fair; last epoch.",
        "small numbers: Student's 95 % interval",
        "A dash: no result.",
        "Framed: convnet-3",
        "In brackets: published in DC-Bench, arXiv:2207.09639 (Table 4, Table 5); MTT's authors kept",
    ):
        assert part in text
    assert inked_share(figure) > 0.2 and not overlaps(figure)
    assert "Framed" not in texts(draw_heat_map(drawn(CELLS, home=None)))


def test_text_can_be_read_on_every_colour() -> None:
    def light(colour: str) -> float:
        parts = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour))
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))

    for colour in (*HEAT, NO_ANSWER):
        assert (light(colour) + 0.05) / (light(INK) + 0.05) > 4.5  # as accessibility guidelines ask for small text


def test_no_place_is_empty() -> None:
    cells = [CELLS[0], HeatCell("mtt", "mlp", summary(0.5)), HeatCell("dc", "mlp", None), HeatCell("dm", "vgg", None)]
    figure = draw_heat_map(drawn(cells))
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["convnet-3", "mlp"]
    assert sum(text.get_text() == "-" for text in figure.axes[0].texts) == 2, "what was not asked for has a dash"
    assert "No result: dc. No result: vgg." in texts(figure)


def test_many_columns_go_on_below() -> None:
    names = [f"network-{number}:width=64" for number in range(12)]
    cells = [HeatCell(method, name, summary(0.5)) for method in ("dm", "k-center-greedy") for name in names]
    for page in (SCREEN, COLUMN):
        figure = draw_heat_map(drawn(cells, home=names[7]), page)
        lines = [axes for axes in figure.axes if axes.texts]
        assert len(lines) > 1 and not overlaps(figure)
        shown = [label.get_text().replace("\n", "") for axes in lines for label in axes.get_xticklabels()]
        assert shown == names


def test_one_cell_is_a_map_and_none_is_not() -> None:
    assert "47.6" in texts(draw_heat_map(drawn(CELLS[:1])))
    for cells in ([], CELLS[3:]):
        with pytest.raises(BadInput, match="nothing to draw in the heat map"):
            draw_heat_map(drawn(cells))

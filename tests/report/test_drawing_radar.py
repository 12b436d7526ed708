from __future__ import annotations

import pytest
from matplotlib.text import Annotation

from stillproof.core.errors import BadInput
from stillproof.report.captions import Basis
from stillproof.report.drawing.draw import draw
from stillproof.report.figures.captions import caption
from stillproof.report.figures.pages import PAGES
from stillproof.report.figures.radar import INNER, Radar, RadarPanel, Ray, place_of

SIDES = ("accuracy", "unseen networks", "search", "LRS", "ARS", "mean over eps", "worst case", "RR", "AE", "EDSR")
RAYS = [Ray(side, 1 + number % 4, 1, 4, 4) for number, side in enumerate(SIDES)]


def radar(*methods: str) -> Radar:
    panels = [RadarPanel(method, RAYS) for method in methods]
    return Radar("Every side", [*panels, RadarPanel("lost", [Ray("accuracy", None, None, None, 4)])], Basis("fair", ""))


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("methods", [("dm",), ("random", "dm", "dc")])
def test_every_name_is_whole_and_none_covers_another(page: str, methods: tuple[str, ...]) -> None:
    figure = draw(radar(*methods), PAGES[page])
    figure.canvas.draw()
    whole = figure.bbox
    names = [text for axes in figure.axes for text in axes.texts if isinstance(text, Annotation)]
    assert len(names) == len(methods) * len(SIDES)
    boxes = [name.get_window_extent() for name in names]
    assert all(whole.x0 <= box.x0 and box.x1 <= whole.x1 and whole.y0 <= box.y0 and box.y1 <= whole.y1 for box in boxes)
    assert not any(one.overlaps(other) for number, one in enumerate(boxes) for other in boxes[:number])


def test_the_best_is_at_the_rim_and_the_last_near_the_centre() -> None:
    assert Ray("a", 1, 1, 1, 4).reach(1) == 1 and Ray("a", 4, 4, 4, 4).reach(4) == pytest.approx(INNER)
    assert place_of(0, 4, 1.0) == pytest.approx((0, 1)) and place_of(1, 4, 1.0) == pytest.approx((1, 0))  # clockwise


def test_what_is_not_ranked_is_named() -> None:
    assert [panel.method for panel in radar("dm").shown()] == ["dm"]
    assert "No result: lost." in caption(radar("dm")) and "protocol fair" in caption(radar("dm"))
    with pytest.raises(BadInput, match="nothing to draw in the radar"):
        draw(radar())

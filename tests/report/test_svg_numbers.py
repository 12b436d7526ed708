"""Where marks are: each at its numbers, as the axes beside them say."""

from __future__ import annotations

import base64
import dataclasses
import io

import numpy as np
import pytest
from PIL import Image
from scipy.interpolate import RegularGridInterpolator
from svg_cases import (
    RADII,
    audit_sheet,
    banded,
    bars,
    curves,
    embedding,
    heat_map,
    plane,
    radar,
    scatter,
    stacked_bars,
    step_curves,
    summary,
)

from stillproof.report.figures.score_lines import levels_of
from stillproof.report.figures.values import Bar, Curve, CurvePanel, Curves, HeatCell, Point, ScoreGrid
from stillproof.report.svg.colours import heat
from stillproof.report.svg.contour import contour, straightened
from stillproof.report.svg.panel import BOTTOM
from svg_parts import Node, across, mark, marks, parsed, pictures, place, places, said, whisker, written


def upwards(picture: Node, percent: float, low: str, high: str) -> float:
    """Return where a number is, by two others that stand beside the axis."""
    first, last = across(picture, low), across(picture, high)
    return first + (percent - float(low)) / (float(high) - float(low)) * (last - first)


def near(value: float) -> object:
    return pytest.approx(value, abs=0.03)


def test_a_bar_ends_at_its_value_and_its_whisker_at_its_interval() -> None:
    (picture,) = pictures(parsed(bars()))
    own = mark(picture, "dm, none: 40.0 % (95 %: 35.0 to 45.0), n = 3 seeds; published: 45.00 (Table 2, A paper)")
    (rect,) = own.iter("rect")
    (left, top), (right, bottom) = places(rect)
    assert (top, bottom) == (near(upwards(picture, 40, "0", "60")), near(upwards(picture, 0, "0", "60")))
    assert whisker(own) == [near(upwards(picture, end, "0", "60")) for end in (35, 45)]
    assert place(own) == (near((left + right) / 2), near(upwards(picture, 45, "0", "60"))), "the diamond"
    assert said(picture)[1] == "random, none: 30.0 %, n = 1 seed" and said(picture)[3] == "random, dsa: no result"
    assert list(marks(picture, "random, none")[0].iter("rect")) and not list(
        marks(picture, "random, dsa")[0].iter("rect")
    )
    assert {"none", "dsa", "augmentation", "test accuracy (%)", "\u2013"} <= set(written(picture))


def test_bars_below_zero_hang_from_it() -> None:
    figure = dataclasses.replace(bars(), bars=[Bar("none", "dm", summary(-0.2)), Bar("none", "random", summary(0.3))])
    figure = dataclasses.replace(figure, chance=None, measure=dataclasses.replace(figure.measure, low=-1.0))
    (picture,) = pictures(parsed(figure))
    ((_, top), (_, bottom)) = places(next(mark(picture, "dm").iter("rect")))
    assert (top, bottom) == (near(across(picture, "0")), near(across(picture, "-20")))


def test_many_bars_go_on_in_other_panels() -> None:
    there = [Bar(f"attack {group}", f"own-{number}", summary(0.5)) for group in range(12) for number in range(8)]
    found = pictures(parsed(dataclasses.replace(bars(), bars=there)))
    assert len(found) > 2 and sum(len(said(picture)) for picture in found) == len(there)
    assert len({picture.get("viewBox") for picture in found}) == 1, "they stand side by side"


def test_points_of_curves_are_at_their_numbers() -> None:
    picture, second = pictures(parsed(curves()))
    places_of = {text: place(mark(picture, text)) for text in ("dm at 1:", "dm at 10: 50", "random at 1:")}
    assert places_of["dm at 1:"][1] == near(upwards(picture, 30, "0", "100"))
    assert places_of["dm at 10: 50"][1] == near(upwards(picture, 50, "0", "100"))
    assert whisker(mark(picture, "dm at 1:")) == [near(upwards(picture, end, "0", "100")) for end in (25, 35)]
    assert places_of["random at 1:"][0] > places_of["dm at 1:"][0], "curves stand a little aside from each other"
    one, ten, fifty = (next(n for n in picture.iter("text") if n.text == text) for text in ("1", "10", "50"))
    tick = [float(node.attrib["x"]) for node in (one, ten, fifty)]
    assert (tick[1] - tick[0]) / (tick[2] - tick[0]) == pytest.approx(1 / 1.69897, abs=1e-3), "a logarithmic axis"
    assert places_of["dm at 10: 50"][0] - places_of["dm at 1:"][0] == near(tick[1] - tick[0])
    assert place(mark(picture, "dm at 50: published: 45.00"))[1] == near(upwards(picture, 45, "0", "100"))
    assert whisker(mark(picture, "full data: 80.0")) == [near(upwards(picture, end, "0", "100")) for end in (78, 82)]
    assert said(picture) == said(second) and len(said(picture)) == 9


def test_a_linear_axis_has_its_numbers_in_proportion() -> None:
    picture, _ = pictures(parsed(curves(linear=True)))
    one, ten, fifty = (place(mark(picture, f"random at {x}:"))[0] for x in (1, 10, 50))
    assert (ten - one) / (fifty - one) == pytest.approx(9 / 49, abs=1e-3)


def test_many_points_have_a_band_and_no_whiskers() -> None:
    figure = banded()
    points = [*figure.panels[0].curves[0].points, Point(0.4, summary(0.1, None))]
    (picture,) = pictures(parsed(dataclasses.replace(figure, panels=[CurvePanel([Curve("dm", points)])])))
    (band,) = (node for node in picture.iter("path") if node.get("fill-opacity"))
    corners = places(band)
    assert len(corners) == 80, "no band where there is no interval"
    assert corners[0][1] == near(upwards(picture, 85, "0", "100")), "the lower end"
    assert corners[-1][1] == near(upwards(picture, 95, "0", "100"))
    assert not [node for node in picture.iter("path") if node.get("stroke-width") == "1.3"]
    assert said(picture)[0] == "dm at 0: 90.0 % (95 %: 85.0 to 95.0), n = 3 seeds"


def test_curves_that_start_at_zero_do_not_stand_left_of_it() -> None:
    many = [Curve(f"own-{one}", [Point(0, summary(0.5)), Point(1, summary(0.6))]) for one in range(20)]
    (picture,) = pictures(parsed(Curves("Title", "x", [CurvePanel(many)], bars().basis, linear=True)))
    zero = next(
        float(node.attrib["x"])
        for node in picture.iter("text")
        if node.text == "0" and node.get("text-anchor") == "middle"
    )
    starts = [place(mark(picture, f"own-{one} at 0:"))[0] for one in range(20)]
    assert starts[0] == near(zero) and starts == sorted(starts)
    assert max(place(mark(picture, f"own-{one} at 1:"))[0] for one in range(20)) < 396


def test_synthetic_points_are_among_the_real_ones() -> None:
    picture, _ = pictures(parsed(embedding()))
    real = places(next(node for node in picture.iter("path") if node.get("stroke-linecap") == "round"))
    assert len(real) == 3
    one = place(mark(picture, "dm: synthetic image 1"))
    middle = [(real[0][side] + real[1][side]) / 2 for side in (0, 1)]
    assert one == pytest.approx(middle, abs=0.1), "(0.5, 0.5) is half way from (0, 0) to (1, 1)"
    assert real[1][1] < real[0][1], "upwards"


def test_cells_of_a_map_are_where_their_names_are() -> None:
    (picture,) = pictures(parsed(heat_map()))
    cells = {text.partition(":")[0]: next(mark(picture, text).iter("rect")) for text in said(picture)}
    assert cells["dm, convnet-3"].get("fill") == heat(1) and cells["dm, mlp"].get("fill") == heat(0)
    assert cells["random, convnet-3"].get("fill") == heat(0.5) and "no-answer" in cells["random, mlp"].attrib["fill"]
    assert places(cells["dm, convnet-3"])[0][1] == places(cells["dm, mlp"])[0][1]
    assert places(cells["dm, convnet-3"])[0][0] == places(cells["random, convnet-3"])[0][0]
    (frame,) = (node for node in picture.iter("rect") if node.get("stroke-width") == "2")
    assert places(frame)[0] == places(cells["dm, convnet-3"])[0], "home"
    assert written(mark(picture, "dm, convnet-3")) == ["60.0", "55.0 to 65.0", "[45.00]"]
    wide = [HeatCell("dm", f"network-{number}", summary(0.5)) for number in range(12)]
    assert len(pictures(parsed(dataclasses.replace(heat_map(), cells=wide)))) > 1, "columns go on below"


def test_a_spot_is_at_both_numbers() -> None:
    figure = plane()
    (picture,) = pictures(parsed(figure))
    spot = mark(picture, "dm: HLR 30.0 points (95 %: 25.0 to 35.0), n = 3 seeds; IOR 10.0 points")
    x = {node.text: float(node.attrib["x"]) for node in picture.iter("text") if float(node.attrib["y"]) > BOTTOM}
    assert place(spot) == (near(x["30"]), near(upwards(picture, 10, "0", "20")))
    lines = [node for node in picture.iter("path") if node.get("stroke-opacity") == "0.8"]
    assert lines and "better: \u2196" in written(picture)
    assert place(mark(picture, "dm: published"))[0] == near(x["40"] + (x["50"] - x["40"]) / 2)


def test_lines_of_equal_score_are_where_it_is() -> None:
    score = plane().score
    level = levels_of(score)[3]
    for line in contour(score, level):
        for x, y in line:
            assert score_at(score, x, y) == pytest.approx(level, abs=1e-3)
    whole = contour(score, level)[0]
    assert {straightened(whole)[0], straightened(whole)[-1]} == {whole[0], whole[-1]}
    assert straightened([(0, 0), (1, 1), (2, 2), (3, 0)]) == [(0, 0), (2, 2), (3, 0)]


def score_at(score: ScoreGrid, x: float, y: float) -> float:
    return float(RegularGridInterpolator((score.y, score.x), score.scores)((y, x)))


def test_the_best_rank_is_at_the_rim() -> None:
    picture, _ = pictures(parsed(radar()))
    (x, y), (_, last) = (
        place(mark(picture, text)) for text in ("dm, accuracy: rank 1 of 4; 1 to 2 cannot be", "dm, LRS: rank 2 of 4")
    )
    assert (x, y) == (200, near(150 - 104)) and last > 150, "upwards from the middle, and downwards"
    assert place(mark(picture, "dm, unseen networks: rank 4"))[0] == near(200 + 0.12 * 104), "the last near the middle"
    assert {"accuracy 1/4", "unseen", "networks 4/4", "search \u2013"} <= set(written(picture))
    assert len(said(picture)) == 3


def test_architectures_are_at_both_accuracies() -> None:
    root = parsed(scatter())
    (picture,) = pictures(root)
    chosen = mark(picture, "dm: accuracy in the search 50.0 %, true accuracy 80.0 %, chosen by the search")
    best = mark(picture, "dm: accuracy in the search 40.0 %, true accuracy 90.0 %, best in truth")
    plain = mark(picture, "dm: accuracy in the search 20.0 %, true accuracy 70.0 %")
    assert place(chosen)[1] == near(across(picture, "80")) and place(best)[1] == near(across(picture, "90"))
    x = [place(node)[0] for node in (plain, best, chosen)]
    assert (x[1] - x[0]) / (x[2] - x[0]) == pytest.approx(2 / 3, abs=1e-3)
    notes = [node.text for node in root.iter("p") if node.get("class") == "sp-panel-note"]
    assert notes == ["Spearman 0.80 [0.40, 0.90], published 0.70", "Kendall -"]


def test_parts_of_a_stack_stand_where_the_one_before_ends() -> None:
    (picture,) = pictures(parsed(stacked_bars()))
    stack = mark(picture, "dm: random images 40.0, its images +20.0, its labels -10.0, in all 50.0 % (95 %: 45.0 to")
    _, *parts = stack.iter("rect")
    ends = [tuple(y for _, y in places(part)) for part in parts]
    at = {percent: upwards(picture, percent, "0", "60") for percent in (0, 40, 50, 60)}
    assert ends == [(near(at[40]), near(at[0])), (near(at[60]), near(at[40])), (near(at[60]), near(at[50]))]
    assert whisker(stack) == [near(upwards(picture, end, "0", "60")) for end in (45, 55)]
    assert written(stack) == ["40.0", "+20.0", "-10.0"]
    assert not marks(picture, "random"), "nothing is known of it"


def test_steps_stay_until_the_next_radius() -> None:
    (picture,) = pictures(parsed(step_curves()))
    (line,) = (node for node in picture.iter("path") if node.get("stroke-width") == "2.8")
    y = [upwards(picture, percent, "0", "100") for percent in (80, 80, 50, 50, 20, 20, 0)]
    assert [down for _, down in places(line)] == [near(one) for one in y]
    x = [across_place for across_place, _ in places(line)]
    assert x[1] == x[2] and (x[1] - x[0]) / (x[-1] - x[0]) == pytest.approx(RADII[1] / RADII[-1], abs=1e-3)
    assert said(picture)[1] == "best of all within 0.01: 50.0 % (95 %: 40.0 to 60.0)"
    assert len(said(picture)) == 12 and place(mark(picture, "pgd within 0.02"))[1] == near(
        upwards(picture, 30, "0", "100")
    )


def test_images_of_an_audit_keep_their_pixels_and_stand_above_the_nearest() -> None:
    first, second, below = pictures(parsed(audit_sheet()))
    assert len(marks(first, "set image")) == 5 and len(marks(second, "set image")) == 2
    image = mark(first, "set image 1: dm")
    content = base64.b64decode(image.attrib["href"].partition(",")[2])
    assert np.array_equal(
        np.asarray(Image.open(io.BytesIO(content))).transpose(2, 0, 1), audit_sheet().looked[0].pictures[0]
    )
    columns = [places(node)[0][0] for node in first.iter("image")]
    assert columns[:3] == [columns[0]] * 3 and columns[3] > columns[0]
    assert "12.3" in written(first) and [node.get("fill") for node in first.iter("text") if node.text == "1: dm"] == [
        "var(--warning, #c22f2f)"
    ]
    (limit,) = (node for node in below.iter("path") if node.get("stroke-dasharray"))
    real, own = audit_sheet().distances[0].shares([3.0, 3.0]), audit_sheet().distances[0].shares([0.5])
    assert (real[-1], sum(real), own.index(1.0)) == (1.0, 1.0, 5), "30 parts, from 0 to 3"
    assert places(limit)[0][0] == pytest.approx(42 + 346 / 3, abs=2)

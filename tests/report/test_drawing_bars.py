from __future__ import annotations

import pytest
from figure_parts import BASIS, inked_share, intervals, marks, overlaps, summary, texts
from matplotlib.patches import Rectangle

from stillproof.core.errors import BadInput
from stillproof.report.drawing.bars import FILLED, draw_bars
from stillproof.report.figures.values import Bar, Bars
from stillproof.suites.dc_bench.published import published

PUBLISHED = published("cifar10", "kip", 1, augmentation="none")
DATA = Bars(
    "Accuracy under each augmentation",
    [
        Bar("none", "random", summary(0.3)),
        Bar("none", "kip", summary(0.4, 0.1), PUBLISHED),
        Bar("dsa", "random", summary(0.5, None)),
        Bar("dsa", "kip", None),
    ],
    BASIS,
    "augmentation",
    chance=0.1,
)


def test_bars_stand_where_they_should_with_their_intervals() -> None:
    (axes,) = draw_bars(DATA).axes
    half = FILLED / 4
    bars = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    assert [bar.get_x() + bar.get_width() / 2 for bar in bars] == pytest.approx([-half, half, 1 - half])
    assert [bar.get_height() for bar in bars] == pytest.approx([0.3, 0.4, 0.5])
    assert intervals(axes) == [pytest.approx(one) for one in [(-half, 0.25, 0.35), (half, 0.3, 0.5)]]
    assert marks(axes, "D") == [pytest.approx((half, 0.3578))]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["none", "dsa"] and axes.get_ylim()[0] == 0


def test_the_text_says_what_is_seen() -> None:
    figure = draw_bars(DATA)
    text = texts(figure)
    for part in (
        "Accuracy under each augmentation",
        "augmentation",
        "test accuracy (%)",
        "random",
        "kip",
        "chance",
        "digits; convnet-3; protocol fair; last epoch.",
        "n = 1 to 3 seeds; whiskers: Student's 95 % interval (none where n = 1).",
        "A dash: no answer.",
        "published in DC-Bench, arXiv:2207.09639 (Table 4); KIP's sets",
        "KIP's columns are shifted",
    ):
        assert part in text
    assert " 20 " in text and "0.2" not in text, "percent on the axis"
    assert inked_share(figure) > 0.05 and not overlaps(figure)


def test_panels_share_their_scale() -> None:
    bars = [
        Bar("none", "dm", summary(mean), panel=title) for mean, title in ((0.2, "1 per class"), (0.8, "10 per class"))
    ]
    first, second = draw_bars(Bars("two", bars, BASIS, "augmentation")).axes
    assert first.get_ylim() == second.get_ylim() and second.get_ylim()[1] > 0.85
    assert first.get_title(loc="left") == "1 per class" and first.get_xlabel() == "" != second.get_xlabel()


def test_an_interval_beyond_everything_is_cut_and_said_to_be() -> None:
    figure = draw_bars(Bars("wide", [Bar("none", "dm", summary(0.5, 0.9, n=2))], BASIS, "augmentation"))
    (axes,) = figure.axes
    assert axes.get_ylim() == (0, 1) and "cut off at 0 and 100 %" in texts(figure)
    assert "cut off" not in texts(draw_bars(DATA))


def test_long_names_and_many_methods_do_not_cover_each_other() -> None:
    groups = ("none", "imagenet-aug-per-batch", "auto-augment-imagenet-per-batch", "dsa", "rand-augment")
    for methods in (("random",), ("random", "k-center"), tuple(f"method-{number}" for number in range(10))):
        bars = [Bar(group, method, summary(0.5)) for group in groups for method in methods]
        assert not overlaps(draw_bars(Bars("Many", bars, BASIS, "augmentation")))


@pytest.mark.parametrize("bars", [[], [Bar("none", "dm", None)]])
def test_no_answers_are_no_figure(bars: list[Bar]) -> None:
    with pytest.raises(BadInput, match=r"nothing to draw in the bars: .*stillproof status"):
        draw_bars(Bars("none", bars, BASIS, "augmentation"))

from __future__ import annotations

import pytest
from figure_parts import BASIS, inked_share, intervals, marks, overlaps, summary, texts
from matplotlib.patches import Rectangle

from stillproof.core.errors import BadInput
from stillproof.report.drawing.bars import draw_bars
from stillproof.report.figures.pages import COLUMN, SCREEN
from stillproof.report.figures.values import ROBUST, Bar, Bars
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


def test_bars_stand_side_by_side_with_their_intervals() -> None:
    (axes,) = draw_bars(DATA).axes
    bars = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    one, two, three = (bar.get_x() + bar.get_width() / 2 for bar in bars)
    assert two - one == pytest.approx(1) and three - two > 1.2, "groups stand apart"
    assert [bar.get_height() for bar in bars] == pytest.approx([0.3, 0.4, 0.5])
    assert intervals(axes) == [pytest.approx(whisker, abs=1e-5) for whisker in [(one, 0.25, 0.35), (two, 0.3, 0.5)]]
    assert marks(axes, "D") == [pytest.approx((two, 0.3578), abs=1e-5)]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["none", "dsa"] and axes.get_ylim()[0] == 0
    assert list(axes.get_xticks()) == pytest.approx([(one + two) / 2, three + 0.5]), "a dash has a place too"


def test_no_place_is_empty() -> None:
    bars = [Bar("1", "dm", summary(0.5)), Bar("1", "dc", None), Bar("10", "dm", None), Bar("all", "full", summary(0.9))]
    figure = draw_bars(Bars("Title", bars, BASIS, "images per class"))
    (axes,) = figure.axes
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["1", "all"], "10 has no answer"
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["dm", "full"]
    assert "No result: dc. No result: images per class 10." in texts(figure) and "A dash" not in texts(figure)
    first, second = (patch.get_x() for patch in axes.patches if isinstance(patch, Rectangle))
    assert second - first < 3.5, "no room is left in the group of all images for methods that are not there"


def test_many_groups_go_on_in_another_line() -> None:
    bars = [Bar(f"attack {number}", f"defence-{one}", summary(0.5)) for number in range(12) for one in range(8)]
    for page, least in ((SCREEN, 2), (COLUMN, 3)):
        figure = draw_bars(Bars("Title", bars, BASIS, "attack", measure=ROBUST), page)
        assert len(figure.axes) >= least and not overlaps(figure)
        named = [label.get_text().replace("\n", " ") for axes in figure.axes for label in axes.get_xticklabels()]
        assert named == [f"attack {number}" for number in range(12)]


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
        "A dash: no result.",
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

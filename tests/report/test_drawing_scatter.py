from __future__ import annotations

import pytest
from figure_parts import BASIS, inked_share, marks, overlaps, texts

from stillproof.core.errors import BadInput
from stillproof.report.drawing.scatter import draw_scatter
from stillproof.report.figures.values import Scatter, Search
from stillproof.score.agreement import Agreement, Estimate
from stillproof.suites.dc_bench.published import published_search

KNOWN = Agreement(Estimate(0.621, (0.41, 0.77)), Estimate(-0.45, (-0.6, -0.2)), 4)
PROXY, TRUTH = [0.3, 0.5, 0.4, 0.5], [0.9, 0.7, 0.8, 0.6]
FULL = Search("full", PROXY, TRUTH, KNOWN, published_search("cifar10", "full", None))


def test_every_architecture_is_a_mark_and_the_chosen_and_the_best_are_told() -> None:
    (axes,) = draw_scatter(Scatter("Search", [FULL], BASIS)).axes
    assert marks(axes, "o") == sorted(zip(PROXY, TRUTH, strict=True))
    assert marks(axes, "*") == [(0.5, 0.6), (0.5, 0.7)], "both that share the first place"
    assert marks(axes, "s") == [(0.3, 0.9)]


def test_the_text_says_what_is_seen() -> None:
    figure = draw_scatter(Scatter("Search", [FULL], BASIS))
    text = texts(figure)
    for part in (
        "Search",
        "full",
        "Spearman 0.62 [0.41, 0.77], published 0.75",
        "Kendall -0.45 [-0.60, -0.20]",
        "accuracy in the search (%)",
        "true accuracy (%)",
        "chosen by the search",
        "n = 4 architectures. In brackets: 95 % interval, bootstrap over architectures.",
        "protocol fair; last epoch.",
        "arXiv:2207.09639 (Table 3)",
    ):
        assert part in text
    assert inked_share(figure) > 0.02 and not overlaps(figure)


def test_what_does_not_exist_is_a_dash_with_its_reason() -> None:
    nothing = Estimate(None, None, "the proxy is the same for all 2 architectures")
    text = texts(
        draw_scatter(Scatter("Search", [Search("dm", [0.5, 0.5], [0.6, 0.7], Agreement(nothing, nothing, 2))], BASIS))
    )
    assert "Spearman -" in text and "Kendall -" in text and "[" not in text
    assert text.count("Missing: the proxy is the same for all 2 architectures.") == 1


@pytest.mark.parametrize("count", [2, 4, 5])
def test_several_searches_have_one_panel_each(count: int) -> None:
    searches = [Search(name, PROXY, TRUTH, KNOWN) for name in ("random", "k-center", "dm", "dsa", "full")[:count]]
    figure = draw_scatter(Scatter("Searches", searches, BASIS))
    shown = [axes for axes in figure.axes if axes.axison]
    assert [axes.get_title(loc="left") for axes in shown] == [search.method for search in searches]
    assert len({axes.get_ylim() for axes in shown}) == 1 and not overlaps(figure)


def test_no_architectures_are_no_figure() -> None:
    for searches in ([], [Search("dm", [], [], KNOWN)]):
        with pytest.raises(BadInput, match="nothing to draw in the scatter"):
            draw_scatter(Scatter("Search", searches, BASIS))

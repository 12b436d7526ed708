from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from svg_cases import BASIS, bars, curves, every_kind, nothing, summary

from fresh_python import run_python
from stillproof.report.figures.audit_sheet import AuditSheet
from stillproof.report.figures.captions import caption
from stillproof.report.figures.looks import LOOKS
from stillproof.report.figures.values import Bar, Bars, Curve, CurvePanel, Curves, FigureData, Point
from stillproof.report.svg.draw import to_svg
from stillproof.report.svg.page import FIGURE_CSS
from svg_parts import legend, marks, outside, overlaps, parsed, pictures, said, title_of, written

KINDS = every_kind()
LONG = "plug-in:" + "parameter=0.00001," * 20
NASTY = (
    '<script>alert("1")</script>',
    "a\nb\r\nc",
    "\u05e9\u05dc\u05d5\u05dd \u202eleft",
    "x" * 300,
    LONG,
    "&amp;'\"",
    "",
)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_says_what_it_is(kind: str) -> None:
    figure = KINDS[kind]
    root = parsed(figure, "one")
    assert root.tag == "figure" and (root.findtext("p"), root.findtext("figcaption")) == (figure.title, told(figure))
    assert pictures(root)
    for number, picture in enumerate(pictures(root), 1):
        assert title_of(picture).startswith(figure.title) and picture.findtext("desc") == told(figure)
        assert picture.get("aria-labelledby") == f"one-{number}-title one-{number}-desc"
        assert picture.get("width") == "100%" and picture.get("height") is None
    assert said(root), "marks say their numbers"


def told(figure: FigureData | AuditSheet) -> str:
    return figure.note if isinstance(figure, AuditSheet) else caption(figure)


def test_every_kind_of_figure_has_a_drawing() -> None:
    kinds = {*get_args(FigureData), AuditSheet}
    assert {type(figure) for figure in KINDS.values()} == kinds == {*map(type, nothing())}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["dm", *NASTY])
def test_nothing_is_outside_and_no_text_covers_another(kind: str, name: str) -> None:
    root = parsed(every_kind(name)[kind])
    assert outside(root) == [] and overlaps(root) == []


@pytest.mark.parametrize("kind", KINDS)
def test_no_name_is_markup_and_nothing_comes_from_elsewhere(kind: str) -> None:
    text = to_svg(every_kind('<script src="http://evil">\u202e')[kind])
    assert "<script" not in text and "\u202e" not in text
    for node in ElementTree.fromstring(text).iter():
        assert node.tag not in ("script", "style", "use", "a")
        assert not any(key in ("style", "src") or key.startswith("on") for key in node.attrib)
        assert node.get("href", "data:image/png;base64,").startswith("data:image/png;base64,")
        assert not any("url(" in value for value in node.attrib.values())
    assert "&lt;script src=&quot;http://evil&quot;&gt;" in text, "it is shown as it is"


@pytest.mark.parametrize("kind", KINDS)
def test_equal_figures_are_equal_bytes_and_numbers_are_short(kind: str) -> None:
    text = to_svg(KINDS[kind])
    assert text == to_svg(every_kind()[kind])
    root = parsed(KINDS[kind])
    shapes = [node for picture in pictures(root) for node in picture.iter()]
    numbers = [
        value for node in shapes for key, value in node.attrib.items() if key not in ("id", "aria-labelledby", "href")
    ]
    assert not [value for value in numbers if re.search(r"\.\d\d\d", value) or "nan" in value]


@pytest.mark.parametrize("kind", KINDS)
def test_ids_start_with_the_prefix_and_are_there_once(kind: str) -> None:
    found = [*_ids(KINDS[kind], "one"), *_ids(KINDS[kind], "two")]
    assert found and len(found) == len(set(found)) and all(name.startswith(("one-", "two-")) for name in found)
    with pytest.raises(ValueError, match="ids cannot start"):
        to_svg(KINDS[kind], 'x" onload="')


def _ids(figure: FigureData | AuditSheet, prefix: str) -> Iterator[str]:
    return (node.attrib["id"] for node in parsed(figure, prefix).iter() if "id" in node.attrib)


@pytest.mark.parametrize("figure", nothing(), ids=lambda figure: type(figure).__name__)
def test_where_nothing_is_known_a_sentence_says_so(figure: FigureData | AuditSheet) -> None:
    root = parsed(figure)
    assert [part.text for part in root] == ["Nothing", "Nothing is known of this yet: no results."]


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=40))
def test_any_name_is_shown_whole_to_who_points_at_it(name: str) -> None:
    for figure in (bars(name), curves(name)):
        root = parsed(figure)
        assert outside(root) == []
        shown = re.sub(
            "[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]", "\ufffd", name
        )
        assert marks(root, shown.replace("\r\n", "\n").replace("\r", "\n"))


def test_a_long_name_is_cut_and_whole_in_its_tooltip() -> None:
    root = parsed(bars(LONG))
    (short,) = (name for name in legend(root) if name.startswith("plug-in"))
    assert short.endswith("\u2026") and len(short) < 80
    (name,) = (node for node in root.iter("bdi") if (node.text or "") == short)
    assert name.get("title") == LONG
    group = Bars("Title", [Bar(LONG, "dm", summary(0.5))], BASIS, "group")
    assert any(text.endswith("\u2026") for text in written(parsed(group)))
    assert LONG in [node.findtext("title") for node in parsed(group).iter("text")]


def test_the_legend_names_all_that_is_seen() -> None:
    assert legend(parsed(bars())) == ["dm", "random", "published", "chance"]
    assert legend(parsed(curves())) == ["dm", "random", "full data", "chance", "published"]
    assert legend(parsed(KINDS["step_curves"])) == ["best of all", "pgd", "dm"]
    assert legend(parsed(KINDS["heat_map"])) == ["20 to 60: test accuracy (%)"]


def test_methods_differ_by_their_marks_and_not_by_colour_alone() -> None:
    points = [Point(1, summary(0.5)), Point(2, summary(0.6))]
    figure = Curves("All", "x", [CurvePanel([Curve(name, points) for name in LOOKS])], BASIS)
    root = parsed(figure)
    drawn = {}
    for name in LOOKS:
        *_, shape = (node for node in marks(root, f"{name} at 1:")[0].iter() if node.tag in ("path", "circle"))
        drawn[name] = shape.get("d", "circle")
    assert len(set(drawn.values())) == len(LOOKS)


def test_styles_are_those_of_figures_alone() -> None:
    selectors = [line.partition("{")[0] for line in FIGURE_CSS.splitlines()]
    assert selectors and all(selector.startswith(".sp-") for selector in selectors)


def test_drawing_needs_no_drawing_library() -> None:
    tests = str(Path(__file__).parent)
    run_python(
        f"import sys; sys.path.insert(0, {tests!r})\n"
        "from svg_cases import every_kind\nfrom stillproof.report.svg.draw import to_svg\n"
        "assert all(map(to_svg, every_kind().values()))\n"
        "assert not {'matplotlib', 'torch'} & sys.modules.keys()"
    )

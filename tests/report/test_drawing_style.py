from __future__ import annotations

from itertools import combinations
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from figure_parts import BASIS, summary, texts
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

from fresh_python import run_python
from stillproof.core.errors import BadInput, StoreError, UnknownName
from stillproof.report.captions import Basis
from stillproof.report.drawing.bars import draw_bars
from stillproof.report.drawing.draw import draw
from stillproof.report.drawing.save import check_ending, save_figure
from stillproof.report.drawing.style import house_style
from stillproof.report.drawing.text_size import least_width, text_width, wrapped, wrapped_name
from stillproof.report.figures.looks import HEAT, LOOKS, PAPER, PARTS, REAL_DOTS, looks_of
from stillproof.report.figures.pages import COLUMN, PAGES, SCREEN, Page, grid_size, in_lines, page_named
from stillproof.report.figures.values import Bar, Bars

# How protanopes, deuteranopes and tritanopes see linear red, green and blue (Machado et al., 2009).
VISIONS = {
    "all cones": np.eye(3),
    "no red": np.array([[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]]),
    "no green": np.array([[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]]),
    "no blue": np.array([[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]]),
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def seen(colour: str, vision: str) -> np.ndarray:
    """Return a colour in CIELAB, where equal steps look alike."""
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    x, y, z = np.cbrt(TO_XYZ @ np.clip(VISIONS[vision] @ linear, 0, 1) / [0.9505, 1, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def luminance(colour: str) -> float:
    parts = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour))
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def test_methods_can_be_told_apart_by_marker_alone() -> None:
    assert len({look.mark for look in LOOKS.values()}) == len(LOOKS)


@pytest.mark.parametrize("vision", VISIONS)
def test_methods_can_be_told_apart_by_colour(vision: str) -> None:
    colours = {look.colour for look in LOOKS.values()}
    assert len(colours) == len(LOOKS)
    assert min(float(np.linalg.norm(seen(a, vision) - seen(b, vision))) for a, b in combinations(colours, 2)) > 18


@pytest.mark.parametrize("colour", sorted({*(look.colour for look in LOOKS.values()), *PARTS, REAL_DOTS}))
def test_no_colour_is_too_pale_for_white_paper(colour: str) -> None:
    assert (luminance(PAPER) + 0.05) / (luminance(colour) + 0.05) >= 2.99  # as accessibility guidelines ask for


def test_cells_of_heat_maps_end_where_the_paper_begins() -> None:
    assert luminance(HEAT[0]) < 0.85


@given(st.lists(st.sampled_from([*LOOKS, "dm:init=noise", "noise", "mine", "yours", "dm:steps=1"]), unique=True))
def test_known_methods_look_alike_everywhere_and_no_two_are_the_same(names: list[str]) -> None:
    looks = looks_of(names)
    assert list(looks) == names
    assert all(looks[name] == LOOKS[name] for name in names if name in LOOKS)
    assert looks == looks_of(reversed(names)), "whatever the order"
    assert_all_differ(names)


def assert_all_differ(names: list[str]) -> None:
    """Look at them as curves with marks, as lines without, and as bars."""
    looks = list(looks_of(names).values())
    for kind in ("mark", "line", "fill"):
        assert len({(look.colour, getattr(look, kind)) for look in looks}) == len(names), kind


def test_a_variant_looks_like_its_method_unless_both_are_there() -> None:
    assert looks_of(["dm:steps=1", "random"])["dm:steps=1"] == LOOKS["dm"]
    both = looks_of(["dm:steps=1", "dm"])
    assert both["dm"] == LOOKS["dm"] and both["dm:steps=1"].colour != LOOKS["dm"].colour


@pytest.mark.parametrize("count", [11, 14, 27, 52])
def test_many_unknown_methods_all_look_different(count: int) -> None:
    assert_all_differ([f"method-{number}" for number in range(count)])
    assert_all_differ(["full", "random", *(f"method-{number}" for number in range(count))])


def test_more_methods_than_looks_are_refused_instead_of_drawn_alike() -> None:
    with pytest.raises(BadInput, match=r"60 curves or bars cannot be told apart .* --methods"):
        looks_of(f"method-{number}" for number in range(60))


def figure() -> Figure:
    return draw_bars(Bars("Title", [Bar("none", "dm", summary(0.5))], BASIS, "augmentation"))


@pytest.mark.parametrize(
    ("ending", "start"), [(".png", b"\x89PNG"), (".pdf", b"%PDF"), (".svg", b"<?xml"), (".PNG", b"\x89PNG")]
)
def test_equal_figures_are_equal_files(tmp_path: Path, ending: str, start: bytes) -> None:
    paths = [tmp_path / name / f"figure{ending}" for name in ("a", "b")]
    for path in paths:
        save_figure(figure(), path)
    first, second = (path.read_bytes() for path in paths)
    assert first == second and first.startswith(start) and len(first) > 1000
    assert b"Matplotlib" not in first.replace(b"Matplotlib.", b"")


def test_saving_twice_gives_the_same(tmp_path: Path) -> None:
    one = figure()
    save_figure(one, tmp_path / "a.svg")
    save_figure(one, tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


@pytest.mark.parametrize("name", ["figure.jpg", "figure", "figure.tex"])
def test_an_unknown_ending_is_refused_in_a_sentence(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput, match=r"cannot be written as a figure: end its name in one of \.png, \.pdf, \.svg\.$"):
        check_ending(Path(name))
    with pytest.raises(BadInput, match="end its name"):
        save_figure(figure(), tmp_path / "new" / name)
    assert not (tmp_path / "new").exists()


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StoreError, match=r"figure\.png cannot be written"):
        save_figure(figure(), tmp_path / "file" / "figure.png")


def test_the_settings_of_the_machine_neither_matter_nor_change(tmp_path: Path) -> None:
    save_figure(figure(), tmp_path / "plain.png")
    with matplotlib.rc_context({"font.size": 30, "lines.linewidth": 9, "axes.grid": True, "savefig.dpi": 10}):
        save_figure(figure(), tmp_path / "other.png")
        assert matplotlib.rcParams["font.size"] == 30
    assert (tmp_path / "plain.png").read_bytes() == (tmp_path / "other.png").read_bytes()
    before = dict(matplotlib.rcParams)
    with pytest.raises(KeyError), house_style():
        raise KeyError
    assert dict(matplotlib.rcParams) == before


def test_pyplot_is_left_alone() -> None:
    run_python(
        "import sys\n"
        "from stillproof.report.drawing import draw, save\n"
        "from stillproof.report.figures.values import Bar, Bars\n"
        "from stillproof.report.captions import Basis\n"
        "from stillproof.score.stats import summarise\n"
        "draw.draw(Bars('t', [Bar('g', 'dm', summarise([0.5]))], Basis('fair', 'last'), 'g'))\n"
        "assert 'matplotlib.pyplot' not in sys.modules and 'torch' not in sys.modules"
    )


def test_a_choice_by_the_test_set_is_said_loudly() -> None:
    assert Basis("faithful", "oracle").sentence() == "protocol faithful; ORACLE: best epoch on the test set."
    assert "held-out" in Basis("fair", "heldout").sentence()


@given(st.integers(1, 40), st.sampled_from([SCREEN, COLUMN]))
def test_at_most_two_panels_stand_in_a_row(count: int, page: Page) -> None:
    rows, columns = grid_size(count, page)
    assert rows * columns >= count > (rows - 1) * columns and columns == min(count, 2)
    assert grid_size(count, COLUMN, least=20) == (count, 1), "one where two would be too narrow to be read"


@given(st.lists(st.floats(0.1, 3.0), max_size=30))
def test_lines_are_as_few_as_can_be_and_keep_the_order(widths: list[float]) -> None:
    lines = in_lines(widths, 3.0)
    assert [place for line in lines for place in line] == list(range(len(widths)))
    assert all(sum(widths[place] for place in line) <= 3.0 + 1e-6 for line in lines)


def test_lines_are_of_about_equal_width() -> None:
    assert [len(line) for line in in_lines([1.0] * 9, 8.0)] == [5, 4]


def test_texts_break_where_they_may_and_nowhere_else() -> None:
    name = "vit:width=64:depth=2"
    assert wrapped_name(name, text_width("vit:width=64", 10), 10) == "vit:width=64\n:depth=2"
    assert wrapped_name("a\nb", 5, 10) == "a\nb"
    assert least_width(name, 10) == text_width(":width=64", 10)
    lines = wrapped("a sentence of some words, and unbreakablelongone", 1.0, 10).split("\n")
    assert lines[-1] == "unbreakablelongone" and all(text_width(line, 10) <= 1.0 for line in lines[:-1])


def test_a_paper_has_figures_as_wide_as_its_column_and_title_and_caption_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "figure.png"
    data = Bars("The title", [Bar("none", "dm", summary(0.5))], BASIS, "augmentation")
    save_figure(data, path, COLUMN)
    with Image.open(path) as picture:
        assert picture.width == pytest.approx(3.25 * 300, abs=1)
    drawn = draw(data, COLUMN)
    assert drawn.get_figwidth() == 3.25
    said = texts(drawn)
    assert "The title" not in said and "Student" not in said and "augmentation" in said
    assert {item.get_fontsize() for item in drawn.findobj(Text) if isinstance(item, Text) and item.get_text()} == {8.0}


def test_styles_have_names() -> None:
    assert page_named("paper") is PAGES["paper"] is COLUMN
    with pytest.raises(UnknownName, match="style of figures 'papr'"):
        page_named("papr")

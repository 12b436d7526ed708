from __future__ import annotations

from itertools import combinations
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from figure_parts import BASIS, summary
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from fresh_python import run_python
from stillproof.core.errors import BadInput, StoreError
from stillproof.report.captions import Basis
from stillproof.report.drawing.bars import draw_bars
from stillproof.report.drawing.canvas import grid_size, wrapped_names
from stillproof.report.drawing.save import check_ending, save_figure
from stillproof.report.drawing.style import LOOKS, house_style, looks_of
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


def test_methods_can_be_told_apart_by_marker_alone() -> None:
    assert len({look.marker for look in LOOKS.values()}) == len(LOOKS) - 1, "an initialisation has that of a method"


@pytest.mark.parametrize("vision", VISIONS)
def test_methods_can_be_told_apart_by_colour(vision: str) -> None:
    colours = {look.colour for look in LOOKS.values()}
    assert len(colours) == len(LOOKS) - 1, "an initialisation shares the colour of a method"
    assert min(float(np.linalg.norm(seen(a, vision) - seen(b, vision))) for a, b in combinations(colours, 2)) > 18


@given(st.lists(st.sampled_from([*LOOKS, "dm:init=noise", "mine", "yours", "dm:steps=1"]), unique=True))
def test_known_methods_look_alike_everywhere_and_no_two_are_the_same(names: list[str]) -> None:
    looks = looks_of(names)
    assert list(looks) == names
    assert all(looks[name] == LOOKS[name] for name in names if name in LOOKS)
    assert looks == looks_of(reversed(names)), "whatever the order"
    if "noise" not in names or "bacon" not in names:
        assert len(set(looks.values())) == len(names)


def test_a_variant_looks_like_its_method_unless_both_are_there() -> None:
    assert looks_of(["dm:steps=1", "random"])["dm:steps=1"] == LOOKS["dm"]
    both = looks_of(["dm:steps=1", "dm"])
    assert both["dm"] == LOOKS["dm"] and both["dm:steps=1"].colour != LOOKS["dm"].colour


def test_many_unknown_methods_still_have_a_look() -> None:
    assert len(looks_of(f"method-{number}" for number in range(60))) == 60


def test_diamonds_are_left_to_published_values() -> None:
    looks = [*LOOKS.values(), *looks_of(f"method-{number}" for number in range(30)).values()]
    assert not {look.marker for look in looks} & {"D", "d"}


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


@given(st.integers(1, 40))
def test_panels_fit_their_grid(count: int) -> None:
    rows, columns = grid_size(count)
    assert rows * columns >= count > (rows - 1) * columns and columns <= 3


def test_names_of_components_break_before_their_parameters() -> None:
    assert wrapped_names(["vit:width=64:depth=2", "mlp:a=1"], 1.5) == ["vit:width=64\n:depth=2", "mlp:a=1"]

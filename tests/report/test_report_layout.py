from __future__ import annotations

import io
import os
import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillproof.report.tables.formats import to_text
from stillproof.report.tables.layout import laid_out, terminal_width, wrapped
from stillproof.report.tables.table import Column, Table
from stillproof.score.stats import Summary

HEADER = ("method", "images per class", "accuracy %", "over random, points", "note")
NUMBERS = (False, True, True, True, False)
ROWS = [
    ("random", "1", "31.2 (12.4 to 59.0)", "-", "distilled on another machine"),
    ("dm:steps=3", "10", "29.1 (3.1 to 83.2)", "-2.1 (-28.6 to +24.5)", "-"),
]


def laid(width: int | None, rows: Sequence[tuple[str, ...]] = ROWS) -> list[str]:
    return laid_out(HEADER, rows, NUMBERS, width).splitlines()


def test_a_table_that_fits_is_printed_as_it_is() -> None:
    assert laid(None) == laid(120)
    assert laid(120) == [
        "method      images per class           accuracy %    over random, points  note",
        "----------  ----------------  -------------------  ---------------------  ----------------------------",
        "random                     1  31.2 (12.4 to 59.0)                      -  distilled on another machine",
        "dm:steps=3                10   29.1 (3.1 to 83.2)  -2.1 (-28.6 to +24.5)  -",
    ]


def test_first_headings_and_texts_are_wrapped() -> None:
    assert laid(85) == [
        "method      images           accuracy %    over random, points  note",
        "               per",
        "             class",
        "----------  ------  -------------------  ---------------------  ---------------------",
        "random           1  31.2 (12.4 to 59.0)                      -  distilled on another",
        "                                                                machine",
        "dm:steps=3      10   29.1 (3.1 to 83.2)  -2.1 (-28.6 to +24.5)  -",
    ]


def test_then_columns_go_on_below_beside_what_tells_the_rows_apart() -> None:
    assert laid(70) == [
        "method          images per           accuracy %    over random, points",
        "                     class",
        "----------  --------------  -------------------  ---------------------",
        "random                   1  31.2 (12.4 to 59.0)                      -",
        "dm:steps=3              10   29.1 (3.1 to 83.2)  -2.1 (-28.6 to +24.5)",
        "",
        "method      note",
        "----------  ----------------------------",
        "random      distilled on another machine",
        "dm:steps=3  -",
    ]


def test_a_rank_is_no_name_where_there_is_one() -> None:
    rows = [(str(n), name, "12.3 (10.1 to 14.5)", "+2.1 (+1.0 to +3.2)") for n, name in enumerate(("dm", "mtt"))]
    header, numbers = ("rank", "method", "accuracy %", "over random, points"), (True, False, True, True)
    lines = laid_out(header, rows, numbers, 40).splitlines()
    assert lines[0] == "rank  method           accuracy %" and lines[5] == "method  over random, points"


def test_one_row_alone_is_a_list() -> None:
    assert laid(60, ROWS[1:]) == [
        "method               dm:steps=3",
        "images per class     10",
        "accuracy %           29.1 (3.1 to 83.2)",
        "over random, points  -2.1 (-28.6 to +24.5)",
        "note                 -",
    ]


def test_rows_that_nothing_tells_apart_have_numbers() -> None:
    assert laid(60, [ROWS[0], ROWS[0]])[-5:] == [
        "",
        "#  note",
        "-  ----------------------------",
        "1  distilled on another machine",
        "2  distilled on another machine",
    ]


def test_rows_have_numbers_where_their_names_would_fill_half_of_the_width() -> None:
    rows = [
        (f"the {kind} method", images, "12.3 (10.1 to 14.5)", "-")
        for kind in ("first", "second")
        for images in ("set", "noise")
    ]
    header, numbers = ("method", "images", "accuracy %", "over random, points"), (False, False, True, True)
    assert "#" not in laid_out(header, rows, numbers, 48)
    lines = laid_out(header, rows, numbers, 47).splitlines()
    assert lines[0] == "#  method             images"
    assert lines[-4:] == [f"{n}  12.3 (10.1 to 14.5)                    -" for n in (1, 2, 3, 4)]


def test_what_is_narrower_than_a_number_gets_it_whole() -> None:
    assert "31.2 (12.4 to 59.0)" in laid_out(HEADER, ROWS, NUMBERS, 10)


NAMES = st.text("abcde:_=(), -", max_size=60).map(str.strip)
VALUES = st.floats(-999, 999).map(lambda value: f"{value:.1f} ({value - 9:.1f} to {value + 9:.1f})")


@given(st.lists(st.tuples(NAMES, VALUES, NAMES, VALUES, VALUES, NAMES), max_size=4), st.integers(60, 130))
def test_no_line_is_too_long_and_nothing_is_lost(rows: list[tuple[str, ...]], width: int) -> None:
    numbers = (False, True, False, True, True, False)
    lines = laid_out("abcdef", rows, numbers, width)
    assert max(map(len, lines.splitlines()), default=0) <= width
    for row in rows:
        assert all(cell in lines for cell, is_number in zip(row, numbers, strict=True) if is_number)
        words = [word for cell in row for word in re.findall(r"[a-e]{1,16}(?![a-e])", cell)]
        assert all(word in lines for word in words)


def test_notes_are_wrapped_at_words_and_long_names_after_punctuation() -> None:
    note = "digits; recipe smoke:augment=dsa(strategy=color_crop_cutout_scale_rotate); protocol fair; last epoch."
    assert wrapped(note, 50, "  ").splitlines() == [
        "  digits; recipe smoke:augment=dsa(strategy=color_",
        "  crop_cutout_scale_rotate); protocol fair; last",
        "  epoch.",
    ]
    assert wrapped(note, None, "  ") == f"  {note}"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_what_python_shows_fits_the_terminal_and_a_pipe_gets_it_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = [Column("method", "method"), *(Column(f"c{n}", f"column {n}", Summary) for n in range(5))]
    row = {"method": "dm"} | {f"c{n}": Summary(0.5, 0.1, 3, (0.4, 0.6)) for n in range(5)}
    table = Table("t", "A title of several words " * 5, columns, [row, row | {"method": "dsa"}], ["A note. " * 20])
    assert terminal_width() is None and max(map(len, to_text(table).splitlines())) > 120
    monkeypatch.setattr("sys.stdout", Terminal())
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((80, 24)))
    assert terminal_width() == 80 and max(map(len, repr(table).splitlines())) <= 80
    assert repr(table).count("50.0 (40.0 to 60.0)") == 10

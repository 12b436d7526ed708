from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from stillproof.core.errors import Corrupt
from stillproof.report.gallery import MARGIN, TITLE, WIDEST, side_by_side


def test_pictures_stand_side_by_side_under_their_titles(tmp_path: Path) -> None:
    Image.new("RGB", (300, 100), "red").save(tmp_path / "a.png")
    Image.new("L", (200, 150), 0).save(tmp_path / "b.png")
    sheet = side_by_side([("a", tmp_path / "a.png"), ("b", tmp_path / "b.png")])
    assert sheet.size == (300 + 200 + 3 * MARGIN, 150 + TITLE + 2 * MARGIN)
    top = MARGIN // 2 + TITLE
    assert sheet.getpixel((MARGIN, top)) == sheet.getpixel((MARGIN + 299, top + 99)) == (255, 0, 0)
    assert sheet.getpixel((2 * MARGIN + 300, top + 149)) == (0, 0, 0)
    assert sheet.getpixel((MARGIN, top + 120)) == (255, 255, 255)


def test_a_long_title_has_room(tmp_path: Path) -> None:
    Image.new("RGB", (10, 10), "red").save(tmp_path / "a.png")
    assert side_by_side([("a title that is wider than its picture", tmp_path / "a.png")]).width > 200


def test_many_pictures_take_several_lines(tmp_path: Path) -> None:
    Image.new("RGB", (WIDEST // 3, 100), "red").save(tmp_path / "a.png")
    sheet = side_by_side([("a", tmp_path / "a.png")] * 5)
    assert sheet.width <= WIDEST
    assert sheet.height == 3 * (100 + TITLE + MARGIN) + MARGIN
    for line in range(3):
        top = MARGIN // 2 + TITLE + line * (100 + TITLE + MARGIN)
        assert sheet.getpixel((MARGIN, top)) == (255, 0, 0)
    assert sheet.getpixel((sheet.width - 2 * MARGIN, top)) == (255, 255, 255), "the last line has one picture only"


def test_a_preview_that_is_no_picture_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"not a picture")
    with pytest.raises(Corrupt, match=r"a\.png cannot be shown"):
        side_by_side([("a", tmp_path / "a.png")])

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image, ImageSequence

from stillproof.report.pictures import (
    ALL_FRAMES,
    LAST,
    MARGIN,
    SHORTEST,
    TITLE,
    WIDEST,
    Film,
    frames,
    save,
    side_by_side,
)
from stillproof.report.sets import ShownSet

CARD = {"method": "dm", "dataset": "digits", "ipc": 1}


def a_set(folder: Path, colour: str) -> ShownSet:
    folder.mkdir()
    Image.new("RGB", (300, 50), colour).save(folder / "preview.png")
    return ShownSet(colour, folder, CARD)


def draw(folder: Path) -> dict[str, Image.Image]:
    return {"preview.png": Image.open(folder / "preview.png")}


def a_film(folder: Path, steps: dict[int, str], result: str) -> Film:
    folder.mkdir()
    snapshots = [(step, a_set(folder / str(step), colour)) for step, colour in steps.items()]
    return Film(folder.name, snapshots, a_set(folder / "result", result), draw)


def test_pictures_stand_side_by_side_under_their_titles() -> None:
    sheet = side_by_side([("a", Image.new("RGB", (300, 100), "red")), ("b", Image.new("RGB", (200, 150)))])
    assert sheet.size == (300 + 200 + 3 * MARGIN, 150 + TITLE + 2 * MARGIN)
    top = MARGIN // 2 + TITLE
    assert sheet.getpixel((MARGIN, top)) == sheet.getpixel((MARGIN + 299, top + 99)) == (255, 0, 0)
    assert sheet.getpixel((2 * MARGIN + 300, top + 149)) == (0, 0, 0)
    assert sheet.getpixel((MARGIN, top + 120)) == (255, 255, 255)


def test_a_long_title_has_room() -> None:
    assert side_by_side([("a title that is wider than its picture", Image.new("RGB", (10, 10)))]).width > 200


def test_many_pictures_take_several_lines() -> None:
    sheet = side_by_side([("a", Image.new("RGB", (WIDEST // 3, 100), "red"))] * 5)
    assert sheet.width <= WIDEST
    assert sheet.height == 3 * (100 + TITLE + MARGIN) + MARGIN
    for line in range(3):
        top = MARGIN // 2 + TITLE + line * (100 + TITLE + MARGIN)
        assert sheet.getpixel((MARGIN, top)) == (255, 0, 0)
    assert sheet.getpixel((sheet.width - 2 * MARGIN, top)) == (255, 255, 255), "the last line has one picture only"


def test_every_step_is_a_frame_and_the_result_is_the_last(tmp_path: Path) -> None:
    found = frames([a_film(tmp_path / "dm", {0: "red", 50: "lime"}, "blue")])
    assert [name for name, _ in found] == ["step 0", "step 50", "result"]
    assert [picture.getpixel((20, 40)) for _, picture in found] == [(255, 0, 0), (0, 255, 0), (0, 0, 255)]


def test_sets_side_by_side_show_what_they_were_at_each_step(tmp_path: Path) -> None:
    films = [a_film(tmp_path / "dm", {0: "red", 50: "lime"}, "blue"), a_film(tmp_path / "mtt", {10: "white"}, "black")]
    assert [film.at(20)[0][0] for film in films] == ["dm: step 0", "mtt: step 10"]
    assert [film.at(0)[0][0] for film in films] == ["dm: step 0", "mtt: step 10"], "it has none so early"
    assert [film.at(None)[0][0] for film in films] == ["dm: result", "mtt: result"]
    found = frames(films)
    assert [name for name, _ in found] == ["step 0", "step 10", "step 50", "result"]
    assert len({picture.size for _, picture in found}) == 1


@pytest.mark.parametrize("name", ["a.gif", "a.WEBP"])
def test_frames_follow_each_other_for_ever(name: str, tmp_path: Path) -> None:
    colours = [(255, 0, 0), (0, 255, 0), (0, 0, 255)]
    save([Image.new("RGB", (40, 30), colour) for colour in colours], tmp_path / name)
    with Image.open(tmp_path / name) as moving:
        assert (sum(1 for _ in ImageSequence.Iterator(moving)), moving.info["loop"]) == (3, 0)
        durations = []
        for frame, colour in enumerate(colours):
            moving.seek(frame)
            assert moving.convert("RGB").getpixel((5, 5)) == colour
            durations.append(moving.info["duration"])
    assert durations[-1] == LAST


def test_long_films_are_not_slow(tmp_path: Path) -> None:
    count = ALL_FRAMES // SHORTEST + 50
    save([Image.new("RGB", (1, 1), (shade % 256, 0, 0)) for shade in range(count)], tmp_path / "a.webp")
    with Image.open(tmp_path / "a.webp") as moving:
        moving.load()
        assert moving.info["duration"] == SHORTEST


def test_one_picture_does_not_move(tmp_path: Path) -> None:
    save([Image.new("RGB", (4, 3), "red")], tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as still:
        assert still.size == (4, 3)

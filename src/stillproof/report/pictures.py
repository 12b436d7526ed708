"""A gallery of distilled sets, at rest or in motion, to be shown or written."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from stillproof.core.errors import BadInput, StoreError
from stillproof.core.plain_reason import plain_reason
from stillproof.report.sets import ShownSet, snapshots_of, titles_of
from stillproof.store.store import Store

STILL = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".pdf")
MOVING = (".gif", ".webp")
MARGIN, TITLE = 16, 22  # pixels around a picture, and above it
WIDEST = 2400  # pixels; what does not fit beside the others begins a new line
# Draws the pictures of a set in a folder, by name, from its tensors: a file beside them could be of anything.
Draw = Callable[[Path], Mapping[str, Image.Image]]
Panel = tuple[str, Image.Image]  # a picture and its title
ALL_FRAMES = 6000  # milliseconds, shared out among the frames
SHORTEST, LONGEST, LAST = 60, 500, 2000  # milliseconds per frame


@dataclass(frozen=True)
class Gallery:
    """Sets side by side.

    Args:
        titles: What each set is called.
        pictures: One picture, or the frames of a moving one.
        frames: The names of the frames; none of a picture at rest.
    """

    titles: Sequence[str]
    pictures: Sequence[Image.Image]
    frames: Sequence[str] = ()

    def save(self, out: Path) -> None:
        """Write it in the format that the name ends in; missing folders are made."""
        check_ending(out, bool(self.frames))
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            save(self.pictures, out)
        except OSError as error:
            raise StoreError(f"{out} cannot be written: {plain_reason(error)}.") from error

    def __repr__(self) -> str:
        """Say what it shows."""
        length = f", {len(self.frames)} frames" if self.frames else ""
        size = f"{self.pictures[0].width} x {self.pictures[0].height} pixels"
        return f"<gallery of {', '.join(map(repr, self.titles))}: {size}{length}>"

    def _repr_png_(self) -> bytes:
        """Return what a notebook shows: the picture, or the last frame."""
        content = io.BytesIO()
        self.pictures[-1].save(content, "PNG")
        return content.getvalue()


def gallery_of(store: Store, sets: Sequence[ShownSet], animate: bool, draw: Draw) -> Gallery:
    """Return sets side by side, or ``animate`` their snapshots, as ``draw`` gives them.

    Raises:
        BadInput: There is no set, or one without snapshots is to be animated.
    """
    if not sets:
        raise BadInput("name at least one artifact, or a run.")
    titles = titles_of(sets)
    shown = list(zip(titles, sets, strict=True))
    if not animate:
        return Gallery(titles, [side_by_side([panel for title, one in shown for panel in _panels(one, title, draw)])])
    moving = frames([Film(title, snapshots_of(store, one), one, draw) for title, one in shown])
    return Gallery(titles, [picture for _, picture in moving], [name for name, _ in moving])


def check_ending(out: Path, animate: bool) -> None:
    """Refuse a name that no picture can be written under."""
    known, other = (MOVING, STILL) if animate else (STILL, MOVING)
    if out.suffix.lower() in known:
        return
    hint = f" (with{'out' if animate else ''} --animate, it can)" if out.suffix.lower() in other else ""
    raise BadInput(f"{out} cannot be written as a picture{hint}: end its name in one of {', '.join(known)}.")


def _panels(shown: ShownSet, title: str, draw: Draw) -> list[Panel]:
    drawn = draw(shown.folder)
    return [(said, drawn[name]) for said, name in shown.panels(title)]


def side_by_side(pictures: Sequence[Panel]) -> Image.Image:
    """Return one picture with all others under their titles, in as many lines as are needed."""
    font = ImageFont.load_default(size=14)
    sizes = [(max(image.width, int(font.getlength(title))), image.height + TITLE) for title, image in pictures]
    places, sheet_size = _flow(sizes)
    sheet = Image.new("RGB", sheet_size, "white")
    draw = ImageDraw.Draw(sheet)
    for (title, image), (left, top) in zip(pictures, places, strict=True):
        draw.text((left, top), title, fill="black", font=font)
        sheet.paste(image, (left, top + TITLE))
    return sheet


def _flow(sizes: Sequence[tuple[int, int]]) -> tuple[list[tuple[int, int]], tuple[int, int]]:
    """Return the upper left corner of each box, laid out in lines like text, and the size of the whole."""
    places: list[tuple[int, int]] = []
    left, top, right, bottom = MARGIN, MARGIN // 2, 0, 0
    for width, height in sizes:
        if left > MARGIN and left + width + MARGIN > WIDEST:
            left, top = MARGIN, bottom + MARGIN
        places.append((left, top))
        right, bottom = max(right, left + width), max(bottom, top + height)
        left += width + MARGIN
    return places, (right + MARGIN, bottom + MARGIN + MARGIN // 2)


@dataclass(frozen=True)
class Film:
    """One set: its title, its snapshots in the order of their steps, its result, and what draws them."""

    title: str
    snapshots: Sequence[tuple[int, ShownSet]]
    result: ShownSet
    draw: Draw

    def at(self, step: int | None) -> list[Panel]:
        """Return the pictures of the last snapshot up to ``step``, or of the result, with the step in their titles."""
        if step is None:
            return _panels(self.result, f"{self.title}: result", self.draw)
        past = [snapshot for snapshot in self.snapshots if snapshot[0] <= step]
        shown_step, shown = past[-1] if past else self.snapshots[0]
        return _panels(shown, f"{self.title}: step {shown_step}", self.draw)


def frames(films: Sequence[Film]) -> list[tuple[str, Image.Image]]:
    """Return the frames, equal in size, each with its name: every step that any set has, then the results."""
    steps: list[int | None] = [*sorted({step for film in films for step, _ in film.snapshots}), None]
    sheets = [side_by_side([panel for film in films for panel in film.at(step)]) for step in steps]
    size = (max(sheet.width for sheet in sheets), max(sheet.height for sheet in sheets))
    names = ["result" if step is None else f"step {step}" for step in steps]
    return [(name, _on_white(sheet, size)) for name, sheet in zip(names, sheets, strict=True)]


def save(pictures: Sequence[Image.Image], out: Path) -> None:
    """Write one picture, or frames that follow each other for ever, in the format that the name ends in."""
    options: dict[str, Any] = {"lossless": True} if out.suffix.lower() == ".webp" else {}
    if len(pictures) > 1:
        each = min(max(ALL_FRAMES // len(pictures), SHORTEST), LONGEST)
        options["duration"] = [each] * (len(pictures) - 1) + [LAST]
        options |= {"save_all": True, "append_images": pictures[1:], "loop": 0}
    pictures[0].save(out, **options)


def _on_white(picture: Image.Image, size: tuple[int, int]) -> Image.Image:
    sheet = Image.new("RGB", size, "white")
    sheet.paste(picture)
    return sheet

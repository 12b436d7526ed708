"""A gallery of distilled sets, at rest or in motion, to be shown or written."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from stillproof.core.errors import BadInput, StoreError
from stillproof.report.animation import Film, frames, save
from stillproof.report.gallery import side_by_side
from stillproof.report.sets import ShownSet, snapshots_of, titles_of
from stillproof.store.store import Store

STILL = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".pdf")
MOVING = (".gif", ".webp")


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
            raise StoreError(f"{out} cannot be written: {error}.") from error

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


def gallery_of(store: Store, sets: Sequence[ShownSet], animate: bool) -> Gallery:
    """Return sets side by side, or ``animate`` their snapshots.

    Raises:
        BadInput: There is no set, or one without snapshots is to be animated.
    """
    if not sets:
        raise BadInput("name at least one artifact, or a run.")
    titles = titles_of(sets)
    shown = list(zip(titles, sets, strict=True))
    if not animate:
        return Gallery(titles, [side_by_side([panel for title, one in shown for panel in one.panels(title)])])
    moving = frames([Film(title, snapshots_of(store, one), one) for title, one in shown])
    return Gallery(titles, [picture for _, picture in moving], [name for name, _ in moving])


def check_ending(out: Path, animate: bool) -> None:
    """Refuse a name that no picture can be written under."""
    known, other = (MOVING, STILL) if animate else (STILL, MOVING)
    if out.suffix.lower() in known:
        return
    hint = f" (with{'out' if animate else ''} --animate, it can)" if out.suffix.lower() in other else ""
    raise BadInput(f"{out} cannot be written as a picture{hint}: end its name in one of {', '.join(known)}.")

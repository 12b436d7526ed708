"""A moving picture of how distilled images came about, from the snapshots that were kept on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from stillproof.report.gallery import side_by_side
from stillproof.report.sets import ShownSet

ALL_FRAMES = 6000  # milliseconds, shared out among the frames
SHORTEST, LONGEST, LAST = 60, 500, 2000  # milliseconds per frame


@dataclass(frozen=True)
class Film:
    """One set: its title, its snapshots in the order of their steps, and its result."""

    title: str
    snapshots: Sequence[tuple[int, ShownSet]]
    result: ShownSet

    def at(self, step: int | None) -> list[tuple[str, Path]]:
        """Return the pictures of the last snapshot up to ``step``, or of the result, with the step in their titles."""
        if step is None:
            return self.result.panels(f"{self.title}: result")
        past = [snapshot for snapshot in self.snapshots if snapshot[0] <= step]
        shown_step, shown = past[-1] if past else self.snapshots[0]
        return shown.panels(f"{self.title}: step {shown_step}")


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

"""Why cells failed, told once for each cause: what was raised, where in whose code, and how many cells it cost."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from stillproof.core.lock import ROOT
from stillproof.core.plugins import installed_plugins
from stillproof.core.spec import Json
from stillproof.store.failure_text import NOT_COMPUTED, Frame, frames_of, is_foreseen, sentence_of
from stillproof.store.records import Record

PACKAGE = ROOT.name
LIBRARIES = ("site-packages", "dist-packages")
MOST_FRAMES = 3


@dataclass(frozen=True, slots=True)
class Cause:
    """One reason, and what it cost.

    Args:
        sentence: What was raised.
        frames: The places that tell most, the innermost last; none where the sentence says it all.
        failed: The cells that failed so, each of which was tried.
        cells: How many cells have no answer because of it: these, and all that need them.
    """

    sentence: str
    frames: Sequence[Frame]
    failed: Sequence[Record]
    cells: int

    @property
    def label(self) -> str:
        """Return what failed, in the words of the plan."""
        more = len(self.failed) - 1
        return f"{self.failed[0].label} and {more} more" if more else self.failed[0].label

    @property
    def place(self) -> str:
        """Return the place that tells most, if any."""
        return _place(self.frames)

    def line(self) -> str:
        """Return all of it in one line."""
        lost = f"{self.cells} cell{'s' * (self.cells != 1)}"
        return f"{lost}: {self.label}: {_at(self.sentence, self.frames)}"

    def trace(self) -> list[str]:
        """Return the places, each with its code."""
        return [f"{place_of(frame)}{f': {frame.code}' if frame.code else ''}" for frame in self.frames]

    def as_dict(self) -> Json:
        """Return the cause as JSON values."""
        frames = [{"file": f.file, "line": f.line, "function": f.function, "code": f.code} for f in self.frames]
        failed = [record.id for record in self.failed]
        return {"sentence": self.sentence, "label": self.label, "frames": frames, "failed": failed, "cells": self.cells}


def causes_of(records: Iterable[Record]) -> list[Cause]:
    """Return the causes of failed cells, the most expensive first."""
    known = {record.id: record for record in records if record.status == "failed"}
    roots: dict[tuple[str, tuple[Frame, ...]], dict[str, Record]] = {}
    counts: dict[tuple[str, tuple[Frame, ...]], int] = {}
    for record in known.values():
        root = _root(record, known)
        text = root.error or ""
        cause = sentence_of(text), tuple(telling_frames(text))
        roots.setdefault(cause, {})[root.id] = root
        counts[cause] = counts.get(cause, 0) + 1
    causes = [
        Cause(*cause, sorted(found.values(), key=lambda record: record.label), counts[cause])
        for cause, found in roots.items()
    ]
    return sorted(causes, key=lambda cause: (-cause.cells, cause.label))


def explained(text: str | None) -> str:
    """Return why a cell failed and where, in one line."""
    return _at(sentence_of(text), telling_frames(text or ""))


def telling_frames(text: str) -> list[Frame]:
    """Return the last places in the user's code and the innermost of all; without any of the user, the last two."""
    frames = frames_of(text)
    users = [frame for frame in frames if _whose(frame) == "user"][-MOST_FRAMES:]
    if users:
        return users if users[-1] is frames[-1] else [*users, frames[-1]]
    return [] if is_foreseen(text) else frames[-2:]


def place_of(frame: Frame) -> str:
    """Return a place as people read it."""
    return f"{_short(frame.file)}, line {frame.line}, in {frame.function}"


def _at(sentence: str, frames: Sequence[Frame]) -> str:
    place = _place(frames)
    return f"{sentence} at {place}" if place else sentence


def _place(frames: Sequence[Frame]) -> str:
    """Return the innermost place in the user's own code, or else the innermost of all."""
    own = [frame for frame in frames if _whose(frame) == "user"] or list(frames)
    return place_of(own[-1]) if own else ""


def _root(record: Record, known: Mapping[str, Record]) -> Record:
    """Return the cell that failed first, of those that this one needs."""
    while sentence_of(record.error).startswith(NOT_COMPUTED):
        before = next((known[need] for need in record.needs if need in known), None)
        if before is None:
            break
        record = before
    return record


def _whose(frame: Frame) -> str:
    parts = PurePath(frame.file).parts
    if frame.file.startswith("<"):
        return "library"
    if PACKAGE in parts and ROOT.joinpath(*_below(parts, PACKAGE)).is_file():
        return "stillproof"
    for name in LIBRARIES:
        if name in parts:
            return "user" if _below(parts, name)[0].removesuffix(".py") in _plugin_packages() else "library"
    return "library" if any(part.startswith("python3") for part in parts[:-1]) else "user"


@functools.cache
def _plugin_packages() -> frozenset[str]:
    """Return the installed packages that bring components: their authors are users, too."""
    return frozenset(point.module.partition(".")[0] for _, point in installed_plugins())


def _short(file: str) -> str:
    """Return a file of a package by its place there; any other as it is."""
    parts = PurePath(file).parts
    for name in (PACKAGE, *LIBRARIES):
        if name in parts and (name != PACKAGE or ROOT.joinpath(*_below(parts, name)).is_file()):
            return "/".join(([PACKAGE] if name == PACKAGE else []) + list(_below(parts, name)))
    return file


def _below(parts: Sequence[str], folder: str) -> Sequence[str]:
    """Return the parts of a path below the last folder of that name."""
    return parts[len(parts) - tuple(reversed(parts)).index(folder) :]

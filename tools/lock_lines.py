"""The lines of the lock, before and after a change: which files moved, and which keep what names call them."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from stillproof.core.lock import Line

Lines = Mapping[str, dict[str, Any]]


class Refused(Exception):
    """The lock stays as it is; the message says why."""


@dataclass(frozen=True)
class Change:
    """How the files differ from their lines."""

    new: list[str]
    gone: list[str]
    past: dict[str, str]  # the path of every file that has a line, to the path that its line had
    folded: dict[str, str]  # the path of a file that is part of another by now, to the path of that one
    text_only: list[str]  # comments, docstrings, blank lines
    code: list[str]
    told: frozenset[str]  # where something moved to that somebody has said so of

    @property
    def moved(self) -> dict[str, str]:
        """Return the new paths of files that moved, to the old ones."""
        return {name: old for name, old in self.past.items() if name != old}

    def unaccounted(self, bump: Collection[str]) -> list[str]:
        """Return the files that changed or went away, and that nobody has said anything of."""
        return [name for name in (*self.code, *self.gone) if name not in bump and name not in self.told]

    def to_confirm(self, bump: Collection[str]) -> list[str]:
        """Return the files that changed, went away or became parts, of which it is said that numbers are the same."""
        return [name for name in (*self.code, *self.gone, *self.folded) if name not in bump]


def lines_of(lock: Mapping[str, Any], moves: Mapping[str, str] | None = None) -> Lines:
    """Return the lines of a lock, with those of files that are gone and that somebody says come again."""
    held = {key for path, line in lock["files"].items() for key in generations(path, line)}
    back = [old for old in moves or () if old in lock["gone"] and old not in held]
    again: Lines = {old: {"generation": lock["gone"][old], "bytes": "", "code": ""} for old in back}
    return {**lock["files"], **again}


def compare(lines: Lines, files: Mapping[str, Line], moves: Mapping[str, str] | None = None) -> Change:
    """Return how the files differ from the lock; ``moves`` are old paths with the new ones, as somebody told them."""
    moves = moves or {}
    _check(moves, lines, files)
    past = {name: name for name in files if name in lines and name not in moves}
    for old, name in moves.items():
        past.setdefault(name, old)  # of several files that become one, the first lives on in it
    folded = {old: name for old, name in moves.items() if past[name] != old}
    gone = [name for name in lines if name not in past.values() and name not in folded]
    for name in files:
        same = next((old for old in gone if name not in past and lines[old]["code"] == files[name].code), None)
        if same is not None:
            past[name] = same
            gone.remove(same)
    code = [name for name, old in past.items() if files[name].code != lines[old]["code"]]
    stayed = [name for name, old in past.items() if name == old and name not in code]
    text = [name for name in stayed if files[name].bytes != lines[name]["bytes"]]
    new = [name for name in files if name not in past]
    return Change(new, gone, past, folded, text, code, frozenset(moves.values()))


def _check(moves: Mapping[str, str], lines: Lines, files: Mapping[str, Line]) -> None:
    for old, name in moves.items():
        if old not in lines:
            raise Refused(f"MOVED={old}:{name}: there is no {old} in the lock.")
        if name not in files:
            raise Refused(f"MOVED={old}:{name}: there is no {name} behind a component.")
        if old in files and old not in moves.values():
            raise Refused(f"MOVED={old}:{name}: {old} is still there.")


def renewed(
    lock: Mapping[str, Any],
    files: Mapping[str, Line],
    bump: Collection[str],
    reason: str,
    moves: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the new lines, and the generations of files that are gone; refuse what nobody has accounted for."""
    lines = lines_of(lock, moves)
    change = compare(lines, files, moves)
    for name in bump:
        if name not in files:
            raise Refused(f"BUMP={name}: there is no such file in the lock.")
    if (open_questions := change.unaccounted(bump)) and not reason:
        raise Refused(
            f"{', '.join(open_questions)} changed or went away: say BUMP=path,path for files whose numbers may change, "
            "MOVED=old:new,old:new for those that are elsewhere, and SAME='why not' for the others."
        )
    parts = {name: _parts(change, lines, name) for name in change.past}
    held = {key for name in change.past for key in (_key(change, lines, name), *parts[name])}
    left = {key: generation for name in lines for key, generation in generations(name, lines[name]).items()}
    gone = {key: generation for key, generation in (lock["gone"] | left).items() if key not in held}
    found = {}
    for name, line in files.items():
        old = lines[change.past[name]] if name in change.past else {}
        key = _key(change, lines, name) if old else _free(name, held)
        # A file that comes again under an old path is not what was there before, unless somebody says so.
        generation = old["generation"] if old else gone.get(key, 0) + 1
        found[name] = {"generation": generation + (name in bump), "bytes": line.bytes, "code": line.code}
        if key != name:
            found[name]["key"] = key
        if parts.get(name):
            found[name]["parts"] = parts[name]
        why = (reason or "moved") if name in change.to_confirm(bump) else old.get("same")
        if why and name not in bump:
            found[name]["same"] = why
    return {"files": found, "gone": gone}


def generations(path: str, line: Mapping[str, Any]) -> dict[str, int]:
    """Return the generations of a line: its own, and those of files that became parts of it, by what names say."""
    return {line.get("key", path): line["generation"], **line.get("parts", {})}


def _key(change: Change, lines: Lines, name: str) -> str:
    old = change.past[name]
    return str(lines[old].get("key", old))


def _parts(change: Change, lines: Lines, name: str) -> dict[str, int]:
    """Return the generations above 1 of what is part of a file by now, which stay in names."""
    found: dict[str, int] = dict(lines[change.past[name]].get("parts", {}))
    for old in (old for old, into in change.folded.items() if into == name):
        found |= {key: generation for key, generation in generations(old, lines[old]).items() if generation > 1}
    return found


def _free(name: str, held: Collection[str]) -> str:
    """Return what names call a new file: its path, unless they call one so that was there and moved on."""
    numbered = (f"{name}#{number}" for number in itertools.count(2))
    return next(key for key in itertools.chain([name], numbered) if key not in held)

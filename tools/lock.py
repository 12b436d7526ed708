"""Renews ``src/stillproof/lock.json`` (``make lock``): says which files changed, and whether their numbers did.

A file whose comments or docstrings alone changed, a new file, and one that was only moved need no word. For any other,
``BUMP=path,path`` says that its numbers may change (its generation rises, and what is computed with it gets a new
name), and ``SAME=reason`` that all others give the same numbers as before, which a few golden cells must confirm.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stillproof.core.closure import closure
from stillproof.core.code_text import code_hash
from stillproof.core.lock import LOCK, ROOT, Line, path_in_lock
from tools.locked_components import components, defaults, generations_in_names

Lines = Mapping[str, dict[str, Any]]
PREFIX = "src/stillproof/"  # as a shell completes it
EMPTY: dict[str, Any] = {"files": {}, "gone": {}, "names": {}, "defaults": {}}


class Refused(Exception):
    """The lock stays as it is; the message says why."""


@dataclass(frozen=True)
class Change:
    """How the files differ from their lines."""

    new: list[str]
    gone: list[str]
    moved: dict[str, str]  # the new path of a file whose code is what it was, to the old one
    text_only: list[str]  # comments, docstrings, blank lines
    code: list[str]

    def unaccounted(self, bump: Collection[str]) -> list[str]:
        """Return the files that changed or went away, and that nobody has said anything of."""
        return [name for name in (*self.code, *self.gone) if name not in bump]


def present() -> dict[str, Line]:
    """Return what the lines of all files would be now that are behind a component, all of the first generation."""
    modules = sorted({name for entry in components().values() for name in closure(entry.module)})
    found = {path: ROOT / path for name in modules if (path := path_in_lock(name))}
    return {name: line_of(path, name) for name, path in found.items()}


def line_of(path: Path, name: str = "") -> Line:
    """Return the line of a file, of the first generation."""
    return Line(1, hashlib.sha256(path.read_bytes()).hexdigest(), code_hash(path.read_text(encoding="utf-8")), name)


def compare(lines: Lines, files: Mapping[str, Line]) -> Change:
    """Return how the files differ from the lock."""
    both = [name for name in files if name in lines]
    code = [name for name in both if files[name].code != lines[name]["code"]]
    text = [name for name in both if name not in code and files[name].bytes != lines[name]["bytes"]]
    gone = {lines[name]["code"]: name for name in lines if name not in files}
    moved = {name: gone[line.code] for name, line in files.items() if name not in lines and line.code in gone}
    new = [name for name in files if name not in lines and name not in moved]
    return Change(new, [name for name in gone.values() if name not in moved.values()], moved, text, code)


def renewed(lock: Mapping[str, Any], files: Mapping[str, Line], bump: Collection[str], reason: str) -> dict[str, Any]:
    """Return the new lines, and the generations of files that are gone; refuse what nobody has accounted for."""
    lines: Lines = lock["files"]
    change = compare(lines, files)
    for name in bump:
        if name not in files:
            raise Refused(f"BUMP={name}: there is no such file in the lock.")
    open_questions = change.unaccounted(bump)
    if open_questions and not reason:
        raise Refused(
            f"{', '.join(open_questions)} changed or went away: say BUMP=path,path for files whose numbers may change, "
            "and SAME='why not' for the others."
        )
    gone = dict(lock["gone"]) | {name: lines[name]["generation"] for name in change.gone}
    found = {}
    for name, line in files.items():
        # A file that comes again under an old path is not what was there before.
        old = lines.get(change.moved.get(name, name)) or {"generation": gone.get(name, 0) + 1}
        found[name] = {"generation": old["generation"] + (name in bump), "bytes": line.bytes, "code": line.code}
        if (key := old.get("key", change.moved.get(name, name))) != name:
            found[name]["key"] = key
        why = reason if name in open_questions else old.get("same")
        if why and name not in bump:
            found[name]["same"] = why
    return {"files": found, "gone": gone}


def changed_defaults(before: Mapping[str, Mapping[str, str]], after: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Yield the components of which a default changed or went away: names leave defaults out, so they would mislead."""
    for name, params in before.items():
        for key, value in params.items():
            if name in after and after[name].get(key) != value:
                yield f"{name}: {key} = {value} is now {after[name].get(key, 'gone')}"


def lost(before: Mapping[str, Mapping[str, int]], after: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Return the components whose names lost a generation: they would be called what they were called long ago."""
    return [
        f"{name} ({file})"
        for name, held in before.items()
        for file, generation in held.items()
        if after.get(name, {}).get(file, 0) < generation and not _grown(held, after.get(name, {}))
    ]


def _grown(before: Mapping[str, int], after: Mapping[str, int]) -> bool:
    """Say whether a name has a generation that it never had, so that it cannot be an old one."""
    return any(generation > before.get(file, 1) for file, generation in after.items())


def write(lock: Mapping[str, Any]) -> None:
    """Write the lock, one file per line."""
    files = ",\n".join(f"{json.dumps(name)}: {json.dumps(line)}" for name, line in sorted(lock["files"].items()))
    rest = "".join(f',\n"{key}": {json.dumps(lock[key], sort_keys=True)}' for key in ("gone", "names", "defaults"))
    LOCK.write_text(f'{{"files": {{\n{files}\n}}{rest}}}\n', encoding="utf-8")


def renew(lock: Mapping[str, Any], bump: Collection[str], reason: str) -> Change:
    """Write the lock anew, or refuse."""
    files = present()
    change = compare(lock["files"], files)
    fresh = renewed(lock, files, bump, reason)
    values = defaults()
    # A bumped file renames everything behind which it stands, and so whatever a default of its own misled.
    misleading = [told for told in changed_defaults(lock["defaults"], values) if not _is_behind(told, bump)]
    if misleading:
        raise Refused(f"a default changed, which names leave out: {'; '.join(misleading)}. BUMP the component's file.")
    if reason and change.unaccounted(bump):
        from tools.golden import moved

        if found := moved():
            raise Refused(f"SAME is refused, golden cells moved: {'; '.join(found)}. Say BUMP=path for the cause.")
    write(fresh | {"names": lock["names"], "defaults": values})
    names = generations_in_names()
    if back := lost(lock["names"], names):
        raise Refused(f"components would get back old names: {', '.join(back)}; BUMP one of their files.")
    write(fresh | {"names": names, "defaults": values})
    return change


def _is_behind(told: str, bump: Collection[str]) -> bool:
    entry = components().get(told.partition(":")[0])
    behind = closure(entry.module) if entry else ["stillproof.train.recipe"]
    return any(path_in_lock(name) in bump for name in behind)


def main(arguments: list[str]) -> int:
    """Renew the lock, or say what must be said first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bump", default="", help="files whose numbers may change, comma-separated")
    parser.add_argument("--same", default="", help="why the other changed files give the same numbers")
    parser.add_argument("--new", action="store_true", help="forget all generations: only before anything is released")
    asked = parser.parse_args(arguments)
    bump = [name.strip().removeprefix(PREFIX) for name in asked.bump.split(",") if name.strip()]
    if not LOCK.exists() and not asked.new:
        sys.stderr.write(f"lock: {LOCK} is not there: restore it, since all generations are in it.\n")
        return 1
    old = LOCK.read_text(encoding="utf-8") if LOCK.exists() else ""
    try:
        change = renew(EMPTY if asked.new else json.loads(old), bump, asked.same.strip())
    except Refused as error:
        if old:
            LOCK.write_text(old, encoding="utf-8")
        sys.stderr.write(f"lock: {error}\n")
        return 1
    told = {"new": change.new, "gone": change.gone, "moved": change.moved, "renewed": [*change.text_only, *change.code]}
    for what, found in told.items():
        if found and not asked.new:
            sys.stdout.write(f"{what}: {', '.join(found)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

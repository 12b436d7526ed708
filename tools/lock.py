"""Renews ``src/stillproof/lock.json`` (``make lock``): says which files changed, and whether their numbers did.

A file whose comments or docstrings alone changed, a new file, and one that was only moved need no word. For any other,
``BUMP=path,path`` says that its numbers may change (its generation rises, and what is computed with it gets a new
name), ``MOVED=old:new,old:new`` that it is elsewhere or part of another file, and ``SAME=reason`` that all others give
the same numbers as before. A few golden cells must confirm the last two, and neither renames anything.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from stillproof.core.closure import closure
from stillproof.core.code_text import code_hash
from stillproof.core.lock import LOCK, ROOT, Line, path_in_lock
from tools.lock_lines import Change, Refused, compare, lines_of, renewed
from tools.locked_components import components, defaults, generations_in_names

PREFIX = "src/stillproof/"  # as a shell completes it
EMPTY: dict[str, Any] = {"files": {}, "gone": {}, "names": {}, "defaults": {}}


def present() -> dict[str, Line]:
    """Return what the lines of all files would be now that are behind a component, all of the first generation."""
    modules = sorted({name for entry in components().values() for name in closure(entry.module)})
    found = {path: ROOT / path for name in modules if (path := path_in_lock(name))}
    return {name: line_of(path, name) for name, path in found.items()}


def line_of(path: Path, name: str = "") -> Line:
    """Return the line of a file, of the first generation."""
    return Line(1, hashlib.sha256(path.read_bytes()).hexdigest(), code_hash(path.read_text(encoding="utf-8")), name)


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


def renamed(
    before: Mapping[str, Mapping[str, int]], after: Mapping[str, Mapping[str, int]], new: Collection[str]
) -> list[str]:
    """Return the components whose names hold other generations than before; those of ``new`` files had no name."""
    modules = {name: entry.module for name, entry in components().items() if path_in_lock(entry.module) not in new}
    # All components of a file hold the same, so that one which is new in it can be told from one that is renamed.
    held = [(module, before.get(name)) for name, module in modules.items()]
    return [name for name, module in modules.items() if (module, after.get(name)) not in held]


def renew(lock: Mapping[str, Any], bump: Collection[str], reason: str, moves: Mapping[str, str]) -> dict[str, Any]:
    """Write the lock anew, or refuse; return what to tell."""
    files = present()
    change = compare(lines_of(lock, moves), files, moves)
    fresh = renewed(lock, files, bump, reason, moves)
    values = defaults()
    # A bumped file renames everything behind which it stands, and so whatever a default of its own misled.
    misleading = [told for told in changed_defaults(lock["defaults"], values) if not _is_behind(told, bump)]
    if misleading:
        raise Refused(f"a default changed, which names leave out: {'; '.join(misleading)}. BUMP the component's file.")
    if change.to_confirm(bump):
        from tools.golden import moved

        if found := moved():
            raise Refused(f"numbers changed, golden cells moved: {'; '.join(found)}. Say BUMP=path for the cause.")
    write(fresh | {"names": lock["names"], "defaults": values})
    names = generations_in_names()
    if back := lost(lock["names"], names):
        raise Refused(f"components would get back old names: {', '.join(back)}; BUMP one of their files.")
    if not bump and (others := renamed(lock["names"], names, change.new)):
        raise Refused(
            f"{', '.join(others)} would be renamed: a file with a generation above 1 is now behind them, or one that "
            "was gone comes again. BUMP one of their files, or say MOVED=path:path for one that is what it was."
        )
    write(fresh | {"names": names, "defaults": values})
    return _told(change)


def _told(change: Change) -> dict[str, Any]:
    moved = [f"{old} to {name}" for name, old in change.moved.items()]
    moved += [f"{old} into {name}" for old, name in change.folded.items()]
    return {"new": change.new, "gone": change.gone, "moved": moved, "renewed": [*change.text_only, *change.code]}


def _is_behind(told: str, bump: Collection[str]) -> bool:
    entry = components().get(told.partition(":")[0])
    behind = closure(entry.module) if entry else ["stillproof.train.recipe"]
    return any(path_in_lock(name) in bump for name in behind)


def moves_in(text: str) -> dict[str, str]:
    """Return the old paths in ``old:new,old:new``, each with its new one."""
    found: dict[str, str] = {}
    for pair in (part for part in text.split(",") if part.strip()):
        old, colon, new = pair.partition(":")
        if not (old.strip() and colon and new.strip()) or _path(old) in found:
            raise Refused(f"MOVED={text}: write old:new,old:new, with each old path once.")
        found[_path(old)] = _path(new)
    return found


def _path(text: str) -> str:
    return text.strip().removeprefix(PREFIX)


def main(arguments: list[str]) -> int:
    """Renew the lock, or say what must be said first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bump", default="", help="files whose numbers may change, comma-separated")
    parser.add_argument("--same", default="", help="why the other changed files give the same numbers")
    parser.add_argument("--new", action="store_true", help="forget all generations: only before anything is released")
    parser.add_argument("--moved", default="", help="old:new for files that are elsewhere, comma-separated")
    asked = parser.parse_args(arguments)
    bump = [_path(name) for name in asked.bump.split(",") if name.strip()]
    if not LOCK.exists() and not asked.new:
        sys.stderr.write(f"lock: {LOCK} is not there: restore it, since all generations are in it.\n")
        return 1
    old = LOCK.read_text(encoding="utf-8") if LOCK.exists() else ""
    try:
        told = renew(EMPTY if asked.new else json.loads(old), bump, asked.same.strip(), moves_in(asked.moved))
    except Refused as error:
        if old:
            LOCK.write_text(old, encoding="utf-8")
        sys.stderr.write(f"lock: {error}\n")
        return 1
    for what, found in told.items():
        if found and not asked.new:
            sys.stdout.write(f"{what}: {', '.join(found)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

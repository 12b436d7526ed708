"""Renews ``src/stillproof/lock.json`` (``make lock``): says which files changed, and whether their numbers did.

A file whose comments or docstrings alone changed, and a new file, need no word. For any other, ``BUMP=path,path`` says
that its numbers may change (its generation rises, and what is computed with it gets a new name), and ``SAME=reason``
that all others give the same numbers as before, which a few golden cells must confirm.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from stillproof.core.closure import closure
from stillproof.core.code_text import code_hash
from stillproof.core.components import REGISTRIES
from stillproof.core.identity import code_identity
from stillproof.core.index import Entry
from stillproof.core.lock import LOCK, ROOT, Line, difference, path_in_lock, read_lock
from stillproof.core.spec import Json

Names = Mapping[str, Mapping[str, int]]  # the generations above 1 that a component's name holds, by component


class Refused(Exception):
    """The lock stays as it is; the message says why."""


@dataclass(frozen=True)
class Change:
    """How the files differ from their lines."""

    new: list[str]
    gone: list[str]
    text_only: list[str]  # comments, docstrings, blank lines
    code: list[str]


def read() -> tuple[dict[str, Json], Names]:
    """Return the lines of the lock and the names that hold generations."""
    if not LOCK.exists():
        return {}, {}
    content = json.loads(LOCK.read_text(encoding="utf-8"))
    return content["files"], content["names"]


def present() -> dict[str, Line]:
    """Return fresh lines for all files behind a component, all of the first generation."""
    modules = sorted({name for entry in components().values() for name in closure(entry.module)})
    found = {path_in_lock(name): ROOT / (path_in_lock(name) or "") for name in modules}
    return {name: line_of(path) for name, path in found.items() if name}


def line_of(path: Path) -> Line:
    """Return the line of a file, of the first generation."""
    return Line(1, hashlib.sha256(path.read_bytes()).hexdigest(), code_hash(path.read_text(encoding="utf-8")))


def components() -> dict[str, Entry]:
    """Return the built-in components that can be part of a cell's name, as in distillers/dm.

    Suites only ask, and data sets are named by their content.
    """
    return {
        f"{plural}/{name}": entry
        for plural, registry in REGISTRIES.items()
        if plural not in ("suites", "datasets")
        for name, entry in registry.entries().items()
        if entry.origin == "stillproof"
    }


def compare(lines: Mapping[str, Json], files: Mapping[str, Line]) -> Change:
    """Return how the files differ from the lock."""
    both = [name for name in files if name in lines]
    code = [name for name in both if files[name].code != lines[name]["code"]]
    text = [name for name in both if name not in code and files[name].bytes != lines[name]["bytes"]]
    return Change([name for name in files if name not in lines], [n for n in lines if n not in files], text, code)


def renewed(
    lines: Mapping[str, Json], files: Mapping[str, Line], bump: Iterable[str], reason: str | None
) -> dict[str, Json]:
    """Return the new lines; refuse what nobody has accounted for."""
    change, bump = compare(lines, files), list(bump)
    for name in bump:
        if name not in files:
            raise Refused(f"BUMP={name}: there is no such file below {ROOT}.")
    open_questions = [name for name in change.code if name not in bump]
    if open_questions and not reason:
        raise Refused(
            f"{', '.join(open_questions)} changed: say BUMP=path,path for those whose numbers may change, and "
            "SAME='why not' for the others."
        )
    found: dict[str, Json] = {}
    for name, line in files.items():
        old = lines.get(name, {"generation": 1})
        generation = old["generation"] + (name in bump)
        found[name] = {"generation": generation, "bytes": line.bytes, "code": line.code}
        why = reason if name in open_questions else old.get("same")
        if why and name not in bump:
            found[name]["same"] = why
    return found


def names() -> dict[str, dict[str, int]]:
    """Return the generations that are in the names of components, by the lock that is on the disk."""
    for remembered in (read_lock, difference, code_identity):
        remembered.cache_clear()
    held = {name: code_identity(entry.module).get("generations") for name, entry in components().items()}
    return {name: generations for name, generations in held.items() if generations}


def lost(before: Names, after: Names) -> list[str]:
    """Return the components whose names lost a generation, or fell back in one: they would get back old names."""
    return [
        f"{name} ({file})"
        for name, held in before.items()
        for file, generation in held.items()
        if after.get(name, {}).get(file, 0) < generation and not _grown(held, after.get(name, {}))
    ]


def _grown(before: Mapping[str, int], after: Mapping[str, int]) -> bool:
    """Say whether a name has a generation that it never had, so that it cannot be an old one."""
    return any(generation > before.get(file, 1) for file, generation in after.items())


def write(lines: Mapping[str, Json], held: Names) -> None:
    """Write the lock, one file per line."""
    files = ",\n".join(f"{json.dumps(name)}: {json.dumps(line)}" for name, line in sorted(lines.items()))
    LOCK.write_text(f'{{"files": {{\n{files}\n}},\n"names": {json.dumps(held, sort_keys=True)}}}\n', encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Renew the lock, or say what must be said first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bump", default="", help="files whose numbers may change, comma-separated")
    parser.add_argument("--same", default="", help="why the other changed files give the same numbers")
    asked = parser.parse_args(arguments)
    lines, before = read()
    files = present()
    change = compare(lines, files)
    old = LOCK.read_text(encoding="utf-8") if LOCK.exists() else None
    try:
        fresh = renewed(lines, files, filter(None, asked.bump.split(",")), asked.same.strip() or None)
        if asked.same and change.code:
            from tools.golden import moved

            if found := moved():
                raise Refused(f"SAME is refused, golden cells moved: {'; '.join(found)}. Say BUMP=path for the cause.")
        write(fresh, before)
        after = names()
        if gone := lost(before, after):
            raise Refused(f"components would get back old names: {', '.join(gone)}; BUMP one of their files.")
        write(fresh, after)
    except Refused as error:
        if old is not None:
            LOCK.write_text(old, encoding="utf-8")
        sys.stderr.write(f"lock: {error}\n")
        return 1
    for what, found in (("new", change.new), ("gone", change.gone), ("renewed", [*change.text_only, *change.code])):
        if found:
            sys.stdout.write(f"{what}: {', '.join(found)}\n")
    sys.stdout.write(f"{LOCK.name}: {len(fresh)} files\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

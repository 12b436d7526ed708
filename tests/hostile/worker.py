"""Reads damaged files in a process of its own, and says what came of each; several in one message."""

from __future__ import annotations

import itertools
import logging
import os
import resource
import shutil
import struct
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path
from pickle import dumps, loads
from typing import Any, BinaryIO

import torch
from data_formats import DATA_FORMATS
from folder_formats import FOLDER_FORMATS
from formats import Format, token
from set_formats import SET_FORMATS
from store_formats import STORE_FORMATS
from text_formats import TEXT_FORMATS

from stillproof.core.errors import StillproofError

ALL = (*SET_FORMATS, *DATA_FORMATS, *FOLDER_FORMATS, *TEXT_FORMATS, *STORE_FORMATS)
FORMATS: dict[str, Format] = {one.name: one for one in ALL}
MOST_ADDRESSES = 12 * 10**9  # bytes; only so that a fault in a test harms nobody else
MOST_TOLD = 4000  # letters of what is wrong
LONGEST = 1200  # letters of a sentence
RUNS = ("os.system", "os.exec", "os.posix_spawn", "os.spawn", "socket.connect", "subprocess.Popen", "os.fork")
ran: list[str] = []
numbers = itertools.count(1)


def send(file: BinaryIO, value: Any) -> None:
    content = dumps(value)
    file.write(struct.pack("<Q", len(content)) + content)
    file.flush()


def receive(file: BinaryIO) -> Any:
    head = file.read(8)
    return loads(file.read(struct.unpack("<Q", head)[0])) if len(head) == 8 else None


def watch(event: str, arguments: tuple[Any, ...]) -> None:
    if event in RUNS and "mat_child.py" not in str(arguments):
        ran.append(f"{event} {arguments!r}"[:200])


def main() -> None:
    """Answer until there are no more questions."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESSES, MOST_ADDRESSES))
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as room:
        tempfile.tempdir = str(Path(room, "temporary"))
        Path(tempfile.tempdir).mkdir()
        for one in FORMATS.values():
            write(Path(room, "set"), one.content())
            found, theirs = one.read(Path(room, "set")), one.plain(Path(room, "set"))
            one.cache["taken"] = token(found)
            assert token(one.decode(Path(room, "set"))) == token(theirs), one.name
            assert not one.meant(found, theirs), f"{one.name}: {one.meant(found, theirs)}"
        sys.addaudithook(watch)
        send(answers, "ready")
        while (questions := receive(sys.stdin.buffer)) is not None:
            found = [timed(Path(room), *question) for question in questions]
            send(answers, (found, 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))


def write(folder: Path, files: dict[str, bytes]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def timed(room: Path, name: str, content: bytes, outside: bool) -> tuple[str, str, float]:
    started = time.monotonic()
    ended, details = answer(room, name, content, outside)
    return ended, details[:MOST_TOLD], time.monotonic() - started


def answer(room: Path, name: str, content: bytes, outside: bool) -> tuple[str, str]:
    """Return what came of a damaged file (refused, taken, same), or what is wrong with that, and details."""
    one, folder = FORMATS[name], room / f"set-{next(numbers)}"  # another every time: what was read may be remembered
    shutil.rmtree(room / f"set-{int(folder.name[4:]) - 1}", ignore_errors=True)
    write(folder, {**one.content(), one.target: content})
    before = left_over()
    try:
        found = one.read(folder)
        verdict = "same" if token(found) == one.cache["taken"] else "taken"
    except StillproofError as error:
        found, verdict, told = None, "refused", str(error)
    except BaseException:
        return "TRACEBACK", traceback.format_exc()
    if ran:
        return "RAN", ran.pop()
    if left_over() != before:
        return "LEFT SOMETHING", f"{before} became {left_over()}"
    if verdict == "refused":
        short = told.replace(str(folder), "")
        plain = short.isprintable() and len(short) <= LONGEST and len(short) > 5
        return ("refused", short) if plain else ("NO SENTENCE", repr(told[:2000]))
    if one.sealed and outside:
        return (verdict, "") if verdict == "same" else ("WRONG", "it is not what was written")
    try:
        ours, theirs = one.decode(folder), one.plain(folder)
    except StillproofError:  # the file that was taken is another one of the set
        return verdict, ""
    except Exception:
        return "WRONG", f"a plain decoder fails:\n{traceback.format_exc()}"
    if token(ours) != token(theirs):
        return "WRONG", f"ours {str(ours)[:500]}\nplain {str(theirs)[:500]}"
    try:
        wrong = one.meant(found, theirs)
    except Exception:
        wrong = f"it does not hold what was read:\n{traceback.format_exc()}"
    return ("WRONG", wrong) if wrong else (verdict, "")


def left_over() -> tuple[Any, ...]:
    descriptors = len([link for link in Path("/proc/self/fd").iterdir() if link.exists()])
    return descriptors, torch.serialization.get_safe_globals(), sorted(Path(tempfile.gettempdir()).iterdir())


if __name__ == "__main__":
    main()

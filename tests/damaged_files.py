"""SQLite files, damaged in every way that disks, transfers and people damage files."""

from __future__ import annotations

import gzip
import random
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

HEADER = (0, 5, 16, 17, 18, 19, 20, 21, 22, 24, 28, 31, 32, 36, 40, 44, 47, 48, 52, 56, 59, 60, 64, 92, 96)


def damaged_files(whole: bytes, seed: int = 0) -> Iterator[tuple[str, bytes]]:
    """Yield damaged copies of a SQLite file, with what was done to each; about a hundred."""
    draw = random.Random(seed)
    page = int.from_bytes(whole[16:18], "big")
    pages = len(whole) // page
    yield from no_databases(whole)
    cuts = [1, 15, 16, 50, 99, 100, 101, 512, page - 1, page, page + 1, len(whole) // 2, len(whole) - page]
    for size in [*cuts, len(whole) - 1, *(draw.randrange(len(whole)) for _ in range(6))]:
        yield f"cut to {size} bytes", whole[:size]
    for place in HEADER:
        yield f"byte {place} of the header flipped", flipped(whole, [place], draw)
    for _ in range(10):
        yield "a byte of the schema flipped", flipped(whole, [draw.randrange(100, page)], draw)
    for _ in range(8):
        number = draw.randrange(pages)
        yield f"the kind of page {number} flipped", flipped(whole, [number * page + (100 if number == 0 else 0)], draw)
    for count in (1, 1, 1, 1, 4, 16, 64, 256):
        yield f"{count} bytes flipped", flipped(whole, [draw.randrange(len(whole)) for _ in range(count)], draw)
    for _ in range(8):
        start = draw.randrange(pages) * page
        yield f"zeros from byte {start}", whole[:start] + bytes(page) + whole[start + page :]
    yield "zeros in the second half", whole[: len(whole) // 2] + bytes(len(whole) - len(whole) // 2)
    for _ in range(4):
        one, other = sorted(draw.sample(range(1, pages), 2))
        parts = [whole[start : start + page] for start in range(0, len(whole), page)]
        parts[one], parts[other] = parts[other], parts[one]
        yield f"pages {one} and {other} swapped", b"".join(parts)
        parts[one] = draw.randbytes(page)
        yield f"page {one} random", b"".join(parts)


def no_databases(whole: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield files that are no database, or that of another program."""
    yield "text", b"certainly no database\n" * 300
    yield "zeros", bytes(len(whole))
    yield "random bytes", random.Random(1).randbytes(len(whole))
    yield "compressed", gzip.compress(whole)
    yield "a picture", b"\x89PNG\r\n\x1a\n" + bytes(5000)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "other.db"
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("CREATE TABLE recipes (soup TEXT)")
        yield "of another program", file.read_bytes()


def flipped(whole: bytes, places: list[int], draw: random.Random) -> bytes:
    """Return a copy with a bit or more flipped in the bytes at these places."""
    content = bytearray(whole)
    for place in places:
        content[place] ^= draw.randrange(1, 256)
    return bytes(content)

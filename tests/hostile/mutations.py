"""Damages bytes in the ways that disks, transfers and people who mean harm do."""

from __future__ import annotations

import random
import struct
from typing import NamedTuple

PLACES = 2**32
TOKENS = (
    b"",
    b"\0" * 8,
    b"\xff" * 8,
    b"\x7f" + b"\xff" * 7,
    struct.pack("<Q", 2**63),
    struct.pack("<Q", 2**40),
    struct.pack("<I", 2**31),
    struct.pack(">I", 2**31 - 1),
    b"\x80\x04",
    b"cos\nsystem\n",
    b"cbuiltins\neval\n",
    b"\x93",
    b"R",
    b"b",
    b"0",
    b"2\x86" * 40,
    b"h\x00" * 40,
    b"](" + b"h\x00" * 40 + b"e",
    b"}",
    b"N",
    b"\x8a\xff" + b"\x7f" * 255,
    b"Q",
    b"PK\x03\x04",
    b"PK\x05\x06",
    b"|V0",
    b"|O",
    b">f8",
    b"<c8",
    b"(99999999999, 9)",
    b"(-1,)",
    b"(,)",
    b"'descr': [('a', 'O')]",
    b"[" * 2000,
    b'{"a":' * 2000,
    b"9" * 5000,
    b"1e999",
    b"-1e999",
    b"NaN",
    b"Infinity",
    b"null",
    b"true",
    b'""',
    b'"\\ud800"',
    b"\\u0000",
    b"\x1b[2J",
    b"\xc3\x28",
    b"\xef\xbb\xbf",
    b"../../etc/passwd",
    b"/dev/zero",
    b"%s%n",
    b"inf",
    b"0x" + b"f" * 5000,
    b"a." * 2000,
    b"1979-05-27",
)

# What formats say in a word, and what would be as right there: other types, orders and shapes of the same size.
SWAPS = (
    (b"False", b"True "),
    (b"<f4", b">f4"),
    (b"<f4", b"<i4"),
    (b"<f4", b"<f2"),
    (b"<i8", b">i8"),
    (b"<i8", b"<f8"),
    (b"20, 1", b"1, 20"),
    (b"(20, 1, 8, 8)", b"(20, 8, 8, 1)"),
    (b"(20, 10)", b"(10, 20)"),
    (b"\0\0\0\x14\0\0\0\x1c", b"\0\0\0\x1c\0\0\0\x14"),
    (b"FloatStorage", b"IntStorage"),
    (b"FloatStorage", b"DoubleStorage"),
    (b"LongStorage", b"DoubleStorage"),
    (b"LongStorage", b"IntStorage"),
    (b"little", b"big"),
    (b"float32", b"int32"),
    (b'"F32"', b'"I32"'),
    (b'"I64"', b'"F64"'),
    (b"K\x14K\x01K\x08K\x08", b"K\x01K\x14K\x08K\x08"),
    (b"K@K@K\x08K\x01", b"K@K@K\x01K\x08"),
    (b"true", b"false"),
    (b"done", b"failed"),
    (b"images", b"labels"),
    (b"x_train", b"x_test\0"),
)


class Edit(NamedTuple):
    """One damage: what is done, where, to how much, and with what; places are shares of the content."""

    kind: str
    place: int
    amount: int
    token: bytes


KINDS = (
    *("flip", "flip", "flip", "swap", "swap", "digit", "digit", "set", "overwrite"),  # as many bytes as before
    *("cut", "drop", "repeat", "move", "insert", "zeros"),
)
MOST_EDITS = 4  # of one file


def draw_edits(draw: random.Random) -> list[Edit]:
    """Draw what is done to a file: anywhere, or near its beginning or its end, where formats say most."""
    return [_edit(draw) for _ in range(draw.randint(1, MOST_EDITS))]


def _edit(draw: random.Random) -> Edit:
    share = draw.choice((draw.random(), draw.random(), draw.random() ** 6, 1 - draw.random() ** 6))
    amount = draw.choice((0, 1, 7, draw.randrange(256), draw.randrange(4096)))
    return Edit(draw.choice(KINDS), int(share * (PLACES - 1)), amount, draw.choice(TOKENS))


def damaged(content: bytes, edits: list[Edit]) -> bytes:
    """Return content after all edits."""
    for edit in edits:
        content = _edited(content, edit)
    return content


def _edited(content: bytes, edit: Edit) -> bytes:
    at = edit.place * (len(content) + 1) // PLACES
    head, tail, some = content[:at], content[at:], content[at : at + 1 + edit.amount]
    match edit.kind:
        case "flip":
            return head + (bytes([tail[0] ^ 1 << edit.amount % 8]) + tail[1:] if tail else b"")
        case "set":
            return head + (bytes([edit.amount % 256]) + tail[1:] if tail else b"")
        case "cut":
            return head
        case "swap":
            there = [pair for pair in SWAPS if pair[0] in content]
            return content.replace(*there[edit.place % len(there)], 1 + edit.amount % 2) if there else content
        case "drop":
            return head + tail[len(some) :]
        case "repeat":
            return head + some * (1 + edit.amount % 5) + tail
        case "move":
            to = edit.amount * len(content) // 4096
            return content[:to] + some + content[to:]
        case "insert":
            return head + edit.token + tail
        case "overwrite":
            return head + edit.token + tail[len(edit.token) :]
        case "digit":  # another digit where the next one is
            where = next((n for n in range(at, len(content)) if content[n : n + 1].isdigit()), None)
            return content if where is None else content[:where] + b"%d" % (edit.amount % 10) + content[where + 1 :]
        case _:
            return head + b"\0" * len(some) + tail[len(some) :]

"""Damages bytes in the ways that disks, transfers and people who mean harm do."""

from __future__ import annotations

import struct
from typing import NamedTuple

from hypothesis import strategies as st

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


class Edit(NamedTuple):
    """One damage: what is done, where, to how much, and with what; places are shares of the content."""

    kind: str
    place: int
    amount: int
    token: bytes


KINDS = ("flip", "flip", "flip", "set", "cut", "drop", "repeat", "move", "insert", "overwrite", "digit", "zeros")
EDITS = st.lists(
    st.builds(
        Edit,
        st.sampled_from(KINDS),
        st.integers(0, PLACES - 1),
        st.integers(0, 255) | st.integers(0, 4095),
        st.sampled_from(TOKENS),
    ),
    min_size=1,
    max_size=4,
)


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

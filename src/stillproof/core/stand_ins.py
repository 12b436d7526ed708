"""Stand-ins: what a stranger's pickle builds in place of the things that it names, and the plain values behind them.

While a pickle is read, a stand-in only holds what it was given. Its value is made afterwards, and all values together
may take no more bytes than the file has, however often a file of a few bytes names the same content.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stillproof.core.errors import BadInput
from stillproof.core.file_limits import memory_limit, too_much

MOST_SHOWN = 80  # characters
SLACK = 2**20  # bytes that do no harm, however small the file is
MOST_BITS = 1024  # of a whole number: a float still comes near it, and it can be written out


def shown(name: object) -> str:
    """Return a stranger's name for something as it can be shown: short, on one line, in plain letters."""
    if not isinstance(name, str | bytes):
        return f"a {type(name).__name__}"  # what it holds may be endless when written out
    plain = ascii(name[: MOST_SHOWN + 1]).removeprefix("b")[1:-1]
    return plain if len(plain) <= MOST_SHOWN else f"{plain[:MOST_SHOWN]}..."


class StandIn:
    """Something that a pickle may build; it has a value if it says so, and takes a state if it says so."""

    @property
    def claimed(self) -> int:
        """Return the bytes that making the value takes besides what is held already."""
        return 0

    @property
    def spread(self) -> int:
        """Return the bytes that a copy of the value would take: a view can show the same few bytes many times."""
        return 0

    def value(self) -> Any:
        """Return the plain value."""
        raise BadInput(f"is refused: it holds a bare {type(self).__name__}.")

    def __setstate__(self, state: object) -> None:
        """Refuse; kinds that take a state replace this."""
        raise BadInput(f"is refused: it changes a {type(self).__name__}.")


class PickledBytes(StandIn):
    """Bytes that an old pickle protocol wrote as text."""

    def __init__(self, text: object, encoding: object) -> None:
        """Take the text, whose letters are the bytes."""
        if encoding not in ("latin1", b"latin1") or not isinstance(text, str):
            raise BadInput(f"is refused: it asks for the text encoding {shown(encoding)}.")
        self.text = text

    @property
    def claimed(self) -> int:
        """Return the number of bytes."""
        return len(self.text)

    def value(self) -> bytes:
        """Return the bytes."""
        return self.text.encode("latin1")


def held_bytes(content: object) -> int:
    """Return the length of bytes, however they were written; ``BadInput`` if they are something else."""
    if isinstance(content, PickledBytes):
        return content.claimed
    if isinstance(content, bytes):
        return len(content)
    raise BadInput(f"is refused: it holds {shown(content)} where bytes are expected.")


def raw(content: bytes | PickledBytes) -> bytes:
    """Return bytes, however they were written."""
    return content.value() if isinstance(content, PickledBytes) else content


class Unwrapped:
    """The plain values behind what was read from one file.

    Args:
        size: Bytes of the file.
        check: Looks at every value that is not a list, tuple or dictionary, with ``size``; returns what stands for it.
    """

    def __init__(self, size: int, check: Callable[[Any, int], Any] | None = None) -> None:
        """Begin with nothing seen."""
        self._size = size
        self._left = size + SLACK
        self._room = memory_limit(size)
        self._check = check
        self._done: dict[int, Any] = {}  # by identity: a list that names another a thousand times is walked once

    def plain(self, value: Any) -> Any:
        """Return ``value`` without stand-ins; tuples become lists."""
        if id(value) not in self._done:
            if isinstance(value, dict):
                found: Any = {self._made(key): self.plain(inner) for key, inner in value.items()}
            elif isinstance(value, list | tuple):
                found = [self.plain(inner) for inner in value]
            else:
                found = self._made(value)
                found = found if self._check is None else self._check(found, self._size)
            self._done[id(value)] = found
        return self._done[id(value)]

    def _made(self, value: Any) -> Any:
        if isinstance(value, int) and value.bit_length() > MOST_BITS:
            raise BadInput(f"is refused: it holds a whole number of more than {MOST_BITS} bits.")
        if not isinstance(value, StandIn):
            if callable(value):  # a name that is allowed, and was never called
                raise BadInput("is refused: it holds a function where a value is expected.")
            return value
        self._left -= value.claimed
        if self._left < 0:
            raise BadInput("is refused: it declares more than it holds.")
        self._room -= value.spread
        if self._room < 0:
            raise BadInput(too_much(self._size))
        return value.value()

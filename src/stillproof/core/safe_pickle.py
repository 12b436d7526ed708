"""The one place where a stranger's pickle is read: it builds plain values, stand-ins for allowed names, and no more."""

from __future__ import annotations

import io
import pickle
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from stillproof.core.errors import BadInput
from stillproof.core.file_limits import memory_limit, time_limit, too_much
from stillproof.core.plain_reason import plain_reason
from stillproof.core.regular_file import read_regular
from stillproof.core.stand_ins import StandIn, Unwrapped, shown

# A name, such as ``numpy.dtype``, and what stands in its place: something that is called, or only named.
Allowed = Mapping[str, Callable[..., Any] | StandIn]

MOST_PER_INSTRUCTION = 512  # bytes that one instruction can take, besides those that it has in the file
BETWEEN_LOOKS = 2**14  # instructions between two looks at the clock
# Whole numbers from here on can all have one hash, so that a dictionary of them would take for ever to fill.
LARGEST_KEY = 2**61 - 1

# What plain values and the calls of names need. Objects that are made without a call are left out, and so is whatever
# a later protocol may add.
INSTRUCTIONS = """
PROTO FRAME STOP MARK POP POP_MARK DUP NONE NEWTRUE NEWFALSE INT BININT BININT1 BININT2 LONG LONG1 LONG4 FLOAT BINFLOAT
STRING BINSTRING SHORT_BINSTRING UNICODE BINUNICODE SHORT_BINUNICODE BINUNICODE8 BINBYTES SHORT_BINBYTES BINBYTES8
EMPTY_TUPLE TUPLE TUPLE1 TUPLE2 TUPLE3 EMPTY_LIST LIST APPEND APPENDS EMPTY_DICT
PUT BINPUT LONG_BINPUT MEMOIZE GET BINGET LONG_BINGET GLOBAL STACK_GLOBAL
"""
_USUAL = {code: pickle._Unpickler.dispatch[code] for code in (getattr(pickle, n)[0] for n in INSTRUCTIONS.split())}


def read_pickle(
    path: Path, allowed: Allowed, *, reads: str, encoding: str = "ASCII", check: Callable[[Any, int], Any] | None = None
) -> Any:
    """Return what a pickle holds, as plain values; tuples become lists.

    Args:
        path: The file.
        allowed: The names that it may ask for; all others are refused.
        reads: What these are, for messages.
        encoding: How Python 2 wrote texts, or ``bytes`` to leave them as they are.
        check: Looks at every value that is not a list, tuple or dictionary, with the bytes of the file, and returns
            what stands for it.

    Raises:
        BadInput: The file is broken, or asks for anything else.
    """
    try:
        content = read_regular(path)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {plain_reason(error)}.") from error
    try:
        built = build_stand_ins(WholeBytes(content), len(content), allowed, reads=reads, encoding=encoding)
        return Unwrapped(len(content), check).plain(built)
    except BadInput as error:
        raise BadInput(f"{path} {error}") from None
    except Exception as error:  # a broken pickle can raise anything
        raise BadInput(f"{path} is cut short, damaged or no pickle: get it again.") from error


def build_stand_ins(
    content: WholeBytes,
    size: int,
    allowed: Allowed,
    *,
    reads: str,
    encoding: str = "ASCII",
    persistent: Callable[[Any], StandIn] | None = None,
) -> Any:
    """Return what the next pickle in ``content`` builds: plain values and stand-ins, which are to be unwrapped.

    Args:
        content: Where the pickle begins; it is left behind its end.
        size: Bytes of the whole file, which decide how much memory and time the pickle may take.
        allowed: As in ``read_pickle``.
        reads: Likewise.
        encoding: Likewise.
        persistent: Gives what stands for something that the pickle keeps elsewhere in the file; without it, a pickle
            that does so is broken.

    Raises:
        BadInput: Something is not allowed, without the name of the file; a broken pickle can raise anything else.
    """
    return _Restricted(content, size, allowed, reads, encoding, persistent).load()


class WholeBytes(io.BytesIO):
    """Bytes that raise when they are read beyond their end, which Python's own loop would ignore."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Return so many bytes, or all that are left."""
        found = super().read(size)
        if size is not None and len(found) < size:
            raise EOFError
        return found


class _Restricted(pickle._Unpickler):
    """Python's own loop, not the one in C: there, five bytes that number an entry of the memo can take gigabytes."""

    stack: list[Any]
    pop_mark: Callable[[], list[Any]]

    def __init__(
        self,
        content: WholeBytes,
        size: int,
        allowed: Allowed,
        reads: str,
        encoding: str,
        persistent: Callable[[Any], StandIn] | None,
    ) -> None:
        super().__init__(content, encoding=encoding)
        self._allowed, self._reads, self._persistent = allowed, reads, persistent
        # Beside the class's own: Python's loop looks every instruction up here.
        self.dispatch = _Counted(_Restricted.dispatch, size)  # type: ignore[misc]

    def find_class(self, module: str, name: str) -> Any:
        found = self._allowed.get(f"{module}.{name}")
        if found is None:
            self._refuse(f"it asks for {shown(f'{module}.{name}')}")
        return found

    def persistent_load(self, pid: Any) -> Any:
        """Return what stands for something that is kept elsewhere in the file."""
        if self._persistent is None:
            raise pickle.UnpicklingError("nothing is kept elsewhere")
        return self._persistent(pid)

    def _call(self) -> None:
        """Call an allowed name, and nothing that such a call returned."""
        arguments, function = self.stack.pop(), self.stack[-1]
        if not any(function is one for one in self._allowed.values()):
            self._refuse(f"it calls {shown(function)}")
        self.stack[-1] = function(*arguments)

    def _build(self) -> None:
        """Hand a state to a stand-in; what torch attaches to a dictionary is left out."""
        state, built = self.stack.pop(), self.stack[-1]
        if isinstance(built, StandIn):
            built.__setstate__(state)
        elif type(built) is not OrderedDict:
            self._refuse(f"it changes {shown(built)}")

    def _set_item(self) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        self._put([key, value])

    def _set_items(self) -> None:
        self._put(self.pop_mark())

    def _dict(self) -> None:
        items = self.pop_mark()
        self.stack.append({})
        self._put(items)

    def _put(self, items: list[Any]) -> None:
        """Put keys and values; a key of tuples of tuples of tuples could take for ever to look up."""
        target = self.stack[-1]
        for key, value in zip(items[::2], items[1::2], strict=True):
            if not isinstance(target, dict) or isinstance(key, tuple):
                self._refuse(f"it enters {shown(key)} into {shown(target)}")
            if isinstance(key, int) and abs(key) >= LARGEST_KEY:
                self._refuse("it enters a number of more than 60 bits into a dictionary")
            target[key] = value

    def _other(self) -> None:
        raise pickle.UnpicklingError("an instruction that plain values do not need")

    def _refuse(self, what: str) -> None:
        raise BadInput(f"is refused: {what}, and only {self._reads} are read.")

    dispatch: ClassVar[dict[int, Any]] = {
        **dict.fromkeys(pickle._Unpickler.dispatch, _other),
        **_USUAL,
        pickle.REDUCE[0]: _call,
        pickle.BUILD[0]: _build,
        pickle.SETITEM[0]: _set_item,
        pickle.SETITEMS[0]: _set_items,
        pickle.DICT[0]: _dict,
        pickle.BINPERSID[0]: pickle._Unpickler.dispatch[pickle.BINPERSID[0]],
    }


class _Counted(dict[int, Any]):
    """Instructions by their codes, which refuses to look one up when a file has had too many, or too much time."""

    def __init__(self, instructions: Mapping[int, Any], size: int) -> None:
        super().__init__(instructions)
        self._size, self._most = size, memory_limit(size) // MOST_PER_INSTRUCTION
        self._done, self._end = 0, time.thread_time() + time_limit(size)

    def __getitem__(self, code: int) -> Any:
        self._done += 1
        late = self._done % BETWEEN_LOOKS == 0 and time.thread_time() > self._end
        if late or self._done > self._most:
            raise BadInput(too_much(self._size))
        return super().__getitem__(code)

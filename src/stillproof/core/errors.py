"""The one exception tree: every error a user can meet carries its exit code and one clear sentence."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

# What may help where a component is unknown.
OF_A_PLUGIN = " One of your own needs its file: --plugin FILE."
MOST_SHOWN = 200  # letters of a name that nobody knows


class StillproofError(Exception):
    """Base of all errors that are shown to a user as one sentence, without a traceback."""

    exit_code = 1


class CellFailed(StillproofError):
    """At least one cell of a run failed; the others were finished."""

    exit_code = 1


class BadInput(StillproofError):
    """Bad usage, a bad value or a bad input file."""

    exit_code = 2


class UnknownName(BadInput):
    """A name that nothing is registered under."""

    def __init__(self, kind: str, name: str, known: Iterable[str], of: str = "", more: str = "") -> None:
        """Say what was asked for and what comes closest to it.

        ``of`` says whose parameter or option it is, and ``more`` is what else may help.
        """
        known = sorted(known)
        close = difflib.get_close_matches(name, known, n=3, cutoff=0.6)
        if close:
            hint = f"did you mean {_either(close)}?"
        elif known:
            hint = f"choose one of {', '.join(known)}."
        else:
            hint = "it has none." if of else "there is none yet."
        shown = repr(name)  # in which a letter may take ten
        shown = shown if len(shown) <= MOST_SHOWN + 2 else f"{shown[: MOST_SHOWN + 1]}...{shown[-1]}"
        super().__init__(f"unknown {kind} {shown}{f' of {of}' if of else ''}; {hint}{more}")


def _either(names: Sequence[str]) -> str:
    *others, last = map(repr, names)
    return f"{', '.join(others)} or {last}" if others else last


class DuplicateName(BadInput):
    """Two components asked for the same name."""


class PluginError(BadInput):
    """A plug-in file that cannot be read or imported."""


class DataMissing(StillproofError):
    """A data set that is not on this machine."""

    exit_code = 3


class StoreError(StillproofError):
    """The store or an artifact cannot be read or written."""

    exit_code = 4


class Corrupt(StoreError):
    """Content that does not match its hash."""


class OnlyRead(StoreError):
    """A store that was opened to be read would have to keep something."""


class TransactionLost(StoreError):
    """The database went away, or ended a transaction, and may or may not have kept what it did: it can be repeated."""


class LeaseLost(StoreError):
    """Another process took over the cell that this one was computing."""


class Unsupported(StillproofError):
    """Something that cannot be computed, by definition; stored as an outcome with its reason."""


class Diverged(Unsupported):
    """A training whose loss is no longer finite: computed again, it would end in the same way."""

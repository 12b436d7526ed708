"""When Python looks for garbage that only refers to itself: hardly ever while a command loads its modules."""

from __future__ import annotations

import gc

USUAL = gc.get_threshold()
LOADING = (200_000, 20, 100)  # new objects, and collections, between two collections of the next older ones


def begin_loading() -> None:
    """Look rarely from now on: torch's modules are a million objects, all in use, which every search walks anew."""
    gc.set_threshold(*LOADING)


def end_loading() -> None:
    """Look as often as usual again, but never among what was loaded; nothing happens if loading never began.

    What a long job leaves behind may hold tensors, and is worth a search. In a user's own process, where nobody
    calls ``begin_loading``, what is garbage by now is left to be found.
    """
    if gc.get_threshold() == LOADING:
        gc.freeze()
        gc.set_threshold(*USUAL)

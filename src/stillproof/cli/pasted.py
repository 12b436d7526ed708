"""Writes a change of one parameter of a suite as an option that can be pasted behind the same command."""

from __future__ import annotations

import shlex
from collections.abc import Container
from typing import TYPE_CHECKING

from stillproof.core.reference import list_text

if TYPE_CHECKING:
    from stillproof.run.cost_cuts import Cut

# The parameters that have an option of their own.
FLAGS = ("dataset", "methods", "ipc", "seeds", "network", "recipe", "selection", "protocol", "scale")


def as_option(cut: Cut, set_before: Container[str]) -> str:
    """Return the option, with whatever quotes a shell needs.

    Args:
        cut: The change.
        set_before: The parameters that the command gives by ``--set``; another ``--set`` takes the place of these.
    """
    text = list_text(cut.after) if isinstance(cut.after, list) else str(cut.after)
    if cut.parameter in FLAGS and cut.parameter not in set_before:
        return f"--{cut.parameter} {shlex.quote(text)}"
    return f"--set {shlex.quote(f'{cut.parameter}={text}')}"

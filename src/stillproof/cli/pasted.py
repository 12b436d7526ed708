"""Writes a change of one parameter of a suite as an option that can be pasted behind the same command."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING

from stillproof.report.run_command import FLAGS, option

if TYPE_CHECKING:
    from stillproof.run.cost_cuts import Cut


def as_option(cut: Cut, set_before: Container[str]) -> str:
    """Return the option, with whatever quotes a shell needs.

    Args:
        cut: The change.
        set_before: The parameters that the command gives by ``--set``; another ``--set`` takes the place of these.
    """
    return option(cut.parameter, cut.after, flag=cut.parameter in FLAGS and cut.parameter not in set_before)

"""What every check shares: a named result, and a guard for the global generators."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch


class Broken(AssertionError):
    """A contract is not kept; the message says how."""


class CannotBeChecked(Exception):
    """What a check needs is not on this machine, so it says nothing of the component."""


@dataclass(frozen=True, slots=True)
class Result:
    """How one check of one component went."""

    kind: str
    name: str
    check: str
    problem: str = ""

    @property
    def ok(self) -> bool:
        """Say whether the contract is kept."""
        return not self.problem


def run_checks(kind: str, name: str, checks: dict[str, Callable[[], None]]) -> list[Result]:
    """Run named checks; whatever a component raises is a broken contract. Those that cannot be run are left out."""
    results = []
    for title, check in checks.items():
        try:
            check()
            results.append(Result(kind, name, title))
        except CannotBeChecked:
            continue
        except Exception as error:  # a stranger's component may raise anything
            text = str(error) if isinstance(error, Broken) else f"{type(error).__name__}: {error}"
            results.append(Result(kind, name, title, text))
    return results


def need(condition: bool, otherwise: str) -> None:
    """Raise unless a contract is kept."""
    if not condition:
        raise Broken(otherwise)


@contextlib.contextmanager
def global_generators_untouched() -> Iterator[None]:
    """Raise if a block draws from torch's or numpy's global generator, or seeds it."""
    import numpy as np

    before, numpy_before = torch.get_rng_state(), np.random.get_state(legacy=False)  # noqa: NPY002
    yield
    after = np.random.get_state(legacy=False)  # noqa: NPY002
    need(torch.equal(before, torch.get_rng_state()), "it draws from torch's global generator; use ctx.seeds")
    need(str(numpy_before) == str(after), "it draws from numpy's global generator; use ctx.seeds")

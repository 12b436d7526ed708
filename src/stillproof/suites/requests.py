"""What a suite asks for: requests by the names of stages, which the planner checks and turns into cells."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Literal

from stillproof.core.errors import BadInput
from stillproof.core.presets import Scale
from stillproof.core.types import Selection, Split
from stillproof.suites.fixed_set import fixed_set

# All training images, or those left when one of the held-out parts is taken away.
Part = Literal["train", "fit", "search-fit"]
Heldout = Literal["heldout", "search-heldout"]

# What one command may ask: it takes about a gigabyte to plan, and some hundred times what a paper's tables ask.
MOST_REQUESTS = 2_000_000
_asked: ContextVar[list[int] | None] = ContextVar("requests that were made", default=None)


@contextlib.contextmanager
def at_most(most: int = MOST_REQUESTS) -> Iterator[None]:
    """Refuse to make more requests than so many in a block, before their number takes all memory."""
    token = _asked.set([most])
    try:
        yield
    finally:
        _asked.reset(token)


def _count() -> None:
    left = _asked.get()
    if left is not None:
        left[0] -= 1
        if left[0] < 0:
            raise BadInput(
                f"this asks more than {MOST_REQUESTS:,} questions, which is the most of one command: "
                "lower --seeds, or split it."
            )


class Request:
    """A question: the name of a stage, and what is asked of it; ``stillproof list stages`` tells what there is."""

    __slots__ = ("_hash", "params", "stage")

    def __init__(self, stage: str, /, **params: Any) -> None:
        """Ask; values are plain, other requests, or lists of these."""
        _count()
        self.stage = stage
        self.params: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in params.items()
        }
        try:
            self._hash = hash((stage, frozenset(self.params.items())))
        except TypeError as error:
            raise BadInput(
                f"a request of stage {stage!r} holds more than plain values and lists of these: {error}."
            ) from None

    def __eq__(self, other: object) -> bool:
        """Say whether both ask the same in the same words."""
        return isinstance(other, Request) and (self.stage, self.params) == (other.stage, other.params)

    def __hash__(self) -> int:
        """Return the hash, which is computed once: requests hold others."""
        return self._hash

    def __getattr__(self, name: str) -> Any:
        """Return what is asked under a name."""
        if name in Request.__slots__ or name not in self.params:
            raise AttributeError(f"a request of stage {self.stage!r} says nothing of {name!r}")
        return self.params[name]

    def __repr__(self) -> str:
        """Return the request as it is written."""
        return f"Request({self.stage!r}, {', '.join(f'{key}={value!r}' for key, value in self.params.items())})"

    def but(self, **params: Any) -> Request:
        """Return the same request with some other values."""
        return Request(self.stage, **{**self.params, **params})


def real_images(dataset: str, part: Split = "train") -> Request:
    """Ask for the real images of a data set; what is no ``Part`` is there to judge by."""
    return Request("data", dataset=dataset, part=part)


def stored_set(
    artifact: str,
    dataset: str,
    cell: str | None = None,
    count: int = 0,
    part: Part = "train",
    name: str = "",
    space: str = "",
) -> Request:
    """Ask for a distilled set that is already in the store, by its content id.

    ``dataset`` is where it is judged; ``cell`` is the one that made it, if it was made here: training on it is then
    the same question as in a suite that makes it. ``part`` is of the real images that it is seen among, ``name``
    what people read, and ``space`` that of its images, if it is not the data set's own.
    """
    about = {"cell": cell, "count": count, "part": part, "name": name, "space": space}
    return Request("artifact", artifact=artifact, dataset=dataset, **about)


def distilled(
    data: Request, method: str, ipc: int, seed: int, network: str = "home", scale: Scale = "paper"
) -> Request:
    """Ask for a distilled set to be made; ``method`` may carry parameters, as in ``dm:steps=100``.

    An existing set may stand among the methods: it is asked for as it is, whatever ``ipc`` and seed.
    """
    there = fixed_set(method)
    if there is not None:
        if there.dataset != data.dataset:
            raise BadInput(f"{there.name} is a set of {there.dataset}, not of {data.dataset}: leave one of them out.")
        facts = (there.cell or None, there.count, data.part, there.name, there.space)
        return stored_set(there.artifact, there.dataset, *facts)
    return Request("distill", data=data, method=method, ipc=ipc, seed=seed, network=network, scale=scale)


def snapshot(of: Request, step: int) -> Request:
    """Ask for a distilled set as it was on the way, after ``step`` steps."""
    return Request("snapshot", of=of, step=step)


def trained(
    on: Request, network: str, recipe: str, seed: int, heldout: Heldout | None = None, defence: str | None = None
) -> Request:
    """Ask for a network to be trained, and measured at its end.

    ``heldout`` is a part to measure accuracy on, too; ``defence`` is adversarial training, as in ``pgd-at:eps=8/255``.
    """
    asked = Request("train", on=on, network=network, recipe=recipe, seed=seed, heldout=heldout)
    return asked.but(defence=defence) if defence else asked


def selected(train: Request, rule: Selection) -> Request:
    """Ask for the epoch of a training run that counts; one that is chosen needs all points of the recipe's curve."""
    return Request("select", train=train if rule == "last" else train.but(whole_curve=True), rule=rule)


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a suite's table: what it is about, and the request of each seed.

    One that ``may_be_too_large`` has no answer where the data set has too few images; any other is then refused. One
    with a ``reason`` can have no answer at all, and asks for none. One that makes sense ``only_with`` the answer to
    another request is left out where the data for that are not there.
    """

    keys: Mapping[str, Any]
    requests: tuple[Request, ...]
    may_be_too_large: bool = False
    reason: str = ""
    only_with: Request | None = None

"""Narrows a plan to one of its shards, and says what that is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stillproof.core.amounts import duration
from stillproof.core.spec import Json
from stillproof.run.estimate import Here, left_of
from stillproof.run.plan import Planner
from stillproof.run.shards import SHARED, Dealt, Shard, dealt_to
from stillproof.store.store import Store


def narrowed(planner: Planner, rows: Sequence[Json], shard: Shard) -> Dealt:
    """Leave in a plan what a shard computes, with what that needs; return what was dealt to it."""
    dealt = dealt_to(planner.cells, rows, shard)
    kept = {*dealt.own, *dealt.needed}
    planner.cells = {name: cell for name, cell in planner.cells.items() if name in kept}
    return dealt


def shard_sentences(shard: Shard, dealt: Dealt, planner: Planner, store: Store, here: Here) -> Iterator[str]:
    """Say what is dealt to a shard, and what else it has to compute, with the time that both may take."""

    def about(cells: Sequence[str]) -> str:
        left = left_of(store, [planner.cells[cell] for cell in cells])
        return f"{len(left)} to compute, about {duration(sum(here.seconds(cell) for cell in left))}" if left else ""

    own, again = about(dealt.own), about([cell for cell in planner.cells if cell in dealt.needed])
    if dealt.own:
        yield f"shard {shard}: {_cells(len(dealt.own))}, {own or 'all in the store already'}"
    else:
        yield f"shard {shard}: no cell of this plan"
    if again:
        yield (
            f"and {_cells(len(dealt.needed))} that other shards need, too, {again}: --shard {SHARED}/{shard.of} first, "
            "and `stillproof db merge` of its store into this one, saves that"
        )
    if dealt.left:
        yield f"left to the last run, which has all shards: {_cells(dealt.left)}"


def _cells(count: int) -> str:
    return f"{count:,} cell{'s' * (count != 1)}"

"""The option by which what a verb makes goes into a pool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from stillproof.cli.output import say

if TYPE_CHECKING:
    from stillproof.session import Session

PoolOption = Annotated[str | None, typer.Option("--pool", help="Also put what is made into this pool.")]


def check_pool(pool: str | None) -> None:
    """Refuse what is no name for a pool before any work is done for it."""
    from stillproof.store.pools import check_name

    if pool is not None:
        check_name(pool)


def put_into(opened: Session, pool: str | None, artifacts: Sequence[str]) -> None:
    """Put sets or models into a pool, if one is named."""
    if pool is not None:
        new = opened.pool_add(pool, artifacts)
        say(f"{len(new)} added to pool {pool}")

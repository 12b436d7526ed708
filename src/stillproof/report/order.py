"""Whether an order of methods is kept under something else: a network, a teacher, a threat model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stillproof.core.seeds import Seeds
from stillproof.score.agreement import Agreement, no_agreement
from stillproof.score.ranking import ranking_preserved

FEWEST = 3  # methods; of two, an order is either kept or reversed


def order_kept(pairs: Mapping[str, Sequence[tuple[float, ...]]], seeds: Seeds) -> Agreement:
    """Return how far two orders of the methods agree that have both numbers.

    Args:
        pairs: By method, both numbers of each seed that has them.
        seeds: Where the resamples of the interval are drawn from.
    """
    known = {method: found for method, found in pairs.items() if found}
    if len(known) < FEWEST:
        return no_agreement(len(known), f"an order is compared of at least {FEWEST} methods")
    first, second = ({method: [seed[side] for seed in found] for method, found in known.items()} for side in (0, 1))
    return ranking_preserved(first, second, seeds)

"""Which images an episode learns from, and which it is judged by: some of every class, under some of the attacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.train.meta.attacked_data import UnderAttack

Drawn = tuple[int, Tensor]  # a place among the attacks, and positions of images in it


@dataclass(frozen=True)
class Shape:
    """The size of an episode.

    Args:
        ways: Attacks in the support set; the paper's A.
        query_ways: Attacks in the query set, some of the others; its A_Q.
        shots: Images per class and attack in the support set; its k, and K in tests.
        queries: Images per class and attack in the query set; its m, and M in tests.
        classes: Classes of an episode at most; the paper has ten, on Tiny-ImageNet too.
    """

    ways: int
    query_ways: int
    shots: int
    queries: int
    classes: int = 10


@dataclass(frozen=True)
class Episode:
    """What was drawn: the same sources are never in both sets, under whatever attack."""

    support: Sequence[Drawn]
    query: Sequence[Drawn] = field(default_factory=tuple)


def draw_episode(attacks: Sequence[UnderAttack], shape: Shape, seeds: Seeds) -> Episode:
    """Draw one: ``ways`` of the attacks to learn from, and the query from ``query_ways`` of these."""
    check_ways(len(attacks), shape)
    generator = seeds.torch()
    taken = torch.randperm(len(attacks), generator=generator)[: shape.ways].tolist()
    classes = draw_classes(attacks, shape.classes, generator)
    query = [(way, draw_of_each(attacks[way], classes, shape.queries, generator)) for way in taken[: shape.query_ways]]
    seen = torch.cat([attacks[way].sources[positions] for way, positions in query])
    support = [(way, draw_of_each(attacks[way], classes, shape.shots, generator, seen)) for way in sorted(taken)]
    return Episode(support, query)


def draw_support(attacks: Sequence[UnderAttack], ways: Sequence[int], shape: Shape, seeds: Seeds) -> list[Drawn]:
    """Draw a support set of given attacks from images of another pool, such as distilled ones."""
    generator = seeds.torch()
    classes = draw_classes([attacks[way] for way in ways], shape.classes, generator)
    return [(way, draw_of_each(attacks[way], classes, shape.shots, generator)) for way in ways]


def check_ways(attacks: int, shape: Shape) -> None:
    """Refuse more ways than there are attacks."""
    if shape.ways > attacks:
        raise BadInput(f"ways = {shape.ways} is not allowed: there are {attacks} attacks to learn from.")


def draw_classes(attacks: Sequence[UnderAttack], most: int, generator: torch.Generator) -> list[int]:
    """Return the classes of an episode: all, or as many drawn at random as it may have."""
    known = torch.unique(torch.cat([one.labels for one in attacks]))
    return sorted(known[torch.randperm(len(known), generator=generator)[:most]].tolist())


def draw_of_each(
    attack: UnderAttack, classes: Sequence[int], count: int, generator: torch.Generator, without: Tensor | None = None
) -> Tensor:
    """Return positions of so many images of each class, of sources that are not among those ``without``."""
    allowed = torch.ones(len(attack), dtype=torch.bool)
    if without is not None:
        allowed = ~torch.isin(attack.sources, without)
    found = []
    for label in classes:
        members = ((attack.labels == label) & allowed).nonzero().squeeze(1)
        if len(members) < count:
            raise BadInput(
                f"an episode asks for {count} images of every class, and class {label} has {len(members)} left under "
                f"{attack.called}: ask for fewer, or build the set with more images per class."
            )
        found.append(members[torch.randperm(len(members), generator=generator)[:count]])
    return torch.cat(found)

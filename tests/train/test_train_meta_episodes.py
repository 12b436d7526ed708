"""What episodes draw: never a source on both sides, and as many images as were asked for."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from train_setups import make_model

from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.testing.toy import toy_attacked
from stillproof.train.meta.adapting import Shots, draw_shots
from stillproof.train.meta.attacked_data import AttackedData, UnderAttack
from stillproof.train.meta.episodes import Shape, draw_episode

DATA = toy_attacked(make_model().front)  # 3 attacks on 12 images of each of 3 classes


@given(
    seed=st.integers(0, 10_000),
    ways=st.integers(1, 3),
    asked=st.integers(1, 3),
    shots=st.integers(1, 6),
    queries=st.integers(1, 6),
    classes=st.integers(1, 5),
)
@settings(max_examples=60, deadline=None)
def test_no_source_is_learned_from_and_judged_by(
    seed: int, ways: int, asked: int, shots: int, queries: int, classes: int
) -> None:
    shape = Shape(ways, min(asked, ways), shots, queries, classes)
    try:
        drawn = draw_episode(DATA.attacks, shape, Seeds(seed))
    except BadInput:  # several query attacks draw sources of their own, and may leave too few
        assert shape.query_ways * queries + shots > 12
        return
    assert len(drawn.support) == ways and {way for way, _ in drawn.query} <= {way for way, _ in drawn.support}
    support, query = (
        {int(source) for way, places in part for source in DATA.attacks[way].sources[places]}
        for part in (drawn.support, drawn.query)
    )
    assert not support & query
    for part, count in ((drawn.support, shots), (drawn.query, queries)):
        for way, places in part:
            each = DATA.attacks[way].labels[places].bincount()
            assert set(each.tolist()) - {0} == {count} and int((each > 0).sum()) == min(classes, 3)
            assert len(set(places.tolist())) == len(places)


def test_a_seed_decides_an_episode_and_another_changes_it() -> None:
    shape = Shape(2, 1, 3, 2)
    one, same, other = (draw_episode(DATA.attacks, shape, Seeds(seed)) for seed in (0, 0, 1))
    assert [way for way, _ in one.support] == [way for way, _ in same.support]
    assert all(torch.equal(a, b) for (_, a), (_, b) in zip(one.support, same.support, strict=True))
    assert any(not torch.equal(a, b) for (_, a), (_, b) in zip(one.support, other.support, strict=True))


def test_more_ways_than_attacks_are_refused() -> None:
    with pytest.raises(BadInput, match="ways = 4 is not allowed: there are 3 attacks"):
        draw_episode(DATA.attacks, Shape(4, 1, 1, 1), Seeds(0))


def test_more_images_than_there_are_are_refused() -> None:
    with pytest.raises(BadInput, match="asks for 9 images of every class, and class 0 has 8 left under"):
        draw_episode(DATA.attacks, Shape(1, 1, 9, 4), Seeds(0))


def test_images_without_a_source_cannot_be_compared() -> None:
    one = DATA.attacks[0]
    lost = UnderAttack("mad/13", one.images, one.labels, torch.full_like(one.sources, -1))
    with pytest.raises(BadInput, match="mad/13: the sources of some images are not known"):
        AttackedData([lost], DATA.clean, DATA.front, "cpu")


def test_pairs_are_an_image_and_its_own_source() -> None:
    places = torch.tensor([5, 0, 17])
    pairs = DATA.pairs([(1, places)])
    sources = DATA.attacks[1].sources[places]
    with torch.no_grad():
        clean, attacked = (DATA.front(x) for x in (DATA.clean.read(sources), DATA.attacks[1].images[places] / 255))
    assert torch.equal(pairs.clean, clean) and torch.allclose(pairs.attacked, attacked)
    assert torch.equal(pairs.labels, DATA.clean.labels[sources])


def test_shots_and_what_judges_them_come_from_two_pools() -> None:
    front = make_model().front
    few, others = toy_attacked(front, slice(18)), toy_attacked(front, slice(18, None))
    support, query = draw_shots(few, others, 2, Shots(2, 40), Seeds(0))
    assert support.labels.bincount().tolist() == [2, 2, 2]
    assert query.labels.bincount().tolist() == [6, 6, 6], "as many as there are"
    assert not any(torch.equal(one, other) for one in support.clean for other in query.clean)

"""The step through a step: against the whole graph, in double precision."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.func import functional_call
from torch.nn import functional as F
from train_setups import make_model

from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.testing.toy import toy_attacked
from stillproof.train.meta import meta_step
from stillproof.train.meta.attacked_data import Pairs
from stillproof.train.meta.meta_step import PairNetwork, clipped, through_step
from stillproof.train.meta.pair_loss import MixedPairs, mixed, pair_loss, unmixed

NETWORK = "convnet-1:width=4"
CURVED = "mlp:width=6"


def in_double(pairs: MixedPairs) -> MixedPairs:
    return MixedPairs(pairs.attacked.double(), pairs.clean.double(), pairs.shares.double())


def make_network(name: str = NETWORK, **options: object) -> tuple[PairNetwork, MixedPairs, MixedPairs]:
    """Return a network in double precision with a support set and a query."""
    model = make_model(name)
    data = toy_attacked(model.front)
    places = torch.arange(36)
    support = mixed(data.pairs([(0, places[:8]), (1, places[4:10])]), 3, 1.0, Seeds(0))
    query = unmixed(data.pairs([(2, places[20:30])]), 3)
    network = PairNetwork(model.body.double(), **{"eta": 0.7, "smoothing": 0.1, "norms": "fixed", **options})  # type: ignore[arg-type]
    return network, in_double(support), in_double(query)


def whole_graph(network: PairNetwork, support: MixedPairs, query: MixedPairs, size: float) -> dict[str, Tensor]:
    """Return the gradient through the step as automatic differentiation of the whole has it."""
    at = {name: weight.clone().requires_grad_() for name, weight in network.weights().items()}

    def loss(weights: dict[str, Tensor], pairs: MixedPairs) -> Tensor:
        attacked, clean = (functional_call(network.body, weights, (one,)) for one in (pairs.attacked, pairs.clean))
        return pair_loss(attacked, clean, pairs.shares, eta=network.eta, smoothing=network.smoothing)

    slopes = torch.autograd.grad(loss(at, support), list(at.values()), create_graph=True)
    after = {name: at[name] - size * slope for name, slope in zip(at, slopes, strict=True)}
    return dict(zip(at, torch.autograd.grad(loss(after, query), list(at.values())), strict=True))


@pytest.mark.parametrize("name", [NETWORK, CURVED, "convnet-1-bn:width=4"])
def test_second_order_is_the_gradient_of_the_whole(name: str) -> None:
    network, support, query = make_network(name)
    found, _, _ = through_step(network, support, query, size=0.3, order="second")
    wanted = whole_graph(network, support, query, 0.3)
    assert all(torch.allclose(found[key], wanted[key], rtol=1e-9, atol=1e-12) for key in wanted)
    first, _, _ = through_step(network, support, query, size=0.3, order="first")
    assert any(not torch.allclose(first[key], wanted[key], rtol=1e-3) for key in wanted), "the second order matters"


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    network, support, query = make_network()
    whole, _, loss = through_step(network, support, query, size=0.3, order="second")
    monkeypatch.setattr(meta_step, "most_at_once", lambda body: 10)
    parts, _, in_parts = through_step(network, support, query, size=0.3, order="second")
    monkeypatch.setattr(meta_step, "MOST_KEPT", 0)
    again, _, _ = through_step(network, support, query, size=0.3, order="second")
    assert all(torch.equal(again[key], parts[key]) for key in parts), "a graph that does not fit is made again"
    assert loss == pytest.approx(in_parts, rel=1e-12)
    assert all(torch.allclose(whole[key], parts[key], rtol=1e-9, atol=1e-12) for key in whole)


def test_first_order_is_the_gradient_after_the_step() -> None:
    network, support, query = make_network()
    found, after, loss = through_step(network, support, query, size=0.3, order="first")
    wanted, at_step = network.gradient(after, query)
    assert loss == at_step and all(torch.equal(found[key], wanted[key]) for key in wanted)


def test_the_networks_own_weights_stay() -> None:
    network, support, query = make_network("convnet-1-bn:width=4", norms="episode")
    before = {name: value.clone() for name, value in network.body.state_dict().items()}
    through_step(network, support, query, size=0.3, order="second")
    assert all(torch.equal(before[name], value) for name, value in network.body.state_dict().items())


@pytest.mark.parametrize("most", [0, meta_step.MOST_KEPT])
def test_adapted_norms_remember_each_set_once(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    network, support, query = make_network("convnet-1-bn:width=4", norms="adapted")
    monkeypatch.setattr(meta_step, "MOST_KEPT", most)
    through_step(network, support, query, size=0.3, order="second")
    counts = [value for name, value in network.body.state_dict().items() if name.endswith("num_batches_tracked")]
    assert counts and all(int(count) == 2 for count in counts)


@pytest.mark.parametrize("norms", ["adapted", "episode"])
def test_norms_that_are_not_there_cannot_adapt(norms: str) -> None:
    with pytest.raises(BadInput, match="no batch norms, choose fixed"):
        make_network(norms=norms)


def test_the_loss_is_the_sum_of_what_it_says() -> None:
    generator = torch.Generator().manual_seed(0)
    attacked, clean = (torch.randn(6, 4, generator=generator, dtype=torch.float64) for _ in range(2))
    shares = F.one_hot(torch.tensor([0, 1, 2, 3, 0, 1]), 4).double()
    smoothed = 0.8 * shares + 0.2 / 4
    entropy = -(smoothed * attacked.log_softmax(1)).sum(1).mean()
    p, q = attacked.softmax(1), clean.softmax(1)
    apart = (p * (p / q).log() + q * (q / p).log()).sum(1).mean()
    found = pair_loss(attacked, clean, shares, eta=0.5, smoothing=0.2)
    assert float(found) == pytest.approx(float(entropy + 0.5 * apart), rel=1e-12)
    assert pair_loss(attacked, clean, shares, eta=0.0, smoothing=0.2) == pytest.approx(float(entropy))


def test_both_images_of_a_pair_meet_the_same_partner() -> None:
    generator = torch.Generator().manual_seed(0)
    clean = torch.rand(9, 1, 4, 4, generator=generator)
    pairs = Pairs(clean + 0.25, clean, torch.arange(9) % 3)
    made = mixed(pairs, 3, 1.0, Seeds(3))
    assert torch.allclose(made.attacked - made.clean, torch.full_like(clean, 0.25), atol=1e-6)
    assert not torch.allclose(made.clean, clean) and torch.allclose(made.shares.sum(1), torch.ones(9))
    assert torch.equal(mixed(pairs, 3, 0.0, Seeds(3)).clean, clean)


def test_long_gradients_are_shortened_all_together() -> None:
    gradient = {"a": torch.tensor([3.0, 0.0]), "b": torch.tensor([[4.0]])}
    short = clipped(gradient, 1.0)
    assert torch.allclose(short["a"], torch.tensor([0.6, 0.0])) and torch.allclose(short["b"], torch.tensor([[0.8]]))
    assert clipped(gradient, 10.0) is gradient and clipped(gradient, 0.0) is gradient


def test_a_network_for_other_classes_is_told_so() -> None:
    with pytest.raises(BadInput, match="the network says 5 numbers of an image, and there are 3 classes"):
        pair_loss(torch.zeros(4, 5), torch.zeros(4, 5), torch.zeros(4, 3), eta=0.5, smoothing=0.2)

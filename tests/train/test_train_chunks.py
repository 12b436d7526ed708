from __future__ import annotations

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor
from train_setups import VIT, make_model, train

from stillproof.core.components import networks
from stillproof.core.seeds import Seeds
from stillproof.nets import chunks
from stillproof.nets.build import build_network
from stillproof.nets.chunks import by_chunks, chunk_size, most_at_once, shares
from stillproof.nets.compiled import compiled
from stillproof.testing.toy import TOY, toy_images
from stillproof.train.model import predict
from stillproof.train.recipe import Recipe

NETWORK = "convnet-2:width=4"  # its largest layer makes 4 * 8 * 8 values of a toy image
LARGEST = 4 * 8 * 8
STEPS = Recipe(epochs=3, batch=20, lr=0.05)


@pytest.fixture
def three_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "WORKING_SET", 3 * 4 * LARGEST + 5)


@given(count=st.integers(0, 3000), most=st.integers(0, 300))
def test_chunks_are_within_the_limit_and_few_sizes(count: int, most: int) -> None:
    size = chunk_size(count, most)
    assert size >= 1 and (not most or size <= max(1, most))
    sizes = {len(part) for part in torch.split(torch.empty(count), size)}
    assert len(sizes) <= 2
    if most and count > most:
        assert size > most // 2


@pytest.mark.parametrize(("count", "size"), [(10, 10), (100, 25), (500, 25), (256, 32), (244, 31), (10_000, 25)])
def test_the_usual_numbers_of_images_make_equal_chunks(count: int, size: int) -> None:
    assert chunk_size(count, 32) == size


def test_the_limit_follows_the_largest_layer() -> None:
    body = make_model(NETWORK).body
    assert body.largest_map == LARGEST
    assert most_at_once(body) == chunks.WORKING_SET // (4 * LARGEST)


def test_convnet_3_at_32_pixels_takes_32_images() -> None:
    info = TOY.__class__("c", 3, 32, 10, (0.5,) * 3, (0.5,) * 3, "")
    assert most_at_once(build_network(networks.build("convnet-3"), info, Seeds(0), "cpu")) == 32


@pytest.mark.usefixtures("three_at_once")
def test_a_batch_norm_in_training_mode_sees_all_images() -> None:
    body = make_model("convnet-2-bn:width=4").body
    assert most_at_once(body.train()) == 0
    assert most_at_once(body.eval()) == 3


@pytest.mark.usefixtures("three_at_once")
def test_a_transformer_is_fastest_whole() -> None:
    assert most_at_once(make_model(VIT).body.eval()) == 0


@pytest.mark.usefixtures("three_at_once")
def test_rows_of_chunks_are_those_of_all() -> None:
    body = make_model(NETWORK).body.eval()
    seen: list[int] = []

    def features(images: Tensor) -> Tensor:
        seen.append(len(images))
        return body.features(images)

    images = torch.rand(10, 1, 8, 8)
    found = by_chunks(features, body)(images)
    assert len(seen) > 1 and sum(seen) == 10
    torch.testing.assert_close(found, body.features(images))


@pytest.mark.usefixtures("three_at_once")
@pytest.mark.parametrize("network", ["mlp:width=300", "lenet", "alexnet"])
def test_networks_that_gain_nothing_see_all_images_at_once_and_are_not_compiled(network: str) -> None:
    body, notes = make_model(network).body.eval(), dict[str, Any]()
    assert most_at_once(body) == 0
    assert compiled(body.features, body, flops=1e18, notes=notes) == body.features and notes["compiled"] is False


@pytest.mark.usefixtures("three_at_once")
def test_mean_losses_of_chunks_add_up() -> None:
    body, images, labels = make_model(NETWORK).body, torch.rand(11, 1, 8, 8), torch.arange(11) % 4
    total = sum(share * float(part.square().mean()) for part, _, share in shares(body, images, labels))
    assert total == pytest.approx(float(images.square().mean()))


@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("objective", ["cross-entropy", "kl(temperature=4)", "mse"])
def test_training_in_chunks_is_training_but_for_rounding(
    parts: int, objective: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = Recipe(epochs=3, batch=20, lr=0.05, parts=parts, objective=objective)
    whole = train(recipe, network=NETWORK)
    monkeypatch.setattr(chunks, "WORKING_SET", 3 * 4 * LARGEST)
    chunked = train(recipe, network=NETWORK)
    assert chunked.ctx.notes["images_at_once"] == 3
    assert chunked.curve.losses == pytest.approx(whole.curve.losses, rel=1e-5)
    for name, weights in whole.weights.items():
        torch.testing.assert_close(chunked.weights[name], weights, rtol=1e-4, atol=1e-5)


def test_an_objective_is_taken_whole_unless_it_says_that_images_stand_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from stillproof.train.objectives.cross_entropy import CrossEntropy

    sizes: list[int] = []
    of_logits = CrossEntropy.of_logits

    def watched(self: CrossEntropy, logits: Tensor, targets: Tensor) -> Tensor:
        sizes.append(len(logits))
        return of_logits(self, logits, targets)

    monkeypatch.setattr(chunks, "WORKING_SET", 3 * 4 * LARGEST)
    monkeypatch.setattr(CrossEntropy, "of_logits", watched)
    train(STEPS, network=NETWORK)
    assert max(sizes) <= 3
    sizes.clear()
    monkeypatch.setattr(CrossEntropy, "by_image", False)
    train(STEPS, network=NETWORK)
    assert max(sizes) == STEPS.batch


@pytest.mark.usefixtures("three_at_once")
def test_predictions_in_chunks_are_those_of_the_model() -> None:
    model, data = make_model(NETWORK), toy_images()
    expected = model.eval()(data.read(slice(None))).argmax(1)
    assert torch.equal(predict(model, data, "cpu"), expected)

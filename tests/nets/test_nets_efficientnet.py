from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from stillproof.core.components import networks
from stillproof.core.errors import BadInput
from stillproof.core.seeds import Seeds
from stillproof.core.types import DataInfo
from stillproof.importers.checkpoint_weights import find_weights, rename_weights
from stillproof.nets.body import Body
from stillproof.nets.build import build_network, count_parameters, forward_flops
from stillproof.nets.efficientnet import STAGES, InvertedBottleneck, RandomSkip

NAME = "efficientnet-b0"
CERTAIN = f"{NAME}:dropout=0:stochastic_depth=0"
# Where parts of a block stand in ours and in torchvision's.
NARROW = {"0": "0.0", "1": "0.1", "3.squeeze": "1.fc1", "3.excite": "1.fc2", "4": "2.0", "5": "2.1"}
WIDE = {
    **{"0": "0.0", "1": "0.1", "3": "1.0", "4": "1.1"},
    **{"6.squeeze": "2.fc1", "6.excite": "2.fc2", "7": "3.0", "8": "3.1"},
}


def built(reference: str = NAME, channels: int = 3, size: int = 32) -> Body:
    info = DataInfo("toy", channels, size, 7, (0.5,) * channels, (0.25,) * channels, "none")
    return build_network(networks.build(reference), info, Seeds(0), "cpu")


def random_images(count: int, size: int = 32) -> Tensor:
    return torch.randn(count, 3, size, size, generator=Seeds(1).torch())


def settled(body: Body, images: Tensor) -> Body:
    """Give the norms the statistics of these images: with those of a new network, maps fade from layer to layer."""
    for module in body.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.momentum = 1.0
    with torch.no_grad(), Seeds(2).lent_to_torch():
        body.train()(images)
    return body.eval()


def on_meta(channels: int = 3, size: int = 224, classes: int = 1000) -> Body:
    with torch.device("meta"):
        body = networks.build(NAME).build(channels, size, classes)
    assert isinstance(body, Body)
    return body


def blocks(body: Body) -> list[InvertedBottleneck]:
    return [module for module in body.modules() if isinstance(module, InvertedBottleneck)]


def test_parameters_and_work_are_those_of_the_paper() -> None:
    assert count_parameters(on_meta()) == 5_288_548
    assert count_parameters(on_meta(classes=200)) == 5_288_548 - 800 * 1281
    assert forward_flops(networks.build(NAME), 3, 224, 1000) == pytest.approx(2 * 0.39e9, rel=0.02)


def test_it_is_the_only_network_of_its_family() -> None:
    assert networks.build(NAME) == networks.build("efficientnet")
    assert networks.reference(networks.build("efficientnet:dropout=0.5")) == "efficientnet-b0:dropout=0.5"


@pytest.mark.parametrize("size", [32, 64, 224])
def test_embeddings_and_logits(size: int) -> None:
    body, images = built(size=size).eval(), random_images(2, size)
    with torch.no_grad():
        assert body.features(images).shape == (2, 1280)
        assert body(images).shape == (2, 7)


@pytest.mark.parametrize(("size", "left"), [(8, 1), (28, 1), (32, 1), (33, 2), (64, 2), (224, 7)])
def test_five_layers_halve_the_map_and_a_pixel_stays(size: int, left: int) -> None:
    layers = built(size=size).eval().get_submodule("layers")
    with torch.no_grad():
        maps = layers(random_images(1, size))
    assert maps.shape == (1, 1280, left, left)


@pytest.mark.parametrize("size", [8, 32])
def test_images_are_told_apart_each_by_itself_and_always_alike(size: int) -> None:
    images = random_images(16, size)
    body = settled(built(size=size), images)
    with torch.no_grad():
        logits = body(images)
        assert torch.equal(body(images), logits)
        torch.testing.assert_close(body(images[:1]), logits[:1])
    assert (logits[0] - logits[1]).abs().max() > 1e-3


def test_gradients_reach_every_weight_and_the_image() -> None:
    body, images = built(), random_images(4).requires_grad_()
    with Seeds(3).lent_to_torch():
        loss = nn.functional.cross_entropy(body(images), torch.arange(4))
    gradients = torch.autograd.grad(loss, [images, *body.parameters()])
    assert all(gradient.isfinite().all() and gradient.abs().sum() > 0 for gradient in gradients)


def test_second_derivatives_exist() -> None:
    images = random_images(4, 16)
    body = settled(built(size=16), images)
    images.requires_grad_()
    loss = nn.functional.cross_entropy(body(images), torch.arange(4))
    weight = body.get_parameter("layers.0.weight")
    (gradient,) = torch.autograd.grad(loss, weight, create_graph=True)
    (second,) = torch.autograd.grad(gradient.square().sum(), images)
    assert second.isfinite().all() and second.abs().sum() > 0


def test_training_draws_from_the_stream_that_torch_was_lent() -> None:
    drawing, certain, images = built().train(), built(CERTAIN).train(), random_images(4)

    def logits(body: Body, seed: int) -> Tensor:
        with torch.no_grad(), Seeds(seed).lent_to_torch():
            found: Tensor = body(images)
            return found

    assert torch.equal(logits(drawing, 0), logits(drawing, 0))
    assert not torch.equal(logits(drawing, 0), logits(drawing, 1))
    assert torch.equal(logits(certain, 0), logits(certain, 1))


def test_later_blocks_are_skipped_more_often() -> None:
    found = blocks(on_meta())
    assert [block.skip.rate for block in found] == pytest.approx([0.2 * number / 16 for number in range(16)])
    assert sum(block.is_residual for block in found) == 16 - len(STAGES)


def test_a_skipped_branch_is_skipped_for_a_whole_image_and_the_mean_stays() -> None:
    skip, maps = RandomSkip(0.2), torch.ones(2000, 2, 3, 3)
    with Seeds(0).lent_to_torch():
        seen = skip.train()(maps)
    by_image = seen.flatten(1)
    assert torch.equal(by_image, by_image[:, :1].expand(-1, 18))
    assert by_image.unique().tolist() == pytest.approx([0, 1.25])
    assert seen.mean().item() == pytest.approx(1, abs=0.05)
    assert skip.eval()(maps) is maps


def test_squeezed_vectors_have_a_quarter_of_what_enters_the_block() -> None:
    squeezed = [shape[0] for name, shape in shapes(on_meta()).items() if name.endswith("squeeze.weight")]
    entering = [32, 16, 24, 24, 40, 40, 80, 80, 80, 112, 112, 112, 192, 192, 192, 192]
    assert squeezed == [width // 4 for width in entering]


def test_norms_are_those_of_the_authors() -> None:
    norms = [module for module in on_meta().modules() if isinstance(module, nn.BatchNorm2d)]
    assert len(norms) == 2 + 15 * 3 + 2
    assert {(norm.eps, norm.momentum) for norm in norms} == {(1e-3, 0.01)}


def test_weights_with_the_names_of_torchvision_find_their_places() -> None:
    body = built()
    state = find_weights(body.state_dict())
    foreign = {torchvision_name(name): value for name, value in state.items()}
    assert {"features.0.0.weight", "features.1.0.block.1.fc1.bias", "features.6.3.block.3.1.bias"} < foreign.keys()
    alphabetic = {name: foreign[name] for name in sorted(foreign)}
    read = rename_weights(alphabetic, body, NAME, Path("model.pth"))
    assert all(torch.equal(read[name], value) for name, value in state.items())


@pytest.mark.parametrize("reference", [f"{NAME}:dropout=1", f"{NAME}:stochastic_depth=-0.1"])
def test_shares_that_leave_nothing_are_refused(reference: str) -> None:
    with pytest.raises(BadInput, match="at least 0 and below 1"):
        networks.build(reference)


def shapes(body: Body) -> dict[str, tuple[int, ...]]:
    return {name: tuple(value.shape) for name, value in body.state_dict().items()}


def torchvision_name(name: str) -> str:
    trunk, _, part = name.rpartition(".")
    if not trunk.startswith("layers."):
        return name
    number, _, inner = trunk.removeprefix("layers.").partition(".layers.")
    if not inner:  # stem or head
        stage, layer = (0, int(number)) if int(number) < 3 else (len(STAGES) + 1, int(number) - 19)
        return f"features.{stage}.{layer}.{part}"
    places = [(stage + 1, at) for stage, (_, _, count, _, _) in enumerate(STAGES) for at in range(count)]
    stage, at = places[int(number) - 3]
    return f"features.{stage}.{at}.block.{(NARROW if stage == 1 else WIDE)[inner]}.{part}"

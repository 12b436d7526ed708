from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from stillproof.core.components import networks
from stillproof.core.errors import BadInput, DataMissing
from stillproof.core.seeds import Seeds
from stillproof.core.types import DataInfo, ImageSet
from stillproof.data.load import load
from stillproof.importers.checkpoints import read_model, recognises_model
from stillproof.nets.body import Body
from stillproof.nets.build import build_network
from stillproof.store.store import open_store
from stillproof.train.model import load_model, predict

INFO = DataInfo("small", 3, 32, 10, (0.4, 0.5, 0.6), (0.2, 0.25, 0.3), "none needed")
GREY = DataInfo("grey", 1, 28, 10, (0.1,), (0.3,), "none needed")
BACON = "BACON_ConvNet_CIFAR10_50_None_0.6995.pth"
State = dict[str, Tensor]


def body_of(network: str, info: DataInfo = INFO) -> Body:
    body = build_network(networks.build(network), info, Seeds(1), "cpu")
    for name, value in body.state_dict().items():  # so that norms do not all look alike
        if value.is_floating_point() and value.ndim == 1:
            value.copy_(torch.rand(value.shape, generator=Seeds(0).child(name).torch()) + 0.5)
    return body.eval()


def renamed(*rules: tuple[str, str]) -> Callable[[State], State]:
    def rename(state: State) -> State:
        for pattern, name in rules:
            state = {re.sub(pattern, name, key): value for key, value in state.items()}
        return state

    return rename


FEATURES = renamed((r"^layers\.", "features."))
TORCHVISION = renamed((r"\.shortcut\.", ".downsample."), (r"^classifier\.", "fc."))
MLP = renamed((r"^layers\.1\.", "fc_1."), (r"^layers\.3\.", "fc_2."), (r"^classifier\.", "fc_3."))
LENET = renamed(
    (r"^layers\.", "features."), (r"^hidden\.0\.", "fc_1."), (r"^hidden\.2\.", "fc_2."), (r"^classifier\.", "fc_3.")
)
UNNORMED = renamed((r"^layers\.4\.", "features.3."), (r"^layers\.8\.", "features.6."), (r"^layers\.", "features."))
FAMILIES: dict[str, Callable[[State], State]] = {
    "convnet-3": FEATURES,
    "convnet-1": FEATURES,
    "convnet-4:width=16": FEATURES,
    "convnet-3-bn:width=8": FEATURES,
    "convnet-2:width=8:norm=layer": FEATURES,
    "convnet-3:width=8:norm=none": UNNORMED,
    "convnet-2:width=8:pooling=none": FEATURES,
    "mlp": MLP,
    "mlp:width=32": MLP,
    "lenet": LENET,
    "alexnet": renamed((r"^layers\.", "features."), (r"^classifier\.", "fc.")),
    "vgg-11": FEATURES,
    "vgg-11-bn": FEATURES,
    "resnet-18": renamed(),
    "resnet-18-bn": TORCHVISION,
    "resnet-18-bn-imagenet": TORCHVISION,
    "resnet-34-bn": TORCHVISION,
    "resnet-50": TORCHVISION,
}


def save(path: Path, value: Any) -> Path:
    torch.save(value, path)
    return path


@pytest.mark.parametrize("network", FAMILIES)
def test_every_family_is_told_by_its_weights_and_answers_as_before(network: str, tmp_path: Path) -> None:
    body = body_of(network)
    path = save(tmp_path / "model.pth", FAMILIES[network](body.state_dict()))
    assert recognises_model(path)
    read = read_model(path, INFO)
    model = load_model(read.tensors, read.card.as_dict(), "cpu")
    assert networks.build(read.network) == networks.build(network)
    images = torch.rand(2, 3, 32, 32, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        assert torch.equal(model.body(images), body(images))
        mean, std = (torch.tensor(values).view(1, 3, 1, 1) for values in (INFO.mean, INFO.std))
        torch.testing.assert_close(model(images), body((images - mean) / std))


@pytest.mark.parametrize("network", ["convnet-3", "lenet", "mlp"])
def test_grey_images_of_28_pixels_are_padded_as_ours(network: str, tmp_path: Path) -> None:
    body = body_of(network, GREY)
    read = read_model(save(tmp_path / "m.pt", FAMILIES[network](body.state_dict())), GREY)
    assert networks.build(read.network) == networks.build(network)
    assert all(torch.equal(read.tensors[name], value) for name, value in body.state_dict().items())


@pytest.mark.parametrize(
    "wrap",
    [
        lambda state: {"state_dict": state, "acc": 0.7, "epoch": 12},
        lambda state: {"model": state},
        lambda state: {"net": state, "acc": 1},
        lambda state: {"state_dict": renamed((r"^", "module."))(state), "optimizer_state_dict": {}, "loss_rec": [1.0]},
        renamed((r"^", "_orig_mod.module.")),
        renamed((r"^layers\.", "layers.module.")),
        lambda state: {name: state[name] for name in sorted(state)},
        lambda state: {name: value.half() for name, value in state.items()},
        lambda state: {name: state[name] for name in state if "num_batches" not in name},
    ],
    ids=["state_dict", "model", "net", "mad", "compiled", "inner", "sorted", "half", "uncounted"],
)
@pytest.mark.parametrize("network", ["convnet-3-bn:width=8", "lenet"])
def test_wrappings_come_off(wrap: Callable[[State], Any], network: str, tmp_path: Path) -> None:
    state = body_of(network).state_dict()
    read = read_model(save(tmp_path / "m.tar", wrap(state)), INFO)
    assert list(read.tensors) != [] and read.tensors.keys() == state.keys()
    for name, value in state.items():
        if value.is_floating_point():
            torch.testing.assert_close(read.tensors[name], value, rtol=1e-3, atol=1e-3)
            assert read.tensors[name].dtype == torch.float32
    assert read.card.epoch in (0, 12)


def test_deep_networks_keep_the_order_of_their_layers_when_sorted_by_name(tmp_path: Path) -> None:
    state = FEATURES(body_of("convnet-4:width=8").state_dict())
    assert sorted(state).index("features.12.weight") < sorted(state).index("features.4.weight")
    read = read_model(save(tmp_path / "m.pt", {name: state[name] for name in sorted(state)}), INFO)
    assert torch.equal(read.tensors["layers.12.weight"], state["features.12.weight"])


def test_a_network_that_shapes_do_not_tell_is_asked_for_and_taken(tmp_path: Path) -> None:
    vit = "vit:width=16:depth=1:heads=2:head_width=4:hidden=8"
    body = body_of(vit)
    path = save(tmp_path / "vit.pth", body.state_dict())
    with pytest.raises(BadInput, match=r"vit\.pth cannot be told from its weights: name it with --network"):
        read_model(path, INFO)
    read = read_model(path, INFO, vit)
    assert all(torch.equal(read.tensors[name], value) for name, value in body.state_dict().items())
    assert read.found[0] == f"network {vit}, as asked for"


def test_what_shapes_cannot_tell_is_said(tmp_path: Path) -> None:
    found = read_model(save(tmp_path / "m.pt", body_of("convnet-3").state_dict()), INFO).found
    assert any("instance norm is assumed" in sentence and "ReLU" in sentence for sentence in found)
    assert found[-1] == "images are normalised with mean and std of small"
    asked = read_model(tmp_path / "m.pt", INFO, "convnet-3:norm=group").card
    assert asked.network["params"]["norm"] == "group"


def without(name: str) -> Callable[[State], State]:
    return lambda state: {key: value for key, value in state.items() if key != name}


def with_more(name: str) -> Callable[[State], State]:
    return lambda state: state | {name: torch.zeros(3)}


@pytest.mark.parametrize(
    ("network", "asked", "change", "said"),
    [
        ("convnet-3", "convnet-4", FEATURES, r"classifier.weight \(10, 2048\) does not fit layers.12.weight"),
        (
            "convnet-3",
            "convnet-3:width=64",
            FEATURES,
            r"features.0.weight \(128, 3, 3, 3\) does not fit layers.0.weight",
        ),
        ("convnet-3-bn", "convnet-3", FEATURES, r"features.1.running_mean"),
        ("resnet-18", "resnet-18-bn", TORCHVISION, "lacks bn1.running_mean of resnet-18-bn"),
        ("resnet-18-bn", "", without("layer3.0.bn2.bias"), r"lacks layer3.0.bn2.bias"),
        ("resnet-18-bn", "", with_more("mean.weight"), "mean.weight is not part of resnet"),
        ("lenet", "", with_more("fc_9.weight"), "does not fit|not part of lenet"),
    ],
)
def test_the_first_tensor_that_does_not_fit_is_named(
    network: str, asked: str, change: Callable[[State], State], said: str, tmp_path: Path
) -> None:
    path = save(tmp_path / "m.pt", change(body_of(network).state_dict()))
    with pytest.raises(BadInput, match=said):
        read_model(path, INFO, asked)


def test_another_data_set_shows_in_the_last_layer(tmp_path: Path) -> None:
    path = save(tmp_path / "m.pt", body_of("convnet-3").state_dict())
    other = DataInfo("hundred", 3, 32, 100, INFO.mean, INFO.std, "none")
    with pytest.raises(BadInput, match=r"classifier.weight \(10, 2048\) does not fit classifier.weight \(100, 2048\)"):
        read_model(path, other)


@pytest.mark.parametrize(
    "value",
    [{}, [1, 2], {"data": [[torch.zeros(1), torch.zeros(1)]]}, {"weight": 3}, torch.zeros(3), {1: torch.zeros(3)}],
)
def test_what_is_no_state_dict_is_not_taken_for_one(value: Any, tmp_path: Path) -> None:
    path = save(tmp_path / "m.pt", value)
    assert recognises_model(path) == ""
    with pytest.raises(BadInput, match="holds no state dict"):
        read_model(path, INFO)


def test_broken_numbers_and_files_are_refused(tmp_path: Path) -> None:
    state = body_of("lenet").state_dict()
    state["layers.0.bias"] = state["layers.0.bias"] * float("nan")
    with pytest.raises(BadInput, match=r"layers\.0\.bias does not hold finite numbers"):
        read_model(save(tmp_path / "m.pt", state), INFO)
    (tmp_path / "cut.pth").write_bytes((tmp_path / "m.pt").read_bytes()[:1000])
    with pytest.raises(BadInput, match=r"cut\.pth"):
        read_model(tmp_path / "cut.pth", INFO)
    assert recognises_model(tmp_path) == recognises_model(tmp_path / "none.pth") == ""


def test_an_imported_model_is_stored_and_read_like_any_other(tmp_path: Path) -> None:
    body = body_of("convnet-3:width=8")
    read = read_model(save(tmp_path / "m.pt", FEATURES(body.state_dict())), INFO)
    with open_store(str(tmp_path / "s.db")) as store:
        stored = store.artifacts.read(store.artifacts.write("model", read.tensors, read.card.as_dict()))
    model = load_model(stored.tensors, stored.card, "cpu")
    images = torch.rand(1, 3, 32, 32)
    assert torch.equal(model.body(images), body(images))
    assert stored.card["upstream"]["imported"] == "m.pt" and len(stored.card["upstream"]["sha256"]) == 64


def published_accuracy(images: int) -> float:
    """Return the accuracy of BEARD's own checkpoint on CIFAR-10's first test images; its name says 0.6995."""
    root = Path(os.environ.get("STILLPROOF_DATA", ""))
    path = next((found for found in (root / BACON, root / "models" / BACON) if found.is_file()), None)
    if path is None:
        pytest.skip(f"STILLPROOF_DATA holds no {BACON}")
    try:
        test = load("cifar10", "test", root)
    except DataMissing as error:
        pytest.skip(str(error))
    read = read_model(path, test.info)
    assert networks.build(read.network) == networks.build("convnet-3")
    model = load_model(read.tensors, read.card.as_dict(), "cpu")
    some = ImageSet(test.images[:images], test.labels[:images], test.info, test.id)
    return int((predict(model, some, "cpu") == some.labels).sum()) / images


def test_a_published_model_is_about_as_good_on_some_images() -> None:
    assert published_accuracy(1000) == pytest.approx(0.6995, abs=0.045)  # three standard deviations


@pytest.mark.slow
def test_a_published_model_is_as_good_as_it_was_on_all_images() -> None:
    assert published_accuracy(10_000) == 0.6995

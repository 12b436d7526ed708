from __future__ import annotations

import dataclasses
import json

import pytest
import torch
from train_setups import VIT, make_model, train

from stillproof.core.components import networks
from stillproof.core.types import ImageSet, Space
from stillproof.sets.own_recipe import own_recipe
from stillproof.testing.toy import TOY, toy_images
from stillproof.train import model as model_module
from stillproof.train.model import ModelCard, data_info, load_model, predict, space_of
from stillproof.train.recipe import Recipe


@pytest.mark.parametrize("network", ["convnet-2-bn:width=4", VIT, "mlp"])
def test_a_stored_model_gives_equal_logits(network: str) -> None:
    model = make_model(network, seed=3).eval()
    spec = networks.spec(networks.build(network)).as_dict()
    space = dataclasses.asdict(Space.normalised(TOY))
    card = ModelCard(spec, dataclasses.asdict(TOY), space, {"epochs": 1}, {"data": "toy"}, 3, 1)
    stored = json.loads(json.dumps(card.as_dict()))
    loaded = load_model(dict(model.body.state_dict()), stored, "cpu")
    pixels = toy_images().read(slice(None))
    assert torch.equal(loaded(pixels), model(pixels))
    assert not loaded.training


def test_infos_spaces_and_specs_come_back_from_json() -> None:
    def through_json(value: object) -> dict[str, object]:
        found: dict[str, object] = json.loads(json.dumps(value))
        return found

    space = Space.normalised(TOY)
    spec = networks.spec(networks.build("convnet-3"))
    assert data_info(through_json(dataclasses.asdict(TOY))) == TOY
    assert space_of(through_json(dataclasses.asdict(space))) == space
    assert own_recipe(through_json(spec.as_dict())) == spec
    assert own_recipe(None) is None


def test_a_model_takes_pixels() -> None:
    model = make_model()
    pixels = toy_images().read(slice(None))
    torch.testing.assert_close(model(pixels), model.body((pixels - TOY.mean[0]) / TOY.std[0]))


@pytest.mark.parametrize("batch", [1, 7, 36, 500])
@pytest.mark.parametrize("network", ["convnet-2-bn:width=4", VIT])
def test_predictions_are_those_of_a_plain_loop(network: str, batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_module, "TEST_BATCH", batch)
    model, data = train(Recipe(epochs=10, optimiser="adam"), network=network).model, toy_images()
    expected = [int(model(data.read(slice(i, i + 1))).argmax()) for i in range(len(data))]
    model.train()
    found = predict(model, data, "cpu")
    assert found.tolist() == expected
    assert len(set(expected)) > 1
    assert found.dtype == torch.int64


def test_predicting_leaves_the_model_in_its_mode_and_as_it_was() -> None:
    model = make_model("convnet-2-bn:width=4")
    before = {name: value.clone() for name, value in model.state_dict().items()}
    predict(model.train(), toy_images(), "cpu")
    assert model.training and model.body.training
    predict(model.eval(), toy_images(), "cpu")
    assert not model.training
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())


def test_images_in_bytes_and_in_floats_are_the_same() -> None:
    toy = toy_images()
    floats = ImageSet(toy.images.float() / 255, toy.labels, toy.info, toy.id)
    model = make_model()
    assert torch.equal(predict(model, toy, "cpu"), predict(model, floats, "cpu"))

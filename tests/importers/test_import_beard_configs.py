"""BEARD's configurations: what is read, what follows, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from commands import Commands
from stillproof.cli.config import read_toml
from stillproof.core.components import suites
from stillproof.core.errors import BadInput
from stillproof.defend.base.defence import defence_of
from stillproof.importers.beard_config import read_config
from stillproof.session import Session
from stillproof.sets.read import read_set
from stillproof.suite_methods import with_sets
from stillproof.suites.accuracy import Accuracy
from stillproof.suites.fixed_set import fixed_set

TRAIN: dict[str, Any] = {
    "dataset": "CIFAR10",
    "model": "ConvNet",
    "method": "BACON",
    "ipc": "50",
    "dsa_strategy": "color_crop_cutout_flip_scale_rotate",
    "aug": True,
    "data_file": "./dataset_pool/BACON/BACON_cifar10_ipc50_conv.pt",
    "train_attack": "None",
    "target_attack": False,
    "test_attack": "None",
    "src_dataset": False,
}


def write_config(folder: Path, **changes: Any) -> Path:
    path = folder / "train_config.json"
    kept = {key: value for key, value in (TRAIN | changes).items() if value is not ...}
    path.write_text(json.dumps(kept), encoding="utf-8")
    return path


def test_a_configuration_becomes_one_that_runs(tmp_path: Path, stillproof: Commands) -> None:
    write_config(tmp_path, dataset="MNIST", ipc="10", method="DM", epoch_eval_train=300, dsa_strategy="none")
    done = stillproof("import", "train_config.json", "--out", "mine.toml", cwd=tmp_path)
    assert done.code == 0 and "stillproof run accuracy --config mine.toml" in done.out
    params = read_toml(tmp_path / "mine.toml", "accuracy")
    suite: Any = suites.build("accuracy", params)
    assert "dc-aug" in suite.recipe, "the authors of DC augment MNIST where there is no DSA"
    assert (suite.dataset, suite.methods, suite.ipc, suite.network) == (("mnist",), ("dm",), (10,), ("convnet-3",))
    assert suite.recipe == "beard:augment=dc-aug:epochs=301:decay_epochs=152" and suite.protocol == "faithful"
    assert len(suite.rows()) == 1
    assert not (tmp_path / "stillproof.db").exists()


def test_a_configuration_for_attacks_asks_suite_beard(tmp_path: Path) -> None:
    asked = ["Clean", "PGD_e4", "Deepfool", "CW"]
    read = read_config(write_config(tmp_path, load_file="x.pth", test_attack=asked, target_attack=[True, False]))
    assert read.suite == "beard" and read.params["sections"] == ["scores"] and read.params["defences"] == []
    assert read.params["attacks"] == ["pgd:eps=4/255", "deepfool", "cw"]
    assert read.params["targeted_attacks"] == ["pgd:eps=4/255", "cw"]
    command = "stillproof attack x.pth --dataset cifar10 --protocol faithful --attack pgd:eps=4/255"
    assert read.commands == (f"{command},cw --targeted", f"{command},deepfool,cw")
    spelled = read_config(write_config(tmp_path, test_attack=["DeepFool", "cw"], target_attack=True))
    assert spelled.params["targeted_attacks"] == ["cw"]


def test_a_configuration_takes_the_first_experiment_and_cuts_its_images_if_it_says_so(tmp_path: Path) -> None:
    images, labels = torch.rand(20, 1, 8, 8), torch.arange(10).repeat_interleave(2)
    torch.save({"data": [[images, labels], [images / 2, labels]]}, tmp_path / "rome.pt")
    for aug, decode in ((True, "grid2x2"), (False, "none"), (..., "none")):
        read = read_config(write_config(tmp_path, method="ROME", data_file="rome.pt", aug=aug, dataset="MNIST"))
        (method,) = read.params["methods"]
        assert method == f"ROME:artifact={tmp_path / 'rome.pt'}:experiment=0:decode={decode}"
        with Session(str(tmp_path / "s.db")) as session:
            (found,) = with_sets(session, Accuracy(dataset=("digits",), methods=(method,))).methods
            there = fixed_set(found)
            assert there is not None and there.name == "ROME"
            made = read_set(session.store, there.artifact)
        assert made.decode == decode and len(made.images) == 20
        assert there.count == (80 if decode == "grid2x2" else 20)


@pytest.mark.parametrize(("method", "name"), [("bacon", "BACON"), ("BACON (ours)", "BACON-ours"), ("ROME", "ROME")])
def test_a_set_of_a_configuration_has_a_name_that_no_distiller_has(tmp_path: Path, method: str, name: str) -> None:
    (tmp_path / "set.pt").touch()
    read = read_config(write_config(tmp_path, method=method, data_file="set.pt"))
    assert read.params["methods"][0].startswith(f"{name}:artifact=")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"model": "ResNet18"}, "takes ConvNet whatever `model` says"),
        ({"eval_mode": "M"}, "eval_mode 'M' asks for several networks"),
        ({"load_file": "x.pth", "test_attack": ["PGD"]}, "augments test images"),
        ({"load_file_model_DC": "x.pth"}, "judges the changed images by other models"),
        ({"train_attack": "PGD", "target_attack": ...}, "aims at the class after the image's own"),
    ],
)
def test_what_beards_code_does_otherwise_is_said(tmp_path: Path, changes: dict[str, Any], says: str) -> None:
    assert any(says in sentence for sentence in read_config(write_config(tmp_path, **changes)).found)
    assert not any(says in sentence for sentence in read_config(write_config(tmp_path)).found)


def test_batches_of_real_images_are_those_of_the_recipe(tmp_path: Path) -> None:
    assert "batch=32" in read_config(write_config(tmp_path, batch_train=32)).params["recipe"]
    assert "batch" not in read_config(write_config(tmp_path, batch_train=32, src_dataset=True)).params["recipe"]


def test_a_model_whose_method_is_not_here_can_be_attacked_all_the_same(tmp_path: Path, stillproof: Commands) -> None:
    write_config(tmp_path, method="ROME", load_file="rome.pth", test_attack=["PGD"], target_attack=[True])
    done = stillproof("import", "train_config.json", "--out", "mine.toml", cwd=tmp_path)
    command = "stillproof attack rome.pth --dataset cifar10 --protocol faithful --attack pgd --targeted"
    assert done.code == 0 and f"next: {command}" in done.out and "only its model is attacked" in done.err
    assert command in (tmp_path / "mine.toml").read_text(encoding="utf-8")


def test_commands_name_the_network_and_quote_the_file(tmp_path: Path) -> None:
    read = read_config(write_config(tmp_path, load_file="my net.pth", test_attack=["PGD"], model="ConvNetAS"))
    command = "stillproof attack 'my net.pth' --dataset cifar10 --protocol faithful"
    assert read.commands == (f"{command} --network convnet-3:activation=sigmoid --attack pgd",)


def test_a_configuration_without_attacks_on_a_model_asks_for_its_clean_accuracy(tmp_path: Path) -> None:
    read = read_config(write_config(tmp_path, load_file="x.pth", test_attack=["Clean"], target_attack=[True, False]))
    assert read.commands == ("stillproof attack x.pth --dataset cifar10 --protocol faithful --attack none",)


def test_a_configuration_of_targeted_attacks_alone_asks_for_no_others(tmp_path: Path) -> None:
    read = read_config(write_config(tmp_path, test_attack=["PGD", "AA"], target_attack=[True], train_attack="PGD"))
    assert (read.params["attacks"], read.params["targeted_attacks"]) == ([], ["pgd"])
    assert any("here it is untargeted" in sentence for sentence in read.found)


def test_a_configuration_for_defended_training_asks_suite_beard(tmp_path: Path) -> None:
    read = read_config(write_config(tmp_path, train_attack="PGD"))
    assert read.suite == "beard" and read.params["sections"] == ["defences"] and read.params["attacks"] == ["pgd"]
    assert read.params["defences"] == ["pgd-at:random_start=false:step=2/225"]
    defence: Any = defence_of(read.params["defences"][0])
    assert defence.step == 2 / 225 and not defence.random_start


def test_a_configuration_for_real_images_has_no_method(tmp_path: Path) -> None:
    real = read_config(write_config(tmp_path, src_dataset=True))
    assert real.suite == "accuracy" and real.params["methods"] == [] and real.params["full_recipe"] == "beard"


@pytest.mark.skipif("beard" not in suites.entries(), reason="suite beard is not there")
@pytest.mark.parametrize("changes", [{"test_attack": ["PGD", "CW"], "target_attack": [True]}, {"train_attack": "PGD"}])
def test_what_suite_beard_is_asked_can_be_planned(tmp_path: Path, changes: dict[str, Any]) -> None:
    read = read_config(write_config(tmp_path, **changes))
    suite: Any = suites.build(read.suite, read.params)
    assert suite.rows()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"ipc": ..., "model": ...}, "lacks model and ipc"),
        ({"ipc": "many"}, "ipc is 'many', where a number is needed"),
        ({"method": "ROME"}, "nor a distiller called 'ROME'"),
        ({"model": "ConvNet_GBN"}, "unknown network 'ConvNet_GBN' of BEARD"),
        ({"train_attack": "FGSM"}, "train_attack 'FGSM' is not known"),
        ({"dsa_strategy": "colour_crop"}, "strategy holds 'colour'"),
        ({"test_attack": ["AA"], "target_attack": [True]}, "AA cannot aim"),
        ({"load_file": "x", "test_attack": ["Foo"]}, "unknown attack 'Foo' of BEARD"),
    ],
)
def test_a_configuration_with_missing_or_wrong_fields_is_refused(
    tmp_path: Path, changes: dict[str, Any], says: str
) -> None:
    with pytest.raises(BadInput, match=says):
        read_config(write_config(tmp_path, **changes))


@pytest.mark.parametrize("key", ["lr_net", "ipc", "epoch_eval_train", "batch_train"])
@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity", "1" + "0" * 400, "[1]", '"1e999"'])
def test_a_number_that_is_none_is_refused(tmp_path: Path, key: str, number: str) -> None:
    path = write_config(tmp_path, **{key: "HERE"})
    path.write_text(path.read_text(encoding="utf-8").replace('"HERE"', number), encoding="utf-8")
    with pytest.raises(BadInput, match=rf"{key} is .{{1,102}}, where a (finite )?number (above 0 )?is needed\.$"):
        read_config(path)


def test_what_is_not_read_is_refused(tmp_path: Path, stillproof: Commands) -> None:
    write_config(tmp_path)
    for argv, says in (
        (["nothere.json"], "nothere.json is not there"),
        (["train_config.json", "--dataset", "cifar10"], "itself says what it is about: leave --dataset out"),
        (["train_config.json", "--network", "mlp"], "leave --network out"),
        (["train_config.json", "--space", "zca"], "leave --space out"),
    ):
        assert says in stillproof("import", *argv, cwd=tmp_path).sentence()


def test_what_is_no_json_object_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for text, says in (("[1]", "no JSON object"), ("{", "cannot be read as JSON")):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(BadInput, match=says):
            read_config(path)
